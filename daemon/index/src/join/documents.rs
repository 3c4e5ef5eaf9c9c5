//! The documents of a join, numbered so that data about them is kept in a list.

use rustc_hash::FxHashMap;
use simdex_schema::DocId;
use simdex_signature::Rung;

use crate::DocumentStats;
use crate::cuts::Cuts;
use crate::shared::IndexShared;

/// Turn of a document that is only a partner of others.
pub(super) const NO_TURN: u32 = u32::MAX;
/// Number of ids in a page.
const PAGE: u64 = u64::BITS as u64;
/// Documents looked up before writers get the lock.
const AT_ONCE: usize = 1 << 12;

/// Documents by number, which ascends with the id.
pub(super) struct JoinDocuments {
    ids: Vec<DocId>,
    /// By id over [`PAGE`]: which ids of the page are present, and the number of the first.
    pages: FxHashMap<u64, (u64, u32)>,
    pub(super) kept: Vec<Kept>,
}

/// What a join keeps of a document.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub(super) rung: Rung,
    /// Fingerprints of its signature.
    pub(super) count: u32,
    /// The smallest number that any partner at its own rung shares with it.
    pub(super) min_shared: u32,
    /// Number of its postings read so far.
    pub(super) seen: u32,
    /// When its partners are searched for; [`NO_TURN`] if it is only a partner.
    pub(super) turn: u32,
    /// Too few of its postings were read yet to exclude documents that share none of them.
    pub(super) begins: bool,
    /// It is in a pair that may reach the threshold.
    pub(super) is_paired: bool,
    /// Its postings may still matter.
    pub(super) is_active: bool,
}

impl Kept {
    fn of(stats: &DocumentStats, cuts: &Cuts) -> Self {
        let count = stats.counts[usize::from(stats.rung.get())];
        let min_shared = cuts.at_common(u64::from(count), stats.rung).max(1);
        Self {
            rung: stats.rung,
            count,
            min_shared: u32::try_from(min_shared).unwrap_or(u32::MAX),
            seen: 0,
            turn: NO_TURN,
            begins: false,
            is_paired: false,
            is_active: false,
        }
    }

    /// Number of fingerprints whose postings were not read.
    pub(super) fn unread(&self) -> u32 {
        self.count.saturating_sub(self.seen)
    }

    /// Whether a pair may begin with a posting that both have: the coarser one decides, or both if they have one rung.
    pub(super) fn may_begin(&self, other: &Self) -> bool {
        if self.rung == other.rung {
            let is_long_enough = self.count >= other.min_shared && other.count >= self.min_shared;
            return is_long_enough && self.begins && other.begins;
        }
        match self.rung > other.rung {
            true => self.begins,
            false => other.begins,
        }
    }
}

impl JoinDocuments {
    /// Bytes for each, including what else a join holds of it.
    pub(super) const EACH: u64 = 64;

    /// Numbers documents, ascending and distinct; unknown ones are left out.
    pub(super) fn of(
        shared: &IndexShared,
        ids: impl Iterator<Item = DocId>,
        turns: &[DocId],
        cuts: &Cuts,
    ) -> Self {
        let mut documents = Self {
            ids: Vec::new(),
            pages: FxHashMap::default(),
            kept: Vec::new(),
        };
        let mut ids = ids.peekable();
        while ids.peek().is_some() {
            let state = shared.state();
            let some = ids.by_ref().take(AT_ONCE);
            for (id, stats) in some.filter_map(|id| Some((id, state.table.get(id)?))) {
                let place = documents.ids.len() as u32;
                let page = documents.pages.entry(id.0 / PAGE).or_insert((0, place));
                page.0 |= 1 << (id.0 % PAGE);
                documents.ids.push(id);
                documents.kept.push(Kept::of(stats, cuts));
            }
        }
        for (turn, id) in (0..).zip(turns) {
            if let Some(place) = documents.place(*id) {
                documents.kept[place as usize].turn = turn;
            }
        }
        documents
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn id(&self, place: u32) -> DocId {
        self.ids[place as usize]
    }

    pub(super) fn place(&self, id: DocId) -> Option<u32> {
        let (present, first) = self.pages.get(&(id.0 / PAGE))?;
        let bit = 1 << (id.0 % PAGE);
        (present & bit != 0).then(|| first + (present & (bit - 1)).count_ones())
    }

    /// Updates which documents begin pairs and whose postings are kept; returns whether any are.
    pub(super) fn renew(&mut self) -> bool {
        let mut coarsest = None;
        for kept in &mut self.kept {
            kept.begins = kept.seen + kept.min_shared <= kept.count;
            if kept.begins {
                coarsest = coarsest.max(Some(kept.rung));
            }
        }
        let mut any = false;
        for kept in &mut self.kept {
            // A finer one does not know which of its postings are at the rung of a coarser one, which begins for both.
            kept.is_active = kept.begins || kept.is_paired || Some(kept.rung) < coarsest;
            any |= kept.begins || kept.is_paired;
        }
        any
    }
}
