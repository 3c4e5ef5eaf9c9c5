//! The groups of an index and the files of their documents, in one view.

use std::ops::ControlFlow;
use std::path::PathBuf;

use simdex_index::{
    DocumentGroup, FileInfo, GroupDocument, GrowingPermit, IndexError, IndexReader, MemoryAccount,
    VisibleRoots,
};
use simdex_schema::{DocId, EdgeRecord, GroupId};

use super::{FILES_PER_PART, Group, GroupMember, PATH_OVERHEAD_BYTES, path_of};
use crate::read_side::query::Relation;

/// Reads the files of documents in one view.
pub(super) struct GroupLoader<'a> {
    pub(super) index: &'a IndexReader,
    pub(super) view: &'a VisibleRoots,
}

/// Passes files to a visitor in parts, and says with each part whether it continues the one before.
pub(super) struct FileParts<'a, T> {
    files: Vec<T>,
    is_continued: bool,
    is_over: bool,
    visit: &'a mut dyn FnMut(Vec<T>, bool) -> ControlFlow<()>,
}

impl<'a, T> FileParts<'a, T> {
    pub(super) fn of(visit: &'a mut dyn FnMut(Vec<T>, bool) -> ControlFlow<()>) -> Self {
        Self {
            files: Vec::new(),
            is_continued: false,
            is_over: false,
            visit,
        }
    }

    /// Whether no file has been added yet.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.is_continued
    }

    /// Adds a file; breaks once the visitor has enough.
    pub(super) fn add(&mut self, file: T) -> ControlFlow<()> {
        self.files.push(file);
        match self.files.len() < FILES_PER_PART {
            true => ControlFlow::Continue(()),
            false => self.send(),
        }
    }

    /// Visits the remaining files; a single file is no group. Breaks once the visitor has enough.
    pub(super) fn end(mut self) -> ControlFlow<()> {
        let is_one = self.is_continued || self.files.len() > 1;
        match (self.is_over, is_one && !self.files.is_empty()) {
            (true, _) => ControlFlow::Break(()),
            (false, true) => self.send(),
            (false, false) => ControlFlow::Continue(()),
        }
    }

    fn send(&mut self) -> ControlFlow<()> {
        let flow = (self.visit)(std::mem::take(&mut self.files), self.is_continued);
        self.is_continued = true;
        self.is_over = flow.is_break();
        flow
    }
}

impl GroupLoader<'_> {
    /// Whether a group has two files or more, including one of its principal.
    pub(super) fn is_shown(&self, group: &DocumentGroup) -> bool {
        let files = |id| self.index.files().count_of_document(id, self.view);
        let members = group.members.iter().map(|member| files(member.document));
        let of_principal = files(group.principal);
        of_principal > 0 && of_principal + members.sum::<u64>() > 1
    }

    /// The first file of a document.
    pub(super) fn first_file(&self, id: DocId) -> Result<Option<FileInfo>, IndexError> {
        self.index.files().first_of_document(id, self.view)
    }

    /// The path of the first file of a document.
    pub(super) fn first_path(&self, id: DocId) -> Result<Option<PathBuf>, IndexError> {
        Ok(self.first_file(id)?.map(|file| file.path))
    }

    /// Whether these documents have more files than one part holds.
    pub(super) fn is_large(&self, documents: impl IntoIterator<Item = DocId>) -> bool {
        let files = documents
            .into_iter()
            .map(|id| self.index.files().count_of_document(id, self.view));
        files.sum::<u64>() > FILES_PER_PART as u64
    }

    /// The number of documents with files in a group whose principal has vanished since: what they have in common
    /// is unknown until the next settling. Zero if they have only one file in total.
    pub(super) fn left_behind(&self, group: &DocumentGroup) -> u64 {
        let files = group.members.iter();
        let files = files.map(|member| {
            self.index
                .files()
                .count_of_document(member.document, self.view)
        });
        let files: Vec<u64> = files.filter(|files| *files > 0).collect();
        match files.iter().sum() {
            0_u64 | 1 => 0,
            _ => files.len() as u64,
        }
    }

    /// Visits the files of a group; visits nothing and returns `None` if its principal has vanished since: the
    /// next settling decides who leads it.
    pub(super) fn group(
        &self,
        group: &DocumentGroup,
        account: &MemoryAccount,
        visit: &mut dyn FnMut(Group) -> ControlFlow<()>,
    ) -> Result<Option<ControlFlow<()>>, IndexError> {
        let temporary = || GroupId::temporary(group.principal);
        let id = group.id.unwrap_or_else(temporary);
        let mut visit = |members, is_continued| {
            visit(Group {
                id,
                is_continued,
                members,
            })
        };
        let mut parts = FileParts::of(&mut visit);
        self.members(group.principal, None, &mut |member| parts.add(member))?;
        if parts.is_empty() {
            return Ok(None);
        }
        let others = group.members.iter().map(|member| member.document);
        match self.is_large(others.chain([group.principal])) {
            true => self.others_by_document(group, account, &mut parts)?,
            false => self.others_by_path(group, &mut parts)?,
        }
        Ok(Some(parts.end()))
    }

    /// Visits the files of the other documents by resemblance, then by path.
    fn others_by_path(
        &self,
        group: &DocumentGroup,
        parts: &mut FileParts<'_, GroupMember>,
    ) -> Result<(), IndexError> {
        let mut others = Vec::new();
        for member in &group.members {
            self.members(member.document, Some(member.edge), &mut |member| {
                others.push(member);
                ControlFlow::Continue(())
            })?;
        }
        others.sort_by(|a: &GroupMember, b| {
            let by_path = || path_of(&a.file).cmp(path_of(&b.file));
            b.resemblance.total_cmp(&a.resemblance).then_with(by_path)
        });
        let _ = others.into_iter().try_for_each(|member| parts.add(member));
        Ok(())
    }

    /// Visits the files of the other documents, document by document, so that only one part of all files is held.
    fn others_by_document(
        &self,
        group: &DocumentGroup,
        account: &MemoryAccount,
        parts: &mut FileParts<'_, GroupMember>,
    ) -> Result<(), IndexError> {
        let mut held = GrowingPermit::of(account);
        let mut others = Vec::new();
        for member in &group.members {
            account.cancel().check()?;
            if let Some(path) = self.first_path(member.document)? {
                held.add(
                    path.as_os_str().len() as u64
                        + PATH_OVERHEAD_BYTES
                        + size_of::<GroupDocument>() as u64,
                )?;
                others.push((path, member));
            }
        }
        others.sort_by(|(a, left), (b, right)| {
            let (first, second) = (left.edge.resemblance(), right.edge.resemblance());
            let by_path = || a.as_os_str().cmp(b.as_os_str());
            second.total_cmp(&first).then_with(by_path)
        });
        for (_, member) in others {
            account.cancel().check()?;
            if parts.is_over {
                break;
            }
            self.members(member.document, Some(member.edge), &mut |member| {
                parts.add(member)
            })?;
        }
        Ok(())
    }

    /// Visits the files of a document as members; `edge` counts the principal's side first, and is
    /// `None` for the principal itself.
    pub(super) fn members(
        &self,
        id: DocId,
        edge: Option<EdgeRecord>,
        visit: &mut dyn FnMut(GroupMember) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let mut first = None;
        self.index
            .files()
            .visit_of_document(id, self.view, &mut |file| {
                let content = file.record.content();
                let first = *first.get_or_insert(content);
                match member(file, edge, content == first) {
                    Some(member) => visit(member),
                    None => ControlFlow::Continue(()),
                }
            })
    }
}

fn member(file: FileInfo, edge: Option<EdgeRecord>, same_bytes: bool) -> Option<GroupMember> {
    let (_, document) = file.document?;
    let relation = match edge {
        Some(_) => Relation::NearDuplicate,
        None if same_bytes => Relation::IdenticalBytes,
        None => Relation::IdenticalText,
    };
    Some(GroupMember {
        document,
        relation,
        resemblance: edge.map_or(1.0, |edge| edge.resemblance()),
        containment_of_member: edge.map_or(1.0, |edge| edge.containment_of_b()),
        containment_of_principal: edge.map_or(1.0, |edge| edge.containment_of_a()),
        file,
    })
}
