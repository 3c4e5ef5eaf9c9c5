//! Lists: files with their states, pairs, groups, and the counts that close each of them.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use simdex_index::{Cancel, FileCounts, FileView, GroupView, Index, IndexError, View};
use simdex_proto::completeness::Completeness;
use simdex_schema::{DocId, DocumentHash, EdgeRecord, GroupId, Reason, State, StoredReason};
use simdex_signature::Ratio;

use crate::query::Relation;

mod clusters;
mod pairs;

pub use clusters::{ClusterFiles, ClusterMember, visit_clusters};
pub use pairs::pairs;

/// Counts over everything a view shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Files on disk; the states add up to it.
    pub files_on_disk: u64,
    /// Files inside containers, which `files_on_disk` and `states` leave out.
    pub container_members: u64,
    /// Files on disk by the name of their state.
    pub states: BTreeMap<String, u64>,
    /// Distinct documents with text.
    pub documents: u64,
    /// Groups of at least two files.
    pub groups: u64,
    /// Pairs of files; none where they were not sought.
    pub pairs: Option<u64>,
    /// Posting lists that the search for pairs or groups skipped, because none depends on them.
    pub suppressed: u64,
    /// Parts of the collection whose cores are not all listed; none where no cores were asked for.
    pub unfinished: Option<u64>,
    /// Time the answer took.
    pub seconds: f64,
    /// Completeness of the index when it was counted.
    pub completeness: Completeness,
}

/// A group with its files.
#[derive(Clone, Debug)]
pub struct Group {
    /// Persistent handle, or a temporary id where the group has none: at another threshold, of some roots,
    /// or not settled yet.
    pub id: GroupId,
    /// Every file: principal first, then by resemblance, then by path.
    pub members: Vec<GroupFile>,
}

/// One file of a group.
#[derive(Clone, Debug)]
pub struct GroupFile {
    /// The file, with its state.
    pub file: FileView,
    /// Hash of the document it carries.
    pub document: DocumentHash,
    /// Relation to the principal.
    pub relation: Relation,
    /// With the principal, exact.
    pub resemblance: f64,
    /// Share of this member found in the principal.
    pub containment_of_member: f64,
    /// Share of the principal found in this member.
    pub containment_of_principal: f64,
}

/// Two files of near-duplicate documents, or of one principal.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The file with the smaller path; of identical files the principal's first.
    pub a: FileView,
    /// The file with the greater path; of identical files the copy.
    pub b: FileView,
    /// Hashes of the documents of `a` and `b`.
    pub documents: (DocumentHash, DocumentHash),
    /// Relation of `a` to `b`.
    pub relation: Relation,
    /// Counted on all shingles, like the containments.
    pub resemblance: f64,
    /// Share of a found in b.
    pub containment_of_a: f64,
    /// Share of b found in a.
    pub containment_of_b: f64,
}

/// What was listed, with what the search for it skipped.
pub struct Counted<T> {
    /// The items, or how many were visited.
    pub items: T,
    /// Posting lists that the search skipped, because nothing listed depends on them.
    pub suppressed: u64,
}

/// All groups of a view at a threshold, by the principal's path.
pub fn groups(
    index: &Index,
    view: &View,
    threshold: Ratio,
    cancel: &Cancel,
) -> Result<Counted<Vec<Group>>, IndexError> {
    let mut groups = Vec::new();
    let listed = visit_groups(index, view, threshold, cancel, &mut |group| {
        groups.push(group);
        ControlFlow::Continue(())
    })?;
    Ok(Counted {
        items: groups,
        suppressed: listed.suppressed,
    })
}

/// Calls `visit` for each group in the order of the principal's path, and counts them. Only one group's files
/// are in memory at a time.
pub fn visit_groups(
    index: &Index,
    view: &View,
    threshold: Ratio,
    cancel: &Cancel,
    visit: &mut dyn FnMut(Group) -> ControlFlow<()>,
) -> Result<Counted<u64>, IndexError> {
    let reader = Reader { index, view };
    let known = index.groups(view, threshold, cancel)?;
    let mut found = Vec::new();
    for group in known.groups {
        cancel.check()?;
        // One whose principal vanished since has no path: who leads now the next settling says.
        let first = reader.first_path(group.principal)?;
        found.extend(first.map(|path| (path, group)));
    }
    found.sort_by(|(a, _), (b, _)| a.as_os_str().cmp(b.as_os_str()));
    let mut count = 0;
    for (_, group) in found {
        cancel.check()?;
        let group = reader.group(&group)?;
        if group.members.len() > 1 {
            count += 1;
            if visit(group).is_break() {
                break;
            }
        }
    }
    Ok(Counted {
        items: count,
        suppressed: known.suppressed,
    })
}

/// The group that a document is in, as [`groups`] lists it at the index's own threshold; `view` is all
/// that is served.
pub fn group_of(index: &Index, view: &View, id: DocId) -> Result<Option<Group>, IndexError> {
    shown_group(index, view, index.group_of(id))
}

/// The group with this id, in the same way.
pub fn group_by_id(index: &Index, view: &View, id: GroupId) -> Result<Option<Group>, IndexError> {
    let known = match id.as_temporary() {
        // Such an id is valid until the group has a handle.
        Some(principal) => index.group_of(principal).filter(|group| group.id.is_none()),
        None => index.group_by_id(id),
    };
    shown_group(index, view, known)
}

fn shown_group(
    index: &Index,
    view: &View,
    known: Option<GroupView>,
) -> Result<Option<Group>, IndexError> {
    let reader = Reader { index, view };
    let group = known.map(|group| reader.group(&group)).transpose()?;
    Ok(group.filter(|group| group.members.len() > 1))
}

/// How many groups [`groups`] lists, without reading their files.
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
struct Reader<'a> {
    index: &'a Index,
    view: &'a View,
}

impl Reader<'_> {
    /// Where the first file of a document is.
    fn first_path(&self, id: DocId) -> Result<Option<PathBuf>, IndexError> {
        let mut first = None;
        self.index.visit_files_of(id, self.view, &mut |file| {
            first = Some(file.path);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    fn group(&self, group: &GroupView) -> Result<Group, IndexError> {
        let mut members = self.members(group.principal, None)?;
        let temporary = || GroupId::temporary(group.principal);
        let id = group.id.unwrap_or_else(temporary);
        if members.is_empty() {
            // Its principal vanished since; who leads now is for the next settling to say.
            return Ok(Group { id, members });
        }
        let mut others = Vec::new();
        for member in &group.members {
            others.extend(self.members(member.document, Some(member.edge))?);
        }
        others.sort_by(|a, b| {
            let by_path = || path_of(&a.file).cmp(path_of(&b.file));
            b.resemblance.total_cmp(&a.resemblance).then_with(by_path)
        });
        members.extend(others);
        Ok(Group { id, members })
    }

    /// The files of a document as members; `edge` counts the principal's side first, none for the
    /// principal itself.
    fn members(&self, id: DocId, edge: Option<EdgeRecord>) -> Result<Vec<GroupFile>, IndexError> {
        let files = self.index.files_of(id, self.view)?;
        let first = files.first().and_then(|file| file.record.content());
        let members = files.into_iter().filter_map(|file| {
            let (_, document) = file.document?;
            let same_bytes = file.record.content() == first;
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
        });
        Ok(members.collect())
    }
}

/// What is told of a file beside its state: the facts of its content, and the kind that its name
/// promises where the content is of another.
pub fn facts(file: &FileView) -> Vec<(&str, &str)> {
    let Some(content) = &file.content else {
        return Vec::new();
    };
    let stated = content.facts.iter();
    let mut facts: Vec<_> = stated.map(|(code, value)| (&**code, &**value)).collect();
    let name = std::path::Path::new(std::ffi::OsStr::from_bytes(file.key.name()));
    let name = name.file_name().and_then(std::ffi::OsStr::to_str);
    let expected =
        name.and_then(|name| simdex_extract::mismatched_extension(name, &content.media_type));
    facts.extend(expected.map(|expected| (simdex_extract::Fact::NamedAs.code(), expected)));
    facts
}

/// Whether a file was not read, or not whole: it is listed with its reason wherever files are counted.
pub fn is_unread(file: &FileView) -> bool {
    match file.state {
        State::Indexed | State::IdenticalBytes | State::IdenticalText | State::TooShort => false,
        // Other files without text have none to read.
        State::NoText => file.reason.is(Reason::NeedsOcr),
        // With a reason, some of what it holds was not read.
        State::Container => file.reason != StoredReason::None,
        State::Partial
        | State::Encrypted
        | State::Unsupported
        | State::TooLarge
        | State::Failed
        | State::TimedOut
        | State::Crashed
        | State::Unreadable
        | State::Skipped
        | State::Unstable
        | State::Quarantined => true,
    }
}

/// Whether a file is the one called indexed of those that carry its document.
fn is_first(file: &FileView) -> bool {
    !matches!(file.state, State::IdenticalBytes | State::IdenticalText)
}

fn path_of(file: &FileView) -> &std::ffi::OsStr {
    file.path.as_os_str()
}

/// Calls `visit` for every file of a view, by path, and counts them.
pub fn files(
    index: &Index,
    view: &View,
    visit: &mut dyn FnMut(&FileView) -> ControlFlow<()>,
) -> Result<Summary, IndexError> {
    let (mut counts, mut documents) = (FileCounts::default(), HashSet::new());
    index.files(view, &mut |file| {
        counts.add(&file);
        documents.extend(file.document.map(|(id, _)| id));
        visit(&file)
    })?;
    counts.documents = documents.len() as u64;
    Ok(counts.into())
}

/// Counts the files of a view without listing them.
pub fn summary(index: &Index, view: &View, cancel: &Cancel) -> Result<Summary, IndexError> {
    Ok(index.count_files(view, cancel)?.into())
}

impl From<FileCounts> for Summary {
    fn from(counts: FileCounts) -> Self {
        let states = counts.states.into_iter();
        Self {
            files_on_disk: counts.files_on_disk,
            container_members: counts.members,
            states: states
                .map(|(state, files)| (state.name().to_owned(), files))
                .collect(),
            documents: counts.documents,
            ..Self::default()
        }
    }
}
