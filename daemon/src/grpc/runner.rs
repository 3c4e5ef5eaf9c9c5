//! Where a request waits its turn: bounded lanes, a deadline, and a flag that stops the work once
//! nobody waits for it any more.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use simdex_extract::Share;
use simdex_index::Cancel;
use tokio::sync::watch;
use tonic::{Request, Response, Status};

use super::feed::{self, Feed, check_length};
use super::lane::{self, Client, NoPlace, Place};
use super::peer::Peer;
use super::status::{Refused, lost_thread, panicked};
use super::traffic::WithReply;
use super::unread::{Held, Unread, too_much};
use super::{Replies, deadline};
use crate::alarms::Alarm;
use crate::config::GrpcConfig;
use crate::disk::DiskGuard;
use crate::engine::Engine;
use crate::slot::{EngineSlot, Reopening};

/// Barriers, kept reports and walks under way at once.
const WORKS: usize = 8;
/// Clients that follow events at once.
const WATCHERS: usize = 64;

/// What a request waits for, so that slow clients and long work never keep queries from their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Computes and is done.
    Query,
    /// Goes as fast as its client reads: lists, reports that are sent.
    Stream,
    /// Goes as fast as its client writes: uploads.
    Upload,
    /// Lasts as long as its work: barriers, reports that are kept, walks.
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
pub struct RequestRunner {
    slot: Arc<EngineSlot>,
    config: GrpcConfig,
    queries: Arc<lane::Lane>,
    streams: Arc<lane::Lane>,
    uploads: Arc<lane::Lane>,
    works: Arc<lane::Lane>,
    events: Arc<lane::Lane>,
    unread: Arc<Unread>,
    disk: Arc<DiskGuard>,
    leaving: watch::Receiver<bool>,
}

impl Caller {
    /// Whose work it is, where documents are shared out.
    pub(super) fn share(&self) -> Share {
        Share::of_user(self.client.uid)
    }
}

impl RequestRunner {
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
            unread: Unread::new(config.max_unread_mib.bytes()),
            disk,
            slot,
            config,
            leaving,
        }
    }

    /// Blocking threads that all lanes together may occupy.
    pub fn threads(config: &GrpcConfig) -> usize {
        let most = lane::Lane::most;
        2 * most(config.max_queries.max(1)) + most(WORKS)
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
        // Who follows events lets go of a place when it likes: nobody waits for that.
        let until = match lane {
            Lane::Events => Instant::now(),
            _ => caller.deadline,
        };
        let place = places.enter(caller.client, until).await;
        place.map_err(|refused| {
            Status::resource_exhausted(match refused {
                NoPlace::Late if lane == Lane::Events => {
                    "as many clients as the daemon allows, or as one user may have, follow events"
                }
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

    /// Does work as [`ask`](Self::ask) does; the reply that comes of it is counted until it has been read.
    pub(super) async fn answer<T: prost::Message + 'static>(
        &self,
        lane: Lane,
        caller: Caller,
        work: impl FnOnce(&Engine, &Cancel) -> Result<T, Refused> + Send + 'static,
    ) -> Result<Response<T>, Status> {
        let longest = self.longest_message();
        let length = move |reply: &T| check_length(reply, longest);
        let (reply, held) = self.counted(lane, caller, length, work).await?;
        Ok(kept_until_read(reply, held))
    }

    /// The same for a reply of many messages.
    pub(super) async fn answer_in_parts<T: prost::Message + 'static>(
        &self,
        lane: Lane,
        caller: Caller,
        work: impl FnOnce(&Engine, &Cancel) -> Result<Vec<T>, Refused> + Send + 'static,
    ) -> Result<Response<Replies<T>>, Status> {
        let longest = self.longest_message();
        let length = move |parts: &Vec<T>| {
            let lengths = parts.iter().map(|part| check_length(part, longest));
            lengths.sum::<Result<usize, Status>>()
        };
        let (parts, held) = self.counted(lane, caller, length, work).await?;
        let replies: Replies<T> = Box::pin(tokio_stream::iter(parts.into_iter().map(Ok)));
        Ok(kept_until_read(replies, held))
    }

    async fn counted<T: Send + 'static>(
        &self,
        lane: Lane,
        caller: Caller,
        length: impl FnOnce(&T) -> Result<usize, Status> + Send + 'static,
        work: impl FnOnce(&Engine, &Cancel) -> Result<T, Refused> + Send + 'static,
    ) -> Result<(T, Held), Status> {
        let unread = self.unread.of(caller.client.uid);
        let asked = self.ask(lane, caller, move |engine, cancel| {
            let made = work(engine, cancel)?;
            // While the place is still held, so that no more are made at once than there are places.
            let held = unread.hold(length(&made)?).ok_or_else(too_much)?;
            Ok((made, held))
        });
        asked.await
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
        let unread = self.unread.of(caller.client.uid);
        let (feed, replies) = feed::pair(cancel, self.longest_message(), unread, gone);
        tokio::task::spawn_blocking(move || {
            let _place = place;
            // A list that ended in a panic must not look like a whole one.
            let done = catch_unwind(AssertUnwindSafe(|| work(&engine, &feed)));
            let done = done.unwrap_or_else(|_| Err(panicked().into()));
            let ended = engine.ending().check().is_err();
            // A client that reads slowly must not keep the engine from being closed.
            drop(engine);
            let why = |refused| if ended { reopened().into() } else { refused };
            feed.finish(done.map_err(why));
        });
        Ok(replies)
    }

    /// Starts work that goes on when the client goes away. As nobody waits for it, its panic ends the
    /// engine.
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
            if catch_unwind(AssertUnwindSafe(|| work(&engine))).is_err() {
                engine.panicked("of a request");
            }
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

/// A reply that is counted until its client has read it.
fn kept_until_read<T>(reply: T, held: Held) -> Response<T> {
    let mut response = Response::new(reply);
    response.extensions_mut().insert(WithReply::keep(held));
    response
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
mod tests;
