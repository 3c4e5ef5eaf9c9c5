//! Clusters that were requested lately, kept until documents change.
//!
//! A document's text never changes under its id. So clusters depend only on the view's documents, and components
//! also on which of these several files carry and at which rung each is signed; kept clusters are used again for the
//! same view, request and documents.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use simdex_index::VisibleRoots;
use simdex_schema::DocId;

use super::{ClusterRequest, Clusters};

/// Answers that are kept.
const KEPT: usize = 4;

/// Most bytes of an answer that is kept. Kept answers are bounded by this and not counted: the request that
/// asks holds a permit for its answer.
const MAX_BYTES: u64 = 8 << 20;

/// Everything that clusters depend on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    view: VisibleRoots,
    kind: Kind,
    documents: blake3::Hash,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Components(f64),
    Cores(u32),
}

/// What components depend on beside the documents.
pub(super) struct DocumentState {
    /// Whether several files of the view carry it.
    pub(super) is_copied: bool,
    /// The rung that it is signed at; `None` if the document is gone.
    pub(super) rung: Option<u8>,
}

impl Key {
    pub(super) fn new(
        view: &VisibleRoots,
        request: &ClusterRequest,
        documents: &[DocId],
        state: &dyn Fn(DocId) -> DocumentState,
    ) -> Self {
        let state_matters = matches!(request, ClusterRequest::Components { .. });
        let mut hasher = blake3::Hasher::new();
        for &id in documents {
            hasher.update(&id.0.to_le_bytes());
            if state_matters {
                let DocumentState { is_copied, rung } = state(id);
                hasher.update(&[u8::from(is_copied), rung.unwrap_or(u8::MAX)]);
            }
        }
        let kind = match request {
            ClusterRequest::Components { threshold } => Kind::Components(threshold.get()),
            // However long the search may take: only finished results are kept.
            ClusterRequest::Cores { common, .. } => Kind::Cores(*common),
        };
        Self {
            view: view.clone(),
            kind,
            documents: hasher.finalize(),
        }
    }
}

/// The answers kept; the latest first.
#[derive(Debug, Default)]
pub struct KeptClusters {
    answers: Mutex<VecDeque<(Key, Arc<Clusters>)>>,
}

impl KeptClusters {
    pub(super) fn get(&self, key: &Key) -> Option<Arc<Clusters>> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = answers.iter().find(|(of, _)| of == key);
        kept.map(|(_, clusters)| Arc::clone(clusters))
    }

    /// Keeps an answer, unless it is unfinished or too large.
    pub(super) fn keep(&self, key: Key, clusters: &Arc<Clusters>) {
        let is_finished = clusters.unfinished.unwrap_or(0) == 0;
        if !is_finished || clusters.bytes() > MAX_BYTES {
            return;
        }
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|(of, _)| *of != key);
        answers.push_front((key, Arc::clone(clusters)));
        answers.truncate(KEPT);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_answer_is_kept_for_its_documents_alone_and_only_where_it_is_whole() {
        let request = ClusterRequest::Cores {
            common: 85,
            time: Duration::from_secs(1),
        };
        let key = |ids: &[u64]| {
            let ids: Vec<DocId> = ids.iter().copied().map(DocId).collect();
            Key::new(&VisibleRoots::All, &request, &ids, &|_| DocumentState {
                is_copied: false,
                rung: None,
            })
        };
        let kept = KeptClusters::default();
        let answer = |unfinished| {
            Arc::new(Clusters {
                unfinished: Some(unfinished),
                ..Clusters::default()
            })
        };
        kept.keep(key(&[1, 2]), &answer(1));
        assert!(kept.get(&key(&[1, 2])).is_none());
        kept.keep(key(&[1, 2]), &answer(0));
        assert!(kept.get(&key(&[1, 2])).is_some());
        assert!(kept.get(&key(&[1, 3])).is_none());
        for id in 10..14 {
            kept.keep(key(&[id]), &answer(0));
        }
        assert!(kept.get(&key(&[1, 2])).is_none() && kept.get(&key(&[10])).is_some());
    }
}
