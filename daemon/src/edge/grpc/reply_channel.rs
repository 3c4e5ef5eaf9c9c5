//! A stream of replies that a blocking thread fills no faster than its client reads. An answer that holds memory
//! which others wait for does not wait for its client: it is ended.

use std::pin::Pin;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use simdex_index::{Cancel, IndexError, IndexReader, MemoryAccount};
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio_stream::Stream;
use tonic::Status;

use super::Replies;
use super::caller::{Caller, CancelOnDrop};
use super::reply_budget::{ReplyPermit, UserReplyBudget};
use super::status::Refused;

/// Items made ahead of what the client has read, and their bytes; a single item may be longer.
const AHEAD: usize = 64;
const AHEAD_BYTES: usize = 256 << 10;
/// A full stream is retried this often. A blocking send is not used: it would outlive the deadline
/// of a client that stops reading.
const RETRY: Duration = Duration::from_millis(2);
/// How many times in total an answer may find its stream full while its account overdraws the memory of requests:
/// some seconds. Only one account may overdraw, so all others that need more wait for it.
const OVERDRAWN_RETRIES: u32 = if cfg!(test) { 3 } else { 2_500 };

/// What bounds one stream.
pub(super) struct ReplyLimits {
    /// Bytes of the longest message.
    pub(super) longest: usize,
    /// How long the sender waits for a client that reads nothing.
    pub(super) patience: Duration,
    /// What its user may leave unread.
    pub(super) budget: UserReplyBudget,
}

/// Sender half, used on a blocking thread.
pub(super) struct ReplySender<T> {
    queue: mpsc::Sender<Item<T>>,
    cancel: Cancel,
    limits: ReplyLimits,
    ahead: Arc<AtomicUsize>,
    /// The account that the permits of the answer belong to, once it has any.
    account: OnceLock<MemoryAccount>,
    overdrawn_retries: AtomicU32,
}

/// A message, or the status that ends the stream, on its way to the client.
struct Item<T> {
    item: Result<T, Status>,
    counted: InFlightBytes,
}

/// Bytes of an item, counted until the next one is polled: only then has it been handed out.
struct InFlightBytes {
    bytes: usize,
    ahead: Arc<AtomicUsize>,
    _held: ReplyPermit,
}

impl Drop for InFlightBytes {
    fn drop(&mut self) {
        self.ahead.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Receiver half, as a `Stream`.
struct ReplyStream<T> {
    receiver: mpsc::Receiver<Item<T>>,
    last: Option<InFlightBytes>,
    _gone: CancelOnDrop,
}

impl<T> Stream for ReplyStream<T> {
    type Item = Result<T, Status>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        this.last = None;
        this.receiver.poll_recv(context).map(|sent| {
            let Item { item, counted } = sent?;
            this.last = Some(counted);
            Some(item)
        })
    }
}

/// A channel within these limits; dropping its replies drops `gone`.
pub(super) fn channel<T: Send + 'static>(
    cancel: Cancel,
    limits: ReplyLimits,
    gone: CancelOnDrop,
) -> (ReplySender<T>, Replies<T>) {
    let (queue, receiver) = mpsc::channel(AHEAD);
    let stream = ReplyStream {
        receiver,
        last: None,
        _gone: gone,
    };
    let sender = ReplySender {
        queue,
        cancel,
        limits,
        ahead: Arc::default(),
        account: OnceLock::new(),
        overdrawn_retries: AtomicU32::default(),
    };
    (sender, Box::pin(stream))
}

impl<T: prost::Message> ReplySender<T> {
    /// Cancelled at the deadline, or once the client is gone.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The account for all permits of this answer; every call returns the same one.
    pub(super) fn account(&self, caller: &Caller, index: &IndexReader) -> MemoryAccount {
        let account = || caller.lasting().account(index, &self.cancel);
        self.account.get_or_init(account).clone()
    }

    /// Sends one message, waiting while the client is behind, for as long as the limits say.
    pub(super) fn send(&self, item: T) -> Result<(), Refused> {
        let length = check_length(&item, self.limits.longest)?;
        self.send_blocking(Ok(item), length)
    }

    fn send_blocking(&self, item: Result<T, Status>, length: usize) -> Result<(), Refused> {
        let mut waiting = item;
        let begun = Instant::now();
        loop {
            self.cancel.check()?;
            waiting = match self.try_send(waiting, length) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Closed(_)) => return Err(IndexError::Cancelled.into()),
                Err(TrySendError::Full(item)) => item,
            };
            self.check_overdraft()?;
            if begun.elapsed() >= self.limits.patience {
                return Err(self.unread().into());
            }
            std::thread::sleep(RETRY);
        }
    }

    /// The status of a stream that could not go on for as long as the limits say: its client reads nothing, or has read
    /// all of it while other replies to the user are left unread.
    fn unread(&self) -> Status {
        let seconds = self.limits.patience.as_secs();
        match self.ahead.load(Ordering::Relaxed) {
            0 => Status::resource_exhausted(format!(
                "other replies to this user were left unread for {seconds} s (grpc.deadline_seconds) and take all that \
                 grpc.max_unread_mib allows; read them, or end their requests"
            )),
            _ => Status::deadline_exceeded(format!(
                "nothing of the answer was read for {seconds} s (grpc.deadline_seconds)"
            )),
        }
    }

    /// Refuses to wait for the client any longer while everybody waits for this answer's memory.
    fn check_overdraft(&self) -> Result<(), Status> {
        if !self.account.get().is_some_and(MemoryAccount::is_overdrawn) {
            return Ok(());
        }
        match self.overdrawn_retries.fetch_add(1, Ordering::Relaxed) {
            retries if retries < OVERDRAWN_RETRIES => Ok(()),
            _ => Err(Status::resource_exhausted(
                "the answer is read too slowly, and other requests wait for its memory: read it faster, \
                 ask about fewer roots, or raise store.memory_mib",
            )),
        }
    }

    fn try_send(
        &self,
        item: Result<T, Status>,
        length: usize,
    ) -> Result<(), TrySendError<Result<T, Status>>> {
        let Some(counted) = self.count(length) else {
            return Err(TrySendError::Full(item));
        };
        let sent = self.queue.try_send(Item { item, counted });
        sent.map_err(|refused| match refused {
            TrySendError::Full(sent) => TrySendError::Full(sent.item),
            TrySendError::Closed(sent) => TrySendError::Closed(sent.item),
        })
    }

    /// Counts an item; `None` if there is no room for it now, in this stream or among all replies of the user.
    fn count(&self, length: usize) -> Option<InFlightBytes> {
        // Only this side adds to it.
        let ahead = self.ahead.load(Ordering::Relaxed);
        if ahead > 0 && ahead + length > AHEAD_BYTES {
            return None;
        }
        let held = self.limits.budget.reserve(length)?;
        self.ahead.fetch_add(length, Ordering::Relaxed);
        Some(InFlightBytes {
            bytes: length,
            ahead: Arc::clone(&self.ahead),
            _held: held,
        })
    }

    /// Ends the stream, with a status if the work failed.
    pub(super) fn finish(self, done: Result<(), Refused>) {
        let Err(Refused(status)) = done else { return };
        // A client that is behind gets the status too, as long as it waits; past the deadline it is
        // sent only if there is a free place in the stream, since nobody may be reading.
        if self.send_blocking(Err(status.clone()), 0).is_err() {
            let _ = self.try_send(Err(status), 0);
        }
    }
}

/// The length of a message; an error if it is too long for the client to accept.
pub(super) fn check_length(message: &impl prost::Message, longest: usize) -> Result<usize, Status> {
    let length = message.encoded_len();
    if length <= longest {
        return Ok(length);
    }
    Err(too_long(length, longest))
}

/// The status of a message that takes `length` bytes or more.
pub(super) fn too_long(length: usize, longest: usize) -> Status {
    Status::resource_exhausted(format!(
        "one message of the answer takes {length} bytes or more; the most is {longest}"
    ))
}

#[cfg(test)]
mod tests;
