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

    /// The status of a stream whose client reads nothing.
    fn unread(&self) -> Status {
        let seconds = self.limits.patience.as_secs();
        Status::deadline_exceeded(format!(
            "nothing of the answer was read for {seconds} s (grpc.deadline_seconds)"
        ))
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
mod tests {
    use super::super::limits::PIECE;
    use super::super::reply_budget::ReplyBudget;
    use super::*;
    use prost::Message;
    use simdex_index::MemoryBudget;
    use simdex_proto::v1::Event;
    use tokio_stream::StreamExt;
    use tonic::Code;

    fn limits() -> ReplyLimits {
        ReplyLimits {
            longest: 1 << 20,
            patience: Duration::from_secs(3_600),
            budget: ReplyBudget::new(1 << 20).for_user(7),
        }
    }

    fn sending(cancel: &Cancel) -> (ReplySender<Event>, Replies<Event>) {
        channel(cancel.clone(), limits(), CancelOnDrop::of(cancel))
    }

    fn event(text: &str) -> Event {
        Event {
            detail: text.to_owned(),
            ..Event::default()
        }
    }

    #[test]
    fn a_client_that_leaves_stops_the_sender() {
        let cancel = Cancel::never();
        let (sender, replies) = sending(&cancel);
        assert!(sender.send(event("a")).is_ok());
        drop(replies);
        assert!(sender.send(event("b")).is_err());
        assert!(cancel.check().is_err());
    }

    #[test]
    fn a_client_that_stops_reading_holds_the_sender_until_the_deadline_only() {
        let cancel = Cancel::at(Instant::now() + Duration::from_millis(50));
        let (sender, replies) = sending(&cancel);
        let refused = (0..=AHEAD).find_map(|_| sender.send(event("a")).err());
        assert_eq!(
            refused.map(|Refused(status)| status.code()),
            Some(Code::DeadlineExceeded)
        );
        drop(replies);
    }

    #[test]
    fn a_client_that_reads_nothing_ends_a_list_that_has_no_near_deadline() {
        let cancel = Cancel::never();
        let limits = ReplyLimits {
            patience: Duration::from_millis(20),
            ..limits()
        };
        let (sender, replies) = channel(cancel.clone(), limits, CancelOnDrop::of(&cancel));
        let refused = (0..=AHEAD).find_map(|_| sender.send(event("a")).err());
        let Refused(status) = refused.unwrap();
        assert_eq!(status.code(), Code::DeadlineExceeded);
        assert!(status.message().contains("read"), "{status}");
        drop(replies);
    }

    #[test]
    fn an_answer_that_everybody_waits_for_does_not_wait_for_its_client() {
        let cancel = Cancel::at(Instant::now() + Duration::from_secs(60));
        let (sender, _replies) = sending(&cancel);
        let budget = MemoryBudget::new(100);
        let account = budget.account_of(7, &cancel);
        assert!(sender.account.set(account.clone()).is_ok());
        let _first = account.take(50).unwrap();
        let others = budget.acquire(50, &cancel).unwrap();
        (0..AHEAD).for_each(|_| assert!(sender.send(event("a")).is_ok()));
        assert!(!account.is_overdrawn() && sender.check_overdraft().is_ok());
        let second = account.take(20).unwrap();
        assert!(account.is_overdrawn());
        let Refused(status) = sender.send(event("a")).unwrap_err();
        assert_eq!(status.code(), Code::ResourceExhausted);
        // Once it is no longer overdrawn, it may wait again.
        drop(second);
        assert!(!account.is_overdrawn() && sender.check_overdraft().is_ok());
        drop(others);
    }

    #[test]
    fn a_client_that_is_behind_hears_why_the_answer_ends() {
        let (sender, mut replies) = sending(&Cancel::never());
        (0..AHEAD).for_each(|_| assert!(sender.send(event("a")).is_ok()));
        std::thread::scope(|scope| {
            scope.spawn(|| sender.finish(Err(Status::data_loss("damaged").into())));
            std::thread::sleep(RETRY * 3);
            let runtime = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            let last = runtime.block_on(async {
                let mut last = None;
                while let Some(item) = replies.next().await {
                    last = Some(item);
                }
                last
            });
            assert_eq!(last.unwrap().unwrap_err().code(), Code::DataLoss);
        });
    }

    #[test]
    fn a_message_that_no_client_could_take_is_refused() {
        let (sender, _replies) = sending(&Cancel::never());
        let Refused(status) = sender.send(event(&"a".repeat(2 << 20))).unwrap_err();
        assert_eq!(status.code(), Code::ResourceExhausted);
    }

    #[tokio::test]
    async fn what_is_made_ahead_of_a_client_is_bounded_in_bytes() {
        let cancel = Cancel::never();
        let (sender, mut replies) = sending(&cancel);
        let large = || event(&"a".repeat(AHEAD_BYTES / 4));
        let length = large().encoded_len();
        let fill = || std::iter::from_fn(|| sender.try_send(Ok(large()), length).ok()).count();
        assert_eq!(fill(), 3);
        // The first is handed out, but counted until the second is polled.
        assert!(replies.next().await.is_some());
        assert_eq!(fill(), 0);
        assert!(replies.next().await.is_some());
        assert_eq!(fill(), 1);
    }

    #[tokio::test]
    async fn an_item_of_any_length_goes_through_alone() {
        let (sender, mut replies) = sending(&Cancel::never());
        let long = event(&"a".repeat(2 * AHEAD_BYTES - PIECE));
        for _ in 0..3 {
            assert!(sender.send(long.clone()).is_ok());
            assert!(sender.try_send(Ok(event("b")), 1).is_err());
            assert!(replies.next().await.is_some());
            // Polling for the next one shows that it was handed out.
            let next = std::future::poll_fn(|context| {
                Poll::Ready(replies.as_mut().poll_next(context).is_pending())
            });
            assert!(next.await);
        }
    }

    #[tokio::test]
    async fn a_sender_waits_while_its_user_leaves_other_replies_unread() {
        let cancel = Cancel::never();
        let budget = ReplyBudget::new(8 * PIECE as u64).for_user(7);
        let limits = ReplyLimits {
            budget: budget.clone(),
            ..limits()
        };
        let (sender, _replies) = channel(cancel.clone(), limits, CancelOnDrop::of(&cancel));
        let other = budget.reserve(4 * PIECE);
        let item = || event(&"a".repeat(PIECE));
        let length = item().encoded_len();
        assert!(sender.try_send(Ok(item()), length).is_err());
        assert!(sender.try_send(Ok(event("small")), 5).is_ok());
        drop(other);
        assert!(sender.try_send(Ok(item()), length).is_ok());
    }
}
