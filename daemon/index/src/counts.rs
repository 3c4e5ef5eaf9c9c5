//! Counts of what a view shows: kept, and made anew only after something changed.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use simdex_schema::State;
use simdex_signature::Ratio;

use crate::index::Index;
use crate::{Cancel, FileView, IndexError, View};

/// Counts of the files of a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Files on disk; the states add up to it.
    pub files_on_disk: u64,
    /// Members of containers, apart.
    pub members: u64,
    /// Files on disk by state as shown.
    pub states: BTreeMap<State, u64>,
    /// Documents with text.
    pub documents: u64,
}

/// The counts that were asked for last.
pub(crate) struct Counted {
    view: View,
    /// As of which change.
    change: u64,
    counts: FileCounts,
}

impl FileCounts {
    /// Counts one file; `documents` are left to the caller.
    pub fn add(&mut self, file: &FileView) {
        if file.key.is_member() {
            self.members += 1;
        } else {
            self.files_on_disk += 1;
            *self.states.entry(file.state).or_insert(0) += 1;
        }
    }
}

impl Index {
    /// Counts the files of a view. Where nothing changed since the same view was counted last, that is at
    /// hand; else every file is looked at.
    pub fn count_files(&self, view: &View, cancel: &Cancel) -> Result<FileCounts, IndexError> {
        let lock = || self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        // Before the first file is read: what changes meanwhile makes the counts old.
        let change = self.changes.load(Ordering::SeqCst);
        if let Some(counted) = lock().as_ref()
            && counted.change == change
            && counted.view == *view
        {
            return Ok(counted.counts.clone());
        }
        let (mut counts, mut documents) = (FileCounts::default(), HashSet::new());
        let mut cancelled = Ok(());
        self.files(view, &mut |file| {
            counts.add(&file);
            documents.extend(file.document.map(|(id, _)| id));
            cancelled = cancel.check();
            match cancelled {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        cancelled?;
        counts.documents = documents.len() as u64;
        *lock() = Some(Counted {
            view: view.clone(),
            change,
            counts: counts.clone(),
        });
        Ok(counts)
    }

    /// How many groups there are, where that is at hand: of all that is served, at the threshold that
    /// groups are kept at, once everything is settled and every group has its handle.
    pub fn group_count(&self, view: &View, threshold: Ratio) -> Option<u64> {
        if threshold != self.threshold() || !self.is_settled() {
            return None;
        }
        let state = self.state();
        (*view == state.served).then_some(state.handles.len() as u64)
    }

    /// Says that files are listed otherwise from now on; after the store says so.
    pub(crate) fn files_changed(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }
}
