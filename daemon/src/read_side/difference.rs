//! The difference of two texts: by lines as a unified diff, by words as operations, each with its strict application.
//!
//! Lines and words are aligned by [`simdex_signature::align`], whose work is bounded by the lengths of both texts.
//! The unified form is for `patch` and shows each line that is broken differently; [`words`] ignores line breaks, and
//! detects moves.
//!
//! Lines end at `\n` alone, as in the `patch` tool: a `\r` is part of its line, so that texts with `\r\n` survive the
//! round trip byte for byte. That is why the unified form is written here and not by `similar`, which groups the
//! changes: it treats a `\r` at the end of a text as a line end, and its output then does not apply. A test compares
//! the two.
mod apply;
mod name;
pub mod operations;
mod permit;
pub(crate) mod shown;
#[cfg(test)]
mod tests;
pub mod words;

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::ops::Range;

use simdex_signature::align::{Alignment, align_lines_while};
use similar::{ChangeTag, DiffOp, group_diff_ops};

pub use apply::{ApplyError, apply};
pub(crate) use permit::{TooMuchToAlign, permit_to_align, permit_to_align_words};

/// Lines written before checking whether to continue.
const LINES_A_LOOK: usize = 256;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// What follows a last line without a line end, as `diff` and `patch` write it.
const NO_NEWLINE: &str = "\\ No newline at end of file\n";

/// The unified diff from text `a` to text `b`; empty if they are equal.
///
/// Applied to `a` it gives exactly `b`, by [`apply`] or by `patch`. Where very much differs in one place it is
/// longer than necessary, never wrong. Names are escaped if they hold control characters.
///
/// ```
/// let patch = simdexd::read_side::difference::unified("old", "new", "one\n", "two\n");
/// assert_eq!(patch, "--- old\n+++ new\n@@ -1 +1 @@\n-one\n+two\n");
/// ```
pub fn unified(a_name: &str, b_name: &str, a: &str, b: &str) -> String {
    let difference = Difference::between(lines(a), lines(b), &mut || Ok::<_, Infallible>(()));
    let difference = difference.unwrap_or_else(|never| match never {});
    difference.unified(a_name, b_name)
}

/// The lines of a text, each with its `\n`; the last one may lack it.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// How many lines a difference removes and adds, and in how many hunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) hunks: usize,
    pub(crate) removed: usize,
    pub(crate) added: usize,
    /// Of those removed and added, the blank ones.
    pub(crate) blank: usize,
}

/// How many of these lines hold nothing but white space.
fn blank(lines: &[&str]) -> usize {
    lines.iter().filter(|line| line.trim().is_empty()).count()
}

/// Two sequences of lines, aligned.
pub(crate) struct Difference<'a> {
    /// The lines of the first text, and of the second.
    pub(crate) old: Vec<&'a str>,
    pub(crate) new: Vec<&'a str>,
    /// The operations that turn the first into the second, in order.
    pub(crate) ops: Vec<DiffOp>,
    /// Whether the search for common lines was cut short somewhere.
    pub(crate) cut_short: bool,
}

impl<'a> Difference<'a> {
    /// Aligns `old` with `new` as long as `go_on`, which is called periodically, allows it.
    pub(crate) fn between<E>(
        old: Vec<&'a str>,
        new: Vec<&'a str>,
        go_on: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut numbers = HashMap::new();
        let mut keys = |lines: &[&'a str]| -> Vec<u32> {
            let lines = lines.iter().map(|line| {
                let next = numbers.len() as u32;
                *numbers.entry(*line).or_insert(next)
            });
            lines.collect()
        };
        let keys = [keys(&old), keys(&new)];
        drop(numbers);
        let found = align_lines_while(&keys[0], &keys[1], go_on)?;
        let cut_short = found.is_cut_short;
        let ops = ops(&found, (old.len(), new.len()));
        Ok(Self {
            old,
            new,
            ops,
            cut_short,
        })
    }

    /// The hunks: changes, each with its context.
    pub(crate) fn hunks(&self) -> impl Iterator<Item = Vec<DiffOp>> + use<> {
        let hunks = group_diff_ops(self.ops.clone(), CONTEXT).into_iter();
        hunks.filter(|ops| ops.iter().any(|op| !matches!(op, DiffOp::Equal { .. })))
    }

    /// Counts hunks and lines.
    pub(crate) fn extent(&self) -> Extent {
        let start = Extent {
            hunks: self.hunks().count(),
            ..Extent::default()
        };
        let changes = self.ops.iter();
        changes
            .filter(|op| !matches!(op, DiffOp::Equal { .. }))
            .fold(start, |sum, op| Extent {
                removed: sum.removed + op.old_range().len(),
                added: sum.added + op.new_range().len(),
                blank: sum.blank
                    + blank(&self.old[op.old_range()])
                    + blank(&self.new[op.new_range()]),
                ..sum
            })
    }

    /// Writes the unified form; empty without changes.
    pub(crate) fn unified(&self, a_name: &str, b_name: &str) -> String {
        let written = self.unified_while(a_name, b_name, |_| Ok::<_, Infallible>(()));
        written.unwrap_or_else(|never| match never {})
    }

    /// Writes the unified diff as long as `go_on` allows it; `go_on` is called periodically with the number
    /// of bytes so far.
    pub(crate) fn unified_while<E>(
        &self,
        a_name: &str,
        b_name: &str,
        mut go_on: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<String, E> {
        let mut out = String::new();
        for hunk in self.hunks() {
            if out.is_empty() {
                out = format!(
                    "--- {}\n+++ {}\n",
                    name::quoted(a_name),
                    name::quoted(b_name)
                );
            }
            self.write_hunk(&mut out, &hunk, &mut go_on)?;
        }
        go_on(out.len())?;
        Ok(out)
    }

    fn write_hunk<E>(
        &self,
        out: &mut String,
        ops: &[DiffOp],
        go_on: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let (Some(first), Some(last)) = (ops.first(), ops.last()) else {
            return Ok(());
        };
        let old = range(first.old_range().start..last.old_range().end);
        let new = range(first.new_range().start..last.new_range().end);
        // Writing to a string does not fail.
        let _ = writeln!(out, "@@ -{old} +{new} @@");
        let changes = ops
            .iter()
            .flat_map(|op| op.iter_changes(&self.old[..], &self.new[..]));
        for (number, change) in changes.enumerate() {
            if number % LINES_A_LOOK == 0 {
                go_on(out.len())?;
            }
            out.push(match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            });
            out.push_str(change.value());
            if !change.value().ends_with('\n') {
                out.push('\n');
                out.push_str(NO_NEWLINE);
            }
        }
        Ok(())
    }
}

/// Converts runs and the gaps between them to operations.
fn ops(found: &Alignment, (old_len, new_len): (usize, usize)) -> Vec<DiffOp> {
    let mut ops = Vec::with_capacity(2 * found.runs.len() + 1);
    let (mut old, mut new) = (0, 0);
    let runs = found.runs.iter().map(|run| (run.a, run.b, run.length));
    for (old_index, new_index, len) in runs.chain([(old_len, new_len, 0)]) {
        ops.extend(between((old, old_index), (new, new_index)));
        if len > 0 {
            ops.push(DiffOp::Equal {
                old_index,
                new_index,
                len,
            });
        }
        (old, new) = (old_index + len, new_index + len);
    }
    ops
}

/// The operation for the lines between two runs.
fn between((old_index, old): (usize, usize), (new_index, new): (usize, usize)) -> Option<DiffOp> {
    let (old_len, new_len) = (old - old_index, new - new_index);
    match (old_len, new_len) {
        (0, 0) => None,
        (_, 0) => Some(DiffOp::Delete {
            old_index,
            old_len,
            new_index,
        }),
        (0, _) => Some(DiffOp::Insert {
            old_index,
            new_index,
            new_len,
        }),
        _ => Some(DiffOp::Replace {
            old_index,
            old_len,
            new_index,
            new_len,
        }),
    }
}

/// Lines as a hunk header counts them: from 1; an empty range is given by the line before it.
fn range(lines: Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        n => format!("{},{n}", lines.start + 1),
    }
}
