//! The index: what it holds, and the locks around it.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use simdex_schema::meta::Parameters;
use simdex_schema::posting::scheme_number;
use simdex_schema::{ContentHash, DocId, DocumentKind, MetaRecord};
use simdex_signature::{Ladder, Levels, Ratio, Rung, SchemeKind, ShingleSet, Window};

use crate::buffer::Buffer;
use crate::cache::Cache;
use crate::counts::KeptCounts;
use crate::edges::{Cuts, PrincipalLists};
use crate::groups::{Rank, Stars};
use crate::handles::Handles;
use crate::merge::Merges;
use crate::runs::{Run, Runs, Take};
use crate::settle::GroupsBefore;
use crate::store::Store;
use crate::table::Table;
use crate::text::TextStore;
use crate::unsettled::Unsettled;
use crate::work::{Work, WorkCounters};
use crate::{IndexError, Memory, View};

/// All schemes that have postings.
pub(crate) const SCHEMES: [SchemeKind; 3] =
    [SchemeKind::ModN, SchemeKind::BswN, SchemeKind::Chunks];

/// How an index is kept; none of it changes what is stored.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Postings gathered in memory before they are merged into a run (8 to 10 bytes each).
    pub buffer_postings: usize,
    /// Shingles of documents kept in memory (8 bytes each), half of them for questions and half for groups.
    pub cached_shingles: usize,
    /// Shingles of one text that are listed; larger sets are counted in parts. It changes no answer.
    pub listed_shingles: usize,
    /// Memory for documents under way, in bytes: see [`Memory`].
    pub working_bytes: u64,
    /// Bytes of disk below which records are not rewritten to give room back.
    pub records_bytes: u64,
    /// Drop signatures, postings and edges when opening, and make them again from the texts.
    pub rebuild: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            buffer_postings: 32_000_000,
            cached_shingles: 24_000_000,
            listed_shingles: ShingleSet::LISTED,
            working_bytes: 1 << 30,
            records_bytes: 64 << 20,
            rebuild: false,
        }
    }
}

/// What the index takes, by scheme.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The scheme.
    pub scheme: SchemeKind,
    /// Postings in runs and buffer.
    pub postings: u64,
    /// Those of them that are held in memory until they are merged into a run.
    pub unmerged: u64,
    /// Bytes of posting values in runs.
    pub bytes: u64,
    /// The finest and the coarsest rung that documents were sampled at; none without documents.
    pub rungs: Option<(Rung, Rung)>,
}

/// The index.
pub struct Index {
    pub(crate) store: Box<dyn Store>,
    pub(crate) texts: TextStore,
    pub(crate) options: Options,
    pub(crate) parameters: Parameters,
    /// Never locked while store or texts are read or written.
    state: RwLock<IndexState>,
    /// Locked for the whole of a write to the store: one writer at a time.
    writer: Mutex<Writer>,
    /// Shingles of documents counted lately, weighed in bytes.
    pub(crate) sets: Cache<DocId, Arc<ShingleSet>>,
    /// Shingles of principals and of other documents that were compared, weighed in bytes.
    pub(crate) levels: Cache<DocId, Arc<Levels>>,
    pub(crate) principal_lists: PrincipalLists,
    /// Cuts of the threshold that groups are kept at.
    cuts: Arc<Cuts>,
    memory: Memory,
    pub(crate) work: WorkCounters,
    pub(crate) counts: Mutex<KeptCounts>,
    /// Nanoseconds spent signing, by scheme.
    pub(crate) signing: [AtomicU64; 3],
    /// Documents whose extracted text was found damaged: let go at the next rescan.
    pub(crate) damaged: Mutex<BTreeSet<DocId>>,
    /// Text segments in which a text was found damaged: the next rescan reads all of theirs.
    pub(crate) suspects: Mutex<BTreeSet<u32>>,
    /// Serial from which documents are named by the present canonical text.
    pub(crate) named_from: u64,
}

/// The state that queries read, in memory.
#[derive(Default)]
pub(crate) struct IndexState {
    pub(crate) table: Table,
    /// Postings since the last merge, by scheme.
    pub(crate) buffers: [Buffer; 3],
    /// Postings being merged right now, in no run yet.
    pub(crate) merging: [Arc<Buffer>; 3],
    /// All other postings.
    pub(crate) runs: Runs,
    pub(crate) merges: Merges,
    /// Roots whose files are grouped.
    pub(crate) served: View,
    pub(crate) stars: Stars,
    /// The last rank that a principal has had.
    pub(crate) last_rank: Option<Rank>,
    /// Handles of the groups shown.
    pub(crate) handles: Handles,
    /// Documents that need a place in a group, or whose files or groups changed.
    pub(crate) unsettled: Unsettled,
    /// How groups were before what changed since handles were last given.
    pub(crate) groups_before: GroupsBefore,
}

/// The state that only the writer uses.
pub(crate) struct Writer {
    pub(crate) meta: MetaRecord,
    /// Contents that lost a file: purged at the next merge if they still have none.
    pub(crate) orphans: BTreeSet<ContentHash>,
}

impl Index {
    pub(crate) fn assemble(
        store: Box<dyn Store>,
        texts: TextStore,
        options: Options,
        state: IndexState,
        counts: KeptCounts,
        writer: Writer,
    ) -> Self {
        let threshold = Ratio::new(writer.meta.parameters.threshold).unwrap_or(Ratio::ONE);
        Self {
            store,
            texts,
            options,
            parameters: writer.meta.parameters.clone(),
            named_from: writer.meta.named_from,
            state: RwLock::new(state),
            writer: Mutex::new(writer),
            cuts: Arc::new(Cuts::new(threshold)),
            sets: Cache::new(4 * options.cached_shingles as u64),
            levels: Cache::new(4 * options.cached_shingles as u64),
            principal_lists: PrincipalLists::default(),
            memory: Memory::new(options.working_bytes),
            work: WorkCounters::default(),
            counts: Mutex::new(counts),
            signing: Default::default(),
            damaged: Mutex::default(),
            suspects: Mutex::default(),
        }
    }

    // A poisoned lock means a panic elsewhere; what it guards is replaced whole, so go on.
    pub(crate) fn state(&self) -> RwLockReadGuard<'_, IndexState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state_mut(&self) -> RwLockWriteGuard<'_, IndexState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lock_writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The budgets of what is held at once for documents under way.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// What seeking edges has cost since the index was opened.
    pub fn work(&self) -> Work {
        self.work.so_far()
    }

    /// Windows of every text signature.
    pub fn window(&self) -> Window {
        Window::bytes(self.parameters.window).unwrap_or(Window::DEFAULT)
    }

    /// How many fingerprints a document keeps: the one ladder that all signatures follow.
    pub fn ladder(&self) -> Ladder {
        Ladder {
            target: self.parameters.target,
            ..Ladder::default()
        }
    }

    /// What the signatures and edges were made with.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The threshold that groups are kept at.
    pub(crate) fn threshold(&self) -> Ratio {
        self.cuts.threshold()
    }

    /// The cuts of a threshold; those of the groups' own stay from one search to the next.
    pub(crate) fn cuts(&self, threshold: Ratio) -> Arc<Cuts> {
        match threshold == self.threshold() {
            true => Arc::clone(&self.cuts),
            false => Arc::new(Cuts::new(threshold)),
        }
    }

    /// Returns once everything applied before is power-safe.
    pub fn commit(&self) -> Result<(), IndexError> {
        self.texts.sync()?;
        self.store.commit()?;
        if self.texts.has_vanished() {
            self.note_vanished()?;
        }
        Ok(())
    }

    /// Merges what is buffered, commits and closes the store.
    pub fn close(self) -> Result<(), IndexError> {
        // What is known only in memory must not be lost with it.
        self.release_damaged_texts()?;
        self.merge_all(Take::Small)?;
        self.compact_texts()?;
        // The texts that could not be copied.
        self.release_damaged_texts()?;
        self.commit()?;
        Ok(self.store.close()?)
    }

    /// Commits and closes the store as it is, which takes hardly any room: the next opening signs again
    /// what was not merged.
    pub fn close_unmerged(self) -> Result<(), IndexError> {
        self.release_damaged_texts()?;
        self.commit()?;
        Ok(self.store.close()?)
    }

    /// Postings and bytes by scheme.
    pub fn usage(&self) -> Vec<Usage> {
        let state = self.state();
        let usage = SCHEMES.iter().map(|&scheme| {
            let at = usize::from(scheme_number(scheme));
            let held = |run: &Run| run.record.schemes[at];
            let postings: u64 = state.runs.iter().map(|run| held(run).postings).sum();
            let unmerged = (state.buffers[at].len() + state.merging[at].len()) as u64;
            let kind = match scheme {
                SchemeKind::Chunks => DocumentKind::Raw,
                SchemeKind::ModN | SchemeKind::BswN => DocumentKind::Text,
            };
            let mut rungs = state.table.rungs(kind);
            let finest = rungs.next();
            Usage {
                scheme,
                postings: postings + unmerged,
                unmerged,
                bytes: state.runs.iter().map(|run| held(run).bytes).sum(),
                rungs: finest.map(|finest| (finest, rungs.last().unwrap_or(finest))),
            }
        });
        usage.collect()
    }

    /// Documents that some file of the view carries.
    pub fn live_documents(&self, view: &View) -> u64 {
        self.state().table.visible(view).len()
    }

    /// Bytes on disk: store, extracted text.
    pub fn bytes_on_disk(&self) -> Result<(u64, u64), IndexError> {
        let texts = self.texts.lengths()?.values().sum();
        Ok((self.store.bytes_on_disk(), texts))
    }
}
