//! Finds which folders are copies of one another; no I/O.
//!
//! 1. Files that carry the same text (or the same bytes), or texts of one group of near-duplicates, are joined, and
//!    their folders with them ([`evidence`]).
//!    Folders that hold exactly the same files are found whatever their number, each with the next one ([`classes`]).
//! 2. Pairs of folders with enough evidence are counted exactly ([`contents`]): for each folder, the files whose
//!    text is anywhere in the other; of the remaining files, as many of each group as both have. If two folders differ
//!    very much in size, neither is a copy of the other as a whole.
//! 3. If pairs are nested in each other, the outermost is listed, unless an inner one has as many files in common:
//!    then that one is. So exact copies become one line, and so do their pairs with one other folder.
//!
//! Cost: files times their depth, which is at most [`MAX_DEPTH`], whatever the input: a file is evidence with
//! fewer than 8 others in each of three ways; and a pair of folders is counted only if a quarter of the smaller
//! one is evidence and the larger one is at most a bounded number of times as large.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

mod classes;
mod contents;
mod evidence;

use classes::Classes;
pub(super) use contents::Contents;

/// Most pairs of folders that are counted in the first step: 24 bytes each, with spare capacity.
pub const MAX_PAIRS: usize = 1 << 21;
/// Greatest depth of a folder below its root: deeper files count for the folder above.
pub const MAX_DEPTH: usize = 64;

/// Bytes of a pair that was counted: in lists that double as they grow, in a map of their places, and among the
/// pairs listed.
const COUNTED: u64 = 3 * size_of::<FolderPair>() as u64 + 256;

/// A folder, by its index in the tree.
pub type FolderId = u32;

/// Folders and their files.
#[derive(Debug, Default)]
pub struct Tree {
    parents: Vec<Option<FolderId>>,
    files: Vec<FileAt>,
}

/// What is known of a file.
#[derive(Clone, Copy, Debug)]
pub struct FileIdentity {
    /// Any number that identifies what it carries: its text, or its bytes.
    pub document: u64,
    /// Any number that identifies the document's group of near-duplicates; a number of its own if it is in no group.
    pub group: u64,
    /// A hash of the file's name. A collision of two names is only one more weak hint, and does not affect counts.
    pub name: u64,
}

#[derive(Clone, Copy, Debug)]
struct FileAt {
    folder: FolderId,
    identity: FileIdentity,
}

/// Two folders that have files in common, counted exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderPair {
    /// The folder that comes first.
    pub a: FolderId,
    /// The folder that comes second.
    pub b: FolderId,
    /// Files in the first folder and all folders in it; without the other folder, if that is one of these.
    pub files_a: u64,
    /// Files in the other folder and all folders in it, likewise.
    pub files_b: u64,
    /// Files of the first whose text, or a revision of it, is in the other.
    pub shared_a: u64,
    /// Files of the other whose text, or a revision of it, is in the first.
    pub shared_b: u64,
    /// Files of each folder that have only a revision in the other, each matched with one file: as many of each
    /// group of near-duplicates as both have, beside those whose text both have.
    pub revised: u64,
}

impl FolderPair {
    /// The share of files of both that have a counterpart in the other.
    pub fn share(&self) -> f64 {
        let shared = self.shared_a + self.shared_b;
        shared as f64 / (self.files_a + self.files_b).max(1) as f64
    }

    /// This match seen from the other side.
    pub fn swapped(self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            files_a: self.files_b,
            files_b: self.files_a,
            shared_a: self.shared_b,
            shared_b: self.shared_a,
            revised: self.revised,
        }
    }

    /// Files that each of both has in common with the other.
    pub fn in_common(&self) -> u64 {
        self.shared_a.min(self.shared_b)
    }
}

/// Two folders, and more if these hold exactly the same files.
#[derive(Debug, PartialEq, Eq)]
pub struct CopiedFolders {
    /// Two of the folders; one of the class, if a class of exact copies is paired with another folder.
    pub counts: FolderPair,
    /// The other folders that hold exactly the same files and are in no other listed pair.
    pub further: Vec<FolderId>,
    /// Whether both hold exactly the same files.
    pub is_exact: bool,
}

/// Pairs of folders that have files in common.
#[derive(Debug, Default)]
pub struct MatchedFolders {
    /// The pairs, those with the most files in common first.
    pub pairs: Vec<CopiedFolders>,
    /// Whether more pairs of folders have files in common than can be held, so that some may be missing.
    pub truncated: bool,
    /// The number of texts, and names of revisions, that more than eight files carry: each is evidence only for a
    /// folder and the next one that has it.
    pub too_common: u64,
    /// Levels noted as evidence, and files compared: what it has cost, the same on every machine.
    pub steps: u64,
}

impl Tree {
    /// Adds a folder to its parent, which was added before; a root has no parent.
    pub fn add_folder(&mut self, parent: Option<FolderId>) -> FolderId {
        self.parents.push(parent);
        (self.parents.len() - 1) as FolderId
    }

    /// Adds a file.
    pub fn add_file(&mut self, folder: FolderId, identity: FileIdentity) {
        self.files.push(FileAt { folder, identity });
    }

    /// How many files were added.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// The pairs of folders of which at least `min_share` (above 0, to 1) of all files are in the other, and that each
    /// have at least `fewest` files in common. `go_on` is called periodically with the bytes that are to be held next
    /// beyond those of the first step's pairs; `None` if it returns false.
    pub fn copies(
        &self,
        min_share: f64,
        fewest: u64,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Option<MatchedFolders> {
        let contents = Contents::of(self);
        if !go_on(classes::FOLDER_BYTES * self.parents.len() as u64) {
            return None;
        }
        let classes = Classes::of(self, &contents, fewest);
        let gathered = evidence::evidence(self, &contents, go_on)?;
        let is_open = |&((a, b), count): &((FolderId, FolderId), u64)| {
            // The evidence for a pair is only part of what it shares: common texts, and files that were
            // moved within a copy, are no evidence.
            let (own, other) = (contents.count_beside(a, b), contents.count_beside(b, a));
            let (smaller, larger) = (own.min(other), own.max(other));
            // Even if all texts of both were in one file each, no larger folder could reach the share.
            let is_alike = larger as f64 <= (2.0 / min_share - 1.0) * smaller as f64;
            is_alike && count >= fewest.max(1) && 4 * count >= smaller
        };
        let candidates = gathered
            .evidence
            .iter()
            .map(|(pair, count)| (*pair, *count));
        let candidates = candidates.filter(is_open).map(|(pair, _)| pair);
        let is_listed = |pair: &(FolderId, FolderId)| {
            classes.are_linked(*pair) || classes.neighbours.contains(pair)
        };
        let exact = classes.neighbours.iter().copied();
        let mut counted = Vec::new();
        for (a, b) in exact.chain(candidates.filter(|pair| !is_listed(pair))) {
            let pair = contents.compare(a, b);
            let is_copy = pair.share() >= min_share && pair.in_common() >= fewest;
            if !go_on(if is_copy { COUNTED } else { 0 }) {
                return None;
            }
            counted.extend(is_copy.then_some(pair));
        }
        let pairs = self.outermost(&contents, counted, go_on)?;
        Some(MatchedFolders {
            pairs: classes.join(pairs),
            truncated: gathered.truncated,
            too_common: gathered.too_common,
            steps: contents.add_steps(0),
        })
    }

    /// The contents of each folder.
    pub(super) fn contents(&self) -> Contents {
        Contents::of(self)
    }

    /// The files of both folders of a pair that have no counterpart in the other, at most `max_files` of each, with
    /// their folders.
    pub(super) fn exceptions(
        &self,
        contents: &Contents,
        pair: &FolderPair,
        max_files: usize,
    ) -> [Vec<(FolderId, FileIdentity)>; 2] {
        [(pair.a, pair.b), (pair.b, pair.a)].map(|(own, other)| {
            let alone = contents.unmatched(own, other, max_files).into_iter();
            let file = |number: u32| &self.files[number as usize];
            alone
                .map(file)
                .map(|file| (file.folder, file.identity))
                .collect()
        })
    }

    /// The outermost of pairs nested in each other, unless an inner one has as many files in common: then the outer one
    /// adds only what is not shared.
    fn outermost(
        &self,
        contents: &Contents,
        mut counted: Vec<FolderPair>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Vec<FolderPair>> {
        counted.sort_by_key(|pair| {
            (
                Reverse(pair.in_common()),
                pair.files_a + pair.files_b,
                pair.a,
                pair.b,
            )
        });
        let places: HashMap<(FolderId, FolderId), usize> = counted
            .iter()
            .map(|pair| (pair.a, pair.b))
            .zip(0..)
            .collect();
        let (mut is_listed, mut is_idle) = (vec![false; counted.len()], vec![false; counted.len()]);
        let mut listed = ListedPairs::default();
        for (at, pair) in counted.iter().enumerate() {
            if !go_on(0) {
                return None;
            }
            if is_idle[at] || self.lies_in(pair, &listed, contents) {
                continue;
            }
            // Those not listed by now have no more in common.
            let outer = self.outer_pairs(pair, contents, &places);
            outer.into_iter().for_each(|outer| is_idle[outer] = true);
            is_listed[at] = true;
            listed.add(pair, contents);
        }
        let listed = counted.into_iter().zip(is_listed);
        Some(
            listed
                .filter_map(|(pair, is_listed)| is_listed.then_some(pair))
                .collect(),
        )
    }

    /// Whether a pair is nested in a listed one, one folder in each. Looked for from both folders: of a folder above one
    /// of them only the partner nearest to the other is known.
    fn lies_in(&self, pair: &FolderPair, listed: &ListedPairs, contents: &Contents) -> bool {
        let is_nested = |of: FolderId, other: FolderId| {
            self.upwards(of).any(|own| {
                let partner = listed.beside(own, other, contents);
                partner.is_some_and(|partner| {
                    contents.is_on_side(own, partner, of)
                        && contents.is_on_side(partner, own, other)
                })
            })
        };
        is_nested(pair.a, pair.b) || is_nested(pair.b, pair.a)
    }

    /// Places of the other pairs that this one is nested in, one folder in each. Cost: the square of the depth, only
    /// for pairs that are listed; folders are at most [`MAX_DEPTH`] deep.
    fn outer_pairs(
        &self,
        &FolderPair { a, b, .. }: &FolderPair,
        contents: &Contents,
        places: &HashMap<(FolderId, FolderId), usize>,
    ) -> Vec<usize> {
        let above: Vec<FolderId> = self.upwards(b).collect();
        let mut outer = Vec::new();
        for own in self.upwards(a) {
            let places = above.iter().filter_map(|&other| {
                let pair = (own.min(other), own.max(other));
                let place = places.get(&pair).filter(|_| pair != (a, b))?;
                let is_nested =
                    contents.is_on_side(own, other, a) && contents.is_on_side(other, own, b);
                is_nested.then_some(*place)
            });
            outer.extend(places);
        }
        outer
    }

    fn parent(&self, folder: FolderId) -> Option<FolderId> {
        self.parents[folder as usize]
    }

    /// The folder and all its ancestors.
    fn upwards(&self, folder: FolderId) -> impl Iterator<Item = FolderId> + '_ {
        std::iter::successors(Some(folder), |&folder| self.parent(folder))
    }
}

/// The listed pairs: for each folder its partners, by their place in a walk. No partner is nested in another:
/// otherwise one of the two pairs would be nested in the other.
#[derive(Default)]
struct ListedPairs(HashMap<FolderId, BTreeMap<FolderId, FolderId>>);

impl ListedPairs {
    fn add(&mut self, pair: &FolderPair, contents: &Contents) {
        for (own, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
            let partners = self.0.entry(own).or_default();
            partners.insert(contents.place(other), other);
        }
    }

    /// The partner of a folder that is, or contains, another folder.
    fn beside(&self, own: FolderId, inner: FolderId, contents: &Contents) -> Option<FolderId> {
        let before = self.0.get(&own)?.range(..=contents.place(inner));
        let nearest = before.last().map(|(_, folder)| *folder);
        nearest.filter(|&folder| contents.holds(folder, inner))
    }
}

#[cfg(test)]
mod tests;
