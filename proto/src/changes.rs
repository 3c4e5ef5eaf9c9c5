//! What changed from one report of groups to the next: which groups and files came, which went, and which files carry
//! another text.
//!
//! A group is known by its principal's path. Reports list their groups by it, so that two are walked side by side and
//! one group of each is held. A group whose principal is another file by now is told as gone and as new, both with its
//! id. A file that went over to another group left the one and joined the other: what left and joined turns what the
//! earlier report lists into what the later one does.

use std::cmp::Ordering;
use std::io::{self, BufRead, Read};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::lines::{Change, JsonPath, exact, lossy};

/// A group, as far as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupFiles {
    /// Its handle.
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
        let mut line = Vec::new();
        let most = self.longest as u64 + 1;
        (&mut self.lines).take(most).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.len() > self.longest {
            return Err(malformed("a group of it takes too many bytes"));
        }
        let group: GroupLine =
            serde_json::from_slice(&line).map_err(|_| malformed("a line of it is no group"))?;
        let group = group.files()?;
        if self
            .last
            .as_ref()
            .is_some_and(|last| *last >= group.principal)
        {
            return Err(malformed("its groups are not in order"));
        }
        self.last = Some(group.principal.clone());
        Ok(Some(group))
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
    /// Of an earlier report.
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
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn group(id: u64, files: &[(&[u8], &str)]) -> GroupFiles {
        let owned = |(path, document): &(&[u8], &str)| (path.to_vec(), (*document).to_owned());
        let mut files: Vec<_> = files.iter().map(owned).collect();
        let principal = files[0].0.clone();
        files.sort();
        GroupFiles {
            id,
            principal,
            files,
        }
    }

    fn lines(groups: &[GroupFiles]) -> Vec<u8> {
        let member = |(path, document): &(Vec<u8>, String)| {
            let path = JsonPath::new(path);
            let path = serde_json::to_string(&path).unwrap();
            let path = path.trim_matches(['{', '}']).to_owned();
            format!("{{{path},\"document\":\"{document}\"}}")
        };
        let line = |group: &GroupFiles| {
            let members: Vec<_> = group.files.iter().map(member).collect();
            let principal = serde_json::to_string(&lossy(&group.principal)).unwrap();
            let exact = exact(&group.principal);
            let exact = exact.map(|it| format!(",\"principal_bytes\":\"{it}\""));
            format!(
                "{{\"type\":\"group\",\"id\":{},\"principal\":{principal}{},\"members\":[{}]}}\n",
                group.id,
                exact.unwrap_or_default(),
                members.join(",")
            )
        };
        groups.iter().map(line).collect::<String>().into_bytes()
    }

    /// What is told, one word each: the kind and the path or the number of files.
    fn told(earlier: &[GroupFiles], later: &[GroupFiles]) -> (Vec<String>, ChangeTotals) {
        let lines = lines(earlier);
        let mut comparer = Comparer::new(GroupReader::new(&lines[..], 10_000)).unwrap();
        let mut told = Vec::new();
        let mut take = |change: &Change| {
            let path = change.path.as_ref();
            let path = path.map(|path| serde_json::to_value(path).unwrap()["path"].to_string());
            let of = path
                .or(change.files.map(|files| files.to_string()))
                .unwrap();
            told.push(format!("{} {} {of}", change.change, change.group));
            Ok(())
        };
        for group in later {
            comparer.group(group, &mut take).unwrap();
        }
        let totals = comparer.finish(&mut take).unwrap();
        (told, totals)
    }

    #[test]
    fn groups_and_files_that_came_and_went_are_told_and_what_stayed_is_not() {
        let earlier = [
            group(1, &[(b"/a", "x"), (b"/b", "x"), (b"/c", "y")]),
            group(2, &[(b"/d\xff", "z"), (b"/e", "z")]),
            group(3, &[(b"/s", "s"), (b"/t", "s")]),
            group(4, &[(b"/u", "u"), (b"/v", "u")]),
        ];
        assert_eq!(
            told(&earlier, &earlier),
            (Vec::new(), ChangeTotals::default())
        );
        let later = [
            group(1, &[(b"/a", "x"), (b"/b", "w"), (b"/c2", "y")]),
            group(9, &[(b"/c", "y"), (b"/c1", "y")]),
            group(3, &[(b"/s", "s"), (b"/t", "s")]),
        ];
        let (told, totals) = told(&earlier, &later);
        let right = [
            "file-changed 1 \"/b\"",
            "file-left 1 \"/c\"",
            "file-joined 1 \"/c2\"",
            "group-new 9 2",
            "file-joined 9 \"/c\"",
            "file-joined 9 \"/c1\"",
            "group-gone 2 2",
            "file-left 2 \"/d\u{fffd}\"",
            "file-left 2 \"/e\"",
            "group-gone 4 2",
            "file-left 4 \"/u\"",
            "file-left 4 \"/v\"",
        ];
        assert_eq!(told, right);
        let right = ChangeTotals {
            groups_new: 1,
            groups_gone: 2,
            groups_changed: 1,
            files_joined: 3,
            files_left: 5,
            files_changed: 1,
        };
        assert_eq!(totals, right);
    }

    #[test]
    fn what_left_and_joined_turns_the_earlier_list_into_the_later() {
        let mut state = 5_u64;
        let mut next = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        let mut report = || {
            let mut groups = Vec::new();
            for principal in 0..12 {
                if next(3) == 0 {
                    continue;
                }
                let mut files = vec![(vec![b'/', b'a' + principal], "d".to_owned())];
                for file in 0..6 {
                    if next(2) == 0 {
                        files.push((vec![b'/', b'n' + file], next(2).to_string()));
                    }
                }
                let principal = files[0].0.clone();
                groups.push(GroupFiles {
                    id: 1,
                    principal,
                    files,
                });
            }
            groups
        };
        let listed = |groups: &[GroupFiles]| -> BTreeSet<(Vec<u8>, Vec<u8>, String)> {
            let of = |group: &GroupFiles| {
                let principal = group.principal.clone();
                let files = group.files.clone().into_iter();
                files.map(move |(path, document)| (principal.clone(), path, document))
            };
            groups.iter().flat_map(of).collect()
        };
        for _ in 0..200 {
            let (earlier, later) = (report(), report());
            let lines = lines(&earlier);
            let mut comparer = Comparer::new(GroupReader::new(&lines[..], 10_000)).unwrap();
            let mut now = listed(&earlier);
            let mut take = |change: &Change| {
                let Some(path) = &change.path else {
                    return Ok(());
                };
                let path = serde_json::to_value(path).unwrap()["path"]
                    .as_str()
                    .unwrap()
                    .to_owned();
                let of = |document: &String| {
                    let principal = change.principal.clone().into_bytes();
                    (principal, path.clone().into_bytes(), document.clone())
                };
                if let Some(was) = &change.document_before {
                    assert!(now.remove(&of(was)));
                }
                if let Some(is) = &change.document {
                    assert!(now.insert(of(is)));
                }
                Ok(())
            };
            later
                .iter()
                .for_each(|group| comparer.group(group, &mut take).unwrap());
            comparer.finish(&mut take).unwrap();
            assert_eq!(now, listed(&later));
        }
    }

    #[test]
    fn what_is_no_list_of_groups_is_refused() {
        let groups = [group(1, &[(b"/b", "x")]), group(2, &[(b"/a", "x")])];
        for (text, longest) in [
            (lines(&groups), 10_000),
            (b"{}\n".to_vec(), 10_000),
            (lines(&groups[..1]), 20),
        ] {
            let mut reader = GroupReader::new(&text[..], longest);
            let refused = loop {
                match reader.next_group() {
                    Ok(Some(_)) => {}
                    other => break other,
                }
            };
            assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}
