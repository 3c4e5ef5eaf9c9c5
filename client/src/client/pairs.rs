//! Lists of pairs, and how far they are.

use std::sync::Arc;

use crate::item_stream::ProgressHook;
use crate::wire::{self, ListPairsReply};
use crate::{Client, Error, ItemStream};

impl Client {
    /// Has `told` called with how far a list of pairs is: first, and then twice a second at most.
    pub fn with_progress(self, told: impl Fn(&wire::ListProgress) + Send + Sync + 'static) -> Self {
        Self {
            progress: Some(ProgressHook(Arc::new(told))),
            ..self
        }
    }

    /// Lists pairs of near-duplicates at or above `threshold` (default: the daemon's), by path.
    pub async fn pairs(
        &self,
        threshold: Option<f64>,
        roots: Vec<u32>,
    ) -> Result<ItemStream<ListPairsReply>, Error> {
        self.pairs_after(None, threshold, roots).await
    }

    /// Lists pairs as [`Client::pairs`] does, starting after the pair `after` if given: the paths of the last pair
    /// received.
    pub async fn pairs_after(
        &self,
        after: Option<wire::PairPlace>,
        threshold: Option<f64>,
        roots: Vec<u32>,
    ) -> Result<ItemStream<ListPairsReply>, Error> {
        let request = wire::ListPairsRequest {
            threshold,
            roots,
            strict: self.strict,
            with_judgement: self.judged,
            after,
            with_progress: self.progress.is_some(),
        };
        let mut similarity = self.similarity.clone();
        self.list(self.limits.item, similarity.list_pairs(request))
            .await
    }
}
