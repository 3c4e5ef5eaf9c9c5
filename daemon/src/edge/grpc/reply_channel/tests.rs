//! What bounds a stream of replies, and what its client hears when it ends early.

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
fn a_list_that_was_read_and_ends_for_other_replies_says_so() {
    let cancel = Cancel::never();
    let budget = ReplyBudget::new(8 * PIECE as u64).for_user(7);
    let limits = ReplyLimits {
        patience: Duration::from_millis(20),
        budget: budget.clone(),
        ..limits()
    };
    let (sender, replies) = channel(cancel.clone(), limits, CancelOnDrop::of(&cancel));
    let _other = budget.reserve(4 * PIECE);
    let Refused(status) = sender.send(event(&"a".repeat(PIECE))).unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.message().contains("other replies"), "{status}");
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
