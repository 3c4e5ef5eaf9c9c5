//! Recurring lines in two passes, and the blocks they form; no I/O.
//!
//! Lines form a block if they are in the same documents and each is followed by the next wherever it occurs.
//! Lines that are too short to count are skipped. So a letterhead of three lines is one template, and a line
//! of it that also occurs elsewhere is a template of its own.
//!
//! Sentences are counted beside lines, and form blocks of their own. A text is listed by one kind: by lines where it is
//! wrapped in one way, by sentences where documents wrap it differently. For each line it is noted in which sentence it
//! begins, and for each sentence in which line, if that is the same wherever it occurs. A line that always begins in
//! one sentence, which is in more documents, is that sentence wrapped in one of several ways; a sentence that always
//! begins in one line, which is in as many, is wrapped in one way.

use std::cmp::{Ordering, Reverse};
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap, HashSet};

use simdex_signature::{LineKey, TemplateLines};

use super::sketch::Sketch;

/// Shorter lines, in bytes of canonical text, do not count: this is the length of a shingle.
pub const MIN_BYTES: usize = TemplateLines::SHORTEST;

/// Cells of the sketch for each document.
const CELLS: usize = 64;

/// Most cells of a row: 32 MiB each.
const MAX_CELLS: usize = 1 << 24;

/// Most lines that are counted exactly, if there are enough documents.
const MAX_LINES: usize = 1 << 19;

/// Bytes of a line in the map, which is allocated at once: a map has one more byte for each entry.
const LINE_BYTES: u64 = 1 + size_of::<(LineKey, LineCounts)>() as u64;
/// Bytes of a line in its block, for a list that doubles as it grows.
const IN_BLOCK: u64 = 3 * size_of::<LineKey>() as u64;
/// Bytes of a line in the set of those that are listed otherwise, before and while it shrinks.
const LISTED: u64 = 3 * size_of::<LineKey>() as u64;
/// Bytes of a block beside its lines.
const BLOCK: u64 = size_of::<Recurring>() as u64 + 32;

/// A line or sentence of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Key of its text; a line and a sentence must not have one key.
    pub key: LineKey,
    /// The sentence in which the line begins, or the first line of the sentence that has a key.
    pub within: Option<LineKey>,
}

impl From<LineKey> for Unit {
    fn from(key: LineKey) -> Self {
        Self { key, within: None }
    }
}

/// What a unit is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnitKind {
    /// A line of the text.
    #[default]
    Line,
    /// A sentence of running text.
    Sentence,
}

/// A block of lines or sentences that recur together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurring {
    /// What it consists of.
    pub kind: UnitKind,
    /// Its lines or sentences, in order.
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
    min_documents: u32,
    sketch: Sketch,
    candidates: HashMap<LineKey, LineCounts>,
    max_candidates: usize,
    truncated: bool,
}

/// The second pass: in how many documents each of these lines occurs.
pub struct Counting {
    min_documents: u32,
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
    kind: UnitKind,
    before: Neighbour,
    after: Neighbour,
    within: Neighbour,
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
    /// A finder for this many documents; lines in fewer than `min_documents` of them do not recur.
    pub fn new(documents: usize, min_documents: u32) -> Self {
        Self {
            min_documents: min_documents.max(2),
            sketch: Sketch::new(width(documents)),
            candidates: HashMap::with_capacity(max_lines(documents)),
            max_candidates: max_lines(documents),
            truncated: false,
        }
    }

    /// Most bytes that both passes take for `limit` blocks, without the lines of one document.
    pub fn bytes_for(documents: usize, limit: usize) -> u64 {
        let lines = max_lines(documents);
        // As full as a map may be: seven of eight places.
        let places = (lines * 8 / 7 + 1).next_power_of_two();
        let blocks = limit.min(lines) as u64 * 2 * BLOCK + lines as u64 * (IN_BLOCK + LISTED);
        Sketch::bytes_for(width(documents)) + places as u64 * LINE_BYTES + blocks
    }

    /// Adds the lines or sentences of one document; copies their keys.
    pub fn add(&mut self, units: &[Unit]) {
        let mut distinct: Vec<LineKey> = units.iter().map(|unit| unit.key).collect();
        distinct.sort_unstable();
        distinct.dedup();
        for line in distinct {
            if u32::from(self.sketch.add(line.0)) < self.min_documents.min(u16::MAX.into()) {
                continue;
            }
            let room = self.candidates.len() < self.max_candidates;
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
            min_documents: self.min_documents,
            lines: self.candidates,
            truncated: self.truncated,
        }
    }
}

fn width(documents: usize) -> usize {
    documents.saturating_mul(CELLS).clamp(1 << 10, MAX_CELLS)
}

fn max_lines(documents: usize) -> usize {
    width(documents).min(MAX_LINES)
}

impl Counting {
    /// Whether some lines that may recur are not counted because there are too many.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Adds the lines or sentences of one document, whose number must be unique; those of one group must be adjacent.
    pub fn add(&mut self, (group, document): (u64, u64), kind: UnitKind, units: &[Unit]) {
        let key = |at: usize| units.get(at).map(|unit| unit.key);
        for (at, unit) in units.iter().enumerate() {
            let Some(line) = self.lines.get_mut(&unit.key) else {
                continue;
            };
            line.kind = kind;
            if line.documents == 0 {
                line.example = document;
            }
            if line.documents == 0 || line.last != document {
                line.groups += u32::from(line.documents == 0 || line.last_group != group);
                line.last_group = group;
                line.documents += 1;
                line.last = document;
            }
            line.before.meet(at.checked_sub(1).and_then(key));
            line.after.meet(key(at + 1));
            line.within.meet(unit.within);
        }
    }

    /// The first `limit` blocks, those in most documents first, then those of most lines, then by key; and the
    /// number of all blocks.
    pub fn finish(mut self, limit: usize) -> (Vec<Recurring>, u64) {
        let min_documents = self.min_documents;
        self.lines.retain(|_, line| line.documents >= min_documents);
        let all = &self.lines;
        let mut twice: HashSet<LineKey> = all.keys().copied().collect();
        twice.retain(|key| is_listed_otherwise(all, *key));
        self.lines.retain(|key, _| !twice.contains(key));
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

/// Whether the text of a line is listed by sentences, or that of a sentence by lines.
fn is_listed_otherwise(lines: &HashMap<LineKey, LineCounts>, key: LineKey) -> bool {
    let Some(own) = lines.get(&key) else {
        return false;
    };
    let Neighbour::Always(Some(within)) = own.within else {
        return false;
    };
    let Some(other) = lines.get(&within) else {
        return false;
    };
    match own.kind {
        UnitKind::Line => other.documents > own.documents,
        UnitKind::Sentence => {
            other.documents >= own.documents && !is_listed_otherwise(lines, within)
        }
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
        kind: line.kind,
        lines: keys.collect(),
        documents: line.documents,
        groups: line.groups,
        example: line.example,
    }
}

#[cfg(test)]
mod tests;
