//! What the clients of one open index share: the store, the texts, the state in memory, and their locks.
//!
//! A thread that takes several locks takes them in this order: the writer's (in [`crate::IndexWriter`], held for the
//! whole of a write to the store), that of the counts, that of the state. The state is never locked while the store or
//! texts are read or written. The lock of the principal lists is taken alone: not while the state is locked, and no
//! other lock is taken while it is held.

mod groups_shown;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Instant;

use simdex_schema::meta::{Parameters, SCHEMES as SCHEME_COUNT};
use simdex_schema::{DocId, DocumentKind, GroupId, MetaRecord};
use simdex_signature::{
    Ladder, LevelSample, Levels, Ratio, Sampling, SchemeKind, ShingleSet, TemplateLines, Window,
};

use self::groups_shown::GroupsShown;
use crate::awaiting_signature::AwaitingSignature;
use crate::buffer::Buffer;
use crate::cache::Cache;
use crate::counts::KeptCounts;
use crate::cuts::Cuts;
use crate::damaged_texts::DamagedTexts;
use crate::group_ids::GroupIds;
use crate::groups::{Rank, Stars};
use crate::known_unchanged::KnownUnchanged;
use crate::principal_lists::PrincipalLists;
use crate::regrouped::GroupsBefore;
use crate::root_paths::RootPaths;
use crate::runs::Runs;
use crate::second_thread::{SecondThread, SecondThreadSlot};
use crate::store::Store;
use crate::table::{DocumentStats, Table};
use crate::text::TextStore;
use crate::unsettled::Unsettled;
use crate::work::{Merges, WorkCounters};
use crate::{Memory, Options, VisibleRoots};

/// All schemes that may have postings, in the order of their keys.
pub(crate) const SCHEMES: [SchemeKind; SCHEME_COUNT] = [
    SchemeKind::ModN,
    SchemeKind::BswN,
    SchemeKind::Chunks,
    SchemeKind::MinN,
    SchemeKind::SketchN,
    SchemeKind::SuperShingles,
];

/// The documents that a scheme signs.
pub(crate) const fn document_kind(scheme: SchemeKind) -> DocumentKind {
    match scheme {
        SchemeKind::Chunks => DocumentKind::Raw,
        SchemeKind::ModN
        | SchemeKind::BswN
        | SchemeKind::MinN
        | SchemeKind::SketchN
        | SchemeKind::SuperShingles => DocumentKind::Text,
    }
}

/// The part of one open index that its clients share.
pub(crate) struct IndexShared {
    pub(crate) store: Box<dyn Store>,
    pub(crate) texts: TextStore,
    pub(crate) options: Options,
    pub(crate) parameters: Parameters,
    /// Lines that are left out of what is signed and compared.
    pub(crate) template_lines: TemplateLines,
    /// Never locked while store or texts are read or written.
    state: RwLock<IndexState>,
    /// How coarsely texts are sampled, if that was chosen. No other lock is taken while it is held.
    sampling: RwLock<Option<Sampling>>,
    /// Held by joins, which count all postings of a document as those of one signature: none is signed again meanwhile.
    pub(crate) joining: RwLock<()>,
    /// Shingles of recently counted documents, weighed in bytes.
    pub(crate) shingle_sets: Cache<DocId, Arc<ShingleSet>>,
    /// Shingles of principals and of other documents that were compared, weighed in bytes.
    pub(crate) levels: Cache<DocId, Arc<Levels>>,
    /// Those of their own rung and coarser ones, by which most others are told apart, weighed in bytes.
    pub(crate) level_samples: Cache<DocId, Arc<LevelSample>>,
    pub(crate) principal_lists: PrincipalLists,
    pub(crate) root_paths: RootPaths,
    /// What walks need not look at again.
    pub(crate) known_unchanged: KnownUnchanged,
    /// Cuts of the threshold that groups are kept at.
    cuts: Arc<Cuts>,
    pub(crate) memory: Memory,
    pub(crate) work: WorkCounters,
    counts: Mutex<KeptCounts>,
    /// Incremented before records of files change, and again afterwards.
    pub(crate) file_changes: AtomicU64,
    /// Nanoseconds spent signing, by scheme.
    pub(crate) signing: [AtomicU64; SCHEME_COUNT],
    pub(crate) damaged: DamagedTexts,
    /// For the single request that works on two threads at a time.
    second_thread: Arc<SecondThreadSlot>,
    /// Serial from which documents are identified by the present canonical text.
    pub(crate) named_from: u64,
}

/// The state in memory that queries read.
#[derive(Default)]
pub(crate) struct IndexState {
    pub(crate) table: Table,
    /// Postings since the last merge, by scheme.
    pub(crate) buffers: [Buffer; SCHEME_COUNT],
    /// Postings being merged now, in no run yet.
    pub(crate) merging: [Arc<Buffer>; SCHEME_COUNT],
    /// All other postings.
    pub(crate) runs: Runs,
    pub(crate) merges: Merges,
    /// When the merge began that is under way.
    pub(crate) merging_since: Option<Instant>,
    /// Roots whose files are grouped.
    pub(crate) grouped: VisibleRoots,
    pub(crate) stars: Stars,
    /// Groups of the documents that are grouped, settled or not.
    pub(crate) shown: GroupsShown,
    /// The last rank that a principal has ever had.
    pub(crate) last_rank: Option<Rank>,
    /// Ids of the groups shown.
    pub(crate) group_ids: GroupIds,
    /// Documents that need a place in a group, or whose files or groups changed.
    pub(crate) unsettled: Unsettled,
    /// What groups were like before the changes since group ids were last assigned.
    pub(crate) groups_before: GroupsBefore,
    /// Documents that are signed with another setting than the one in force.
    pub(crate) awaiting_signature: AwaitingSignature,
}

impl IndexState {
    /// Adds a document with its figures.
    pub(crate) fn insert_document(&mut self, id: DocId, stats: DocumentStats) {
        self.awaiting_signature.note(id, &stats);
        self.table.insert(id, stats);
    }

    /// The id of the group that a document is in; `None` if it is in none, or its group has no id yet.
    pub(crate) fn group_id_of(&self, document: DocId) -> Option<GroupId> {
        self.group_ids.get(self.stars.principal(document))
    }

    /// Forgets a document.
    pub(crate) fn forget_document(&mut self, id: DocId) {
        self.awaiting_signature.forget(id);
        self.table.forget(id);
    }
}

/// How many fingerprints a document keeps by these settings.
pub(crate) fn ladder(parameters: &Parameters, sampling: Option<Sampling>) -> Ladder {
    Ladder {
        target: parameters.target,
        sampling,
        ..Ladder::default()
    }
}

impl IndexShared {
    pub(crate) fn new(
        store: Box<dyn Store>,
        texts: TextStore,
        options: Options,
        state: IndexState,
        counts: KeptCounts,
        meta: &MetaRecord,
        template_lines: TemplateLines,
    ) -> Self {
        let threshold = Ratio::new(meta.parameters.threshold).unwrap_or(Ratio::ONE);
        Self {
            store,
            texts,
            options,
            parameters: meta.parameters.clone(),
            template_lines,
            named_from: meta.named_from,
            state: RwLock::new(state),
            sampling: RwLock::new(meta.sampling),
            joining: RwLock::default(),
            cuts: Arc::new(Cuts::new(threshold)),
            shingle_sets: Cache::new(3 * options.cached_shingles as u64),
            levels: Cache::new(4 * options.cached_shingles as u64),
            level_samples: Cache::new(options.cached_shingles as u64),
            principal_lists: PrincipalLists::new(options.principal_list_bytes),
            root_paths: RootPaths::default(),
            known_unchanged: KnownUnchanged::new(options.resting_bytes),
            memory: Memory::new(options.working_bytes),
            work: WorkCounters::default(),
            counts: Mutex::new(counts),
            file_changes: AtomicU64::new(0),
            signing: Default::default(),
            damaged: DamagedTexts::default(),
            second_thread: Arc::default(),
        }
    }

    /// The permit for a second thread, if no other request holds it and the options allow one.
    pub(crate) fn second_thread(&self) -> Option<SecondThread> {
        let is_allowed = self.options.second_settler;
        is_allowed.then(|| self.second_thread.take()).flatten()
    }

    // A poisoned lock means a panic elsewhere; the data behind it is replaced as a whole, so continue.
    pub(crate) fn state(&self) -> RwLockReadGuard<'_, IndexState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state_mut(&self) -> RwLockWriteGuard<'_, IndexState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Taken before the lock of the state, never after it: counting a view for the first time takes a while.
    pub(crate) fn kept_counts(&self) -> MutexGuard<'_, KeptCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Windows of every text signature.
    pub(crate) fn window(&self) -> Window {
        Window::bytes(self.parameters.window).unwrap_or(Window::DEFAULT)
    }

    /// How many fingerprints a document keeps: the one ladder that all signatures follow.
    pub(crate) fn ladder(&self) -> Ladder {
        let sampling = self.sampling.read();
        let sampling = *sampling.unwrap_or_else(PoisonError::into_inner);
        ladder(&self.parameters, sampling)
    }

    pub(crate) fn set_sampling(&self, sampling: Option<Sampling>) {
        let mut held = self
            .sampling
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *held = sampling;
    }

    /// The threshold of the maintained groups.
    pub(crate) fn threshold(&self) -> Ratio {
        self.cuts.threshold()
    }

    /// The cuts of a threshold; those of the groups' own threshold are reused from one search to the next.
    pub(crate) fn cuts(&self, threshold: Ratio) -> Arc<Cuts> {
        match threshold == self.threshold() {
            true => Arc::clone(&self.cuts),
            false => Arc::new(Cuts::new(threshold)),
        }
    }

    /// Postings that are in no run and in no merge yet.
    pub(crate) fn buffered(&self) -> usize {
        self.state().buffers.iter().map(Buffer::len).sum()
    }

    /// Whether postings that are in no run fill the buffer, those included that a merge which failed left over.
    pub(crate) fn is_buffer_full(&self) -> bool {
        self.unmerged() >= self.options.buffer_postings
    }

    /// Postings that are in no run yet.
    pub(crate) fn unmerged(&self) -> usize {
        let state = self.state();
        let merging = state.merging.iter().map(|buffer| buffer.len());
        merging.sum::<usize>() + state.buffers.iter().map(Buffer::len).sum::<usize>()
    }
}
