//! Recurring lines in two passes, and the blocks they form; no I/O.
//!
//! Lines form a block if they are in the same documents and each is followed by the next wherever it occurs.
//! Lines that are too short to count are skipped. So a letterhead of three lines is one template, and a line
//! of it that also occurs elsewhere is a template of its own.

use std::cmp::{Ordering, Reverse};
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap};

use simdex_signature::{LineKey, TemplateLines};

use super::sketch::Sketch;

/// Shorter lines, in bytes of canonical text, do not count: this is the length of a shingle.
pub const LEAST_BYTES: usize = TemplateLines::SHORTEST;

/// Cells of the sketch for each document.
const CELLS: usize = 64;

/// Most cells of a row: 32 MiB each.
const MOST_CELLS: usize = 1 << 24;

/// Most lines that are counted exactly, if there are enough documents.
const MOST_LINES: usize = 1 << 19;

/// Bytes of a line in the map, which is allocated at once: a map has one more byte for each entry.
const LINE_BYTES: u64 = 1 + size_of::<(LineKey, LineCounts)>() as u64;
/// Bytes of a line in its block, for a list that doubles as it grows.
const IN_BLOCK: u64 = 3 * size_of::<LineKey>() as u64;
/// Bytes of a block beside its lines.
const BLOCK: u64 = size_of::<Recurring>() as u64 + 32;

/// A block of lines that recur together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurring {
    /// Its lines, in order.
    pub lines: Vec<LineKey>,
    /// Documents that contain it.
    pub documents: u32,
    /// Groups of these documents, with each ungrouped document counted as one.
    pub groups: u32,
    /// The first of the documents.
    pub example: u64,
}

/// The first pass: which lines may recur.
pub struct Sketching {
    least: u32,
    sketch: Sketch,
    candidates: HashMap<LineKey, LineCounts>,
    most: usize,
    truncated: bool,
}

/// The second pass: in how many documents each of these lines occurs.
pub struct Counting {
    least: u32,
    lines: HashMap<LineKey, LineCounts>,
    truncated: bool,
}

#[derive(Clone, Copy, Default)]
struct LineCounts {
    documents: u32,
    groups: u32,
    example: u64,
    last: u64,
    last_group: u64,
    before: Neighbour,
    after: Neighbour,
}

/// The neighbour of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Neighbour {
    /// None has been seen yet.
    #[default]
    Unknown,
    /// This line in every occurrence; `None` at the end of a text.
    Always(Option<LineKey>),
    Differs,
}

impl Neighbour {
    fn meet(&mut self, other: Option<LineKey>) {
        *self = match *self {
            Self::Unknown => Self::Always(other),
            Self::Always(known) if known == other => *self,
            _ => Self::Differs,
        };
    }
}

impl Sketching {
    /// A finder for this many documents; lines in fewer than `least` of them do not recur.
    pub fn new(documents: usize, least: u32) -> Self {
        Self {
            least: least.max(2),
            sketch: Sketch::new(width(documents)),
            candidates: HashMap::with_capacity(most_lines(documents)),
            most: most_lines(documents),
            truncated: false,
        }
    }

    /// Most bytes that both passes take for `limit` blocks, without the lines of one document.
    pub fn bytes_for(documents: usize, limit: usize) -> u64 {
        let lines = most_lines(documents);
        // As full as a map may be: seven of eight places.
        let places = (lines * 8 / 7 + 1).next_power_of_two();
        let blocks = limit.min(lines) as u64 * 2 * BLOCK + lines as u64 * IN_BLOCK;
        Sketch::bytes_for(width(documents)) + places as u64 * LINE_BYTES + blocks
    }

    /// Adds the lines of one document; copies their keys.
    pub fn add(&mut self, lines: &[LineKey]) {
        let mut distinct = lines.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        for line in distinct {
            if u32::from(self.sketch.add(line.0)) < self.least.min(u16::MAX.into()) {
                continue;
            }
            let room = self.candidates.len() < self.most;
            match self.candidates.entry(line) {
                Entry::Vacant(entry) if room => drop(entry.insert(LineCounts::default())),
                Entry::Vacant(_) => self.truncated = true,
                Entry::Occupied(_) => {}
            }
        }
    }

    /// Continues with the second pass.
    pub fn finish(self) -> Counting {
        Counting {
            least: self.least,
            lines: self.candidates,
            truncated: self.truncated,
        }
    }
}

fn width(documents: usize) -> usize {
    documents.saturating_mul(CELLS).clamp(1 << 10, MOST_CELLS)
}

fn most_lines(documents: usize) -> usize {
    width(documents).min(MOST_LINES)
}

impl Counting {
    /// Whether some lines that may recur are not counted because there are too many.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Adds the lines of one document, whose number must be unique; those of one group must be adjacent.
    pub fn add(&mut self, (group, document): (u64, u64), lines: &[LineKey]) {
        for (at, key) in lines.iter().enumerate() {
            let Some(line) = self.lines.get_mut(key) else {
                continue;
            };
            if line.documents == 0 {
                line.example = document;
            }
            if line.documents == 0 || line.last != document {
                line.groups += u32::from(line.documents == 0 || line.last_group != group);
                line.last_group = group;
                line.documents += 1;
                line.last = document;
            }
            let before = at.checked_sub(1).and_then(|at| lines.get(at));
            line.before.meet(before.copied());
            line.after.meet(lines.get(at + 1).copied());
        }
    }

    /// The first `limit` blocks, those in most documents first, then those of most lines, then by key; and the
    /// number of all blocks.
    pub fn finish(mut self, limit: usize) -> (Vec<Recurring>, u64) {
        let least = self.least;
        self.lines.retain(|_, line| line.documents >= least);
        let lines = &self.lines;
        let is_first = |key: &&LineKey| previous(lines, **key).is_none();
        let (mut found, mut first) = (0, BinaryHeap::with_capacity(limit.min(lines.len()) + 1));
        for &key in lines.keys().filter(is_first) {
            found += 1;
            first.push(Ranked(block(lines, key)));
            if first.len() > limit {
                first.pop();
            }
        }
        let first = first.into_sorted_vec().into_iter();
        (first.map(|Ranked(block)| block).collect(), found)
    }
}

/// A block ordered by its place in the list: the greatest is the last.
#[derive(PartialEq, Eq)]
struct Ranked(Recurring);

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |Self(block): &Self| (Reverse(block.documents), Reverse(block.lines.len()));
        let by_lines = || self.0.lines.cmp(&other.0.lines);
        place(self).cmp(&place(other)).then_with(by_lines)
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The line before this one in its block.
fn previous(lines: &HashMap<LineKey, LineCounts>, key: LineKey) -> Option<LineKey> {
    let Neighbour::Always(Some(before)) = lines.get(&key)?.before else {
        return None;
    };
    (next(lines, before) == Some(key)).then_some(before)
}

/// The line after this one in its block.
fn next(lines: &HashMap<LineKey, LineCounts>, key: LineKey) -> Option<LineKey> {
    let own = lines.get(&key)?;
    let Neighbour::Always(Some(after)) = own.after else {
        return None;
    };
    let other = lines.get(&after)?;
    let is_mutual = other.before == Neighbour::Always(Some(key));
    (is_mutual && other.documents == own.documents).then_some(after)
}

/// The block that begins with this line. A line whose next is always itself never ends a text, so that no
/// block is circular.
fn block(lines: &HashMap<LineKey, LineCounts>, first: LineKey) -> Recurring {
    let keys = std::iter::successors(Some(first), |&key| next(lines, key));
    let line = lines.get(&first).copied().unwrap_or_default();
    Recurring {
        lines: keys.collect(),
        documents: line.documents,
        groups: line.groups,
        example: line.example,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(documents: &[Vec<&str>], least: u32) -> Vec<(Vec<LineKey>, u32, u64)> {
        let keys: Vec<Vec<LineKey>> = documents
            .iter()
            .map(|lines| lines.iter().map(|line| LineKey::of(line)).collect())
            .collect();
        let mut sketching = Sketching::new(documents.len(), least);
        keys.iter().for_each(|lines| sketching.add(lines));
        let mut counting = sketching.finish();
        (0..)
            .zip(&keys)
            .for_each(|(at, lines)| counting.add((at / 2, at), lines));
        assert!(!counting.is_truncated());
        let (blocks, found) = counting.finish(usize::MAX);
        assert_eq!(found, blocks.len() as u64);
        let blocks = blocks.into_iter();
        blocks
            .map(|block| (block.lines, block.documents, block.example))
            .collect()
    }

    fn keys(lines: &[&str]) -> Vec<LineKey> {
        lines.iter().map(|line| LineKey::of(line)).collect()
    }

    #[test]
    fn lines_that_always_stand_together_are_one_block() {
        let documents = [
            vec!["head 1", "head 2", "first", "foot"],
            vec!["head 1", "head 2", "second", "foot", "after"],
            vec!["head 1", "head 2", "third"],
            vec!["alone", "foot"],
        ];
        assert_eq!(
            found(&documents, 3),
            [(keys(&["head 1", "head 2"]), 3, 0), (keys(&["foot"]), 3, 0)]
        );
        assert!(found(&documents, 4).is_empty());
    }

    #[test]
    fn only_the_first_blocks_are_kept_and_all_are_counted() {
        let names: Vec<String> = (0..40).map(|at| format!("line {at}")).collect();
        let documents: Vec<Vec<&str>> = (0..42)
            .map(|at| names.iter().skip(at).map(String::as_str).collect())
            .collect();
        let keys: Vec<Vec<LineKey>> = documents.iter().map(|lines| keys(lines)).collect();
        let counted = |limit| {
            let mut sketching = Sketching::new(keys.len(), 2);
            keys.iter().for_each(|lines| sketching.add(lines));
            let mut counting = sketching.finish();
            (0..)
                .zip(&keys)
                .for_each(|(at, lines)| counting.add((at / 2, at), lines));
            counting.finish(limit)
        };
        let (all, found) = counted(usize::MAX);
        assert_eq!((all.len() as u64, found), (39, 39));
        assert_eq!(counted(7), (all[..7].to_vec(), 39));
    }

    #[test]
    fn a_line_of_revisions_is_in_one_group() {
        let documents = [vec!["a", "b"], vec!["a"], vec!["b"], vec!["b", "a"]];
        let keys: Vec<Vec<LineKey>> = documents.iter().map(|lines| keys(lines)).collect();
        let mut sketching = Sketching::new(keys.len(), 2);
        keys.iter().for_each(|lines| sketching.add(lines));
        let mut counting = sketching.finish();
        // The first two are revisions of one document.
        for ((group, document), lines) in [(7, 0), (7, 1), (2, 2), (3, 3)].into_iter().zip(&keys) {
            counting.add((group, document), lines);
        }
        let (blocks, _) = counting.finish(usize::MAX);
        let mut found: Vec<_> = blocks
            .iter()
            .map(|block| (block.lines[0], block.documents, block.groups))
            .collect();
        found.sort_unstable();
        let mut right = [(LineKey::of("a"), 3, 2), (LineKey::of("b"), 3, 3)];
        right.sort_unstable();
        assert_eq!(found, right);
    }

    #[test]
    fn what_is_held_is_no_more_than_what_is_said() {
        let documents = 5_000;
        let sketching = Sketching::new(documents, 2);
        let places = sketching.candidates.capacity() as u64;
        assert!(places >= most_lines(documents) as u64);
        let map = (places * 8 / 7) * LINE_BYTES;
        let sketch = Sketch::bytes_for(width(documents));
        assert!(sketch + map <= Sketching::bytes_for(documents, 1_000));
    }

    #[test]
    fn a_line_that_is_repeated_in_a_document_counts_once() {
        let documents = [vec!["a", "a", "a"], vec!["a", "b"], vec!["b", "a"]];
        let found = found(&documents, 2);
        assert_eq!(found[0], (keys(&["a"]), 3, 0));
        assert_eq!(found[1], (keys(&["b"]), 2, 1));
    }

    proptest! {
        #[test]
        fn every_recurring_line_is_in_one_block_with_its_count(
            documents in prop::collection::vec(prop::collection::vec(0usize..12, 0..8), 0..12), least in 2u32..5,
        ) {
            const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
            let documents: Vec<Vec<&str>> =
                documents.iter().map(|lines| lines.iter().map(|&at| NAMES[at]).collect()).collect();
            let mut met: Vec<(LineKey, u32)> = Vec::new();
            for (lines, count, example) in found(&documents, least) {
                let text = &documents[example as usize];
                let own = keys(text);
                prop_assert!(own.windows(lines.len()).any(|window| window == lines));
                met.extend(lines.iter().map(|&line| (line, count)));
            }
            met.sort();
            let counted = NAMES.map(|name| {
                let holding = documents.iter().filter(|lines| lines.contains(&name)).count();
                (LineKey::of(name), holding as u32)
            });
            let mut right: Vec<_> = counted.into_iter().filter(|(_, count)| *count >= least).collect();
            right.sort();
            prop_assert_eq!(met, right);
        }
    }
}
