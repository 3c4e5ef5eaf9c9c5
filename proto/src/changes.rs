//! What changed from one report to the next. Of groups: which groups and files came, which went, and which files carry
//! another text; of the files that a compliance question finds: [`findings`].
//!
//! A group is known by its principal's path. Reports list their groups by it, so that two are walked side by side and
//! one group of each is held. A group whose principal is another file by now is told as gone and as new, both with its
//! id. A file that went over to another group left the one and joined the other: what left and joined turns what the
//! earlier report lists into what the later one does.

pub mod findings;
mod terms;

use std::cmp::Ordering;
use std::io::{self, BufRead, Read};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::lines::{Change, JsonPath, exact, lossy};
use findings::FindingTotals;

pub use terms::{Caveat, ReportTerms, SchemeTerms, caveats_sentence};

/// A group, as far as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupFiles {
    /// Id of the group in its report.
    pub id: u64,
    /// Path of its principal.
    pub principal: Vec<u8>,
    /// Every file by its path, with the hash of the document it carries, in hexadecimal.
    pub files: Vec<(Vec<u8>, String)>,
}

/// How much changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangeTotals {
    /// Groups that were not there.
    pub groups_new: u64,
    /// Groups that are there no more.
    pub groups_gone: u64,
    /// Groups whose files changed.
    pub groups_changed: u64,
    /// Files that a group has and had not.
    pub files_joined: u64,
    /// Files that a group had and has no more.
    pub files_left: u64,
    /// Files that carry another text in the same group.
    pub files_changed: u64,
}

/// How much changed between two reports of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Totals {
    /// Changes of a report of groups.
    Groups(ChangeTotals),
    /// Changes of a report of findings.
    Findings(FindingTotals),
}

/// Whether what changed between two reports of a kind can be told: components and cores have nothing by which one is
/// known in both.
pub fn is_comparable(kind: &str) -> bool {
    !["components", "cores"].contains(&kind)
}

/// The file of a report that two reports of this kind are compared by.
pub fn list_of(kind: &str) -> &'static str {
    match kind {
        "groups" | "components" | "cores" => "groups.jsonl",
        _ => "findings.jsonl",
    }
}

/// Takes one change.
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
    /// Reads lines of at most so many bytes.
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
    /// What reading met; [`io::ErrorKind::InvalidData`] where it is no list of groups by their principals.
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

/// The next line, of so many bytes at most; empty after the last.
fn next_line(lines: &mut impl BufRead, longest: usize) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let most = longest as u64 + 1;
    lines.take(most).read_until(b'\n', &mut line)?;
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
    match exact {
        Some(exact) => STANDARD
            .decode(exact)
            .map_err(|_| malformed("a path of it is not in base64")),
        None => Ok(shown.into_bytes()),
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Compares the groups of an earlier report with later ones, as these come.
pub struct Comparer<R> {
    earlier: GroupReader<R>,
    ahead: Option<GroupFiles>,
    totals: ChangeTotals,
}

impl<R: BufRead> Comparer<R> {
    /// Begins with the groups of an earlier report.
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

    /// Takes the next group of the later report, by its principal's path; its files are in order.
    ///
    /// # Errors
    /// As [`GroupReader::next_group`], and what `take` failed with.
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

    /// Ends the comparison: what is left of the earlier report is gone.
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

    /// Tells what became of the files of a group.
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

/// What is told of a group as a whole.
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
