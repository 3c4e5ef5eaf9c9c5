//! Who waits for an answer, and until when.

use std::time::{Duration, Instant};

use simdex_extract::QueueKey;
use simdex_index::{Cancel, IndexReader, MemoryAccount};
use tonic::Request;
use tonic::codegen::http;

use super::deadline;
use super::fair_semaphore::ClientId;
use super::peer::Peer;
use crate::read_side::answering::Requester;

/// The client that waits for an answer, and its deadline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller {
    pub(super) client: ClientId,
    /// When it waits no longer.
    pub(super) deadline: Instant,
    /// The work may last for hours, or as long as its client reads.
    pub(super) is_lasting: bool,
}

impl Caller {
    /// The caller of a request, which waits for `usual` if it states no deadline, and for `longest` at most.
    pub(super) fn of<T>(request: &Request<T>, usual: Duration, longest: Duration) -> Self {
        let peer = request.extensions().get::<Peer>();
        Self {
            client: peer.map(Peer::client).unwrap_or_default(),
            deadline: deadline::from_metadata(request.metadata(), usual, longest),
            is_lasting: false,
        }
    }

    /// The user who sent the request.
    pub(super) fn uid(&self) -> u32 {
        self.client.uid
    }

    /// The caller of a request with these extensions, if it is answered at once.
    pub(super) fn at_once(extensions: &http::Extensions) -> Self {
        let peer = extensions.get::<Peer>();
        Self {
            client: peer.map(Peer::client).unwrap_or_default(),
            deadline: Instant::now(),
            is_lasting: false,
        }
    }

    /// Marks the work as lasting for hours, or as long as its client reads.
    pub(super) fn lasting(self) -> Self {
        Self {
            is_lasting: true,
            ..self
        }
    }

    /// What the read side needs to know of this caller to answer a request that arrived at `started`.
    pub(super) fn requester<'a>(
        &self,
        account: &'a MemoryAccount,
        started: Instant,
    ) -> Requester<'a> {
        Requester {
            account,
            queue_key: QueueKey::User(self.client.uid),
            started,
        }
    }

    /// The account for the permits of a request of this caller, valid until `cancel`.
    pub(super) fn account(&self, index: &IndexReader, cancel: &Cancel) -> MemoryAccount {
        let (questions, uid) = (&index.memory().requests, self.client.uid);
        match self.is_lasting {
            true => questions.lasting_account_of(Some(uid), cancel),
            false => questions.account_of(uid, cancel),
        }
    }
}

/// Cancels work still under way when its waiter is dropped.
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
