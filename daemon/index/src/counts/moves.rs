//! How many files came and went. A list by path that is made meanwhile may miss what is renamed from a path that it is
//! yet to come to into one that it has passed.

use std::collections::BTreeMap;

use simdex_schema::RootId;

use crate::View;

/// A moment, by the files that had been added and removed by then.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moves {
    pub(crate) added: u64,
    pub(crate) removed: u64,
}

/// Files of one batch that are added or removed, by root.
pub(crate) type MovedFiles = BTreeMap<RootId, Moves>;

/// Files that were added or removed since the index was opened. A batch is counted before it is applied and once more
/// afterwards, so that none slips through that a list meets halfway.
#[derive(Default)]
pub(crate) struct MoveCounts {
    begun: MovedFiles,
    done: MovedFiles,
}

impl Moves {
    fn add(&mut self, more: Self) {
        self.added += more.added;
        self.removed += more.removed;
    }

    /// How many files may have been renamed since an earlier moment: each was removed, and added elsewhere.
    pub(super) fn renamed_since(self, before: Self) -> u64 {
        let added = self.added.saturating_sub(before.added);
        added.min(self.removed.saturating_sub(before.removed))
    }
}

impl MoveCounts {
    /// These are about to be applied.
    pub(crate) fn begin(&mut self, moved: &MovedFiles) {
        add(&mut self.begun, moved);
    }

    /// They were applied, or could not be.
    pub(crate) fn end(&mut self, moved: &MovedFiles) {
        add(&mut self.done, moved);
    }

    pub(super) fn begun(&self, view: &View) -> Moves {
        sum(&self.begun, view)
    }

    pub(super) fn done(&self, view: &View) -> Moves {
        sum(&self.done, view)
    }
}

fn add(counts: &mut MovedFiles, moved: &MovedFiles) {
    for (root, files) in moved {
        counts.entry(*root).or_default().add(*files);
    }
}

fn sum(counts: &MovedFiles, view: &View) -> Moves {
    let mut sum = Moves::default();
    let shown = counts.iter().filter(|(root, _)| view.shows(**root));
    shown.for_each(|(_, files)| sum.add(*files));
    sum
}
