//! What all values of a database of records add up to, noted with each batch that changes them.
//!
//! sled takes damage in the middle of its log for the end of one segment, passes over the rest of it, and
//! goes on with the next: records are then missing, or are those of before, each with a right seal, and
//! the number of the last commit stands behind them as it should. So each batch and each commit notes, in
//! the same transaction, how many values there are and the XOR of their seals; each seal depends on tree, key and
//! value, so one value more, less or other changes it, in whatever order they came. Whoever reads all
//! values adds them up again.
//!
//! The note also has the number of the commit before it. A program that knows of no notes commits without
//! one: its note is then behind the last commit and forgotten, and the values are taken as they are by whoever reads all
//! of them next.

use std::path::Path;

use ::sled::transaction::{
    ConflictableTransactionError, ConflictableTransactionResult, TransactionalTree,
};
use ::sled::{Db, IVec};

use super::parts::{Entry, Parts, keys_of};
use crate::store::StoreError;
use crate::store::sled_support::failed::Failed;
use crate::store::sled_support::seal::{SEAL_LEN, TreeId, seal};
use crate::store::sled_support::tree::SledTree;

/// Under which the tree keeps the note.
const KEY: &[u8] = b"records";

/// A value that is written under a key, sealed; none where it is removed.
pub(in crate::store) type SealedWrite = (IVec, Option<IVec>);

/// What values add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::store) struct Sum {
    values: u64,
    /// XOR of their seals.
    seals: u64,
}

impl Sum {
    /// With one sealed value more.
    pub(in crate::store) fn with(self, sealed: &[u8]) -> Self {
        Self {
            values: self.values.wrapping_add(1),
            seals: self.seals ^ seal_of(sealed),
        }
    }

    /// With one sealed value less.
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

/// What all values of records add up to, and after which commit.
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

/// The tree that has the note, if there is one. Without one nothing is noted.
#[derive(Debug)]
pub(in crate::store) struct Summed {
    pub(in crate::store) tree: SledTree,
}

impl Summed {
    /// To be opened before the trees whose values it sums: whatever of the log loses it loses them too.
    pub(in crate::store) fn open(db: &Db, dir: &Path, failed: &Failed) -> Result<Self, StoreError> {
        Ok(Self {
            tree: SledTree::open(db, dir, TreeId::Summed, failed)?,
        })
    }

    /// Begins to note, of trees that hold nothing.
    pub(in crate::store) fn begin(&self) -> Result<(), StoreError> {
        match self.tree.read_sealed(KEY)? {
            Some(_) => Ok(()),
            None => self.tree.write(KEY, &Note::default().encode()),
        }
    }

    /// RewriteBacklog values of the tree `changed`, all or none, some of which have `new` parts; removes the parts of
    /// those before.
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
        // The number comes first in the log: without the note it would look like one of a program that
        // knows of none.
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

    /// Forgets a note that is not of the last commit.
    pub(in crate::store) fn forget_unless_of(&self, last: u64) -> Result<(), StoreError> {
        match self.read()? {
            Some(note) if note.commit < last => {
                tracing::info!("another version changed records: they are counted anew");
                self.tree.remove(KEY)
            }
            _ => Ok(()),
        }
    }

    /// Holds what all values add up to against the note; notes it where nothing is noted. Nothing may
    /// change meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] where it is not what was noted.
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
            // The next commit, and no other, makes it count.
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

/// What happens in a transaction.
pub(in crate::store) type Transacted<T> = ConflictableTransactionResult<T, StoreError>;

fn put(tree: &TransactionalTree, note: Option<Note>) -> Transacted<()> {
    if let Some(note) = note {
        tree.insert(KEY, seal(TreeId::Summed, KEY, &note.encode()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
