//! Files as they are listed, with their states: all files of a view, one of them, or those of a document or a content.
//!
//! The rule that of identical files the one with the smallest path is called indexed is applied here, within a view, so
//! that a state reveals nothing about files outside it.

use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use simdex_schema::file::FileOutcome;
use simdex_schema::{
    ContentHash, ContentRecord, DocId, DocumentHash, DocumentKind, FileKey, FileRecord, GroupId,
    Reason, RootId, State, StoredReason, key, path,
};

use crate::error::decode_error;
use crate::registry::{Carried, PAGE};
use crate::shared::IndexShared;
use crate::{IndexError, MemoryAccount, Registry, VisibleRoots};

mod containers;
mod documents;
mod first_contents;

pub(crate) use first_contents::FirstContents;

/// A file within the visible roots, as it is shown.
#[derive(Clone, Debug)]
pub struct FileInfo {
    /// Absolute path as it is shown ([`simdex_schema::path`]); the path on disk may differ.
    pub path: PathBuf,
    /// Root and path below it.
    pub key: FileKey,
    /// What was seen of it.
    pub record: FileRecord,
    /// How its content's extraction ended, if it was read.
    pub content: Option<ContentRecord>,
    /// State as shown: identical-* if another file is the one called indexed.
    pub state: State,
    /// Reason code that refines the state; empty if there is none.
    pub reason: StoredReason,
    /// Its document, if it has text.
    pub document: Option<(DocId, DocumentHash)>,
    /// Characters of canonical text, if there is any.
    pub chars: Option<u64>,
    /// The group it is in, once it is settled.
    pub group: Option<GroupId>,
}

impl FileInfo {
    /// Bytes of memory that it takes: a document's metadata may be long.
    pub fn held_bytes(&self) -> u64 {
        let of_content = self.content.as_ref().map_or(0, |content| {
            let facts = content.facts.iter();
            let facts = facts.map(|(code, value)| 2 * STRING + code.len() + value.len());
            let warnings = content.warnings.iter();
            let warnings = warnings.map(|warning| STRING + warning.len());
            content.media_type.len() + content.parser.len() + facts.chain(warnings).sum::<usize>()
        });
        let paths = self.path.as_os_str().len() + self.key.path.len();
        (size_of::<Self>() + paths + of_content) as u64
    }
}

/// Bytes of a string in addition to its text.
const STRING: usize = size_of::<String>();

/// The files that a view shows, each as it is listed: with its state, its document and its group.
///
/// Every method takes the view, and shows no file outside it. A file costs a read of its record and of its content's,
/// and of its document's for text. Those that a document carries are found by its contents, not by a scan. Visitors may
/// read the index.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    shared: &'a IndexShared,
    registry: &'a Registry,
}

impl<'a> Files<'a> {
    pub(crate) fn of(shared: &'a IndexShared, registry: &'a Registry) -> Self {
        Self { shared, registry }
    }

    /// Visits every file of the view in the order of absolute paths. The account is charged for documents that several
    /// files carry.
    pub fn visit(
        self,
        view: &VisibleRoots,
        account: &MemoryAccount,
        visit: &mut dyn FnMut(FileInfo) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        self.visit_knowing(view, None, &mut FirstContents::of(account), visit)
    }

    /// Visits the files of the view from an absolute path on, as it is stored, in the same order and with the same
    /// states. What comes before it is not read, except the first file of each document that several files carry.
    pub fn visit_from(
        self,
        view: &VisibleRoots,
        from: &[u8],
        account: &MemoryAccount,
        visit: &mut dyn FnMut(FileInfo) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let mut first = FirstContents::resumed(account);
        self.visit_knowing(view, Some(from), &mut first, visit)
    }

    /// Visits the files of a view; `first` is what is already known of files visited before.
    pub(crate) fn visit_knowing(
        self,
        view: &VisibleRoots,
        from: Option<&[u8]>,
        first: &mut FirstContents,
        visit: &mut dyn FnMut(FileInfo) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        for (root, base) in self.roots(view)? {
            let Some(start) = first_key(root, &base, from) else {
                continue;
            };
            let (prefix, mut failed) = (key::files_of_root(root), None);
            let records = self.shared.store.records();
            records.scan(
                &prefix,
                Some(&start),
                &mut |bytes, value| match self.next_view(&base, bytes, value, (view, &mut *first)) {
                    Ok(Some(file)) => visit(file),
                    Ok(None) => ControlFlow::Continue(()),
                    Err(error) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                },
            )?;
            if let Some(error) = failed {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Files of the view that carry a document.
    pub fn count_of_document(self, id: DocId, view: &VisibleRoots) -> u64 {
        self.shared.state().table.count_files_of(id, view)
    }

    /// Roots of the view, by path as their files sort.
    pub fn roots(self, view: &VisibleRoots) -> Result<Vec<(RootId, PathBuf)>, IndexError> {
        let all = self.shared.root_paths.or_read(|| self.read_roots())?;
        let shown = all.iter().filter(|(id, _)| view.shows(*id));
        Ok(shown.cloned().collect())
    }

    fn read_roots(self) -> Result<Vec<(RootId, PathBuf)>, IndexError> {
        let mut roots = self.registry.roots()?;
        roots.sort_by_cached_key(|(_, record)| [&record.path[..], b"/"].concat());
        let roots = roots.into_iter();
        Ok(roots
            .map(|(id, record)| (id, path_from(record.path)))
            .collect())
    }

    /// The next file of a list of this view; `first` is what is known of earlier files.
    fn next_view(
        self,
        base: &std::path::Path,
        bytes: &[u8],
        value: &[u8],
        (view, first): (&VisibleRoots, &mut FirstContents),
    ) -> Result<Option<FileInfo>, IndexError> {
        let Some(key) = key::file_in_key(bytes) else {
            return Ok(None);
        };
        let record = FileRecord::decode(value);
        let record = record.map_err(|source| decode_error("of a file", source))?;
        let mut file = self.plain_view(base, key, record)?;
        let carried = file.document.zip(file.record.content());
        if let Some(((id, _), content)) = carried {
            match first.contents.get(&id) {
                Some(same) => file.call_identical(*same == content),
                // Most documents have one file, and nothing has to be remembered of them.
                None if self.count_of_document(id, view) < 2 => {}
                None if first.is_resumed => self.note_first(id, &mut file, (view, first))?,
                None => first.note(id, content)?,
            }
        }
        Ok(Some(file))
    }

    /// A file with its content's own state.
    fn plain_view(
        self,
        base: &std::path::Path,
        key: FileKey,
        record: FileRecord,
    ) -> Result<FileInfo, IndexError> {
        let path = shown(base, &key);
        let content = match record.outcome {
            FileOutcome::Content(hash) => self.registry.content(hash)?,
            FileOutcome::Unread(..) => None,
        };
        let (state, reason) = match (&record.outcome, &content) {
            (FileOutcome::Unread(state, reason), _) => (*state, reason.clone()),
            (_, Some(content)) => (content.state, content.reason.clone()),
            (_, None) => (State::Unstable, Reason::ContentNotRecorded.into()),
        };
        let of_text = |id: DocId| {
            let state = self.shared.state();
            let stats = state.table.get(id)?;
            (stats.kind == DocumentKind::Text).then_some((id, stats.hash))
        };
        let id = content.as_ref().and_then(|content| content.document);
        let document = id.and_then(of_text);
        let chars = match document {
            Some((id, _)) => self.registry.document(id)?.map(|record| record.chars),
            None => None,
        };
        Ok(FileInfo {
            path,
            key,
            record,
            content,
            state,
            reason,
            document,
            chars,
            group: document.and_then(|(id, _)| self.shared.state().group_id_of(id)),
        })
    }

    /// One file, if the view shows it, with its state as [`Files::visit`] shows it.
    pub fn get(self, key: &FileKey, view: &VisibleRoots) -> Result<Option<FileInfo>, IndexError> {
        self.shared.work.file_read();
        let (Some(record), true) = (self.registry.file(key)?, view.shows(key.root)) else {
            return Ok(None);
        };
        let roots = self.roots(view)?;
        let Some((_, base)) = roots.into_iter().find(|(root, _)| *root == key.root) else {
            return Ok(None);
        };
        let mut file = self.plain_view(&base, key.clone(), record)?;
        if let Some((id, _)) = file.document
            && let Some(first) = self.first_of_document(id, view)?
            && first.key != *key
        {
            file.call_identical(file.record.content() == first.record.content());
        }
        Ok(Some(file))
    }

    /// The files that [`Files::visit_of_document`] visits.
    #[cfg(test)]
    pub(crate) fn of_document(
        self,
        id: DocId,
        view: &VisibleRoots,
    ) -> Result<Vec<FileInfo>, IndexError> {
        let mut files = Vec::new();
        self.visit_of_document(id, view, &mut |file| {
            files.push(file);
            ControlFlow::Continue(())
        })?;
        Ok(files)
    }

    /// Visits the files of the view that carry a document, by absolute path; the first is the one called
    /// indexed. Raw-byte documents have files as well. Holds the keys of some thousands of them at a time,
    /// however many there are.
    /// Files removed or overwritten during the visit are left out: every visited file carries the document.
    pub fn visit_of_document(
        self,
        id: DocId,
        view: &VisibleRoots,
        visit: &mut dyn FnMut(FileInfo) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        self.visit_files_by_page(id, view, PAGE, visit)
    }

    /// Visits the files of the view that carry a document, holding about `page` bytes of their keys at a time.
    fn visit_files_by_page(
        self,
        id: DocId,
        view: &VisibleRoots,
        page: usize,
        visit: &mut dyn FnMut(FileInfo) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let roots = self.roots(view)?;
        let mut first = None;
        self.registry
            .visit_keys_of(Carried::Document(id), &roots, page, &mut |base, key| {
                // The file may be gone by now, or carry another document.
                let Some(record) = self.registry.file(&key)? else {
                    return Ok(ControlFlow::Continue(()));
                };
                let mut file = self.plain_view(base, key, record)?;
                if file.carried() != Some(id) {
                    return Ok(ControlFlow::Continue(()));
                }
                let content = file.record.content();
                match first {
                    None => first = Some(content),
                    Some(first) => file.call_identical(content == first),
                }
                Ok(visit(file))
            })
    }

    /// Visits the files of the view that have a content, by absolute path, each with its content's own state. As in
    /// [`Files::visit_of_document`], files that have another content by now are left out.
    pub fn visit_of_content(
        self,
        content: ContentHash,
        view: &VisibleRoots,
        visit: &mut dyn FnMut(FileInfo) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let roots = self.roots(view)?;
        self.registry
            .visit_keys_of(Carried::Content(content), &roots, PAGE, &mut |base, key| {
                Ok(match self.registry.file(&key)? {
                    Some(record) if record.content() == Some(content) => {
                        visit(self.plain_view(base, key, record)?)
                    }
                    _ => ControlFlow::Continue(()),
                })
            })
    }
}

/// The first key of the files of a root at or after an absolute path; `None` if all of them come before it.
fn first_key(root: RootId, base: &std::path::Path, from: Option<&[u8]>) -> Option<Vec<u8>> {
    let all = key::files_of_root(root);
    let Some(from) = from else {
        return Some(all);
    };
    let base = [base.as_os_str().as_bytes(), b"/"].concat();
    match from.strip_prefix(&base[..]) {
        Some(path) => Some(key::file(&FileKey {
            root,
            path: path.to_vec(),
        })),
        None => (base[..] > *from).then_some(all),
    }
}

/// The absolute path of a file below `base`, as it is shown.
fn shown(base: &std::path::Path, key: &FileKey) -> PathBuf {
    let stored = base.join(path_from(key.path.clone()));
    path_from(path::to_shown(stored.as_os_str().as_bytes()))
}

fn path_from(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

impl FileInfo {
    /// Absolute path of the container of this member, one level up, as it is shown.
    pub fn container(&self) -> Option<PathBuf> {
        path::container(self.path.as_os_str().as_bytes()).map(path_from)
    }

    /// The document that it carries, text or raw bytes.
    fn carried(&self) -> Option<DocId> {
        self.content.as_ref().and_then(|content| content.document)
    }

    /// Another file is the one called indexed.
    fn call_identical(&mut self, same_bytes: bool) {
        if self.document.is_none() {
            return;
        }
        self.state = if same_bytes {
            State::IdenticalBytes
        } else {
            State::IdenticalText
        };
        if same_bytes {
            self.reason = StoredReason::None;
        }
    }
}
