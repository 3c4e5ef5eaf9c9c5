//! Documents in the order in which the files of a view are listed.

use std::ops::ControlFlow;

use simdex_schema::file::FileOutcome;
use simdex_schema::{DocId, FileKey, FileRecord, key};

use super::{Files, first_key};
use crate::error::decode_error;
use crate::{GrowingPermit, IndexError, MemoryAccount, VisibleRoots};

/// Records between two checks for cancellation, and documents that are counted at once.
const AT_ONCE: usize = 1 << 12;

impl Files<'_> {
    /// The documents with text of the files of a view from one on, in their order; at most `limit`. A document may
    /// occur again. Memory is counted while they are collected.
    ///
    /// # Errors
    /// [`IndexError::TooMuchMemory`] if the account may not hold them; [`IndexError::Cancelled`].
    pub fn documents_from(
        self,
        view: &VisibleRoots,
        from: &FileKey,
        limit: usize,
        account: &MemoryAccount,
    ) -> Result<Vec<DocId>, IndexError> {
        let mut found = Gathered {
            documents: Vec::new(),
            held: GrowingPermit::of(account),
            records: 0,
        };
        let mut start = Some(key::file(from));
        let roots = self.roots(view)?.into_iter();
        for (root, _) in roots.skip_while(|(root, _)| *root != from.root) {
            let (prefix, mut added) = (key::files_of_root(root), Ok(()));
            let records = self.shared.store.records();
            records.scan(&prefix, start.take().as_deref(), &mut |_, value| {
                added = self.document_of_file(value).and_then(|id| found.add(id));
                match added.is_err() || found.documents.len() >= limit {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })?;
            added?;
            if found.documents.len() >= limit {
                break;
            }
        }
        Ok(found.documents)
    }

    /// Visits the documents with text of the files of a view, in the order of their absolute paths as these are stored:
    /// of those after a path, if one is given. A document may occur again.
    pub fn visit_documents_after(
        self,
        view: &VisibleRoots,
        after: Option<&[u8]>,
        visit: &mut dyn FnMut(FileKey, DocId) -> Result<ControlFlow<()>, IndexError>,
    ) -> Result<(), IndexError> {
        for (root, base) in self.roots(view)? {
            let Some(start) = first_key(root, &base, after) else {
                continue;
            };
            let (prefix, mut step) = (key::files_of_root(root), Ok(ControlFlow::Continue(())));
            let of_after = after.is_some() && start != prefix;
            let records = self.shared.store.records();
            records.scan(&prefix, Some(&start), &mut |bytes, value| {
                if of_after && *bytes == start[..] {
                    return ControlFlow::Continue(());
                }
                step = self.document_of_file(value).and_then(|id| {
                    let found = key::file_in_key(bytes).zip(id);
                    found.map_or(Ok(ControlFlow::Continue(())), |(key, id)| visit(key, id))
                });
                match step {
                    Ok(ControlFlow::Continue(())) => ControlFlow::Continue(()),
                    _ => ControlFlow::Break(()),
                }
            })?;
            if step?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn document_of_file(self, value: &[u8]) -> Result<Option<DocId>, IndexError> {
        let record = FileRecord::decode(value);
        let record = record.map_err(|source| decode_error("of a file", source))?;
        let FileOutcome::Content(hash) = record.outcome else {
            return Ok(None);
        };
        let id = self
            .registry
            .content(hash)?
            .and_then(|content| content.document);
        let state = self.shared.state();
        Ok(id.filter(|id| state.table.is_text(*id)))
    }
}

struct Gathered {
    documents: Vec<DocId>,
    held: GrowingPermit,
    records: usize,
}

impl Gathered {
    fn add(&mut self, id: Option<DocId>) -> Result<(), IndexError> {
        if self.records.is_multiple_of(AT_ONCE) {
            self.held.account().cancel().check()?;
        }
        self.records += 1;
        let Some(id) = id.filter(|id| self.documents.last() != Some(id)) else {
            return Ok(());
        };
        if self.documents.len().is_multiple_of(AT_ONCE) {
            // The list doubles as it grows.
            self.held.add(2 * (AT_ONCE * size_of::<DocId>()) as u64)?;
        }
        self.documents.push(id);
        Ok(())
    }
}
