//! Copies of whole folders: pairs of folders, archives or roots that hold the same files or revisions of them,
//! largest first, so that a mirrored tree is one line. An archive is a folder of its members.
//!
//! A file is identified by its document (its text, or its bytes if it has none) and by the document's group of
//! near-duplicates, so that a folder whose files were all revised is a version of the original folder. A file without a
//! document, because it is too short or was not read, is identified by its bytes alone. Empty files, and files whose
//! bytes are not known, do not count.

mod exceptions;
mod identified_files;
pub mod matching;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;

use simdex_index::{
    FileInfo, Files, GrowingPermit, IndexError, IndexReader, MemoryAccount, UnsettledCounts,
    VisibleRoots,
};
use simdex_schema::{ContentHash, DocId};
use simdex_signature::Ratio;

use identified_files::visit_identified_files;
use matching::{
    CopiedFolders, FileIdentity, FolderId, FolderPair, MAX_DEPTH, MAX_PAIRS, MatchedFolders, Tree,
};

/// Bytes for each file that a view may show: its place, what it carries, and the lists and sets made from these.
const FILE_BYTES: u64 = 256;
/// Bytes for each document of a group: its entry in a map that doubles as it grows.
const GROUPED_BYTES: u64 = 64;
/// Bytes for the folders of each file, and of all together: names of folders may be long and nest deep.
const FOLDER_BYTES: u64 = 512;
const MIN_FOLDER_BYTES: u64 = 16 << 20;
/// Most folders that are listed beside the two of a pair, so that they fit into a message.
const MAX_FURTHER: usize = 100;
/// Bytes that a folder takes beside its path, which is held twice.
const FOLDER: usize = 192;

/// Parameters of a search for copies of folders.
#[derive(Clone, Copy, Debug)]
pub struct FoldersRequest {
    /// The least share of the files of both folders that have a counterpart in the other: one of the same text,
    /// or a near-duplicate.
    pub share: f64,
    /// The fewest files that each folder has in common with the other.
    pub files: u64,
    /// Resemblance from which documents are near-duplicates.
    pub threshold: Ratio,
    /// Most files of each folder of a pair that are listed as having no counterpart in the other.
    pub exceptions: usize,
}

/// Folders that are copies or versions of each other.
#[derive(Debug)]
pub struct FolderCopies {
    /// Those with most files in common come first.
    pub pairs: Vec<NamedPair>,
    /// The number of files that have a document, or whose bytes are known.
    pub files: u64,
    /// Whether pairs may be missing, because more have files in common than can be held.
    pub truncated: bool,
    /// The number of texts, and names of revisions, that more than eight files carry. Of folders that have only such
    /// files in common, some pairs are missing.
    pub too_common: u64,
    /// Documents that were in no group yet.
    pub unsettled: UnsettledCounts,
    /// Counts the memory of the pairs as long as they are held.
    _held: GrowingPermit,
}

/// A pair with the absolute paths of its folders, in their displayed form.
#[derive(Clone, Debug)]
pub struct NamedPair {
    /// Path of the first; that of an archive ends in `!`.
    pub a: Vec<u8>,
    /// Path of the other.
    pub b: Vec<u8>,
    /// Files of both folders, and how many they have in common.
    pub counts: FolderPair,
    /// How many folders hold exactly the same files, including these two; `None` if these two do not.
    pub copies: Option<u64>,
    /// Paths of those folders without these two, by path, at most [`MAX_FURTHER`].
    pub further: Vec<Vec<u8>>,
    /// Paths of files of the first and of the second folder without a counterpart in the other, at most as many as
    /// requested.
    pub alone: [Vec<Vec<u8>>; 2],
}

/// Finds the pairs of folders of a view.
pub fn folder_copies(
    index: &IndexReader,
    view: &VisibleRoots,
    request: &FoldersRequest,
    account: &MemoryAccount,
) -> Result<FolderCopies, IndexError> {
    let cancel = account.cancel();
    let groups = GroupNames::of(index, view, request.threshold, account)?;
    let counted = index.file_totals().count(view, cancel)?;
    let files = counted.files_on_disk + counted.members;
    let pairs = (MAX_PAIRS as u64).min(64 * files);
    let room = files * FOLDER_BYTES + MIN_FOLDER_BYTES;
    let _permit = account.take_large(files * FILE_BYTES + 48 * pairs + room)?;
    let mut folders = Folders::of(index.files(), view, &groups, room, account)?;
    let found = folders.copies(request, account)?;
    let mut held = GrowingPermit::of(account);
    let mut pairs = Vec::new();
    for found in found.pairs {
        cancel.check()?;
        let pair = folders.named(found);
        let further: usize = pair.further.iter().map(|path| path.len() + 48).sum();
        let bytes = pair.a.len() + pair.b.len() + further + 2 * size_of::<NamedPair>();
        held.add(bytes as u64)?;
        pairs.push(pair);
    }
    pairs.sort_by(|a: &NamedPair, b| {
        let by_path = || (&a.a, &a.b).cmp(&(&b.a, &b.b));
        b.counts
            .in_common()
            .cmp(&a.counts.in_common())
            .then_with(by_path)
    });
    if request.exceptions > 0 {
        let limits = (request.exceptions, account);
        exceptions::add_exception_paths(
            index.files(),
            view,
            &groups,
            &mut folders,
            &mut pairs,
            limits,
            &mut held,
        )?;
    }
    Ok(FolderCopies {
        pairs,
        files: folders.tree.files() as u64,
        truncated: found.truncated || folders.is_cut,
        too_common: found.too_common,
        unsettled: groups.unsettled,
        _held: held,
    })
}

/// The group of each document that shares one with others, by the group's principal.
struct GroupNames {
    principals: HashMap<DocId, DocId>,
    unsettled: UnsettledCounts,
    _held: GrowingPermit,
}

impl GroupNames {
    fn of(
        index: &IndexReader,
        view: &VisibleRoots,
        threshold: Ratio,
        account: &MemoryAccount,
    ) -> Result<Self, IndexError> {
        let found = index.groups().of_view(view, threshold, account)?;
        let mut held = GrowingPermit::of(account);
        let mut principals = HashMap::new();
        for group in found
            .groups
            .iter()
            .filter(|group| !group.members.is_empty())
        {
            account.cancel().check()?;
            held.add(GROUPED_BYTES * (group.members.len() as u64 + 1))?;
            let members = group.members.iter().map(|member| member.document);
            let documents = members.chain([group.principal]);
            principals.extend(documents.map(|document| (document, group.principal)));
        }
        Ok(Self {
            principals,
            unsettled: found.unsettled,
            _held: held,
        })
    }

    /// What a file carries; `None` if it is empty or its bytes are not known. A document that is in no group counts as
    /// a group of its own, and so do the bytes of a file without a document.
    fn identity(&self, file: &FileInfo) -> Option<FileIdentity> {
        let document = file.content.as_ref().and_then(|content| content.document);
        let (document, group) = match document {
            Some(document) => {
                let group = self.principals.get(&document).unwrap_or(&document);
                (document.0, group.0)
            }
            None if file.record.bytes() == Some(0) => return None,
            None => {
                let bytes = bytes_number(file.record.content()?);
                (bytes, bytes)
            }
        };
        let mut name = DefaultHasher::new();
        let path = file.path.as_os_str().as_bytes();
        path.rsplit(|&byte| byte == b'/').next().hash(&mut name);
        Some(FileIdentity {
            document,
            group,
            name: name.finish(),
        })
    }
}

/// The folders of a view with their paths.
#[derive(Default)]
struct Folders {
    tree: Tree,
    paths: Vec<Vec<u8>>,
    ids: HashMap<Vec<u8>, FolderId>,
    /// Bytes that further folders may take.
    room: usize,
    /// Whether some folders had no room, or are nested too deep: their files count for the folder above.
    is_cut: bool,
}

impl Folders {
    fn of(
        files: Files<'_>,
        view: &VisibleRoots,
        groups: &GroupNames,
        room: u64,
        account: &MemoryAccount,
    ) -> Result<Self, IndexError> {
        let mut folders = Self {
            room: usize::try_from(room).unwrap_or(usize::MAX),
            ..Self::default()
        };
        visit_identified_files(files, view, groups, account, &mut |identity, path, root| {
            let folder = folders.folder_of(path, root);
            folders.tree.add_file(folder, identity);
            Ok(())
        })?;
        Ok(folders)
    }

    /// The pairs that are copies, and whether any may be missing.
    fn copies(
        &self,
        request: &FoldersRequest,
        account: &MemoryAccount,
    ) -> Result<MatchedFolders, IndexError> {
        let mut held = GrowingPermit::of(account);
        let mut refused = None;
        let mut go_on = |bytes| {
            let counted = held.add(bytes).and_then(|()| account.cancel().check());
            refused = counted.err();
            refused.is_none()
        };
        let found = self.tree.copies(request.share, request.files, &mut go_on);
        refused.map_or(Ok(()), Err)?;
        Ok(found.unwrap_or_default())
    }

    /// Replaces folders by their paths, in the order of these.
    fn named(&self, found: CopiedFolders) -> NamedPair {
        let CopiedFolders {
            counts,
            further,
            is_exact,
        } = found;
        let path = |folder: &FolderId| &self.paths[*folder as usize];
        let mut all = [&[counts.a, counts.b], &further[..]].concat();
        all.sort_by(|one, other| path(one).cmp(path(other)));
        let counts = match is_exact {
            // The counts are the same for any two of them.
            true => FolderPair {
                a: all[0],
                b: all[1],
                ..counts
            },
            false if all[0] == counts.a => counts,
            false => counts.swapped(),
        };
        NamedPair {
            a: path(&counts.a).clone(),
            b: path(&counts.b).clone(),
            counts,
            copies: is_exact.then_some(all.len() as u64),
            further: all[2..]
                .iter()
                .take(MAX_FURTHER)
                .map(path)
                .cloned()
                .collect(),
            alone: [Vec::new(), Vec::new()],
        }
    }

    /// Where the path of the folder ends that is used for the one whose path ends at `end`: an
    /// ancestor, if that is nested too deep.
    fn shallow(&mut self, path: &[u8], root: usize, end: usize) -> usize {
        let steps = path[root..end].iter().zip(root..);
        let slashes = steps.filter(|(byte, _)| **byte == b'/').map(|(_, at)| at);
        // The first slash directly follows the root.
        let deepest = slashes.skip(1).nth(MAX_DEPTH - 1);
        self.is_cut |= deepest.is_some();
        deepest.unwrap_or(end)
    }

    /// The folder that a path is in, below a root whose path is `root` bytes long.
    fn folder_of(&mut self, path: &[u8], root: usize) -> FolderId {
        let end = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let end = self.shallow(path, root, end.max(root));
        // Folders that are not known yet, the innermost first.
        let (mut missing, mut end) = (Vec::new(), end);
        let known = loop {
            if let Some(&id) = self.ids.get(&path[..end]) {
                break Some(id);
            }
            missing.push(end);
            if end <= root {
                break None;
            }
            let above = path[..end].iter().rposition(|&byte| byte == b'/');
            end = above.unwrap_or(0).max(root);
        };
        let mut parent = known;
        for end in missing.into_iter().rev() {
            let needed = FOLDER + 2 * end;
            if needed > self.room && parent.is_some() {
                self.is_cut = true;
                break;
            }
            self.room = self.room.saturating_sub(needed);
            let id = self.tree.add_folder(parent);
            self.paths.push(path[..end].to_vec());
            self.ids.insert(path[..end].to_vec(), id);
            parent = Some(id);
        }
        parent.unwrap_or_default()
    }
}

/// A number for the bytes of a file, distinct from those of documents, which are numbered from the lowest up.
fn bytes_number(content: ContentHash) -> u64 {
    let first = content.0.first_chunk().copied().unwrap_or_default();
    u64::from_le_bytes(first) | 1 << 63
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_lie_too_deep_count_for_the_one_above() {
        let mut folders = Folders {
            room: 1 << 20,
            ..Folders::default()
        };
        let deep = |depth: usize| [b"/r", "/d".repeat(depth).as_bytes(), b"/file"].concat();
        let last = folders.folder_of(&deep(MAX_DEPTH), 2);
        assert!(!folders.is_cut && folders.paths.len() == MAX_DEPTH + 1);
        assert_eq!(folders.folder_of(&deep(MAX_DEPTH + 9), 2), last);
        assert!(folders.is_cut && folders.paths.len() == MAX_DEPTH + 1);
    }

    #[test]
    fn every_folder_between_a_root_and_a_file_is_known_once() {
        let mut folders = Folders {
            room: 10_000,
            ..Folders::default()
        };
        let first = folders.folder_of(b"/r/a/b/file", 2);
        assert_eq!(folders.folder_of(b"/r/a/b/other", 2), first);
        let archive = folders.folder_of(b"/r/a/x.zip!/member", 2);
        let root = folders.folder_of(b"/r/top", 2);
        assert_eq!(folders.paths[root as usize], b"/r");
        assert_eq!(folders.paths[archive as usize], b"/r/a/x.zip!");
        assert_eq!(folders.paths.len(), 4);
    }
}
