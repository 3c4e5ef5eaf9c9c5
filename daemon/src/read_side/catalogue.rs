//! Reads the contents of lists from the index alone: files with their states, pairs, groups, and their counts.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

use simdex_index::{
    Cancel, FileCounts, FileInfo, IndexError, IndexReader, MemoryAccount, UnsettledCounts,
    VisibleRoots,
};
use simdex_schema::{DocumentHash, GroupId, State};

use crate::read_side::query::Relation;

mod clusters;
mod containments;
mod group_loader;
mod groups;
mod ordered_groups;
mod pairs;
#[cfg(test)]
mod tests;

pub use clusters::{ClusterFiles, ClusterMember, visit_clusters};
pub use groups::{
    FoundGroup, GroupSelection, group_by_id, group_of_document, visit_groups, visit_principals,
    visit_whole_groups,
};
pub use pairs::{PairCounts, PairPlace, PairSelection, PairStep, pairs, visit_pairs};

/// Files of a group that are passed to a visitor at once.
const FILES_PER_PART: usize = 1_000;
/// Approximate bytes that a file takes beside its path: its record, that of its content, and what is reported of both.
const FILE_OVERHEAD_BYTES: u64 = 1_024;
/// Bytes that a path takes beside its characters.
const PATH_OVERHEAD_BYTES: u64 = 64;

/// Counts over the files that a view shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListCounts {
    /// Files on disk; the states add up to it.
    pub files_on_disk: u64,
    /// Files inside containers, which `files_on_disk` and `states` leave out.
    pub container_members: u64,
    /// Files on disk by the name of their state.
    pub states: BTreeMap<String, u64>,
    /// Files inside containers by the name of their state.
    pub member_states: BTreeMap<String, u64>,
    /// Distinct documents with text.
    pub documents: u64,
}

/// A group with its files, or the next part of a large one.
#[derive(Clone, Debug)]
pub struct Group {
    /// Persistent id, or a temporary id where the group has none: at another threshold, of some roots,
    /// or not settled yet.
    pub id: GroupId,
    /// Whether its files belong to the group visited last.
    pub is_continued: bool,
    /// Principal first, then by resemblance, then by path; in a group of several parts the files of one document
    /// are adjacent.
    pub members: Vec<GroupMember>,
}

/// One file of a group.
#[derive(Clone, Debug)]
pub struct GroupMember {
    /// The file, with its state.
    pub file: FileInfo,
    /// Hash of the document it carries.
    pub document: DocumentHash,
    /// Relation to the principal.
    pub relation: Relation,
    /// Resemblance to the principal, exact.
    pub resemblance: f64,
    /// Share of this member found in the principal.
    pub containment_of_member: f64,
    /// Share of the principal found in this member.
    pub containment_of_principal: f64,
}

/// Two files of near-duplicate documents, or two of one principal.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The file with the smaller path; for identical files, the principal's first.
    pub a: FileInfo,
    /// The file with the greater path; for identical files, the copy.
    pub b: FileInfo,
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
pub struct Listing<T> {
    /// The items, or how many were visited.
    pub items: T,
    /// Posting lists that the search skipped, because nothing listed depends on them.
    pub common_lists_skipped: u64,
    /// Documents whose groups were not known when the list was begun, or that are not listed because their
    /// principal has disappeared since.
    pub unsettled: UnsettledCounts,
}

/// What is shown of a file beside its state: the facts of its content, and the kind that its name
/// suggests if the content is of another kind.
pub fn facts(file: &FileInfo) -> Vec<(&str, &str)> {
    let Some(content) = &file.content else {
        return Vec::new();
    };
    let stated = content.facts.iter();
    let mut facts: Vec<_> = stated.map(|(code, value)| (&**code, &**value)).collect();
    let name = std::path::Path::new(OsStr::from_bytes(file.key.name()));
    let name = name.file_name().and_then(OsStr::to_str);
    let expected =
        name.and_then(|name| simdex_extract::mismatched_extension(name, &content.media_type));
    facts.extend(expected.map(|expected| (simdex_extract::Fact::NamedAs.code(), expected)));
    facts
}

/// Whether a file is the one that is called indexed among those that carry its document.
fn is_first(file: &FileInfo) -> bool {
    !matches!(file.state, State::IdenticalBytes | State::IdenticalText)
}

/// Bytes that a file takes while it is held.
fn bytes_of(file: &FileInfo) -> u64 {
    FILE_OVERHEAD_BYTES + 2 * path_of(file).len() as u64
}

fn path_of(file: &FileInfo) -> &OsStr {
    file.path.as_os_str()
}

/// A path in its stored form: files are listed in this order.
fn stored(shown: &OsStr) -> Vec<u8> {
    simdex_schema::path::from_shown(shown.as_bytes())
}

/// Calls `visit` for every file of a view after this path, by path. All files of the view are counted, as they are
/// at the end.
pub fn files_after(
    index: &IndexReader,
    view: &VisibleRoots,
    after: &OsStr,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(&FileInfo) -> ControlFlow<()>,
) -> Result<ListCounts, IndexError> {
    let seen = stored(after);
    index
        .files()
        .visit_from(view, &seen, account, &mut |file| {
            if stored(path_of(&file)) == seen {
                return ControlFlow::Continue(());
            }
            visit(&file)
        })?;
    counts(index, view, account.cancel())
}

/// Calls `visit` for every file of a view, by path, and counts them. Documents are counted as they are at the end.
pub fn files(
    index: &IndexReader,
    view: &VisibleRoots,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(&FileInfo) -> ControlFlow<()>,
) -> Result<ListCounts, IndexError> {
    let mut counts = FileCounts::default();
    index.files().visit(view, account, &mut |file| {
        counts.add(&file);
        visit(&file)
    })?;
    counts.documents = index.file_totals().count(view, account.cancel())?.documents;
    Ok(counts.into())
}

/// Counts the files of a view without listing them.
pub fn counts(
    index: &IndexReader,
    view: &VisibleRoots,
    cancel: &Cancel,
) -> Result<ListCounts, IndexError> {
    Ok(index.file_totals().count(view, cancel)?.into())
}

impl From<FileCounts> for ListCounts {
    fn from(counts: FileCounts) -> Self {
        let named = |states: BTreeMap<State, u64>| {
            let states = states.into_iter();
            let named = states.map(|(state, files)| (state.name().to_owned(), files));
            named.collect()
        };
        Self {
            files_on_disk: counts.files_on_disk,
            container_members: counts.members,
            states: named(counts.states),
            member_states: named(counts.member_states),
            documents: counts.documents,
        }
    }
}
