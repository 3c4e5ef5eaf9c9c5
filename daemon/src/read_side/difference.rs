//! The difference of two texts as a unified diff, and its strict application.
//!
//! Lines end at `\n` alone, as the `patch` tool has it: a `\r` is part of its line, so texts with
//! `\r\n` survive the way there and back byte for byte. That is why the unified form is written here and
//! not by `similar`, which aligns the lines: it takes a `\r` at the end of a text for a line end, and what
//! it then writes does not apply. A test holds the two against each other.
mod apply;
mod name;
mod permit;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::fmt::Write as _;
use std::ops::Range;
use std::time::Instant;

use similar::{ChangeTag, DiffOp, TextDiff};

pub use apply::{ApplyError, apply};
pub(crate) use permit::{TooManyLines, permit_to_align};

/// Lines written before it is asked whether to go on.
const LINES_A_LOOK: usize = 256;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// What follows a last line without line end, as `diff` and `patch` write it.
const NO_NEWLINE: &str = "\\ No newline at end of file\n";

/// The unified diff from text `a` to text `b`; empty if they are equal.
///
/// Applied to `a` it gives exactly `b`, by [`apply`] or by `patch`. The deadline bounds the search
/// for common lines: past it the diff grows longer, never wrong. Names are escaped if they hold
/// control characters.
///
/// ```
/// let patch = simdexd::read_side::difference::unified("old", "new", "one\n", "two\n", None);
/// assert_eq!(patch, "--- old\n+++ new\n@@ -1 +1 @@\n-one\n+two\n");
/// ```
pub fn unified(a_name: &str, b_name: &str, a: &str, b: &str, deadline: Option<Instant>) -> String {
    Difference::between(&lines(a), &lines(b), deadline).unified(a_name, b_name)
}

/// The lines of a text, each with its `\n`; the last one may lack it.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// How many lines a difference takes away and adds, and in how many hunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) hunks: usize,
    pub(crate) removed: usize,
    pub(crate) added: usize,
}

/// Two sequences of lines, aligned.
pub(crate) struct Difference<'a> {
    /// Line contents and operations.
    pub(crate) diff: TextDiff<'a, 'a, str>,
    /// Whether the deadline ended the search for common lines.
    pub(crate) cut_short: bool,
}

impl<'a> Difference<'a> {
    /// Aligns `a` with `b` (Myers 1986, as `similar` implements it), until the deadline.
    pub(crate) fn between(a: &[&'a str], b: &[&'a str], deadline: Option<Instant>) -> Self {
        let mut config = TextDiff::configure();
        if let Some(deadline) = deadline {
            config.deadline(deadline);
        }
        let diff = config.diff_slices(a, b);
        let cut_short = deadline.is_some_and(|at| Instant::now() >= at);
        Self { diff, cut_short }
    }

    /// The hunks: changes, each with its context.
    pub(crate) fn hunks(&self) -> impl Iterator<Item = Vec<DiffOp>> + use<> {
        let hunks = self.diff.grouped_ops(CONTEXT).into_iter();
        hunks.filter(|ops| ops.iter().any(|op| !matches!(op, DiffOp::Equal { .. })))
    }

    /// Counts hunks and lines.
    pub(crate) fn extent(&self) -> Extent {
        let start = Extent {
            hunks: self.hunks().count(),
            ..Extent::default()
        };
        let changes = self.diff.ops().iter();
        changes
            .filter(|op| !matches!(op, DiffOp::Equal { .. }))
            .fold(start, |sum, op| Extent {
                removed: sum.removed + op.old_range().len(),
                added: sum.added + op.new_range().len(),
                ..sum
            })
    }

    /// Writes the unified form; empty without changes.
    pub(crate) fn unified(&self, a_name: &str, b_name: &str) -> String {
        let written = self.unified_while(a_name, b_name, |_| Ok::<_, Infallible>(()));
        written.unwrap_or_else(|never| match never {})
    }

    /// Writes the unified diff as long as `go_on` lets it; it is told now and then how many bytes there are.
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
        let changes = ops.iter().flat_map(|op| self.diff.iter_changes(op));
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

/// Lines as a hunk header counts them: from 1, an empty range by the line before it.
fn range(lines: Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        n => format!("{},{n}", lines.start + 1),
    }
}
