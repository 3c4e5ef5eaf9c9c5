//! The contents of each folder, including all nested folders, so that two folders can be compared exactly.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::{FileIdentity, FolderId, FolderPair, Tree};

/// What all files of each folder and of its nested folders carry, as ranges of one list.
pub(in crate::read_side::folders) struct Contents {
    /// Each file's document and group, in the order of a walk.
    identity: Vec<(u64, u64)>,
    /// Each file's number among the files of the tree, in the same order.
    numbers: Vec<u32>,
    /// For each folder, where its range begins and ends.
    ranges: Vec<(usize, usize)>,
    /// For each folder its number in the walk, and the number after the last folder in it.
    walked: Vec<(u32, u32)>,
    /// Levels noted as evidence, and files of both sides that were compared: what a search has cost.
    steps: Cell<u64>,
}

impl Contents {
    pub(super) fn of(tree: &Tree) -> Self {
        let count = tree.parents.len();
        let (mut children, mut files) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (folder, parent) in (0..).zip(&tree.parents) {
            if let Some(parent) = parent {
                children[*parent as usize].push(folder);
            }
        }
        for (number, file) in (0..).zip(&tree.files) {
            files[file.folder as usize].push(number);
        }
        let mut contents = Self {
            identity: Vec::with_capacity(tree.files.len()),
            numbers: Vec::with_capacity(tree.files.len()),
            ranges: vec![(0, 0); count],
            walked: vec![(0, 0); count],
            steps: Cell::new(0),
        };
        let mut number = 0;
        let roots = (0..count as FolderId).filter(|&folder| tree.parent(folder).is_none());
        for root in roots {
            // Trees may be arbitrarily deep: this is a list instead of recursive calls.
            let mut open = vec![(root, false)];
            while let Some((folder, is_over)) = open.pop() {
                let at = folder as usize;
                if is_over {
                    contents.ranges[at].1 = contents.identity.len();
                    contents.walked[at].1 = number;
                    continue;
                }
                contents.ranges[at].0 = contents.identity.len();
                contents.walked[at].0 = number;
                number += 1;
                contents.numbers.extend(&files[at]);
                let identity = files[at].iter().map(|number: &u32| {
                    let FileIdentity {
                        document, group, ..
                    } = tree.files[*number as usize].identity;
                    (document, group)
                });
                contents.identity.extend(identity);
                open.push((folder, true));
                open.extend(children[at].iter().map(|&child| (child, false)));
            }
        }
        contents
    }

    /// The folder's place in the walk.
    pub(super) fn place(&self, folder: FolderId) -> u32 {
        self.walked[folder as usize].0
    }

    /// Whether `outer` is `inner`, or contains it.
    pub(super) fn holds(&self, outer: FolderId, inner: FolderId) -> bool {
        let (from, to) = self.walked[outer as usize];
        (from..to).contains(&self.place(inner))
    }

    fn files_within(&self, folder: FolderId) -> &[(u64, u64)] {
        let (from, to) = self.ranges[folder as usize];
        &self.identity[from..to]
    }

    /// Adds to the steps taken so far, and returns them.
    pub(super) fn add_steps(&self, more: u64) -> u64 {
        let steps = self.steps.get() + more;
        self.steps.set(steps);
        steps
    }

    /// The number of files in a folder and all folders in it.
    pub(super) fn count(&self, folder: FolderId) -> u64 {
        self.files_within(folder).len() as u64
    }

    /// The files of a folder that have no counterpart in another, at most `max_files`, by their numbers in the tree. If
    /// more files of a group are here than in the other folder, the first ones have the counterparts.
    pub(super) fn unmatched(&self, own: FolderId, other: FolderId, max_files: usize) -> Vec<u32> {
        let (from, to) = self.ranges[own as usize];
        let (files, others) = (self.files_within(own), self.files_within(other));
        let documents: HashSet<u64> = others.iter().map(|(document, _)| *document).collect();
        let mut revised = Others::of(others, files).by_group;
        let mut alone = Vec::new();
        for ((document, group), number) in files.iter().zip(&self.numbers[from..to]) {
            if alone.len() == max_files {
                break;
            }
            if documents.contains(document) {
                continue;
            }
            match revised.get_mut(group) {
                Some(left @ 1..) => *left -= 1,
                _ => alone.push(*number),
            }
        }
        alone
    }

    pub(super) fn compare(&self, a: FolderId, b: FolderId) -> FolderPair {
        let (of_a, of_b) = (self.files_within(a), self.files_within(b));
        self.add_steps((of_a.len() + of_b.len()) as u64);
        let (in_a, in_b) = (Others::of(of_a, of_b), Others::of(of_b, of_a));
        // A file is a revision of one other file: one form in a folder does not match a hundred letters in the other.
        let both = in_a.by_group.iter();
        let revised = both.map(|(group, files)| {
            let others = in_b.by_group.get(group).copied().unwrap_or(0);
            others.min(*files)
        });
        let revised = revised.sum();
        FolderPair {
            a,
            b,
            files_a: of_a.len() as u64,
            files_b: of_b.len() as u64,
            shared_a: in_a.identical + revised,
            shared_b: in_b.identical + revised,
            revised,
        }
    }
}

/// The files of a folder compared with those of another.
struct Others {
    /// Files whose text is in the other folder.
    identical: u64,
    /// The remaining files, by group.
    by_group: HashMap<u64, u64>,
}

impl Others {
    fn of(own: &[(u64, u64)], other: &[(u64, u64)]) -> Self {
        let documents: HashSet<u64> = other.iter().map(|(document, _)| *document).collect();
        let (mut identical, mut by_group) = (0, HashMap::new());
        for (document, group) in own {
            match documents.contains(document) {
                true => identical += 1,
                false => *by_group.entry(*group).or_insert(0) += 1,
            }
        }
        Self {
            identical,
            by_group,
        }
    }
}
