//! Paths of one root that could not be accessed: what is known there is kept, and the root and every answer say so.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use simdex_proto::text::counted;

/// Paths kept by name; any more are only counted.
const NAMED: usize = 1024;

/// The state of a path that could not be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// A file that could not be read, and of which nothing is known but that, as its own record says.
    Unread,
    /// It could not be looked at or listed, and nothing was known there: a folder may hold any number of files that are
    /// in no answer.
    Unseen,
    /// Its record, or the records below it, are kept and may be out of date.
    Kept,
}

/// Paths below a root, as raw bytes, that could not be read, each with its trouble.
#[derive(Default)]
pub(super) struct PathTroubles {
    named: BTreeMap<Vec<u8>, NotedTrouble>,
    /// Counts of further paths, by their trouble: since the last walk of the root began, and before.
    more: [Counts; 2],
    round: u64,
}

#[derive(Clone, Copy)]
struct NotedTrouble {
    trouble: Trouble,
    round: u64,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    kept: u64,
    unseen: u64,
    unread: u64,
}

impl Counts {
    fn add(&mut self, trouble: Trouble) {
        match trouble {
            Trouble::Kept => self.kept += 1,
            Trouble::Unseen => self.unseen += 1,
            Trouble::Unread => self.unread += 1,
        }
    }

    fn all(self) -> u64 {
        self.kept + self.unseen + self.unread
    }

    fn and(self, other: Self) -> Self {
        Self {
            kept: self.kept + other.kept,
            unseen: self.unseen + other.unseen,
            unread: self.unread + other.unread,
        }
    }
}

impl PathTroubles {
    /// Notes that this path could not be accessed.
    pub(super) fn add(&mut self, below: &[u8], trouble: Trouble) {
        let round = self.round;
        let has_room = self.named.len() < NAMED;
        match self.named.get_mut(below) {
            // A walk knows less than an ingest of exactly this path.
            Some(known) if known.round == round => known.trouble = known.trouble.max(trouble),
            // If a hint names a folder, it is not known what is kept below it.
            Some(known) if trouble == Trouble::Unseen => {
                let trouble = known.trouble.max(trouble);
                *known = NotedTrouble { trouble, round };
            }
            Some(known) => *known = NotedTrouble { trouble, round },
            None if has_room => {
                self.named
                    .insert(below.to_vec(), NotedTrouble { trouble, round });
            }
            None => {
                let [now, _] = &mut self.more;
                now.add(trouble);
            }
        }
    }

    /// Notes that exactly this path was accessed.
    pub(super) fn forget(&mut self, below: &[u8]) {
        self.named.remove(below);
    }

    /// Begins a walk of what lies at or below this directory; the empty path is the whole root. Earlier notes
    /// stay until the walk has ended, since it may find the same.
    pub(super) fn begin_round(&mut self, directory: &[u8]) -> u64 {
        self.round += 1;
        if directory.is_empty() {
            let [now, before] = self.more;
            self.more = [Counts::default(), now.and(before)];
        }
        self.round
    }

    /// Ends the walk that began this round: troubles that it did not note again are over.
    pub(super) fn end_round(&mut self, directory: &[u8], began: u64) {
        if directory.is_empty() {
            self.more[1] = Counts::default();
        }
        let is_below = |path: &[u8]| match path.strip_prefix(directory) {
            Some(rest) => directory.is_empty() || rest.is_empty() || rest[0] == b'/',
            None => false,
        };
        self.named
            .retain(|path, noted| noted.round >= began || !is_below(path));
    }

    fn counts(&self) -> Counts {
        let [now, before] = self.more;
        let mut counts = now.and(before);
        self.named
            .values()
            .for_each(|noted| counts.add(noted.trouble));
        counts
    }

    /// The number of paths for which answers may lack something. What is on record there, if anything, is kept.
    pub(super) fn unreadable(&self) -> u64 {
        self.counts().all()
    }

    /// A note for people; empty where there are none.
    pub(super) fn note(&self) -> String {
        let Some(first) = self.named.keys().next() else {
            return String::new();
        };
        let counts = self.counts();
        let (kept, unknown) = (counts.kept, counts.unseen + counts.unread);
        let what = match (kept, unknown) {
            (1, 0) => "keeps its last state".to_owned(),
            (_, 0) => "keep their last state".to_owned(),
            (0, _) => "nothing is known there".to_owned(),
            _ => {
                format!("{kept} keep their last state, of {unknown} nothing is known")
            }
        };
        let first = PathBuf::from(OsString::from_vec(first.clone()));
        let first = first.display().to_string().escape_debug().to_string();
        let paths = counted(counts.all(), "path");
        format!("{paths} cannot be read ({what}), the first is {first}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(troubles: &mut PathTroubles, directory: &[u8], found: &[&[u8]]) {
        let began = troubles.begin_round(directory);
        for path in found {
            troubles.add(path, Trouble::Kept);
        }
        troubles.end_round(directory, began);
    }

    #[test]
    fn what_is_kept_is_told_apart_from_what_was_never_known() {
        let mut troubles = PathTroubles::default();
        let mut said = |path: &[u8], trouble| {
            troubles.add(path, trouble);
            troubles.note()
        };
        let unread = said(b"b", Trouble::Unread);
        assert_eq!(
            unread,
            "1 path cannot be read (nothing is known there), the first is b"
        );
        let both = said(b"a", Trouble::Kept);
        assert_eq!(
            both,
            "2 paths cannot be read (1 keep their last state, of 1 nothing is known), the first is a"
        );
    }

    #[test]
    fn a_directory_looked_at_anew_forgets_its_own_and_no_other() {
        let mut troubles = PathTroubles::default();
        for path in ["a", "a!", "a/x", "b"] {
            troubles.add(path.as_bytes(), Trouble::Kept);
        }
        walk(&mut troubles, b"a", &[]);
        assert!(
            troubles.note().starts_with("2 paths"),
            "{}",
            troubles.note()
        );
        assert!(troubles.note().ends_with("is a!"), "{}", troubles.note());
        troubles.forget(b"b");
        assert_eq!(troubles.unreadable(), 1);
        walk(&mut troubles, b"", &[]);
        assert_eq!((troubles.note().as_str(), troubles.unreadable()), ("", 0));
    }

    #[test]
    fn what_a_walk_finds_again_is_never_over_meanwhile() {
        let mut troubles = PathTroubles::default();
        troubles.add(b"a", Trouble::Kept);
        troubles.add(b"b", Trouble::Unread);
        assert_eq!(troubles.unreadable(), 2);
        let began = troubles.begin_round(b"");
        assert_eq!(
            troubles.unreadable(),
            2,
            "a walk that has only begun proves nothing"
        );
        troubles.add(b"a", Trouble::Kept);
        troubles.end_round(b"", began);
        assert_eq!(troubles.unreadable(), 1);
        assert!(
            troubles.note().starts_with("1 path cannot"),
            "{}",
            troubles.note()
        );
    }

    #[test]
    fn a_file_that_was_not_read_counts_as_a_folder_that_was_not_listed() {
        let mut troubles = PathTroubles::default();
        troubles.add(b"file", Trouble::Unread);
        assert_eq!(troubles.unreadable(), 1);
        troubles.add(b"folder", Trouble::Unseen);
        assert_eq!(troubles.unreadable(), 2);
        troubles.begin_round(b"");
        troubles.add(b"folder", Trouble::Kept);
        troubles.add(b"folder", Trouble::Unseen);
        let note = "2 paths cannot be read (1 keep their last state, of 1 nothing is known), the first is file";
        assert_eq!((troubles.unreadable(), troubles.note().as_str()), (2, note));
    }

    #[test]
    fn very_many_are_counted_and_not_kept() {
        let mut troubles = PathTroubles::default();
        let all: Vec<String> = (0..NAMED + 5).map(|at| format!("{at:06}")).collect();
        let all: Vec<&[u8]> = all.iter().map(String::as_bytes).collect();
        for _ in 0..2 {
            walk(&mut troubles, b"", &all);
            assert_eq!(troubles.named.len(), NAMED);
            let note = troubles.note();
            assert!(note.starts_with(&format!("{} paths", NAMED + 5)), "{note}");
            assert_eq!(troubles.unreadable(), NAMED as u64 + 5);
        }
        walk(&mut troubles, b"", &[]);
        assert_eq!(troubles.unreadable(), 0);
    }
}
