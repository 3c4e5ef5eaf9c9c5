//! Changes from one report to the next. For reports of groups: groups and files that came or went, and files whose text
//! changed. For findings of a compliance question: see [`findings`].
//!
//! A group is identified by its principal's path. Reports list their groups in the order of these paths, so two reports
//! are compared in one pass that holds one group of each. A group whose principal is now another file is reported as
//! gone and as new, both with its id. A file that moved to another group has left one and joined the other. Applying
//! all that left and joined to the earlier list yields the later one.

pub mod findings;
mod terms;

use std::cmp::Ordering;
use std::io::{self, BufRead, Read};

use serde::Deserialize;

use crate::lines::{Change, JsonPath, exact, lossy, path_bytes};

pub use crate::lines::{ChangeTotals, FindingTotals, Totals};

pub use terms::{Caveat, ReportTerms, SchemeTerms, caveats_sentence};

/// The parts of a group that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupFiles {
    /// Id of the group within its report.
    pub id: u64,
    /// Path of its principal.
    pub principal: Vec<u8>,
    /// Every file by its path, with the hash of its document in hexadecimal.
    pub files: Vec<(Vec<u8>, String)>,
}

/// Whether two reports of this kind can be compared. Components and cores have nothing that identifies one in both
/// reports.
pub fn is_comparable(kind: &str) -> bool {
    !["components", "cores"].contains(&kind)
}

/// The file by which two reports of this kind are compared.
pub fn list_of(kind: &str) -> &'static str {
    match kind {
        "groups" | "components" | "cores" => "groups.jsonl",
        _ => "findings.jsonl",
    }
}

/// Receives one change.
pub type TakeChange<'a> = dyn FnMut(&Change) -> io::Result<()> + 'a;

/// The groups of a report, from its `groups.jsonl`.
pub struct GroupReader<R> {
    lines: R,
    longest: usize,
    last: Option<Vec<u8>>,
}

#[derive(Deserialize)]
struct GroupLine {
    id: u64,
    principal: String,
    principal_bytes: Option<String>,
    members: Vec<MemberLine>,
}

#[derive(Deserialize)]
struct MemberLine {
    path: String,
    path_bytes: Option<String>,
    document: Option<String>,
}

impl<R: BufRead> GroupReader<R> {
    /// Creates a reader that accepts lines of at most the given number of bytes.
    pub fn new(lines: R, longest: usize) -> Self {
        Self {
            lines,
            longest,
            last: None,
        }
    }

    /// The next group; `None` after the last.
    ///
    /// # Errors
    /// Errors of reading; [`io::ErrorKind::InvalidData`] if the input is not a list of groups by principal.
    pub fn next_group(&mut self) -> io::Result<Option<GroupFiles>> {
        let line = next_line(&mut self.lines, self.longest)?;
        if line.is_empty() {
            return Ok(None);
        }
        let group: GroupLine =
            serde_json::from_slice(&line).map_err(|_| malformed("a line of it is no group"))?;
        let group = group.files()?;
        // A file that changed while the report was made may lead two groups.
        let last = self.last.as_ref();
        if last.is_some_and(|last| *last > group.principal) {
            return Err(malformed("its groups are not in order"));
        }
        self.last = Some(group.principal.clone());
        Ok(Some(group))
    }
}

/// Reads the next line, of limited length; empty after the last.
fn next_line(lines: &mut impl BufRead, longest: usize) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let max_bytes = longest as u64 + 1;
    lines.take(max_bytes).read_until(b'\n', &mut line)?;
    match line.len() > longest {
        true => Err(malformed("a line of it takes too many bytes")),
        false => Ok(line),
    }
}

impl GroupLine {
    fn files(self) -> io::Result<GroupFiles> {
        let members = self.members.into_iter().map(|member| {
            let path = bytes(member.path, member.path_bytes)?;
            Ok((path, member.document.unwrap_or_default()))
        });
        let mut files: Vec<_> = members.collect::<io::Result<_>>()?;
        files.sort();
        Ok(GroupFiles {
            id: self.id,
            principal: bytes(self.principal, self.principal_bytes)?,
            files,
        })
    }
}

/// The bytes of a path in JSON.
fn bytes(shown: String, exact: Option<String>) -> io::Result<Vec<u8>> {
    let bytes = path_bytes(&shown, exact.as_deref());
    bytes.ok_or_else(|| malformed("a path of it is not in base64"))
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Compares the groups of an earlier report with later ones as they arrive.
pub struct Comparer<R> {
    earlier: GroupReader<R>,
    ahead: Option<GroupFiles>,
    totals: ChangeTotals,
}

impl<R: BufRead> Comparer<R> {
    /// Starts a comparison with the groups of an earlier report.
    ///
    /// # Errors
    /// As [`GroupReader::next_group`].
    pub fn new(mut earlier: GroupReader<R>) -> io::Result<Self> {
        let ahead = earlier.next_group()?;
        Ok(Self {
            earlier,
            ahead,
            totals: ChangeTotals::default(),
        })
    }

    /// Takes the next group of the later report, in the order of principals' paths; its files are sorted.
    ///
    /// # Errors
    /// As [`GroupReader::next_group`], and errors of `take`.
    pub fn group(&mut self, later: &GroupFiles, take: &mut TakeChange<'_>) -> io::Result<()> {
        while let Some(gone) = self.ahead.take_if(|it| it.principal < later.principal) {
            self.gone(&gone, take)?;
        }
        match self.ahead.take_if(|it| it.principal == later.principal) {
            Some(earlier) => {
                self.both(&earlier, later, take)?;
                self.ahead = self.earlier.next_group()?;
            }
            None => {
                self.totals.groups_new += 1;
                take(&of_group("group-new", later))?;
                self.files(&[], later, take)?;
            }
        }
        Ok(())
    }

    /// Ends the comparison: the remaining groups of the earlier report are gone.
    ///
    /// # Errors
    /// As [`Comparer::group`].
    pub fn finish(mut self, take: &mut TakeChange<'_>) -> io::Result<ChangeTotals> {
        while let Some(gone) = self.ahead.take() {
            self.gone(&gone, take)?;
        }
        Ok(self.totals)
    }

    fn gone(&mut self, gone: &GroupFiles, take: &mut TakeChange<'_>) -> io::Result<()> {
        self.totals.groups_gone += 1;
        take(&of_group("group-gone", gone))?;
        let nothing = GroupFiles {
            files: Vec::new(),
            ..gone.clone()
        };
        self.files(&gone.files, &nothing, take)?;
        self.ahead = self.earlier.next_group()?;
        Ok(())
    }

    fn both(
        &mut self,
        earlier: &GroupFiles,
        later: &GroupFiles,
        take: &mut TakeChange<'_>,
    ) -> io::Result<()> {
        self.totals.groups_changed += u64::from(earlier.files != later.files);
        self.files(&earlier.files, later, take)
    }

    /// Reports the changes of a group's files.
    fn files(
        &mut self,
        earlier: &[(Vec<u8>, String)],
        later: &GroupFiles,
        take: &mut TakeChange<'_>,
    ) -> io::Result<()> {
        let (mut before, mut after) = (earlier.iter().peekable(), later.files.iter().peekable());
        loop {
            let order = match (before.peek(), after.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let was = if order.is_le() { before.next() } else { None };
            let is = if order.is_ge() { after.next() } else { None };
            let change = match (was, is) {
                (Some((_, was)), Some((_, is))) if was == is => continue,
                (Some(_), Some(_)) => (&mut self.totals.files_changed, "file-changed"),
                (Some(_), None) => (&mut self.totals.files_left, "file-left"),
                _ => (&mut self.totals.files_joined, "file-joined"),
            };
            *change.0 += 1;
            take(&Change {
                path: was.or(is).map(|(path, _)| JsonPath::new(path)),
                document: is.map(|(_, document)| document.clone()),
                document_before: was.map(|(_, document)| document.clone()),
                files: None,
                ..of_group(change.1, later)
            })?;
        }
    }
}

/// The kinds of changes of a group as a whole.
fn of_group(change: &'static str, group: &GroupFiles) -> Change {
    Change {
        change,
        group: group.id,
        principal: lossy(&group.principal),
        principal_bytes: exact(&group.principal),
        files: Some(group.files.len() as u64),
        path: None,
        document: None,
        document_before: None,
    }
}

#[cfg(test)]
mod tests;
