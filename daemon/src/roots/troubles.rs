//! Paths of one root that could not be looked at: what is known there is kept, and the root says so.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Paths kept by name; beyond that they are counted.
const NAMED: usize = 1024;

/// Paths below a root, raw bytes.
#[derive(Default)]
pub(super) struct Troubles {
    named: BTreeSet<Vec<u8>>,
    more: u64,
}

impl Troubles {
    /// This path could not be looked at.
    pub(super) fn add(&mut self, below: &[u8]) {
        if self.named.len() < NAMED {
            self.named.insert(below.to_vec());
        } else if !self.named.contains(below) {
            self.more += 1;
        }
    }

    /// What lies at or below this directory is looked at anew; the empty path is the whole root.
    pub(super) fn forget(&mut self, directory: &[u8]) {
        if directory.is_empty() {
            return *self = Self::default();
        }
        let is_below = |path: &[u8]| {
            let rest = path.strip_prefix(directory);
            rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        };
        self.named.retain(|path| !is_below(path));
    }

    /// For people; empty where there are none.
    pub(super) fn note(&self) -> String {
        let Some(first) = self.named.first() else {
            return String::new();
        };
        let count = self.named.len() as u64 + self.more;
        let first = PathBuf::from(OsString::from_vec(first.clone()));
        let first = first.display().to_string().escape_debug().to_string();
        format!("{count} paths cannot be read and keep their last state, the first is {first}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_looked_at_anew_forgets_its_own_and_no_other() {
        let mut troubles = Troubles::default();
        for path in ["a", "a!", "a/x", "b"] {
            troubles.add(path.as_bytes());
        }
        troubles.forget(b"a");
        assert!(
            troubles.note().starts_with("2 paths"),
            "{}",
            troubles.note()
        );
        assert!(troubles.note().ends_with("is a!"), "{}", troubles.note());
        troubles.forget(b"");
        assert_eq!(troubles.note(), "");
    }

    #[test]
    fn very_many_are_counted_and_not_kept() {
        let mut troubles = Troubles::default();
        for number in 0..NAMED + 5 {
            troubles.add(format!("{number:06}").as_bytes());
        }
        assert_eq!(troubles.named.len(), NAMED);
        let note = troubles.note();
        assert!(note.starts_with(&format!("{} paths", NAMED + 5)), "{note}");
    }
}
