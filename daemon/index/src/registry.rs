//! What is registered, by id or name: roots, files, contents, documents, reports.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_schema::{
    ContentHash, ContentRecord, DecodeError, DocId, DocumentHash, DocumentRecord, FileKey,
    FileRecord, ReportRecord, RootId, RootRecord, key,
};

use crate::batch::Batch;
use crate::error::decode_error;
use crate::index::Index;
use crate::open::visit;
use crate::{DocumentStats, IndexError};

impl Index {
    /// What a file's record says.
    pub fn file(&self, file: &FileKey) -> Result<Option<FileRecord>, IndexError> {
        self.record(&key::file(file), "of a file", FileRecord::decode)
    }

    /// What a content's record says.
    pub fn content(&self, hash: ContentHash) -> Result<Option<ContentRecord>, IndexError> {
        self.record(&key::content(hash), "of a content", ContentRecord::decode)
    }

    /// What a document's record says.
    pub fn document(&self, id: DocId) -> Result<Option<DocumentRecord>, IndexError> {
        self.record(&key::document(id), "of a document", DocumentRecord::decode)
    }

    /// The figures of a document that is known.
    pub fn stats(&self, id: DocId) -> Option<DocumentStats> {
        self.state().table.get(id).copied()
    }

    /// The document with this canonical text, if any.
    pub fn document_by_hash(&self, hash: DocumentHash) -> Result<Option<DocId>, IndexError> {
        let found = self.store.records().get(&key::document_by_hash(hash))?;
        Ok(found.and_then(|bytes| key::parse_document(&bytes, 0)))
    }

    fn record<T>(
        &self,
        key: &[u8],
        what: &str,
        decode: impl Fn(&[u8]) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, IndexError> {
        let bytes = self.store.records().get(key)?;
        let decoded = bytes.map(|bytes| decode(&bytes)).transpose();
        decoded.map_err(|source| decode_error(what, source))
    }

    /// Roots recorded, by id.
    pub fn roots(&self) -> Result<Vec<(RootId, RootRecord)>, IndexError> {
        let mut roots = Vec::new();
        visit(&*self.store, key::prefix::ROOT, |bytes, value| {
            let record = RootRecord::decode(value).map_err(|e| decode_error("of a root", e))?;
            if let Some((_, id)) = bytes.split_first() {
                let id = id.try_into().map(u32::from_be_bytes).unwrap_or_default();
                roots.push((RootId(id), record));
            }
            Ok(())
        })?;
        Ok(roots)
    }

    /// The root at this path, recorded under a new id if it is not known.
    pub fn root(&self, path: &Path) -> Result<RootId, IndexError> {
        let path = path.as_os_str().as_bytes();
        // Held throughout: two callers must not record one path twice.
        let mut writer = self.lock_writer();
        let known = self
            .roots()?
            .into_iter()
            .find(|(_, record)| record.path == path);
        if let Some((id, _)) = known {
            return Ok(id);
        }
        let id = RootId(writer.meta.next_root);
        writer.meta.next_root += 1;
        let mut batch = Batch::new(self.store.records());
        let record = RootRecord {
            path: path.to_vec(),
            pending_loss: 0,
            identity: None,
        };
        batch.put(key::root(id), record.encode());
        batch.put(key::meta(), writer.meta.encode());
        batch.apply()?;
        Ok(id)
    }

    /// Writes a root's record.
    pub fn put_root(&self, id: RootId, record: &RootRecord) -> Result<(), IndexError> {
        let mut batch = Batch::new(self.store.records());
        batch.put(key::root(id), record.encode());
        Ok(batch.apply()?)
    }

    /// Remembers a report: when it was finished (microseconds since 1970), where, groups in it.
    pub fn put_report(&self, at: u64, out: &Path, groups: u64) -> Result<(), IndexError> {
        let mut batch = Batch::new(self.store.records());
        let record = ReportRecord {
            out: out.as_os_str().as_bytes().to_vec(),
            groups,
        };
        batch.put(key::report(at), record.encode());
        Ok(batch.apply()?)
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
        let records = self.store.records();
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

    /// Forgets the reports that are not at their place any more.
    pub fn forget_reports(&self, is_there: impl Fn(&Path) -> bool) -> Result<(), IndexError> {
        let mut gone = Vec::new();
        self.reports_after(0, &mut |at, record| {
            if !is_there(Path::new(OsStr::from_bytes(&record.out))) {
                gone.push(at);
            }
            ControlFlow::Continue(())
        })?;
        let mut batch = Batch::new(self.store.records());
        gone.into_iter()
            .for_each(|at| batch.delete(key::report(at)));
        Ok(batch.apply()?)
    }
}
