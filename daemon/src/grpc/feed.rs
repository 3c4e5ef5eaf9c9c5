//! A stream that a blocking thread fills no faster than its client reads.

use std::time::Duration;

use simdex_index::{Cancel, IndexError};
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::Replies;
use super::desk::CancelOnDrop;
use super::status::Refused;

/// Items made ahead of what the client has read.
const AHEAD: usize = 64;
/// A full stream is tried again this often. Not a blocking send: that would outlive the deadline of
/// a client that stops reading.
const RETRY: Duration = Duration::from_millis(2);

/// The end that is filled.
pub(super) struct Feed<T> {
    sender: mpsc::Sender<Result<T, Status>>,
    cancel: Cancel,
    longest: usize,
}

/// A feed of messages of at most `longest` bytes, and the replies it fills; dropping the replies
/// drops `gone`.
pub(super) fn pair<T: Send + 'static>(
    cancel: Cancel,
    longest: usize,
    gone: CancelOnDrop,
) -> (Feed<T>, Replies<T>) {
    let (sender, receiver) = mpsc::channel(AHEAD);
    let replies = ReceiverStream::new(receiver).map(move |item| {
        let _held = &gone;
        item
    });
    (
        Feed {
            sender,
            cancel,
            longest,
        },
        Box::pin(replies),
    )
}

impl<T: prost::Message> Feed<T> {
    /// Whether anybody still waits.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Hands one item over, waiting while the client is behind.
    pub(super) fn send(&self, item: T) -> Result<(), Refused> {
        check_length(&item, self.longest)?;
        self.put(Ok(item))
    }

    fn put(&self, item: Result<T, Status>) -> Result<(), Refused> {
        let mut waiting = item;
        loop {
            self.cancel.check()?;
            waiting = match self.sender.try_send(waiting) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Closed(_)) => return Err(IndexError::Cancelled.into()),
                Err(TrySendError::Full(item)) => item,
            };
            std::thread::sleep(RETRY);
        }
    }

    /// Ends the stream, with a status where the work failed.
    pub(super) fn finish(self, done: Result<(), Refused>) {
        let Err(Refused(status)) = done else { return };
        // A client that is behind hears why as well, as long as it waits; past the deadline only a
        // place that is free takes the status: nobody may be reading.
        if self.put(Err(status.clone())).is_err() {
            let _ = self.sender.try_send(Err(status));
        }
    }
}

/// Refuses a message that the client could not take.
pub(super) fn check_length(message: &impl prost::Message, longest: usize) -> Result<(), Status> {
    let length = message.encoded_len();
    if length <= longest {
        return Ok(());
    }
    Err(Status::resource_exhausted(format!(
        "one message of the answer takes {length} bytes, more than the {longest} a message holds"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_proto::v1::Event;
    use std::time::Instant;
    use tonic::Code;

    fn feed(cancel: &Cancel) -> (Feed<Event>, Replies<Event>) {
        pair(cancel.clone(), 1 << 10, CancelOnDrop::of(cancel))
    }

    fn event(text: &str) -> Event {
        Event {
            detail: text.to_owned(),
            ..Event::default()
        }
    }

    #[test]
    fn a_client_that_leaves_stops_the_feed() {
        let cancel = Cancel::never();
        let (feed, replies) = feed(&cancel);
        assert!(feed.send(event("a")).is_ok());
        drop(replies);
        assert!(feed.send(event("b")).is_err());
        assert!(cancel.check().is_err());
    }

    #[test]
    fn a_client_that_stops_reading_holds_the_feed_until_the_deadline_only() {
        let cancel = Cancel::at(Instant::now() + Duration::from_millis(50));
        let (feed, replies) = feed(&cancel);
        let refused = (0..=AHEAD).find_map(|_| feed.send(event("a")).err());
        assert_eq!(
            refused.map(|Refused(status)| status.code()),
            Some(Code::DeadlineExceeded)
        );
        drop(replies);
    }

    #[test]
    fn a_client_that_is_behind_hears_why_the_answer_ends() {
        let (feed, mut replies) = feed(&Cancel::never());
        (0..AHEAD).for_each(|_| assert!(feed.send(event("a")).is_ok()));
        std::thread::scope(|scope| {
            scope.spawn(|| feed.finish(Err(Status::data_loss("damaged").into())));
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
        let (feed, _replies) = feed(&Cancel::never());
        let Refused(status) = feed.send(event(&"a".repeat(2 << 10))).unwrap_err();
        assert_eq!(status.code(), Code::ResourceExhausted);
    }
}
