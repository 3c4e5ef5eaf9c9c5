//! An open index: opening and closing it, and the figures it reports about itself.

mod load;
mod memory_use;
mod open;
mod settings;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use simdex_schema::posting::{PostingSizes, scheme_number};
use simdex_signature::{Rung, SchemeKind};

use crate::runs::Run;
use crate::shared::{IndexShared, IndexState, SCHEMES, document_kind};
use crate::work::{Merges, Work};
use crate::{
    Cancel, IndexError, IndexReader, IndexWriter, Registry, SigningProgress, UnsettledCounts,
    VisibleRoots,
};

pub use memory_use::{MemoryHolder, MemoryUse};
pub use open::{OpenReport, Opened};
pub use settings::IndexSettings;

/// Postings whose sizes are measured at least, if there are so many.
const MEASURED_POSTINGS: u64 = 200_000;

/// Postings and bytes of the index, by scheme.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The scheme that the figures belong to.
    pub scheme: SchemeKind,
    /// Postings in runs and buffer.
    pub postings: u64,
    /// How many of them are held in memory until they are merged into a run.
    pub unmerged: u64,
    /// Bytes of posting values in runs.
    pub bytes: u64,
    /// The finest and the coarsest rung at which documents were sampled; `None` without documents. For Min_n and
    /// Sketch_n the one n of all.
    pub rungs: Option<(Rung, Rung)>,
}

/// An open index.
///
/// The engine holds it and closes it once its threads have ended. It neither searches nor changes anything: queries use
/// its [`IndexReader`], code that compares a share with the records uses its [`Registry`], and code that writes uses
/// the one [`IndexWriter`] that [`Index::open`] returned beside it. Each figure is taken at the moment it is asked for;
/// the state is locked while figures are read from memory, never while a file is read.
pub struct Index {
    pub(crate) shared: Arc<IndexShared>,
    reader: IndexReader,
    registry: Registry,
}

impl Index {
    fn new(shared: Arc<IndexShared>) -> Self {
        Self {
            reader: IndexReader::new(&shared),
            registry: Registry::new(&shared),
            shared,
        }
    }

    /// The client that answers requests; read-only.
    pub fn reader(&self) -> &IndexReader {
        &self.reader
    }

    /// The client that reads records by key.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Merges what is buffered, commits and closes the store. If a copy of a reader still exists, the store is
    /// committed but not closed, so that the next opening examines it.
    pub fn close(self, writer: IndexWriter) -> Result<(), IndexError> {
        writer.finish()?;
        self.close_store(writer)
    }

    /// Closes without a merge, which needs hardly any disk space: the next opening signs the unmerged documents again.
    pub fn close_unmerged(self, writer: IndexWriter) -> Result<(), IndexError> {
        writer.finish_unmerged()?;
        self.close_store(writer)
    }

    fn close_store(self, writer: IndexWriter) -> Result<(), IndexError> {
        drop(writer);
        let Self {
            shared,
            reader,
            registry,
        } = self;
        drop((reader, registry));
        match Arc::into_inner(shared) {
            Some(shared) => Ok(shared.store.close()?),
            None => Ok(()),
        }
    }

    /// Postings and bytes, by each scheme that the index holds.
    pub fn usage(&self) -> Vec<Usage> {
        let state = self.shared.state();
        let held = self.shared.parameters.schemes;
        let held = SCHEMES.into_iter().filter(|scheme| held.hold(*scheme));
        let usage = held.map(|scheme| {
            let at = usize::from(scheme_number(scheme));
            let held = |run: &Run| run.record.schemes[at];
            let postings: u64 = state.runs.iter().map(|run| held(run).postings).sum();
            let unmerged = (state.buffers[at].len() + state.merging[at].len()) as u64;
            Usage {
                scheme,
                postings: postings + unmerged,
                unmerged,
                bytes: state.runs.iter().map(|run| held(run).bytes).sum(),
                rungs: self.rungs_in_use(&state, scheme),
            }
        });
        usage.collect()
    }

    /// Sizes of some postings of a scheme, in runs and buffer: of the first keys, which are random.
    ///
    /// # Errors
    /// If the index cannot be read, or the caller disconnected.
    pub fn posting_sizes(
        &self,
        scheme: SchemeKind,
        cancel: &Cancel,
    ) -> Result<PostingSizes, IndexError> {
        let mut sizes = PostingSizes::default();
        self.reader
            .postings()
            .scan(scheme, cancel, &mut |postings| {
                sizes.add(postings);
                Ok(match sizes.postings() < MEASURED_POSTINGS {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                })
            })?;
        Ok(sizes)
    }

    fn rungs_in_use(&self, state: &IndexState, scheme: SchemeKind) -> Option<(Rung, Rung)> {
        if scheme.is_of_fixed_size() {
            let of_all = self.shared.ladder().fixed_size();
            return Some((of_all, of_all));
        }
        let mut rungs = state.table.rungs(document_kind(scheme));
        let finest = rungs.next()?;
        Some((finest, rungs.last().unwrap_or(finest)))
    }

    /// Number of documents that some file of the view carries.
    pub fn live_documents(&self, view: &VisibleRoots) -> u64 {
        self.shared.state().table.visible(view).len()
    }

    /// How many documents are not settled. All counts are taken at one moment, since placing a document may move others
    /// from one count to another.
    pub fn unsettled(&self) -> UnsettledCounts {
        self.shared.state().unsettled.counts()
    }

    /// How many documents are not signed as the setting says, and how fast their number falls.
    pub fn signing_progress(&self) -> SigningProgress {
        self.shared.state().awaiting_signature.progress()
    }

    /// Bytes on disk: of the store, and of the extracted text.
    pub fn bytes_on_disk(&self) -> Result<(u64, u64), IndexError> {
        let texts = self.shared.texts.lengths()?.values().sum();
        Ok((self.shared.store.bytes_on_disk(), texts))
    }

    /// What merges have done so far.
    pub fn merges(&self) -> Merges {
        let state = self.shared.state();
        Merges {
            runs: state.runs.len(),
            under_way: state.merging_since.map(|since| since.elapsed()),
            ..state.merges
        }
    }

    /// What searching for edges has cost since the index was opened.
    pub fn work(&self) -> Work {
        self.shared.work.so_far()
    }

    /// Seconds spent signing with a scheme since the index was opened.
    pub fn sign_seconds(&self, scheme: SchemeKind) -> f64 {
        let at = usize::from(scheme_number(scheme));
        self.shared.signing[at].load(Ordering::Relaxed) as f64 / 1e9
    }

    /// The memory held by each part of the index. Pages of sled are not included: only sled knows them.
    pub fn memory_use(&self) -> Vec<MemoryUse> {
        memory_use::measure(&self.shared)
    }
}
