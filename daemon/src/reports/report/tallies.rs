//! Files and bytes found by owner and by root: sums for the page of a compliance question.
//!
//! A file is counted once, however often it is listed, and a hard link frees no bytes. Memory is bounded: of many
//! owners, or very many files, the page says what is summed together or counted more than once.
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::io;

use simdex_index::{GrowingPermit, IndexError, MemoryAccount};

use super::format::{PathText, Text};
use crate::read_side::findings::Finding;

/// Owners, or roots, with a sum of their own; further ones are summed together.
const MAX_SUMS: usize = 4_096;
/// Files told apart; a further one counts as often as it is listed.
const MAX_FILES: u64 = 1 << 18;
/// Bytes of a file in its set, and of a sum beside its name.
const FILE: u64 = 32;
const SUM: u64 = 128;
/// The files told apart may take one part in this many of the memory that the report may take.
const SHARE: u64 = 16;

/// Files, and their bytes as far as these are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FilesAndBytes {
    pub(super) files: u64,
    pub(super) bytes: u64,
}

impl FilesAndBytes {
    pub(super) fn add(&mut self, more: Self) {
        self.files += more.files;
        self.bytes = self.bytes.saturating_add(more.bytes);
    }
}

/// Sums by name, which is HTML.
#[derive(Default)]
pub(super) struct NamedSums {
    named: BTreeMap<String, FilesAndBytes>,
    /// Those without a sum of their own.
    others: FilesAndBytes,
}

impl NamedSums {
    fn add(
        &mut self,
        name: String,
        file: FilesAndBytes,
        held: &mut GrowingPermit,
    ) -> io::Result<()> {
        if let Some(sum) = self.named.get_mut(&name) {
            sum.add(file);
        } else if self.named.len() < MAX_SUMS && may_hold(held, SUM + name.len() as u64)? {
            self.named.insert(name, file);
        } else {
            self.others.add(file);
        }
        Ok(())
    }

    /// The sums with the most files, at most so many, and what all others come to.
    pub(super) fn largest(&self, limit: usize) -> (Vec<(&str, FilesAndBytes)>, FilesAndBytes) {
        let mut largest: Vec<_> = self
            .named
            .iter()
            .map(|(name, sum)| (&**name, *sum))
            .collect();
        largest.sort_by_key(|(_, sum)| std::cmp::Reverse((sum.files, sum.bytes)));
        let mut others = self.others;
        for (_, sum) in largest.drain(limit.min(largest.len())..) {
            others.add(sum);
        }
        (largest, others)
    }
}

/// The sums of a report.
pub(super) struct Tallies {
    pub(super) by_owner: NamedSums,
    pub(super) by_root: NamedSums,
    /// Hashes of the paths counted so far.
    seen: HashSet<u64>,
    hasher: RandomState,
    max_files: u64,
    /// Whether a file may have been counted more than once.
    pub(super) is_repeated: bool,
    held: GrowingPermit,
}

impl Tallies {
    /// No files yet.
    pub(super) fn new(account: &MemoryAccount) -> Self {
        Self {
            by_owner: NamedSums::default(),
            by_root: NamedSums::default(),
            seen: HashSet::new(),
            hasher: RandomState::new(),
            max_files: MAX_FILES.min(account.total() / SHARE / FILE),
            is_repeated: false,
            held: GrowingPermit::of(account),
        }
    }

    /// Counts a file, unless it was counted before.
    ///
    /// # Errors
    /// If nobody waits any more.
    pub(super) fn add(&mut self, finding: &Finding) -> io::Result<()> {
        let path = self.hasher.hash_one(&finding.path);
        if self.seen.contains(&path) {
            return Ok(());
        }
        if (self.seen.len() as u64) < self.max_files && may_hold(&mut self.held, FILE)? {
            self.seen.insert(path);
        } else {
            self.is_repeated = true;
        }
        let is_link = finding.relation == "hard-link";
        let bytes = finding.bytes.filter(|_| !is_link).unwrap_or_default();
        let file = FilesAndBytes { files: 1, bytes };
        let (owner, root) = (owner(finding), root(finding));
        self.by_owner.add(owner, file, &mut self.held)?;
        self.by_root.add(root, file, &mut self.held)
    }
}

/// Whether so many more bytes may be held; an error only if nobody waits any more.
fn may_hold(held: &mut GrowingPermit, bytes: u64) -> io::Result<bool> {
    match held.add(bytes) {
        Err(IndexError::Cancelled) => Err(io::Error::other(IndexError::Cancelled)),
        counted => Ok(counted.is_ok()),
    }
}

/// The owner of a file found, as HTML: its name, or else its number.
pub(super) fn owner(finding: &Finding) -> String {
    match (&finding.owner_name, finding.owner) {
        (Some(name), _) => Text(name).to_string(),
        (None, Some(number)) => number.to_string(),
        (None, None) => "unknown".to_owned(),
    }
}

/// The root of a file found, as HTML.
pub(super) fn root(finding: &Finding) -> String {
    PathText(&finding.root).to_string()
}

#[cfg(test)]
mod tests {
    use simdex_index::{Cancel, MemoryBudget};

    use super::*;

    fn found(path: &str, owner: u32, bytes: u64) -> Finding {
        Finding {
            path: path.into(),
            root: b"/share".to_vec(),
            owner: Some(owner),
            bytes: Some(bytes),
            relation: "identical-bytes",
            ..Finding::default()
        }
    }

    fn sum(files: u64, bytes: u64) -> FilesAndBytes {
        FilesAndBytes { files, bytes }
    }

    #[test]
    fn a_file_is_summed_once_by_owner_and_by_root_and_a_link_without_its_bytes() {
        let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
        let mut tallies = Tallies::new(&account);
        let link = Finding {
            relation: "hard-link",
            ..found("/share/d", 2, 1_000)
        };
        let files = [
            found("/share/a", 1, 10),
            found("/share/b", 2, 5),
            found("/share/a", 1, 10),
            found("/share/c", 2, 7),
            link,
        ];
        files.iter().try_for_each(|it| tallies.add(it)).unwrap();
        let (owners, others) = tallies.by_owner.largest(9);
        assert_eq!(owners, [("2", sum(3, 12)), ("1", sum(1, 10))]);
        assert_eq!(others, sum(0, 0));
        let (roots, _) = tallies.by_root.largest(9);
        assert_eq!(roots.len(), 1);
        assert_eq!(roots[0].1, sum(4, 22));
        assert!(!tallies.is_repeated);
        // Of more than are shown the others are summed.
        let (owners, others) = tallies.by_owner.largest(1);
        assert_eq!((owners.len(), others), (1, sum(1, 10)));
    }

    #[test]
    fn more_owners_or_files_than_are_held_lose_no_file_and_take_no_more_memory() {
        let budget = MemoryBudget::new(4 << 20);
        let account = budget.account(&Cancel::never());
        let mut tallies = Tallies::new(&account);
        for n in 0..20_000 {
            tallies.add(&found(&format!("/share/{n}"), n, 2)).unwrap();
        }
        assert!(tallies.is_repeated);
        assert_eq!(tallies.seen.len() as u64, (4 << 20) / SHARE / FILE);
        assert_eq!(tallies.by_owner.named.len(), MAX_SUMS);
        let (shown, others) = tallies.by_owner.largest(10);
        assert_eq!((shown.len(), others), (10, sum(19_990, 39_980)));
        assert!(budget.used() <= 2 << 20, "{}", budget.used());
    }
}
