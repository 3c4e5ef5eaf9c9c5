//! What is on record, by id or name: roots, files, contents, documents, reports.

mod pages;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use simdex_schema::{
    ContentHash, ContentRecord, DecodeError, DocId, DocumentHash, DocumentRecord, FileKey,
    FileRecord, ReportRecord, RootId, RootRecord, key,
};

use crate::IndexError;
use crate::batch::Batch;
use crate::error::decode_error;
use crate::index::visit;
use crate::shared::Shared;

pub(crate) use pages::{Carried, PAGE};

/// Visits a file and its record as it is stored, where it has one.
type VisitValue<'a> = dyn FnMut(FileKey, Option<&[u8]>) -> Result<ControlFlow<()>, IndexError> + 'a;

/// Reads records by key: for threads that compare a share with what is on record of it (ingestion, walks, the
/// recheck), and for what the daemon records of itself (roots, reports).
///
/// It knows no view and is passed to no question about documents. It has no method that writes.
///
/// **Consistency.** Each record is as the last batch left it, whole; two reads may lie before and after a
/// batch. Listings scan the store: what is written during a listing may be met or not.
///
/// **Locks.** None but those of the store itself, and of counts the one that guards them. No read waits for a merge.
#[derive(Clone)]
pub struct Registry {
    shared: Arc<Shared>,
}

impl Registry {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
        }
    }

    /// What a file's record says.
    pub fn file(&self, file: &FileKey) -> Result<Option<FileRecord>, IndexError> {
        self.record(&key::file(file), "of a file", FileRecord::decode)
    }

    /// What a content's record says.
    pub fn content(&self, hash: ContentHash) -> Result<Option<ContentRecord>, IndexError> {
        self.record(&key::content(hash), "of a content", ContentRecord::decode)
    }

    pub(crate) fn document(&self, id: DocId) -> Result<Option<DocumentRecord>, IndexError> {
        self.record(&key::document(id), "of a document", DocumentRecord::decode)
    }

    pub(crate) fn document_by_hash(&self, hash: DocumentHash) -> Result<Option<DocId>, IndexError> {
        let found = self
            .shared
            .store
            .records()
            .get(&key::document_by_hash(hash))?;
        Ok(found.and_then(|bytes| key::parse_document(&bytes, 0)))
    }

    fn record<T>(
        &self,
        key: &[u8],
        what: &str,
        decode: impl Fn(&[u8]) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, IndexError> {
        let bytes = self.shared.store.records().get(key)?;
        let decoded = bytes.map(|bytes| decode(&bytes)).transpose();
        decoded.map_err(|source| decode_error(what, source))
    }

    /// Roots recorded, by id.
    pub fn roots(&self) -> Result<Vec<(RootId, RootRecord)>, IndexError> {
        let mut roots = Vec::new();
        visit(&*self.shared.store, key::prefix::ROOT, |bytes, value| {
            let record = RootRecord::decode(value).map_err(|e| decode_error("of a root", e))?;
            if let Some((_, id)) = bytes.split_first() {
                let id = id.try_into().map(u32::from_be_bytes).unwrap_or_default();
                roots.push((RootId(id), record));
            }
            Ok(())
        })?;
        Ok(roots)
    }

    /// Reports remembered that were finished after a moment, oldest first: when, and what. Ends where
    /// `each` says so.
    pub fn reports_after(
        &self,
        after: u64,
        each: &mut dyn FnMut(u64, ReportRecord) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let from = key::report(after.saturating_add(1));
        let mut failed = None;
        let records = self.shared.store.records();
        records.scan(&[key::prefix::REPORT], Some(&from), &mut |bytes, value| {
            let at = key::parse_document(bytes, 1).map_or(0, |id| id.0);
            match ReportRecord::decode(value) {
                Ok(record) => each(at, record),
                Err(error) => {
                    failed = Some(decode_error("of a report", error));
                    ControlFlow::Break(())
                }
            }
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// Visits the record of every file of a root, by path; members of containers are left out.
    pub fn files(
        &self,
        root: RootId,
        visit: &mut dyn FnMut(FileKey, FileRecord),
    ) -> Result<(), IndexError> {
        let mut failed = None;
        self.shared.store.records().scan(
            &key::files_of_root(root),
            None,
            &mut |bytes, value| match FileRecord::decode(value) {
                Ok(record) => {
                    key::file_in_key(bytes)
                        .filter(|key| !key.is_member())
                        .into_iter()
                        .for_each(|key| visit(key, record.clone()));
                    ControlFlow::Continue(())
                }
                Err(source) => {
                    failed = Some(decode_error("of a file", source));
                    ControlFlow::Break(())
                }
            },
        )?;
        failed.map_or(Ok(()), Err)
    }

    /// Files in a container at any depth, in the order of their names; containers before what they
    /// hold.
    pub fn members(&self, container: &FileKey) -> Result<Vec<(FileKey, FileRecord)>, IndexError> {
        let keys = Batch::new(self.shared.store.records()).keys(&key::members_of(container))?;
        let mut members = Vec::with_capacity(keys.len());
        for key in keys.iter().filter_map(|key| key::file_in_key(key)) {
            // A file that is gone by now is no member.
            members.extend(self.file(&key)?.map(|record| (key, record)));
        }
        Ok(members)
    }

    /// Some file that holds a content, on disk or in a container.
    pub fn holder(&self, content: ContentHash) -> Result<Option<FileKey>, IndexError> {
        self.first_file(&key::files_of_content(content))
    }

    /// The first file below a prefix of the links from contents to their files.
    pub(crate) fn first_file(&self, prefix: &[u8]) -> Result<Option<FileKey>, IndexError> {
        let mut found = None;
        let records = self.shared.store.records();
        records.scan(prefix, None, &mut |link, _| {
            found = key::file_in_link(link);
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// Whether members of a file are on record.
    pub fn has_members(&self, container: &FileKey) -> Result<bool, IndexError> {
        let mut found = false;
        let prefix = key::members_of(container);
        self.shared
            .store
            .records()
            .scan(&prefix, None, &mut |_, _| {
                found = true;
                ControlFlow::Break(())
            })?;
        Ok(found)
    }

    /// Visits the keys of a root's files, by path, from one on. Members are left out; of those whose container is not
    /// on record, the container's key is visited, so that a look settles them.
    pub fn keys_from(
        &self,
        from: &FileKey,
        visit: &mut dyn FnMut(FileKey) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        self.values_from(from, &mut |key, _| Ok(visit(key)))
    }

    /// Visits files as [`Registry::keys_from`] does, with their records; a container that is not on record has none.
    pub fn records_from(
        &self,
        from: &FileKey,
        visit: &mut dyn FnMut(FileKey, Option<FileRecord>) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        self.values_from(from, &mut |key, value| {
            let record = value.map(FileRecord::decode).transpose();
            let record = record.map_err(|source| decode_error("of a file", source))?;
            Ok(visit(key, record))
        })
    }

    fn values_from(&self, from: &FileKey, visit: &mut VisitValue<'_>) -> Result<(), IndexError> {
        let (mut last, mut failed) = (from.on_disk(), None);
        let (prefix, from) = (key::files_of_root(from.root), key::file(from));
        let records = self.shared.store.records();
        records.scan(&prefix, Some(&from), &mut |bytes, value| {
            let Some(file) = key::file_in_key(bytes) else {
                return ControlFlow::Continue(());
            };
            let on_disk = file.on_disk();
            if file.is_member() && on_disk == last {
                return ControlFlow::Continue(());
            }
            last.clone_from(&on_disk);
            let value = (!file.is_member()).then_some(value);
            visit(on_disk, value).unwrap_or_else(|error| {
                failed = Some(error);
                ControlFlow::Break(())
            })
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// A number that differs after each change of files: what was read under the one that holds now is as it was read.
    pub fn file_changes(&self) -> u64 {
        self.shared.file_changes.load(Ordering::SeqCst)
    }

    /// Files of a root that are on record; members of containers are left out.
    pub fn files_on_disk(&self, root: RootId) -> u64 {
        self.shared.kept_counts().files_on_disk(root)
    }
}
