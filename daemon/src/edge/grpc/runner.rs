//! Where a request waits its turn: a bounded number of slots per class of requests, a deadline, and a flag
//! that stops the work once its client is gone.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use simdex_index::Cancel;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tonic::{Code, Request, Response, Status};

use super::caller::{Caller, CancelOnDrop};
use super::fair_semaphore::{FairSemaphore, NoSlot, Slot};
use super::reply_budget::{ReplyBudget, ReplyPermit, too_much};
use super::reply_channel::{self, ReplyLimits, ReplySender, check_length};
use super::status::{Refused, lost_thread, panicked};
use super::traffic::WithReply;
use super::{Replies, operator};
use crate::base::user_budget::{UserBudget, UserPermit, UserShare};
use crate::config::GrpcConfig;
use crate::engine::Engine;
use crate::engine::slot::{EngineSlot, Reopening};
use crate::host::alarms::Alarm;
use crate::host::descriptors::SENT_FILES;
use crate::host::disk::DiskGuard;

/// Requests of [`RequestClass::Work`] under way at once.
const LONG_WORK: usize = 8;
/// Requests of [`RequestClass::Status`] under way at once.
const STATUSES: usize = 4;
/// Event streams under way at once.
const WATCHERS: usize = 64;

/// Each class has its own slots, so that slow clients and long work never delay queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestClass {
    /// Computes an answer and ends.
    Query,
    /// Reports about the daemon itself, for clients that wonder why answers are slow.
    Status,
    /// Runs as fast as its client reads, for as long as the list has items: lists, reports that are sent.
    Stream,
    /// Runs as fast as its client writes: uploads.
    Upload,
    /// Lasts as long as its work: waiting until changes are applied (sync, wait), kept reports, confirmed losses,
    /// components, cores, templates, copies of folders, calibration, a change of sampling, sampling pairs to label,
    /// evaluating labels, training a model, and returning to the shipped model.
    Work,
    /// Lasts until its client disconnects, and occupies no thread: events.
    Events,
}

/// Runs requests on the engine, each in a slot of its class; shared by all services.
pub struct RequestRunner {
    engine: Arc<EngineSlot>,
    config: GrpcConfig,
    queries: Arc<FairSemaphore>,
    statuses: Arc<FairSemaphore>,
    streams: Arc<FairSemaphore>,
    uploads: Arc<FairSemaphore>,
    long_work: Arc<FairSemaphore>,
    events: Arc<FairSemaphore>,
    reply_budget: ReplyBudget,
    upload_budget: Arc<UserBudget>,
    sent_files: Arc<UserBudget>,
    disk: Arc<DiskGuard>,
    draining: watch::Receiver<bool>,
}

impl RequestRunner {
    /// `draining` turns true when the daemon drains: long work and streams without an end then end.
    pub fn new(
        slot: Arc<EngineSlot>,
        config: GrpcConfig,
        disk: Arc<DiskGuard>,
        draining: watch::Receiver<bool>,
    ) -> Self {
        let width = config.max_queries;
        Self {
            queries: FairSemaphore::new(width),
            statuses: FairSemaphore::new(STATUSES),
            streams: FairSemaphore::new(width),
            uploads: FairSemaphore::new(width),
            long_work: FairSemaphore::new(LONG_WORK),
            events: FairSemaphore::new(WATCHERS),
            reply_budget: ReplyBudget::new(config.max_unread_mib.bytes()),
            upload_budget: UserBudget::new(config.max_uploads_mib.bytes()),
            sent_files: UserBudget::new(SENT_FILES),
            disk,
            engine: slot,
            config,
            draining,
        }
    }

    /// Blocking threads that the requests of all classes may occupy together.
    pub fn threads(config: &GrpcConfig) -> usize {
        let all_slots = FairSemaphore::all_slots;
        2 * all_slots(config.max_queries.max(1)) + all_slots(LONG_WORK) + all_slots(STATUSES)
    }

    /// The engine; UNAVAILABLE while it is being reopened.
    pub(super) fn engine(&self) -> Result<Arc<Engine>, Status> {
        let away = |reopening: Reopening| Refused::from(reopening).into();
        self.engine.get().map_err(away)
    }

    /// The gravest alarm that keeps changes from being applied, if there is one.
    pub(super) fn alarm(&self) -> Option<Alarm> {
        self.engine.alarms.gravest()
    }

    /// The status of work that failed; if the engine ended meanwhile, the status says so.
    fn status_of(&self, ending: &Cancel, status: Status) -> Status {
        match ending.check() {
            Ok(()) => status,
            Err(_) => self.engine().err().unwrap_or_else(reopened),
        }
    }

    /// Completes once the daemon drains.
    pub(super) fn draining(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut draining = self.draining.clone();
        async move {
            // No sender means that the daemon is already gone.
            let _ = draining.wait_for(|draining| *draining).await;
        }
    }

    /// The share of the disk that documents sent by this caller may take until they have been read.
    pub(super) fn upload_share(&self, caller: Caller) -> UserShare {
        self.upload_budget.for_user(caller.client.uid)
    }

    /// Reserves descriptors for files that this caller sends with a request for a report.
    pub(super) fn descriptors(&self, caller: Caller, count: usize) -> Result<UserPermit, Status> {
        let share = self.sent_files.for_user(caller.client.uid);
        share.reserve(count as u64).ok_or_else(|| {
            let why = format!(
                "reports take at most {} files of one user that are not in the index, and {SENT_FILES} of all users, at once",
                SENT_FILES / 2
            );
            let refused = Refused::new(Code::ResourceExhausted, &why);
            refused
                .advised(Some("send fewer, or ask again when other reports are done"))
                .into()
        })
    }

    /// Guards the disk that holds uploads.
    pub(super) fn disk(&self) -> Arc<DiskGuard> {
        Arc::clone(&self.disk)
    }

    /// The caller of a request that should be quick.
    pub(super) fn caller<T>(&self, request: &Request<T>) -> Caller {
        let config = &self.config;
        let (usual, longest) = (config.deadline_seconds, config.max_deadline_seconds);
        Caller::of(
            request,
            Duration::from_secs(usual),
            Duration::from_secs(longest),
        )
    }

    /// The caller of a request that lasts as long as its work, or of a list, which lasts as long as its client reads.
    pub(super) fn long_caller<T>(&self, request: &Request<T>) -> Caller {
        let longest = Duration::from_secs(self.config.max_work_seconds);
        Caller::of(request, longest, longest).lasting()
    }

    /// Refuses a request that only the daemon's operators may make, unless the config allows it to all users
    /// of the socket.
    pub(super) fn check_may_confirm<T>(&self, request: &Request<T>) -> Result<(), Status> {
        match self.config.users_confirm_losses {
            true => Ok(()),
            false => operator::check_is_operator(
                request,
                "only root and the user that the daemon runs as may confirm a loss (grpc.users_confirm_losses)",
            ),
        }
    }

    /// Does `work` to its end, or until the daemon drains if the request `stops` then: that could last for hours,
    /// and is dropped, so that the daemon stops without waiting for it.
    async fn until_draining<T>(
        &self,
        stops: bool,
        work: impl Future<Output = Result<T, Status>>,
    ) -> Result<T, Status> {
        if !stops {
            return work.await;
        }
        tokio::select! {
            biased;
            () = self.draining() => Err(stopping()),
            done = work => done,
        }
    }

    /// Waits for a slot of a class.
    pub(super) async fn enter(&self, class: RequestClass, caller: Caller) -> Result<Slot, Status> {
        let semaphore = match class {
            RequestClass::Query => &self.queries,
            RequestClass::Status => &self.statuses,
            RequestClass::Stream => &self.streams,
            RequestClass::Upload => &self.uploads,
            RequestClass::Work => &self.long_work,
            RequestClass::Events => &self.events,
        };
        let now = Instant::now();
        let until = match class {
            // Event streams have no natural end, so a full class is refused at once.
            RequestClass::Events => now,
            // A list may last as long as its client reads, but those before it may do so as well.
            RequestClass::Stream => caller.deadline.min(now + self.patience()),
            _ => caller.deadline,
        };
        let slot = semaphore.enter(caller.client, until).await;
        slot.map_err(|refused| {
            Status::resource_exhausted(match refused {
                NoSlot::Late if class == RequestClass::Events => {
                    "too many clients of the daemon, or of one user, follow events already"
                }
                NoSlot::Late if class == RequestClass::Stream => {
                    "the daemon had as many lists under way as it allows (grpc.max_queries) until the deadline, or for \
                     grpc.deadline_seconds"
                }
                NoSlot::Late => {
                    "the daemon had as many requests under way as it allows until the deadline"
                }
                NoSlot::Crowded => "too many requests of this user are waiting already",
            })
        })
    }

    /// Runs `work` on a blocking thread; it is cancelled when the client disconnects, and [`RequestClass::Work`] when
    /// the daemon drains.
    pub(super) async fn run_blocking<T: Send + 'static>(
        &self,
        class: RequestClass,
        caller: Caller,
        work: impl FnOnce(&Engine, &Cancel) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Status> {
        let running = self.run_to_its_end(class, caller, work);
        self.until_draining(class == RequestClass::Work, running)
            .await
    }

    async fn run_to_its_end<T: Send + 'static>(
        &self,
        class: RequestClass,
        caller: Caller,
        work: impl FnOnce(&Engine, &Cancel) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Status> {
        let slot = self.enter(class, caller).await?;
        let engine = self.engine()?;
        let ending = engine.ending().clone();
        let cancel = Cancel::at(caller.deadline).or(&ending);
        let _cancel_on_drop = CancelOnDrop::of(&cancel);
        let done = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            cancel.check()?;
            work(&engine, &cancel)
        });
        let done = done.await.map_err(|error| lost_thread(&error))?;
        done.map_err(|Refused(status)| self.status_of(&ending, status))
    }

    /// Runs `work` like [`run_blocking`](Self::run_blocking) and replies with its message, which is counted
    /// until it has been read.
    pub(super) async fn unary<T: prost::Message + 'static>(
        &self,
        class: RequestClass,
        caller: Caller,
        work: impl FnOnce(&Engine, &Cancel) -> Result<T, Refused> + Send + 'static,
    ) -> Result<Response<T>, Status> {
        let longest = self.longest_message();
        let length = move |reply: &T| check_length(reply, longest);
        let (reply, held) = self.run_with_permit(class, caller, length, work).await?;
        Ok(kept_until_read(reply, held))
    }

    /// Runs blocking work whose reply is several messages, all made before the first is sent.
    pub(super) async fn buffered_stream<T: prost::Message + 'static>(
        &self,
        class: RequestClass,
        caller: Caller,
        work: impl FnOnce(&Engine, &Cancel) -> Result<Vec<T>, Refused> + Send + 'static,
    ) -> Result<Response<Replies<T>>, Status> {
        let longest = self.longest_message();
        let length = move |parts: &Vec<T>| {
            let lengths = parts.iter().map(|part| check_length(part, longest));
            lengths.sum::<Result<usize, Status>>()
        };
        let (parts, held) = self.run_with_permit(class, caller, length, work).await?;
        let replies: Replies<T> = Box::pin(tokio_stream::iter(parts.into_iter().map(Ok)));
        Ok(kept_until_read(replies, held))
    }

    async fn run_with_permit<T: Send + 'static>(
        &self,
        class: RequestClass,
        caller: Caller,
        length: impl FnOnce(&T) -> Result<usize, Status> + Send + 'static,
        work: impl FnOnce(&Engine, &Cancel) -> Result<T, Refused> + Send + 'static,
    ) -> Result<(T, ReplyPermit), Status> {
        let budget = self.reply_budget.for_user(caller.client.uid);
        let reply = self.run_blocking(class, caller, move |engine, cancel| {
            let made = work(engine, cancel)?;
            // Reserved while the slot is still held, so that no more replies are made at once than there are slots.
            let held = budget.reserve(length(&made)?).ok_or_else(too_much)?;
            Ok((made, held))
        });
        reply.await
    }

    /// Fills a stream from a blocking thread; it is cancelled when the client disconnects, and one that may last long
    /// when the daemon drains.
    pub(super) async fn stream<T: prost::Message + Default + 'static>(
        &self,
        class: RequestClass,
        caller: Caller,
        work: impl FnOnce(&Engine, &ReplySender<T>) -> Result<(), Refused> + Send + 'static,
    ) -> Result<Replies<T>, Status> {
        let entered = self.enter(class, caller);
        let stops = class == RequestClass::Work || caller.is_lasting;
        let slot = self.until_draining(stops, entered).await?;
        let engine = self.engine()?;
        let cancel = Cancel::at(caller.deadline).or(engine.ending());
        let gone = CancelOnDrop::of(&cancel);
        let draining = self.draining.clone();
        let stopper = stops.then(|| self.cancel_once_draining(&cancel));
        let limits = ReplyLimits {
            longest: self.longest_message(),
            patience: self.patience(),
            budget: self.reply_budget.for_user(caller.client.uid),
        };
        let (sender, replies) = reply_channel::channel(cancel, limits, gone);
        tokio::task::spawn_blocking(move || {
            let (_slot, _stopper) = (slot, stopper);
            // A list that ended in a panic must not look complete.
            let done = catch_unwind(AssertUnwindSafe(|| work(&engine, &sender)));
            let done = done.unwrap_or_else(|_| Err(panicked().into()));
            let ended = engine.ending().check().is_err();
            // A client that reads slowly must not keep the engine from being closed.
            drop(engine);
            let is_stopping = stops && *draining.borrow();
            let why = |refused| match (is_stopping, ended) {
                (true, _) => stopping().into(),
                (false, true) => reopened().into(),
                (false, false) => refused,
            };
            sender.finish(done.map_err(why));
        });
        Ok(replies)
    }

    /// How long a list waits for a slot, or for a client that reads nothing.
    fn patience(&self) -> Duration {
        Duration::from_secs(self.config.deadline_seconds)
    }

    /// Cancels work when the daemon drains, for as long as the returned set is held.
    fn cancel_once_draining(&self, cancel: &Cancel) -> JoinSet<()> {
        let (draining, cancel) = (self.draining(), cancel.clone());
        let mut stopper = JoinSet::new();
        stopper.spawn(async move {
            draining.await;
            cancel.cancel();
        });
        stopper
    }

    /// Bytes of the longest message that is sent or accepted.
    pub(super) fn longest_message(&self) -> usize {
        self.config.max_message_mib.length()
    }
}

/// A reply that is counted until its client has read it.
fn kept_until_read<T>(reply: T, held: ReplyPermit) -> Response<T> {
    let mut response = Response::new(reply);
    response.extensions_mut().insert(WithReply::keep(held));
    response
}

fn stopping() -> Status {
    Refused::unavailable("simdexd is stopping", "ask again once it runs").into()
}

fn reopened() -> Status {
    Refused::unavailable("the index was reopened meanwhile", "ask again").into()
}

#[cfg(test)]
mod tests;
