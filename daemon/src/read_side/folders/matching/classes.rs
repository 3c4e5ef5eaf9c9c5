//! Folders that hold exactly the same files, whatever their number. Exact copies are recognized by a sum over their
//! contents, in time that grows with the number of files alone. Each is paired with the next one by place, and the
//! listed pairs of one class become one line in the end.

use std::collections::{HashMap, HashSet};

use super::contents::Contents;
use super::{CopiedFolders, FolderId, FolderPair, Tree};

/// Bytes that a folder takes: its sum, and its places in maps that double as they grow.
pub(super) const FOLDER_BYTES: u64 = 192;

/// What a folder holds: the number of files, and a sum of hashes of what each of them carries.
type Held = (u64, [u64; 2]);

/// Folders by what they hold.
pub(super) struct Classes {
    /// For each folder, the first one by place that holds exactly the same; `None` for a folder in no class.
    firsts: Vec<Option<FolderId>>,
    /// Pairs of neighbours in each class; the lower number of a pair comes first.
    pub(super) neighbours: HashSet<(FolderId, FolderId)>,
}

impl Classes {
    /// Builds the classes; folders of fewer files than `fewest` are in none.
    pub(super) fn of(tree: &Tree, contents: &Contents, fewest: u64) -> Self {
        let held = sum_contents(tree);
        let mut members: HashMap<Held, Vec<FolderId>> = HashMap::new();
        for (folder, held) in (0..).zip(&held) {
            if held.0 >= fewest.max(1) {
                members.entry(*held).or_default().push(folder);
            }
        }
        let mut classes = Self {
            firsts: vec![None; held.len()],
            neighbours: HashSet::new(),
        };
        for mut folders in members.into_values() {
            folders.sort_by_key(|folder| contents.place(*folder));
            let first = folders[0];
            for &folder in &folders {
                classes.firsts[folder as usize] = Some(first);
            }
            // If a folder holds the same files as the folder it is in, the outer one stands for both.
            let is_outer = |folder: &FolderId| {
                let parent = tree.parent(*folder);
                parent.is_none_or(|parent| held[parent as usize] != held[*folder as usize])
            };
            folders.retain(is_outer);
            let pairs = folders
                .windows(2)
                .map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1])));
            classes.neighbours.extend(pairs);
        }
        classes
    }

    /// Whether two folders hold exactly the same files but are not neighbours: the folders between them link them.
    pub(super) fn are_linked(&self, (a, b): (FolderId, FolderId)) -> bool {
        self.are_of_one(a, b) && !self.neighbours.contains(&(a, b))
    }

    /// Merges the pairs of each class, and the pairs of its folders with one other, into one line; pairs keep their
    /// order.
    pub(super) fn join(&self, pairs: Vec<FolderPair>) -> Vec<CopiedFolders> {
        let mut lines: Vec<CopiedFolders> = Vec::new();
        let mut places: HashMap<(FolderId, FolderId), usize> = HashMap::new();
        for counts in pairs {
            let first = |folder: FolderId| self.firsts[folder as usize].unwrap_or(folder);
            let (a, b) = (first(counts.a), first(counts.b));
            let key = (a.min(b), a.max(b));
            match places.get(&key) {
                None => {
                    places.insert(key, lines.len());
                    lines.push(CopiedFolders {
                        counts,
                        further: Vec::new(),
                        is_exact: self.are_of_one(counts.a, counts.b),
                    });
                }
                Some(at) if lines[*at].is_exact => lines[*at].further.extend([counts.a, counts.b]),
                Some(_) => {}
            }
        }
        for line in &mut lines {
            let mut seen = HashSet::from([line.counts.a, line.counts.b]);
            line.further.retain(|folder| seen.insert(*folder));
        }
        lines
    }

    fn are_of_one(&self, a: FolderId, b: FolderId) -> bool {
        let first = |folder: FolderId| self.firsts[folder as usize];
        first(a).is_some() && first(a) == first(b)
    }
}

/// What each folder holds, including all nested folders.
fn sum_contents(tree: &Tree) -> Vec<Held> {
    let mut held: Vec<Held> = vec![(0, [0; 2]); tree.parents.len()];
    for file in &tree.files {
        let sum = hash(file.identity.document);
        add(&mut held[file.folder as usize], (1, sum));
    }
    // A folder is added after its parent.
    for folder in (0..held.len()).rev() {
        if let Some(parent) = tree.parents[folder] {
            let inner = held[folder];
            add(&mut held[parent as usize], inner);
        }
    }
    held
}

fn add(to: &mut Held, (files, sum): Held) {
    to.0 += files;
    for (to, part) in to.1.iter_mut().zip(sum) {
        *to = to.wrapping_add(part);
    }
}

fn hash(document: u64) -> [u64; 2] {
    let hash = blake3::hash(&document.to_le_bytes());
    let part = |at: usize| {
        let bytes = hash.as_bytes()[at..].first_chunk().copied();
        u64::from_le_bytes(bytes.unwrap_or_default())
    };
    [part(0), part(8)]
}
