//! Documents of groups that come to a root, or leave it, with a batch of changes.

use std::collections::BTreeMap;

use simdex_schema::{DocId, FileKey, RootId};

use crate::change::GroupArrival;
use crate::counts::CountedFile;
use crate::shared::IndexState;

/// For each root, the documents of which files come or go there, each with the first of those files.
#[derive(Default)]
pub(super) struct ChangedCarriers(BTreeMap<(RootId, DocId), FileKey>);

/// These documents, each with whether the root had a file of it before the batch.
pub(super) struct ChangedCarriersBefore(Vec<((RootId, DocId), FileKey, bool)>);

impl ChangedCarriers {
    /// Notes a file that comes or goes.
    pub(super) fn note(&mut self, key: &FileKey, file: &CountedFile) {
        let Some((document, _)) = file.carried else {
            return;
        };
        let first = self.0.entry((file.root, document));
        let first = first.or_insert_with(|| key.clone());
        if key < first {
            first.clone_from(key);
        }
    }

    /// Notes which of them each root has. Call before the files are counted.
    pub(super) fn note_presence(self, state: &IndexState) -> ChangedCarriersBefore {
        let files = self.0.into_iter();
        let files = files.map(|(at, file)| (at, file, state.table.is_in(at)));
        ChangedCarriersBefore(files.collect())
    }
}

impl ChangedCarriersBefore {
    /// Call after the files were counted.
    pub(super) fn arrivals(self, state: &IndexState) -> Vec<GroupArrival> {
        let arrival = |(at, file, was_there)| {
            let (root, document) = at;
            let is_there = state.table.is_in(at);
            let group = state.reported_group(document);
            let group = group.filter(|_| is_there != was_there)?;
            let elsewhere = state.table.roots_of(document);
            Some(GroupArrival {
                document: state.table.get(document)?.hash,
                group,
                file,
                is_there,
                elsewhere: elsewhere.filter(|other| *other != root).collect(),
            })
        };
        self.0.into_iter().filter_map(arrival).collect()
    }
}
