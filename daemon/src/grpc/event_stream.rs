//! Relays events to a client until it is behind or gone, or the daemon drains.

use std::future::Future;

use simdex_index::View;
use simdex_proto::v1;
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::sync::mpsc::{self, Sender};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::Replies;
use super::fair_semaphore::Slot;
use crate::encode;
use crate::events::Event;

/// Events kept for a client that is behind.
const AHEAD: usize = 4;

/// Streams the events of a view, and holds `slot` as long as it does.
pub(super) fn relay(
    events: Receiver<Event>,
    view: View,
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

/// Sends events until one was missed, or nobody takes them.
async fn forward(
    mut events: Receiver<Event>,
    view: &View,
    sender: &Sender<Result<v1::Event, Status>>,
) {
    loop {
        let reply = match events.recv().await {
            Ok(event) if !view.shows(event.root) => continue,
            Ok(event) => Ok(encode::event(&event)),
            Err(RecvError::Lagged(lost)) => Err(behind(lost)),
            Err(RecvError::Closed) => return,
        };
        let is_last = reply.is_err();
        if sender.send(reply).await.is_err() || is_last {
            return;
        }
    }
}

fn behind(lost: u64) -> Status {
    Status::aborted(format!(
        "{lost} events were left out because they were not read in time"
    ))
}
