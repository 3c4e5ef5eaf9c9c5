//! Applying a unified diff, strictly: no fuzz, no offsets, every context line equal.
use std::iter::{Enumerate, Peekable};
use std::str::SplitInclusive;

use thiserror::Error;

use super::{NO_NEWLINE, lines};

/// Why a patch does not apply. Lines count from 1.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ApplyError {
    /// The patch is malformed.
    #[error("line {line} of the patch is not {expected}")]
    Syntax {
        /// Line of the patch.
        line: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// A hunk does not follow the one before, or lies outside the text.
    #[error("the hunk at line {line} of the patch does not fit into the text")]
    Misplaced {
        /// Line of the patch.
        line: usize,
    },
    /// The text differs from what the patch expects.
    #[error("line {line} of the patch differs from line {text_line} of the text")]
    Mismatch {
        /// Line of the patch.
        line: usize,
        /// Line of the text.
        text_line: usize,
    },
}

/// Applies a unified diff of one file to the text it was made from.
///
/// An empty patch changes nothing.
///
/// # Errors
/// See [`ApplyError`]; nothing is guessed.
pub fn apply(patch: &str, a: &str) -> Result<String, ApplyError> {
    let mut run = PatchRun {
        patch: patch.split_inclusive('\n').enumerate().peekable(),
        end: patch.split_inclusive('\n').count() + 1,
        text: lines(a),
        taken: 0,
        out: String::with_capacity(a.len()),
        given: 0,
    };
    if !patch.is_empty() {
        run.header("--- ", "a `--- ` line")?;
        run.header("+++ ", "a `+++ ` line")?;
        run.hunk()?;
        while run.patch.peek().is_some() {
            run.hunk()?;
        }
    }
    run.keep(run.text.len(), run.end)?;
    Ok(run.out)
}

/// One application under way.
struct PatchRun<'a> {
    patch: Peekable<Enumerate<SplitInclusive<'a, char>>>,
    /// The line number after the last line of the patch.
    end: usize,
    text: Vec<&'a str>,
    /// Lines of the text consumed.
    taken: usize,
    out: String,
    /// Lines written to `out` so far.
    given: usize,
}

impl<'a> PatchRun<'a> {
    fn next(&mut self, expected: &'static str) -> Result<(usize, &'a str), ApplyError> {
        let end = self.end;
        let (index, text) = self.patch.next().ok_or(ApplyError::Syntax {
            line: end,
            expected,
        })?;
        Ok((index + 1, text))
    }

    fn header(&mut self, prefix: &str, expected: &'static str) -> Result<(), ApplyError> {
        let (line, text) = self.next(expected)?;
        if text.starts_with(prefix) && text.ends_with('\n') {
            return Ok(());
        }
        Err(ApplyError::Syntax { line, expected })
    }

    fn hunk(&mut self) -> Result<(), ApplyError> {
        let expected = "a hunk header";
        let (line, text) = self.next(expected)?;
        let (old, new) = hunk_header(text).ok_or(ApplyError::Syntax { line, expected })?;
        if old.start < self.taken || old.start > self.text.len() {
            return Err(ApplyError::Misplaced { line });
        }
        self.keep(old.start, line)?;
        if self.given != new.start {
            return Err(ApplyError::Misplaced { line });
        }
        self.body(old.len, new.len)
    }

    fn body(&mut self, mut old_left: usize, mut new_left: usize) -> Result<(), ApplyError> {
        while old_left > 0 || new_left > 0 {
            let expected = "a line of the hunk";
            let syntax = |line| ApplyError::Syntax { line, expected };
            let (line, text) = self.next(expected)?;
            let (old, new) = match text.as_bytes().first() {
                Some(b' ') => (1, 1),
                Some(b'-') => (1, 0),
                Some(b'+') => (0, 1),
                _ => return Err(syntax(line)),
            };
            old_left = old_left.checked_sub(old).ok_or_else(|| syntax(line))?;
            new_left = new_left.checked_sub(new).ok_or_else(|| syntax(line))?;
            let content = self.content(&text[1..]).ok_or_else(|| syntax(line))?;
            if old == 1 {
                self.take(content, line)?;
            }
            if new == 1 {
                self.give(content, line)?;
            }
        }
        Ok(())
    }

    /// The content of a line, without its line end if the patch says so next.
    fn content(&mut self, text: &'a str) -> Option<&'a str> {
        match self.patch.next_if(|(_, next)| next.starts_with('\\')) {
            Some((_, NO_NEWLINE)) => text.strip_suffix('\n'),
            Some(_) => None,
            None => text.ends_with('\n').then_some(text),
        }
    }

    fn take(&mut self, content: &str, line: usize) -> Result<(), ApplyError> {
        if self.text.get(self.taken) != Some(&content) {
            let text_line = self.taken + 1;
            return Err(ApplyError::Mismatch { line, text_line });
        }
        self.taken += 1;
        Ok(())
    }

    fn give(&mut self, content: &str, line: usize) -> Result<(), ApplyError> {
        // Nothing may follow a line without a line end.
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            return Err(ApplyError::Misplaced { line });
        }
        self.out.push_str(content);
        self.given += 1;
        Ok(())
    }

    /// Copies the unchanged lines up to `end`.
    fn keep(&mut self, end: usize, line: usize) -> Result<(), ApplyError> {
        while self.taken < end {
            self.give(self.text[self.taken], line)?;
            self.taken += 1;
        }
        Ok(())
    }
}

/// Lines of one side of a hunk, `start` counted from 0.
struct HunkSide {
    start: usize,
    len: usize,
}

/// Reads `@@ -1,2 +3 @@`.
fn hunk_header(text: &str) -> Option<(HunkSide, HunkSide)> {
    let text = text.strip_prefix("@@ -")?.strip_suffix(" @@\n")?;
    let (old, new) = text.split_once(" +")?;
    Some((side(old)?, side(new)?))
}

fn side(text: &str) -> Option<HunkSide> {
    let (line, len) = text.split_once(',').unwrap_or((text, "1"));
    let (line, len): (usize, usize) = (line.parse().ok()?, len.parse().ok()?);
    // An empty range is given by the line before it.
    let start = if len == 0 { line } else { line.checked_sub(1)? };
    Some(HunkSide { start, len })
}
