//! Lists of pairs, and how far they are.

use std::sync::Arc;

use crate::item_stream::ProgressHook;
use crate::wire::{self, ListPairsReply};
use crate::{Client, Error, ItemStream};

/// Which pairs are listed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PairOptions {
    /// Least resemblance, in [0, 1]; the daemon's threshold if absent.
    pub threshold: Option<f64>,
    /// Also list pairs of which one contains the other from this share on, in [0, 1].
    pub containment_threshold: Option<f64>,
    /// Start after this pair: the paths of the last pair received.
    pub after: Option<wire::PairPlace>,
    /// Most pairs that are searched for; all if absent. An older daemon lists all of them.
    pub limit: Option<u64>,
}

impl Client {
    /// Has `on_progress` called with how far a list of pairs is: first, and then twice a second at most.
    pub fn with_progress(
        self,
        on_progress: impl Fn(&wire::ListProgress) + Send + Sync + 'static,
    ) -> Self {
        Self {
            progress: Some(ProgressHook(Arc::new(on_progress))),
            ..self
        }
    }

    /// Lists pairs of near-duplicates at or above `threshold` (default: the daemon's), by path.
    pub async fn pairs(
        &self,
        threshold: Option<f64>,
        roots: Vec<u32>,
    ) -> Result<ItemStream<ListPairsReply>, Error> {
        let options = PairOptions {
            threshold,
            ..PairOptions::default()
        };
        self.pairs_with(options, roots).await
    }

    /// Lists pairs as [`Client::pairs`] does, with the given options.
    pub async fn pairs_with(
        &self,
        options: PairOptions,
        roots: Vec<u32>,
    ) -> Result<ItemStream<ListPairsReply>, Error> {
        let (with_judgement, judge_first) = self.judged.wire();
        let request = wire::ListPairsRequest {
            threshold: options.threshold,
            containment_threshold: options.containment_threshold,
            roots,
            strict: self.strict,
            with_judgement,
            judge_first,
            after: options.after,
            with_progress: self.progress.is_some(),
            limit: options.limit.unwrap_or_default(),
        };
        let mut similarity = self.similarity.clone();
        self.list(self.limits.item, similarity.list_pairs(request))
            .await
    }
}
