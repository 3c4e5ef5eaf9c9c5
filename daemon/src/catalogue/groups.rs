//! Groups with their files. A document may be carried by a hundred thousand files, so that a large group is
//! visited in parts, and what is held of it meanwhile is counted.

use std::ops::ControlFlow;
use std::path::PathBuf;

use simdex_index::{
    Cancel, FileView, GroupDocument, GroupView, GrowingPermit, Index, IndexError, MemoryAccount,
    View,
};
use simdex_schema::{DocId, EdgeRecord, GroupId};
use simdex_signature::Ratio;

use super::{Counted, Group, GroupFile, PART, PATH, bytes_of, path_of};
use crate::query::Relation;
use crate::visit::FirstError;

/// Calls `visit` for each group in the order of the principal's path, and counts them. Of one of more than
/// [`PART`] files it is called several times, one right after the other.
pub fn visit_groups(
    index: &Index,
    view: &View,
    threshold: Ratio,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(Group) -> ControlFlow<()>,
) -> Result<Counted<u64>, IndexError> {
    let (reader, cancel) = (Reader { index, view }, account.cancel());
    let known = index.groups(view, threshold, cancel)?;
    let mut held = GrowingPermit::of(account);
    let mut found = Vec::new();
    for group in known.groups {
        cancel.check()?;
        // One whose principal vanished since has no path: who leads now the next settling says.
        let Some(path) = reader.first_path(group.principal)? else {
            continue;
        };
        let members = group.members.len() * size_of::<GroupDocument>() + size_of::<GroupView>();
        held.add(members as u64 + path.as_os_str().len() as u64 + PATH)?;
        found.push((path, group));
    }
    found.sort_by(|(a, _), (b, _)| a.as_os_str().cmp(b.as_os_str()));
    let mut count = 0;
    for (_, group) in found {
        cancel.check()?;
        let flow = reader.group(&group, account, &mut |part| {
            count += u64::from(!part.is_continued);
            visit(part)
        })?;
        if flow.is_break() {
            break;
        }
    }
    Ok(Counted {
        items: count,
        suppressed: known.suppressed,
    })
}

/// The same with each group whole, counted while it is visited.
pub fn visit_whole_groups(
    index: &Index,
    view: &View,
    threshold: Ratio,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(Group) -> ControlFlow<()>,
) -> Result<Counted<u64>, IndexError> {
    let (mut whole, mut failed, mut is_on) = (Whole::of(account), None, true);
    let counted = visit_groups(index, view, threshold, account, &mut |part| {
        let flow = match whole.add(part) {
            Ok(before) => before.map_or(ControlFlow::Continue(()), &mut *visit),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        };
        is_on = flow.is_continue();
        flow
    })?;
    failed.map_or(Ok(()), Err)?;
    if let Some(last) = whole.group.filter(|_| is_on) {
        let _ = visit(last);
    }
    Ok(counted)
}

/// Puts the parts of groups together.
struct Whole<'a> {
    account: &'a MemoryAccount,
    held: GrowingPermit,
    group: Option<Group>,
}

impl<'a> Whole<'a> {
    fn of(account: &'a MemoryAccount) -> Self {
        Self {
            account,
            held: GrowingPermit::of(account),
            group: None,
        }
    }

    /// Adds a part; returns the group before, which is whole.
    fn add(&mut self, part: Group) -> Result<Option<Group>, IndexError> {
        let bytes: u64 = part.members.iter().map(|one| bytes_of(&one.file)).sum();
        if let (true, Some(group)) = (part.is_continued, &mut self.group) {
            self.held.add(bytes)?;
            group.members.extend(part.members);
            return Ok(None);
        }
        self.held = GrowingPermit::of(self.account);
        self.held.add(bytes)?;
        Ok(self.group.replace(part))
    }
}

/// The group that a document is in, as [`visit_groups`] lists it at the index's own threshold, with the permit
/// that it is held by; `view` is all that is served.
pub fn group_of(
    index: &Index,
    view: &View,
    id: DocId,
    account: &MemoryAccount,
) -> Result<Option<(Group, GrowingPermit)>, IndexError> {
    shown_group(index, view, index.group_of(id), account)
}

/// The group with this id, in the same way.
pub fn group_by_id(
    index: &Index,
    view: &View,
    id: GroupId,
    account: &MemoryAccount,
) -> Result<Option<(Group, GrowingPermit)>, IndexError> {
    let known = match id.as_temporary() {
        // Such an id is valid until the group has a handle.
        Some(principal) => index.group_of(principal).filter(|group| group.id.is_none()),
        None => index.group_by_id(id),
    };
    shown_group(index, view, known, account)
}

fn shown_group(
    index: &Index,
    view: &View,
    known: Option<GroupView>,
    account: &MemoryAccount,
) -> Result<Option<(Group, GrowingPermit)>, IndexError> {
    let Some(known) = known else {
        return Ok(None);
    };
    let (mut whole, mut failed) = (Whole::of(account), FirstError::default());
    let mut add = |part| failed.flow(whole.add(part).map(drop));
    let _flow = Reader { index, view }.group(&known, account, &mut add)?;
    failed.into_result()?;
    let Whole { group, held, .. } = whole;
    Ok(group.map(|group| (group, held)))
}

/// How many groups [`visit_groups`] lists, without reading their files.
pub fn count_groups(
    index: &Index,
    view: &View,
    threshold: Ratio,
    cancel: &Cancel,
) -> Result<u64, IndexError> {
    if let Some(count) = index.group_count(view, threshold) {
        return Ok(count);
    }
    let files = |id| index.files_in(id, view);
    let known = index.groups(view, threshold, cancel)?;
    let shown = known.groups.iter().filter(|group| {
        let members = group.members.iter().map(|member| files(member.document));
        files(group.principal) > 0 && files(group.principal) + members.sum::<u64>() > 1
    });
    Ok(shown.count() as u64)
}

/// Reads the files of documents in one view.
pub(super) struct Reader<'a> {
    pub(super) index: &'a Index,
    pub(super) view: &'a View,
}

/// Files on their way to a visitor, in parts; says with each whether it goes on with those before.
pub(super) struct Parts<'a, T> {
    files: Vec<T>,
    is_continued: bool,
    is_over: bool,
    visit: &'a mut dyn FnMut(Vec<T>, bool) -> ControlFlow<()>,
}

impl<'a, T> Parts<'a, T> {
    pub(super) fn of(visit: &'a mut dyn FnMut(Vec<T>, bool) -> ControlFlow<()>) -> Self {
        Self {
            files: Vec::new(),
            is_continued: false,
            is_over: false,
            visit,
        }
    }

    /// Whether nothing came yet.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.is_continued
    }

    /// Adds a file; breaks once the visitor has enough.
    pub(super) fn add(&mut self, file: T) -> ControlFlow<()> {
        self.files.push(file);
        match self.files.len() < PART {
            true => ControlFlow::Continue(()),
            false => self.send(),
        }
    }

    /// Visits what is left; one file alone is no group. Breaks once the visitor has enough.
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

impl Reader<'_> {
    /// Where the first file of a document is.
    pub(super) fn first_path(&self, id: DocId) -> Result<Option<PathBuf>, IndexError> {
        let mut first = None;
        self.index.visit_files_of(id, self.view, &mut |file| {
            first = Some(file.path);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    /// Whether so many documents have more files than one part holds.
    pub(super) fn is_large(&self, documents: impl IntoIterator<Item = DocId>) -> bool {
        let files = documents
            .into_iter()
            .map(|id| self.index.files_in(id, self.view));
        files.sum::<u64>() > PART as u64
    }

    /// Visits the files of a group; nothing where its principal vanished since: who leads now is for the next
    /// settling to say.
    fn group(
        &self,
        group: &GroupView,
        account: &MemoryAccount,
        visit: &mut dyn FnMut(Group) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, IndexError> {
        let temporary = || GroupId::temporary(group.principal);
        let id = group.id.unwrap_or_else(temporary);
        let mut visit = |members, is_continued| {
            visit(Group {
                id,
                is_continued,
                members,
            })
        };
        let mut parts = Parts::of(&mut visit);
        self.members(group.principal, None, &mut |member| parts.add(member))?;
        if parts.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let others = group.members.iter().map(|member| member.document);
        match self.is_large(others.chain([group.principal])) {
            true => self.others_by_document(group, account, &mut parts)?,
            false => self.others_by_path(group, &mut parts)?,
        }
        Ok(parts.end())
    }

    /// The files of the other documents by resemblance, then by path.
    fn others_by_path(
        &self,
        group: &GroupView,
        parts: &mut Parts<'_, GroupFile>,
    ) -> Result<(), IndexError> {
        let mut others = Vec::new();
        for member in &group.members {
            self.members(member.document, Some(member.edge), &mut |member| {
                others.push(member);
                ControlFlow::Continue(())
            })?;
        }
        others.sort_by(|a: &GroupFile, b| {
            let by_path = || path_of(&a.file).cmp(path_of(&b.file));
            b.resemblance.total_cmp(&a.resemblance).then_with(by_path)
        });
        let _ = others.into_iter().try_for_each(|member| parts.add(member));
        Ok(())
    }

    /// The same document by document, so that one part is held of all their files.
    fn others_by_document(
        &self,
        group: &GroupView,
        account: &MemoryAccount,
        parts: &mut Parts<'_, GroupFile>,
    ) -> Result<(), IndexError> {
        let mut held = GrowingPermit::of(account);
        let mut others = Vec::new();
        for member in &group.members {
            account.cancel().check()?;
            if let Some(path) = self.first_path(member.document)? {
                held.add(path.as_os_str().len() as u64 + PATH + size_of::<GroupDocument>() as u64)?;
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

    /// Visits the files of a document as members; `edge` counts the principal's side first, none for the
    /// principal itself.
    pub(super) fn members(
        &self,
        id: DocId,
        edge: Option<EdgeRecord>,
        visit: &mut dyn FnMut(GroupFile) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let mut first = None;
        self.index.visit_files_of(id, self.view, &mut |file| {
            let content = file.record.content();
            let first = *first.get_or_insert(content);
            match member(file, edge, content == first) {
                Some(member) => visit(member),
                None => ControlFlow::Continue(()),
            }
        })
    }
}

fn member(file: FileView, edge: Option<EdgeRecord>, same_bytes: bool) -> Option<GroupFile> {
    let (_, document) = file.document?;
    let relation = match edge {
        Some(_) => Relation::NearDuplicate,
        None if same_bytes => Relation::IdenticalBytes,
        None => Relation::IdenticalText,
    };
    Some(GroupFile {
        document,
        relation,
        resemblance: edge.map_or(1.0, |edge| edge.resemblance()),
        containment_of_member: edge.map_or(1.0, |edge| edge.containment_of_b()),
        containment_of_principal: edge.map_or(1.0, |edge| edge.containment_of_a()),
        file,
    })
}
