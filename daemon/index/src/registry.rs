//! Records by id or name: roots, files, contents, documents, reports.

mod pages;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use simdex_schema::path::MEMBER;
use simdex_schema::{
    ContentHash, ContentRecord, DecodeError, DocId, DocumentHash, DocumentRecord, FileKey,
    FileRecord, ReportRecord, RootId, RootRecord, key,
};

use crate::IndexError;
use crate::batch::Batch;
use crate::error::decode_error;
use crate::shared::IndexShared;
use crate::stored_records::visit;

pub(crate) use pages::{Carried, PAGE};

/// Visits a file and its stored record, if it has one.
type VisitValue<'a> = dyn FnMut(FileKey, Option<&[u8]>) -> Result<ControlFlow<()>, IndexError> + 'a;

/// Reads records by key: for threads that compare a share with its records (ingestion, walks, the recheck), and for
/// what the daemon records about itself (roots, reports).
///
/// It knows no view and is never used to answer requests about documents. It writes no record; the only thing that it
/// changes is a cache in memory, of files known to be unchanged.
///
/// **Consistency.** Each record is complete and as the last batch left it; one read may see the state before a batch
/// and the next the state after it. Listings scan the store: what is written during a listing may or may not be seen.
///
/// **Locks.** Only those of the store itself, and for counts the lock that guards them. No read waits for a merge.
#[derive(Clone)]
pub struct Registry {
    shared: Arc<IndexShared>,
}

/// Members of one file that a scan passes before it seeks past all of them.
const MAX_PASSED: usize = 8;

/// A scan of the files of a root that are on disk. Members whose container is not on record stand for that container.
struct OnDiskScan<'a, 'v> {
    root: RootId,
    /// Path of the last file on disk that was visited.
    last: Vec<u8>,
    /// Number of its members passed.
    members: usize,
    visit: &'a mut VisitValue<'v>,
    failed: Option<IndexError>,
}

impl OnDiskScan<'_, '_> {
    /// Visits the file on disk that a path names or lies in, unless it was the last one; breaks if that has many
    /// members.
    fn see(&mut self, path: &[u8], value: &[u8]) -> ControlFlow<()> {
        let end = path.iter().position(|byte| *byte == MEMBER);
        let on_disk = &path[..end.unwrap_or(path.len())];
        if end.is_some() && on_disk == self.last {
            self.members += 1;
            return match self.members < MAX_PASSED {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            };
        }
        self.members = 0;
        self.last.clear();
        self.last.extend_from_slice(on_disk);
        let key = FileKey {
            root: self.root,
            path: on_disk.to_vec(),
        };
        (self.visit)(key, end.is_none().then_some(value)).unwrap_or_else(|error| {
            self.failed = Some(error);
            ControlFlow::Break(())
        })
    }
}

impl Registry {
    pub(crate) fn new(shared: &Arc<IndexShared>) -> Self {
        Self {
            shared: Arc::clone(shared),
        }
    }

    /// The record of a file.
    pub fn file(&self, file: &FileKey) -> Result<Option<FileRecord>, IndexError> {
        self.record(&key::file(file), "of a file", FileRecord::decode)
    }

    /// The record of a content.
    pub fn content(&self, hash: ContentHash) -> Result<Option<ContentRecord>, IndexError> {
        self.shared.work.content_read();
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

    /// The recorded roots, by id.
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

    /// The reports on record that were finished after a moment, oldest first: time and record. Ends when `each` breaks.
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

    /// Files in a container at any depth, in the order of their names; containers before their members.
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
    pub fn file_of_content(&self, content: ContentHash) -> Result<Option<FileKey>, IndexError> {
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

    /// Visits the keys of a root's files, by path, from one on. Members are left out; if their container is not on
    /// record, its key is visited, so that a look at it resolves them.
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
        let mut scan = OnDiskScan {
            root: from.root,
            last: from.on_disk().path,
            members: 0,
            visit,
            failed: None,
        };
        let (prefix, mut from) = (key::files_of_root(from.root), key::file(from));
        let records = self.shared.store.records();
        while scan.members < MAX_PASSED {
            records.scan(&prefix, Some(&from), &mut |bytes, value| {
                scan.see(&bytes[prefix.len()..], value)
            })?;
            if scan.members < MAX_PASSED {
                break;
            }
            // Many members lie here: the scan continues after them, at the next path that cannot be one of theirs.
            scan.members = 0;
            from = [&prefix[..], &scan.last, &[1]].concat();
        }
        scan.failed.map_or(Ok(()), Err)
    }

    /// A number that differs after each change of files: while it stays the same, what was read is still true.
    pub fn file_changes(&self) -> u64 {
        self.shared.file_changes.load(Ordering::SeqCst)
    }

    /// A number to be read before the records that say whether a content or container is at rest.
    pub fn unchanged_version(&self) -> u64 {
        self.shared.known_unchanged.changes()
    }

    /// Whether a content was noted to be at rest: reading the same bytes again would give the same result, and it has
    /// no members and asks for no frames. One that was not noted may be at rest all the same.
    pub fn is_known_unchanged(&self, content: ContentHash) -> bool {
        self.shared.known_unchanged.has_content(content)
    }

    /// Notes that a content was found to be at rest by records read since `seen`, a value of
    /// [`Registry::unchanged_version`]. Refused if any of them may have changed.
    pub fn note_known_unchanged(&self, content: ContentHash, seen: u64) {
        self.shared.known_unchanged.note_content(content, seen);
    }

    /// Whether a file on disk of this content was noted to be at rest with all of its members.
    pub fn is_container_known_unchanged(&self, file: &FileKey, content: ContentHash) -> bool {
        self.shared.known_unchanged.has_container(file, content)
    }

    /// Notes that all members of a file were found to be at rest, as [`Registry::note_known_unchanged`] does.
    pub fn note_container_known_unchanged(&self, file: &FileKey, content: ContentHash, seen: u64) {
        self.shared
            .known_unchanged
            .note_container(file, content, seen);
    }

    /// Number of files of a root on record; members of containers are left out.
    pub fn files_on_disk(&self, root: RootId) -> u64 {
        self.shared.kept_counts().files_on_disk(root)
    }
}
