//! Where a request waits its turn: bounded lanes, a deadline, and a flag that stops the work once
//! nobody waits for it any more.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use simdex_index::Cancel;
use tokio::sync::watch;
use tonic::{Request, Status};

use super::feed::{self, Feed};
use super::lane::{self, Client, NoPlace, Place};
use super::peer::Peer;
use super::status::{Refused, lost_thread};
use super::{Replies, deadline};
use crate::alarms::Alarm;
use crate::config::GrpcConfig;
use crate::disk::DiskGuard;
use crate::engine::Engine;
use crate::slot::{EngineSlot, Reopening};

/// Barriers, reports and walks under way at once.
const WORKS: usize = 8;
/// Clients that follow events at once.
const WATCHERS: usize = 64;

/// What a request waits for, so that slow clients and long work never keep queries from their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Computes and is done.
    Query,
    /// Goes as fast as its client reads: lists.
    Stream,
    /// Goes as fast as its client writes: uploads.
    Upload,
    /// Lasts as long as its work: barriers, reports, walks.
    Work,
    /// Lasts until its client leaves, and occupies no thread: events.
    Events,
}

/// Who waits for an answer, and until when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller {
    client: Client,
    pub(super) deadline: Instant,
}

/// The engine with the lanes before it; shared by all services.
pub struct Desk {
    slot: Arc<EngineSlot>,
    config: GrpcConfig,
    queries: Arc<lane::Lane>,
    streams: Arc<lane::Lane>,
    uploads: Arc<lane::Lane>,
    works: Arc<lane::Lane>,
    events: Arc<lane::Lane>,
    disk: Arc<DiskGuard>,
    leaving: watch::Receiver<bool>,
}

impl Desk {
    /// `leaving` turns true when the daemon drains: streams without an end then end.
    pub fn new(
        slot: Arc<EngineSlot>,
        config: GrpcConfig,
        disk: Arc<DiskGuard>,
        leaving: watch::Receiver<bool>,
    ) -> Self {
        let width = config.max_queries;
        Self {
            queries: lane::Lane::new(width),
            streams: lane::Lane::new(width),
            uploads: lane::Lane::new(width),
            works: lane::Lane::new(WORKS),
            events: lane::Lane::new(WATCHERS),
            disk,
            slot,
            config,
            leaving,
        }
    }

    /// Blocking threads that all lanes together may occupy.
    pub fn threads(config: &GrpcConfig) -> usize {
        2 * config.max_queries.max(1) + WORKS
    }

    /// The engine; UNAVAILABLE while it is being reopened.
    pub(super) fn engine(&self) -> Result<Arc<Engine>, Status> {
        let away = |reopening: Reopening| Refused::from(reopening).into();
        self.slot.get().map_err(away)
    }

    /// What keeps changes from being applied, if anything does.
    pub(super) fn alarm(&self) -> Option<Alarm> {
        self.slot.alarms.gravest()
    }

    /// Why work failed: where the engine ended under it, that it did.
    fn why(&self, ending: &Cancel, status: Status) -> Status {
        match ending.check() {
            Ok(()) => status,
            Err(_) => self.engine().err().unwrap_or_else(reopened),
        }
    }

    /// Returns once the daemon drains.
    pub(super) fn leaving(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut leaving = self.leaving.clone();
        async move {
            // Without a sender the daemon is gone already.
            let _ = leaving.wait_for(|leaving| *leaving).await;
        }
    }

    /// Room for documents that clients send.
    pub(super) fn disk(&self) -> Arc<DiskGuard> {
        Arc::clone(&self.disk)
    }

    /// Who makes a request that should be quick.
    pub(super) fn caller<T>(&self, request: &Request<T>) -> Caller {
        let config = &self.config;
        let (usual, longest) = (config.deadline_seconds, config.max_deadline_seconds);
        caller(
            request,
            Duration::from_secs(usual),
            Duration::from_secs(longest),
        )
    }

    /// Who makes a request that lasts as long as its work.
    pub(super) fn long_caller<T>(&self, request: &Request<T>) -> Caller {
        let longest = Duration::from_secs(self.config.max_work_seconds);
        caller(request, longest, longest)
    }

    /// Waits for a place in a lane.
    pub(super) async fn enter(&self, lane: Lane, caller: Caller) -> Result<Place, Status> {
        let places = match lane {
            Lane::Query => &self.queries,
            Lane::Stream => &self.streams,
            Lane::Upload => &self.uploads,
            Lane::Work => &self.works,
            Lane::Events => &self.events,
        };
        let place = places.enter(caller.client, caller.deadline).await;
        place.map_err(|refused| {
            Status::resource_exhausted(match refused {
                NoPlace::Late => {
                    "as many requests as the daemon allows were under way until the deadline"
                }
                NoPlace::Crowded => "too many requests of this user wait already",
            })
        })
    }

    /// Does work on a blocking thread; it is cancelled when the client goes away.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        lane: Lane,
        caller: Caller,
        work: impl FnOnce(&Engine, &Cancel) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Status> {
        let place = self.enter(lane, caller).await?;
        let engine = self.engine()?;
        let ending = engine.ending().clone();
        let cancel = Cancel::at(caller.deadline).or(&ending);
        let _gone = CancelOnDrop::of(&cancel);
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            cancel.check()?;
            work(&engine, &cancel)
        });
        let done = done.await.map_err(|error| lost_thread(&error))?;
        done.map_err(|Refused(status)| self.why(&ending, status))
    }

    /// Fills a stream from a blocking thread; it is cancelled when the client goes away.
    pub(super) async fn list<T: prost::Message + Default + 'static>(
        &self,
        lane: Lane,
        caller: Caller,
        work: impl FnOnce(&Engine, &Feed<T>) -> Result<(), Refused> + Send + 'static,
    ) -> Result<Replies<T>, Status> {
        let place = self.enter(lane, caller).await?;
        let engine = self.engine()?;
        let cancel = Cancel::at(caller.deadline).or(engine.ending());
        let gone = CancelOnDrop::of(&cancel);
        let (feed, replies) = feed::pair(cancel, self.longest_message(), gone);
        tokio::task::spawn_blocking(move || {
            let _place = place;
            let done = work(&engine, &feed);
            let ended = engine.ending().check().is_err();
            // A client that reads slowly must not keep the engine from being closed.
            drop(engine);
            let why = |refused| if ended { reopened().into() } else { refused };
            feed.finish(done.map_err(why));
        });
        Ok(replies)
    }

    /// Starts work that goes on when the client goes away.
    pub(super) async fn leave_to_it(
        &self,
        lane: Lane,
        caller: Caller,
        work: impl FnOnce(&Engine) + Send + 'static,
    ) -> Result<(), Status> {
        let place = self.enter(lane, caller).await?;
        let engine = self.engine()?;
        tokio::task::spawn_blocking(move || {
            let _place = place;
            work(&engine);
        });
        Ok(())
    }

    /// Longest message, bytes.
    pub(super) fn longest_message(&self) -> usize {
        self.config.max_message_mib.length()
    }
}

fn caller<T>(request: &Request<T>, usual: Duration, longest: Duration) -> Caller {
    let peer = request.extensions().get::<Peer>();
    Caller {
        client: peer.map(Peer::client).unwrap_or_default(),
        deadline: deadline::of(request.metadata(), usual, longest),
    }
}

fn reopened() -> Status {
    Status::unavailable("the index was reopened meanwhile; ask again")
}

/// Cancels what is still under way when the one who waits for it goes away.
pub(super) struct CancelOnDrop(Cancel);

impl CancelOnDrop {
    pub(super) fn of(cancel: &Cancel) -> Self {
        Self(cancel.clone())
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use std::path::Path;
    use std::sync::mpsc;
    use tonic::Code;

    /// An engine that watches nothing, before lanes of one place.
    fn desk() -> Desk {
        let mut config = Config {
            grpc: grpc(),
            ..Config::default()
        };
        // Nothing is extracted here.
        config.extract.require_sandbox = false;
        let engine = Arc::new(Engine::start(config, Path::new("/bin/false")).unwrap());
        let disk = Arc::new(DiskGuard::new(&engine.data_dir, 0));
        let (slot, grpc) = (EngineSlot::holding(engine), grpc());
        Desk::new(Arc::new(slot), grpc, disk, watch::channel(false).1)
    }

    fn grpc() -> GrpcConfig {
        GrpcConfig {
            max_queries: 1,
            ..GrpcConfig::default()
        }
    }

    fn until(patience: Duration) -> Caller {
        Caller {
            client: Client::default(),
            deadline: Instant::now() + patience,
        }
    }

    fn in_time() -> Caller {
        until(Duration::from_secs(120))
    }

    fn soon() -> Caller {
        until(Duration::from_millis(50))
    }

    /// Goes on until nobody waits for it.
    fn endless(cancel: &Cancel) -> Result<(), Refused> {
        loop {
            cancel.check()?;
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_stops_once_its_client_is_gone_and_gives_its_place_back() {
        let desk = desk();
        let (started, begun) = mpsc::channel();
        let (stopped, over) = mpsc::channel();
        let asked = desk.ask(Lane::Query, in_time(), move |_, cancel| {
            let _ = started.send(());
            let ended = endless(cancel);
            let _ = stopped.send(());
            ended
        });
        let waiting = async { tokio::task::spawn_blocking(move || begun.recv()).await };
        tokio::select! {
            _ = asked => unreachable!("it ends only when nobody waits for it"),
            begun = waiting => begun.unwrap().unwrap(),
        }
        // Long before its deadline.
        over.recv_timeout(Duration::from_secs(30)).unwrap();
        assert_eq!(
            desk.ask(Lane::Query, in_time(), |_, _| Ok(7))
                .await
                .unwrap(),
            7
        );
        desk.engine().unwrap().stop();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_ends_at_its_deadline() {
        let desk = desk();
        let asked = desk.ask(Lane::Query, soon(), |_, cancel| endless(cancel));
        assert_eq!(asked.await.unwrap_err().code(), Code::DeadlineExceeded);
        desk.engine().unwrap().stop();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_full_lane_is_waited_for_and_leaves_the_others_free() {
        let desk = desk();
        let place = desk.enter(Lane::Query, in_time()).await.unwrap();
        let refused = desk.enter(Lane::Query, soon()).await.unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);
        assert!(desk.enter(Lane::Stream, in_time()).await.is_ok());
        assert!(desk.enter(Lane::Work, in_time()).await.is_ok());
        drop(place);
        assert!(desk.enter(Lane::Query, in_time()).await.is_ok());
        desk.engine().unwrap().stop();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_that_panics_fails_its_own_request_only() {
        let desk = desk();
        let asked = desk.ask::<()>(Lane::Query, in_time(), |_, _| panic!("on purpose"));
        assert_eq!(asked.await.unwrap_err().code(), Code::Internal);
        assert!(
            desk.ask(Lane::Query, in_time(), |_, _| Ok(()))
                .await
                .is_ok()
        );
        desk.engine().unwrap().stop();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn requests_end_with_the_engine_and_wait_for_the_next_outside() {
        let desk = desk();
        let (started, begun) = mpsc::channel();
        let slot = Arc::clone(&desk.slot);
        let reopening = std::thread::spawn(move || {
            begun.recv().unwrap();
            let engine = slot.take("the disk failed").unwrap();
            engine.stop();
            engine
        });
        let asked = desk.ask(Lane::Query, in_time(), move |_, cancel| {
            let _ = started.send(());
            endless(cancel)
        });
        let refused = asked.await.unwrap_err();
        assert_eq!(refused.code(), Code::Unavailable, "{refused}");
        assert!(refused.message().contains("the disk failed"), "{refused}");
        let refused = desk.ask(Lane::Query, in_time(), |_, _| Ok(())).await;
        assert_eq!(refused.unwrap_err().code(), Code::Unavailable);
        // Nobody holds the old engine any more, so that its index can be closed.
        let engine = reopening.join().unwrap();
        assert_eq!(Arc::strong_count(&engine), 1);
    }
}
