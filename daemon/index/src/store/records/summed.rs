//! A sum of all values of a database of records, noted with each batch that changes them.
//!
//! sled mistakes damage in the middle of its log for the end of a segment, skips the rest of it, and continues with the
//! next: records are then missing, or are earlier versions, each with a correct seal, and the number of the last commit
//! follows them as it should. So each batch and each commit notes, in the same transaction, how many values there are
//! and the XOR of their seals. Each seal depends on tree, key and value, so one value more, less or different changes
//! it, in whatever order they came. A reader of all values adds them up again.
//!
//! The note also has the number of the commit before it. An older program without notes commits without one: the note
//! is then behind the last commit and dropped, and the next reader of all values accepts them as they are.

use std::path::Path;

use ::sled::transaction::{ConflictableTransactionError, TransactionalTree};
use ::sled::{Db, IVec};

use super::parts::{Entry, Parts, keys_of};
use crate::store::StoreError;
use crate::store::sled_support::seal::{SEAL_LEN, TreeId, seal};
use crate::store::sled_support::tree::{SledTree, Transacted};
use crate::store::sled_support::writes::Writes;

/// The key of the note in the tree.
const KEY: &[u8] = b"records";

/// A sealed value that is written under a key; `None` to remove it.
pub(in crate::store) type SealedWrite = (IVec, Option<IVec>);

/// The sum of some values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::store) struct Sum {
    values: u64,
    /// XOR of their seals.
    seals: u64,
}

impl Sum {
    /// The sum with one more sealed value.
    pub(in crate::store) fn with(self, sealed: &[u8]) -> Self {
        Self {
            values: self.values.wrapping_add(1),
            seals: self.seals ^ seal_of(sealed),
        }
    }

    /// The sum with one sealed value less.
    fn without(self, sealed: &[u8]) -> Self {
        Self {
            values: self.values.wrapping_sub(1),
            seals: self.seals ^ seal_of(sealed),
        }
    }
}

fn seal_of(sealed: &[u8]) -> u64 {
    let seal = sealed.last_chunk::<SEAL_LEN>();
    seal.map_or(0, |seal| u64::from_le_bytes(*seal))
}

/// The sum of all values of records, and the commit that it follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Note {
    /// The number of the commit before it.
    commit: u64,
    sum: Sum,
}

impl Note {
    fn encode(self) -> Vec<u8> {
        [self.commit, self.sum.values, self.sum.seals]
            .map(u64::to_le_bytes)
            .concat()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (numbers, []) = bytes.as_chunks() else {
            return None;
        };
        let [commit, values, seals] = *<&[[u8; 8]; 3]>::try_from(numbers).ok()?;
        let sum = Sum {
            values: u64::from_le_bytes(values),
            seals: u64::from_le_bytes(seals),
        };
        let commit = u64::from_le_bytes(commit);
        Some(Self { commit, sum })
    }
}

/// The tree with the note, if there is one. Without one nothing is noted.
#[derive(Debug)]
pub(in crate::store) struct Summed {
    pub(in crate::store) tree: SledTree,
}

impl Summed {
    /// Must be opened before the trees whose values it sums: whatever part of the log loses the note then loses them
    /// too.
    pub(in crate::store) fn open(db: &Db, dir: &Path, writes: &Writes) -> Result<Self, StoreError> {
        Ok(Self {
            tree: SledTree::open(db, dir, TreeId::Summed, writes)?,
        })
    }

    /// Begins to note, for empty trees.
    pub(in crate::store) fn begin(&self) -> Result<(), StoreError> {
        match self.tree.read_sealed(KEY)? {
            Some(_) => Ok(()),
            None => self.tree.write(KEY, &Note::default().encode()),
        }
    }

    /// Changes values of the tree `changed`, all or none, some of which have `new` parts; removes the parts of the
    /// former ones.
    pub(in crate::store) fn apply(
        &self,
        changed: &SledTree,
        parts: &Parts,
        changes: &[SealedWrite],
        new: &[Entry],
    ) -> Result<(), StoreError> {
        let trees = (&parts.tree.tree, &changed.tree, &self.tree.tree);
        changed.transact(&trees, |(parts, tree, summed)| {
            let mut note = self.noted(summed)?;
            for (key, part) in new {
                parts.insert(key.clone(), part.clone())?;
            }
            for (key, sealed) in changes {
                let old = match sealed {
                    Some(sealed) => tree.insert(key.clone(), sealed.clone())?,
                    None => tree.remove(key.clone())?,
                };
                for part in old.iter().flat_map(|old| keys_of(key, old)) {
                    parts.remove(part)?;
                }
                if let Some(Note { sum, .. }) = &mut note {
                    *sum = old.iter().fold(*sum, |sum, old| sum.without(old));
                    *sum = sealed.iter().fold(*sum, |sum, new| sum.with(new));
                }
            }
            put(summed, note)
        })
    }

    /// Notes values that were added.
    pub(in crate::store) fn added(&self, values: &[Entry]) -> Result<(), StoreError> {
        let added = |sum| values.iter().fold(sum, |sum: Sum, (_, new)| sum.with(new));
        self.tree.transact(&&self.tree.tree, |summed| {
            let note = self.noted(summed)?;
            let sum = |note: Note| Note {
                sum: added(note.sum),
                ..note
            };
            put(summed, note.map(sum))
        })
    }

    /// Writes the number of a commit into the tree of commits, and notes it.
    pub(in crate::store) fn commit(
        &self,
        commits: &SledTree,
        key: &[u8],
        number: u64,
    ) -> Result<(), StoreError> {
        let sealed = seal(TreeId::Commits, key, &number.to_le_bytes());
        // The number comes first in the log: without the note it would look like one of a program without notes.
        let trees = (&commits.tree, &self.tree.tree);
        commits.transact(&trees, |(commits, summed)| {
            commits.insert(key, sealed.as_slice())?;
            let commit = |note| Note {
                commit: number,
                ..note
            };
            put(summed, self.noted(summed)?.map(commit))
        })
    }

    /// Drops a note that does not belong to the last commit.
    pub(in crate::store) fn forget_unless_of(&self, last: u64) -> Result<(), StoreError> {
        match self.read()? {
            Some(note) if note.commit < last => {
                tracing::info!("another version changed records; recounting them");
                self.tree.remove(KEY)
            }
            _ => Ok(()),
        }
    }

    /// Compares the sum of all values with the note; notes it if there is no note. Nothing may change meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it differs from the note.
    pub(in crate::store) fn check(&self, sum: Sum) -> Result<(), StoreError> {
        match self.read()? {
            Some(note) if note.sum == sum => Ok(()),
            Some(Note { sum: noted, .. }) => Err(StoreError::Damaged {
                reason: format!(
                    "sled lost records from the middle of its log: {} values are there, {} were \
                     written, and not all are the last that were",
                    sum.values, noted.values
                ),
            }),
            // It takes effect only with the next commit.
            None => self.tree.write(KEY, &Note { commit: 0, sum }.encode()),
        }
    }

    fn read(&self) -> Result<Option<Note>, StoreError> {
        let sealed = self.tree.read_sealed(KEY)?;
        sealed.map(|sealed| self.unsealed(&sealed)).transpose()
    }

    fn noted(&self, tree: &TransactionalTree) -> Transacted<Option<Note>> {
        let unsealed = |sealed: IVec| self.unsealed(&sealed);
        let note = tree.get(KEY)?.map(unsealed).transpose();
        note.map_err(ConflictableTransactionError::Abort)
    }

    fn unsealed(&self, sealed: &IVec) -> Result<Note, StoreError> {
        let note = Note::decode(self.tree.unseal(KEY, sealed)?);
        note.ok_or_else(|| self.tree.corrupt(KEY))
    }
}

fn put(tree: &TransactionalTree, note: Option<Note>) -> Transacted<()> {
    if let Some(note) = note {
        tree.insert(KEY, seal(TreeId::Summed, KEY, &note.encode()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
