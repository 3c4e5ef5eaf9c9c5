//! Counts the files of a view.

use std::collections::BTreeMap;

use simdex_schema::{ContentHash, FileKey, Reason, RootId, key};

use crate::counts::{FileCounts, FirstCarrier, MoveWatch, UnresolvedFirst};
use crate::shared::IndexShared;
use crate::{Cancel, FileInfo, Files, IndexError, Registry, VisibleRoots};

impl FileCounts {
    /// Counts one file; `documents` is left to the caller.
    pub fn add(&mut self, file: &FileInfo) {
        let (files, states) = self.of_kind(file.key.is_member());
        *files += 1;
        *states.entry(file.state).or_insert(0) += 1;
        self.damaged += u64::from(file.reason == Reason::TextDamaged.into());
    }
}

/// How many files a view has, by state.
///
/// Totals are kept in memory as files change. The first count of a view adds up what is in memory; only documents whose
/// first file is in doubt are looked up. The lock of the counts is held meanwhile, not that of the state.
#[derive(Clone, Copy)]
pub struct FileTotals<'a> {
    shared: &'a IndexShared,
    registry: &'a Registry,
}

impl<'a> FileTotals<'a> {
    pub(crate) fn of(shared: &'a IndexShared, registry: &'a Registry) -> Self {
        Self { shared, registry }
    }

    /// Counts the files of a view. Files are looked up only if several carry a document and it is unknown which of them
    /// comes first, because one of them changed.
    pub fn count(self, view: &VisibleRoots, cancel: &Cancel) -> Result<FileCounts, IndexError> {
        let roots = Files::of(self.shared, self.registry).roots(view)?;
        let roots: Vec<RootId> = roots.into_iter().map(|(root, _)| root).collect();
        self.resolve_doubts(cancel)?;
        Ok(self.shared.kept_counts().of_roots(&roots))
    }

    /// The files of a view whose text was found damaged and that are still to be read again.
    pub fn damaged(self, view: &VisibleRoots) -> u64 {
        self.shared.kept_counts().damaged_files(view)
    }

    /// Records from now on what is renamed in a view of which a list is made.
    pub fn watch_moves(self, view: &VisibleRoots) -> MoveWatch {
        self.shared.kept_counts().moves.watch(view)
    }

    /// Resolves what is in doubt now; what changes meanwhile is left to the next count.
    fn resolve_doubts(self, cancel: &Cancel) -> Result<(), IndexError> {
        self.resolve_some_doubts(usize::MAX, cancel)
    }

    /// Resolves at most `most` documents of those in doubt now.
    pub(crate) fn resolve_some_doubts(
        self,
        most: usize,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let until = self.shared.kept_counts().changes();
        let mut after = None;
        for _ in 0..most {
            let Some(doubt) = self.shared.kept_counts().next_doubt(after, until) else {
                break;
            };
            let firsts = self.first_carriers(&doubt, cancel)?;
            after = Some(doubt.document);
            self.shared.kept_counts().resolve(&doubt, firsts);
        }
        Ok(())
    }

    /// For each root, the first of the files that carry a document.
    fn first_carriers(
        self,
        doubt: &UnresolvedFirst,
        cancel: &Cancel,
    ) -> Result<Vec<(RootId, FirstCarrier)>, IndexError> {
        let mut firsts: BTreeMap<RootId, (FileKey, ContentHash)> = BTreeMap::new();
        for (root, content) in &doubt.carried {
            cancel.check()?;
            let (root, path) = (*root, Vec::new());
            let prefix = key::file_of_content(*content, &FileKey { root, path });
            let Some(file) = self.registry.first_file(&prefix)? else {
                continue;
            };
            match firsts.get(&root) {
                Some((first, _)) if *first < file => {}
                _ => drop(firsts.insert(root, (file, *content))),
            }
        }
        let first = |(root, (file, content)): (_, (FileKey, _))| {
            let is_member = file.is_member();
            (root, FirstCarrier { content, is_member })
        };
        Ok(firsts.into_iter().map(first).collect())
    }
}
