//! The contents of each folder, including all nested folders, so that two folders can be compared exactly. If a folder
//! is compared with one inside it, the files of the inner folder are not counted as files of the outer one.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

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

    /// Where the files of a folder are that are not in another: two ranges, since the other may be inside it.
    fn ranges_beside(&self, own: FolderId, other: FolderId) -> [Range<usize>; 2] {
        let (from, to) = self.ranges[own as usize];
        match own != other && self.holds(own, other) {
            true => [
                from..self.ranges[other as usize].0,
                self.ranges[other as usize].1..to,
            ],
            false => [from..to, to..to],
        }
    }

    /// Adds to the steps taken so far, and returns them.
    pub(super) fn add_steps(&self, more: u64) -> u64 {
        let steps = self.steps.get() + more;
        self.steps.set(steps);
        steps
    }

    /// The files of a folder that are not in another.
    fn files_beside(&self, own: FolderId, other: FolderId) -> Vec<(u64, u64)> {
        let ranges = self.ranges_beside(own, other);
        ranges.map(|range| &self.identity[range]).concat()
    }

    /// The number of files in a folder, and all folders in it, that are not in another.
    pub(super) fn count_beside(&self, own: FolderId, other: FolderId) -> u64 {
        self.ranges_beside(own, other)
            .iter()
            .map(|range| range.len() as u64)
            .sum()
    }

    /// Whether a folder is in one of a pair, and not in the other where that lies inside it.
    pub(super) fn is_on_side(&self, own: FolderId, other: FolderId, folder: FolderId) -> bool {
        let is_inside = || self.holds(own, other) && self.holds(other, folder);
        self.holds(own, folder) && !is_inside()
    }

    /// The files of a folder that have no counterpart in another, at most `max_files`, by their numbers in the tree. If
    /// more files of a group are here than in the other folder, the first ones have the counterparts.
    pub(super) fn unmatched(&self, own: FolderId, other: FolderId, max_files: usize) -> Vec<u32> {
        let (files, others) = (self.files_beside(own, other), self.files_beside(other, own));
        let documents: HashSet<u64> = others.iter().map(|(document, _)| *document).collect();
        let mut revised = Others::of(&others, &files).by_group;
        let numbers = self.ranges_beside(own, other).into_iter().flatten();
        let mut alone = Vec::new();
        for ((document, group), number) in files.iter().zip(numbers.map(|at| self.numbers[at])) {
            if alone.len() == max_files {
                break;
            }
            if documents.contains(document) {
                continue;
            }
            match revised.get_mut(group) {
                Some(left @ 1..) => *left -= 1,
                _ => alone.push(number),
            }
        }
        alone
    }

    pub(super) fn compare(&self, a: FolderId, b: FolderId) -> FolderPair {
        let (of_a, of_b) = (self.files_beside(a, b), self.files_beside(b, a));
        self.add_steps((of_a.len() + of_b.len()) as u64);
        let (in_a, in_b) = (Others::of(&of_a, &of_b), Others::of(&of_b, &of_a));
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
