//! Requests under way: each is counted for its connection and its user until it is dropped.

use std::sync::Mutex;

use tokio::time::Instant;
use tonic::Status;

use super::{Peer, ReplyReading};
use crate::base::lock::lock;
use crate::edge::grpc::limits::INTAKE;

/// One request, from its head to the last byte of its reply.
pub(in crate::edge::grpc) struct Ticket {
    pub(super) peer: Peer,
    pub(super) number: u64,
}

impl Ticket {
    /// The client has been handed a piece of the reply to read.
    pub(in crate::edge::grpc) fn handed(&self, length: usize) {
        self.note(|reading| reading.piece = Some((length, Instant::now())));
    }

    /// The client has read what it was handed.
    pub(in crate::edge::grpc) fn taken(&self) {
        self.note(ReplyReading::taken);
    }

    fn note(&self, change: impl FnOnce(&mut ReplyReading)) {
        let mut state = lock(&self.peer.connection.state);
        change(state.replies.entry(self.number).or_default());
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        {
            let mut state = lock(&self.peer.connection.state);
            state.requests = state.requests.saturating_sub(1);
            state.idle_since = Instant::now();
            state.replies.remove(&self.number);
        }
        self.peer
            .change_load(|load| load.requests = load.requests.saturating_sub(1));
    }
}

/// Bytes of one request that wait in memory; one user may hold half of the total.
pub(in crate::edge::grpc) struct Charge {
    peer: Peer,
    bytes: Mutex<u64>,
}

impl Charge {
    /// A charge for a request of this client, with no bytes yet.
    pub(in crate::edge::grpc) fn new(peer: &Peer) -> Self {
        Self {
            peer: peer.clone(),
            bytes: Mutex::new(0),
        }
    }

    /// Adds bytes that have arrived.
    pub(in crate::edge::grpc) fn add(&self, count: u64) -> Result<(), Status> {
        let mut bytes = lock(&self.bytes);
        let mut table = lock(&self.peer.book.table);
        let all: u64 = table.users.values().map(|load| load.bytes).sum();
        let load = table.users.entry(self.peer.connection.uid).or_default();
        if all + count > INTAKE || load.bytes + count > INTAKE / 2 {
            return Err(Status::resource_exhausted(
                "requests that wait for their answers take as much memory as they may",
            ));
        }
        load.bytes += count;
        *bytes += count;
        Ok(())
    }

    /// Releases this many bytes, which need no memory any more.
    pub(in crate::edge::grpc) fn release(&self, count: u64) {
        let mut bytes = lock(&self.bytes);
        let count = count.min(*bytes);
        *bytes -= count;
        self.peer
            .change_load(|load| load.bytes = load.bytes.saturating_sub(count));
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.release(u64::MAX);
    }
}
