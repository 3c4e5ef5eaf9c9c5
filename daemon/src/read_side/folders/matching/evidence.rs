//! Finds which pairs of folders may be copies. Files that carry one text, or texts of one group, are evidence for
//! their folders, level by level upwards, until the folders are the same or one contains the other: /a/x/1.txt and
//! /b/x/1.txt are evidence for /a/x and /b/x, and for /a and /b. A folder and one inside it, such as its backup, are
//! the last such pair.
//!
//! What more than [`MAX_CARRIERS`] files carry is common, and would join everything with everything: it is evidence
//! only for each folder and the next one that has it, in the order of a walk. A group may have more files than that if
//! its documents were made from one template. Then files of the group are evidence if they carry the same text, or if
//! they have the same name, since names mostly stay the same in a revised copy.

use std::collections::HashMap;

use super::contents::Contents;
use super::{FileAt, FolderId, MAX_PAIRS, Tree};

/// Most files that are evidence together: each has a bit in a byte.
const MAX_CARRIERS: usize = u8::BITS as usize;

/// How many files of the smaller side are evidence that two folders are copies; the first has the smaller number.
pub(super) type Evidence = HashMap<(FolderId, FolderId), u64>;

/// For each pair of folders the files in the first and in the other, among those that are evidence together.
type BitsByPair = HashMap<(FolderId, FolderId), [u8; 2]>;

/// Evidence as it is gathered.
struct Gathered<'a> {
    tree: &'a Tree,
    contents: &'a Contents,
    evidence: Evidence,
    truncated: bool,
    too_common: u64,
}

/// The evidence for pairs of folders.
pub(super) struct GatheredEvidence {
    pub(super) evidence: Evidence,
    /// Whether there are more pairs than can be held.
    pub(super) truncated: bool,
    /// Texts, and names of revisions, that more files carry than are compared with one another.
    pub(super) too_common: u64,
}

/// Gathers the evidence for pairs of folders; `None` if `go_on` returns false.
pub(super) fn evidence(
    tree: &Tree,
    contents: &Contents,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Option<GatheredEvidence> {
    let mut by_group: Vec<&FileAt> = tree.files.iter().collect();
    by_group.sort_by_key(|file| (file.identity.group, file.identity.document, file.folder));
    let mut gathered = Gathered {
        tree,
        contents,
        evidence: HashMap::new(),
        truncated: false,
        too_common: 0,
    };
    for group in by_group.chunk_by_mut(|a, b| a.identity.group == b.identity.group) {
        if !go_on(0) {
            return None;
        }
        gathered.add_group(group);
    }
    Some(GatheredEvidence {
        evidence: gathered.evidence,
        truncated: gathered.truncated,
        too_common: gathered.too_common,
    })
}

impl Gathered<'_> {
    /// Adds the evidence from the files of a group; they are sorted by document.
    fn add_group(&mut self, files: &mut [&FileAt]) {
        if files.len() <= MAX_CARRIERS {
            self.add(files);
            return;
        }
        let mut documents = 0;
        for carriers in files.chunk_by(|a, b| a.identity.document == b.identity.document) {
            documents += 1;
            self.add_or_chain(carriers);
        }
        if documents > 1 {
            files.sort_by_key(|file| (file.identity.name, file.folder));
            for named in files.chunk_by(|a, b| a.identity.name == b.identity.name) {
                self.add_or_chain(named);
            }
        }
    }

    /// Adds the evidence from these files; if there are too many, only that of each file with the next one. Copies of a
    /// tree are next to each other, so that the next copy has the same file there.
    fn add_or_chain(&mut self, files: &[&FileAt]) {
        if files.len() <= MAX_CARRIERS {
            return self.add(files);
        }
        self.too_common += 1;
        let mut in_order = files.to_vec();
        in_order.sort_by_key(|file| self.contents.place(file.folder));
        for pair in in_order.windows(2) {
            self.add(pair);
        }
    }

    /// Adds the evidence from these files, at most [`MAX_CARRIERS`].
    fn add(&mut self, files: &[&FileAt]) {
        let mut bits_by_pair = BitsByPair::new();
        for (at, a) in files.iter().enumerate() {
            for (b, other) in files.iter().enumerate().skip(at + 1) {
                self.levels(
                    [a.folder, other.folder],
                    [1 << at, 1 << b],
                    &mut bits_by_pair,
                );
            }
        }
        for (pair, [of_a, of_b]) in bits_by_pair {
            let files = u64::from(of_a.count_ones().min(of_b.count_ones()));
            let room = self.evidence.len() < MAX_PAIRS;
            match self.evidence.get_mut(&pair) {
                Some(count) => *count += files,
                None if room => drop(self.evidence.insert(pair, files)),
                None => self.truncated = true,
            }
        }
    }

    /// Notes two files, each a bit, for the folders they are in and all above.
    fn levels(&self, [a, b]: [FolderId; 2], [of_a, of_b]: [u8; 2], bits_by_pair: &mut BitsByPair) {
        let (mut a, mut b) = (Some(a), Some(b));
        while let (Some(own), Some(other)) = (a, b) {
            self.contents.add_steps(1);
            if own == other {
                break;
            }
            let (pair, bits) = match own < other {
                true => ((own, other), [of_a, of_b]),
                false => ((other, own), [of_b, of_a]),
            };
            let known = bits_by_pair.entry(pair).or_default();
            *known = [known[0] | bits[0], known[1] | bits[1]];
            if self.contents.holds(own, other) || self.contents.holds(other, own) {
                break;
            }
            (a, b) = (self.tree.parent(own), self.tree.parent(other));
        }
    }
}
