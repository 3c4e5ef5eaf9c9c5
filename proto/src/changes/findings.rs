//! Changes from one report of a compliance question to the next: files that are newly found, files no longer found, and
//! files whose findings changed.
//!
//! A file is identified by its path or, if a question finds files beside each of several others, by both paths. Lists
//! are in the order of their question, which changes with any file, so two lists cannot be merged in one pass. Instead,
//! a fixed number of bytes per line of the earlier list is held, and each changed line in full. Changes are reported by
//! path.

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Seek, SeekFrom};

use serde_json::{Value, json};

use super::{bytes, malformed, next_line};
use crate::lines::{Finding, FindingChange, FindingTotals};

/// Upper bound of the index's bytes per line of the earlier list: an entry and its control byte, in a table that is
/// seven eighths full, beside one of twice its size while it grows.
const INDEXED: u64 = 288;
const _: () = assert!(3 * 8 * (size_of::<(Digest, IndexedLine)>() + 1) <= 7 * INDEXED as usize);
/// Bytes held per byte of a line to be reported: the line, and what is derived from it.
const HELD_PER_LINE_BYTE: u64 = 4;

/// Receives one change.
pub type TakeFindingChange<'a> = dyn FnMut(&FindingChange) -> io::Result<()> + 'a;

/// Accounts for this many more bytes held; fails if the limit is reached.
pub type ReserveBytes<'a> = dyn FnMut(u64) -> io::Result<()> + 'a;

/// Half of a BLAKE3.
type Digest = [u8; 16];

/// A line of the earlier list.
struct IndexedLine {
    facts: Digest,
    numbers: Option<Digest>,
    /// Offset of the line.
    at: u64,
    length: u64,
    /// Whether the later list has the file too.
    is_met: bool,
    /// Further lines of these paths in the earlier list, and lines of them in the later one: a file that changes while
    /// a report is made may be listed twice. These are counted in the first line's entry.
    further: u32,
    later: u32,
}

/// Compares the findings of an earlier report with later ones as they arrive.
pub struct FindingComparer<R> {
    earlier: R,
    index: HashMap<Digest, IndexedLine>,
    changes: Vec<PendingChange>,
    totals: FindingTotals,
}

/// A change, with the paths by which it is sorted.
struct PendingChange {
    paths: [Vec<u8>; 2],
    change: FindingChange,
}

impl<R: Read + Seek> FindingComparer<R> {
    /// Indexes an earlier list from its `lines`, each of limited length. Lines that changed are read again from
    /// `earlier`.
    ///
    /// # Errors
    /// Errors of reading and of `hold`; [`io::ErrorKind::InvalidData`] if the input is not a list of findings.
    pub fn new(
        mut lines: impl BufRead,
        longest: usize,
        earlier: R,
        hold: &mut ReserveBytes<'_>,
    ) -> io::Result<Self> {
        let (mut index, mut at) = (HashMap::new(), 0);
        loop {
            let line = next_line(&mut lines, longest)?;
            if line.is_empty() {
                break;
            }
            hold(INDEXED)?;
            let (finding, length) = (parsed(&line)?, line.len() as u64);
            let indexed = IndexedLine {
                facts: digest(&Value::from_iter(facts(&finding))),
                numbers: numbers(&finding).map(|numbers| digest(&Value::from_iter(numbers))),
                at,
                length,
                is_met: false,
                further: 0,
                later: 0,
            };
            let paths = key(&finding)?;
            let first: Option<&mut IndexedLine> = index.get_mut(&line_key(&paths, 0));
            let number = first.map_or(0, |first| {
                first.further += 1;
                first.further
            });
            index.insert(line_key(&paths, number), indexed);
            at += length;
        }
        Ok(Self {
            earlier,
            index,
            changes: Vec::new(),
            totals: FindingTotals::default(),
        })
    }

    /// Takes the next line of the later list, in any order.
    ///
    /// # Errors
    /// As [`FindingComparer::new`].
    pub fn line(&mut self, line: &[u8], hold: &mut ReserveBytes<'_>) -> io::Result<()> {
        let finding = parsed(line)?;
        let paths = key(&finding)?;
        let first = self.index.get_mut(&line_key(&paths, 0));
        let number = first.map_or(0, |first| {
            first.later += 1;
            first.later - 1
        });
        let Some(indexed) = self.index.get_mut(&line_key(&paths, number)) else {
            hold(HELD_PER_LINE_BYTE * line.len() as u64)?;
            self.totals.findings_new += 1;
            self.tell(paths, "finding-new", finding, None);
            return Ok(());
        };
        indexed.is_met = true;
        if !differs(indexed, &finding) {
            return Ok(());
        }
        let (at, length) = (indexed.at, indexed.length);
        hold(HELD_PER_LINE_BYTE * (line.len() as u64 + length))?;
        let before = self.earlier_line(at, length)?;
        self.totals.findings_changed += 1;
        self.tell(paths, "finding-changed", finding, Some(before));
        Ok(())
    }

    /// Ends the comparison, and reports the changes by path.
    ///
    /// # Errors
    /// As [`FindingComparer::line`], and errors of `take`.
    pub fn finish(
        mut self,
        hold: &mut ReserveBytes<'_>,
        take: &mut TakeFindingChange<'_>,
    ) -> io::Result<FindingTotals> {
        let index = std::mem::take(&mut self.index);
        let gone = index.into_values().filter(|indexed| !indexed.is_met);
        let mut gone: Vec<_> = gone.map(|it| (it.at, it.length)).collect();
        // In the order of the earlier list, so that it is read forwards and reported in a fixed order.
        gone.sort_unstable();
        for (at, length) in gone {
            hold(HELD_PER_LINE_BYTE * length)?;
            let finding = self.earlier_line(at, length)?;
            self.totals.findings_gone += 1;
            self.tell(key(&finding)?, "finding-gone", finding, None);
        }
        // Changes of one path are sorted by their text, so that a list is always reported in the same order.
        let rank = |pending: &PendingChange| pending.change.change;
        self.changes
            .sort_by(|a, b| (&a.paths, rank(a)).cmp(&(&b.paths, rank(b))));
        self.changes
            .iter()
            .try_for_each(|pending| take(&pending.change))?;
        Ok(self.totals)
    }

    fn tell(
        &mut self,
        paths: [Vec<u8>; 2],
        change: &'static str,
        finding: Finding,
        before: Option<Finding>,
    ) {
        let before_it = before.as_ref();
        let fields = before_it.map_or_else(Vec::new, |before| changed(before, &finding));
        let change = FindingChange {
            change,
            fields,
            finding,
            before,
        };
        self.changes.push(PendingChange { paths, change });
    }

    /// Reads a line of the earlier list again.
    fn earlier_line(&mut self, at: u64, length: u64) -> io::Result<Finding> {
        let mut line = Vec::new();
        self.earlier.seek(SeekFrom::Start(at))?;
        (&mut self.earlier).take(length).read_to_end(&mut line)?;
        parsed(&line)
    }
}

fn parsed(line: &[u8]) -> io::Result<Finding> {
    serde_json::from_slice(line).map_err(|_| malformed("a line of it is no finding"))
}

/// The paths that identify a finding. In lists that name each file once, its own path suffices, since the file beside
/// it may change.
fn key(finding: &Finding) -> io::Result<[Vec<u8>; 2]> {
    let path = bytes(finding.path.path.clone(), finding.path.path_bytes.clone())?;
    let of = match finding.kind.as_str() {
        "copies-of" | "leak" => bytes(finding.of.clone(), finding.of_bytes.clone())?,
        _ => Vec::new(),
    };
    Ok([path, of])
}

/// The key of a line, from its paths and the number of earlier lines with the same paths.
fn line_key(paths: &[Vec<u8>; 2], number: u32) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for path in paths {
        hasher
            .update(&(path.len() as u64).to_le_bytes())
            .update(path);
    }
    half(&hasher.update(&number.to_le_bytes()).finalize())
}

/// The facts of a finding that are compared, by name. The modification time and the owner's name are left out, since
/// they do not affect the question.
fn facts(finding: &Finding) -> [(&'static str, Value); 8] {
    [
        ("relation", json!(finding.relation)),
        ("of", json!([finding.of, finding.of_bytes])),
        ("newest", json!([finding.newest, finding.newest_bytes])),
        ("document", json!(finding.document)),
        ("content", json!(finding.content)),
        ("bytes", json!(finding.bytes)),
        ("owner", json!(finding.owner)),
        ("date", json!(finding.date)),
    ]
}

/// The numbers that are compared: only those counted on all shingles, since an estimate changes with the sample.
fn numbers(finding: &Finding) -> Option<[(&'static str, Value); 3]> {
    (finding.verified == Some(true)).then(|| {
        [
            ("resemblance", json!(finding.resemblance)),
            ("containment", json!(finding.containment)),
            ("containment_of_other", json!(finding.containment_of_other)),
        ]
    })
}

fn differs(earlier: &IndexedLine, later: &Finding) -> bool {
    let numbers = numbers(later).map(|numbers| digest(&Value::from_iter(numbers)));
    let both = earlier.numbers.zip(numbers);
    both.is_some_and(|(before, after)| before != after)
        || earlier.facts != digest(&Value::from_iter(facts(later)))
}

/// The names of the facts that changed.
fn changed(before: &Finding, after: &Finding) -> Vec<&'static str> {
    let facts = facts(before).into_iter().zip(facts(after));
    let numbers = numbers(before).zip(numbers(after));
    let numbers = numbers.into_iter().flat_map(|(a, b)| a.into_iter().zip(b));
    let changed = facts.chain(numbers).filter(|(a, b)| a.1 != b.1);
    changed.map(|((name, _), _)| name).collect()
}

fn digest(value: &Value) -> Digest {
    half(&blake3::hash(value.to_string().as_bytes()))
}

fn half(hash: &blake3::Hash) -> Digest {
    let mut half = Digest::default();
    half.copy_from_slice(&hash.as_bytes()[..16]);
    half
}

#[cfg(test)]
mod tests;
