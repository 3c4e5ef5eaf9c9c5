//! Relays events to a client until it falls behind or disconnects, or the daemon drains.

use std::future::Future;

use simdex_index::VisibleRoots;
use simdex_proto::v1;
use tokio::sync::mpsc::{self, Sender};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::Replies;
use super::fair_semaphore::Slot;
use super::status::Refused;
use crate::base::events::{EventKind, Subscriber};
use crate::encode;

/// Events buffered for a client that is behind.
const AHEAD: usize = 4;

/// Streams the events of a view, and holds `slot` for as long.
pub(super) fn relay(
    events: Subscriber,
    view: VisibleRoots,
    slot: Slot,
    draining: impl Future<Output = ()> + Send + 'static,
) -> Replies<v1::Event> {
    let (sender, replies) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        let _slot = slot;
        tokio::select! {
            () = forward(events, &view, &sender) => {}
            () = draining => {}
            () = sender.closed() => {}
        }
    });
    Box::pin(ReceiverStream::new(replies))
}

/// Sends events until one was missed or the client is gone; the first says where the stream begins.
async fn forward(
    mut events: Subscriber,
    view: &VisibleRoots,
    sender: &Sender<Result<v1::Event, Status>>,
) {
    let mut reply = Ok(v1::Event {
        kind: EventKind::Watching.name().to_owned(),
        number: events.after(),
        ..v1::Event::default()
    });
    loop {
        let is_last = reply.is_err();
        if sender.send(reply).await.is_err() || is_last {
            return;
        }
        reply = loop {
            match events.next().await {
                Ok(event) if !event.is_in(view) => {}
                Ok(event) => break Ok(encode::event(&event)),
                Err(lost) => break Err(Refused::from(lost).0),
            }
        };
    }
}
