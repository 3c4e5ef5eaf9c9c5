//! Receives what a client sends of a file, and notes how that ended.

use simdex_client::wire::{self, find_request};
use tonic::{Status, Streaming};

use super::{End, Fake, Received};

impl Fake {
    pub(super) async fn receive(
        &self,
        mut requests: Streaming<wire::FindRequest>,
    ) -> Result<(), Status> {
        let position = {
            let mut seen = self.seen();
            seen.uploads.push(Received::default());
            seen.uploads.len() - 1
        };
        let upload = Ending {
            fake: self,
            position,
        };
        while let Some(request) = requests.message().await? {
            let Some(find_request::Part::Chunk(chunk)) = request.part else {
                return Err(Status::invalid_argument("not a chunk"));
            };
            let received = &mut self.seen().uploads[position];
            received.largest_chunk = received.largest_chunk.max(chunk.len());
            received.bytes.extend_from_slice(&chunk);
        }
        // tonic shows a cancelled request as one that ended. What follows the next wait is reached
        // by a request that did end; a cancelled one is dropped there.
        tokio::task::yield_now().await;
        upload.is(End::Whole);
        Ok(())
    }
}

/// Notes how an upload ended; broken, where nothing else has been noted.
struct Ending<'a> {
    fake: &'a Fake,
    position: usize,
}

impl Ending<'_> {
    fn is(&self, end: End) {
        self.fake.seen().uploads[self.position]
            .end
            .get_or_insert(end);
    }
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.is(End::Broken);
    }
}
