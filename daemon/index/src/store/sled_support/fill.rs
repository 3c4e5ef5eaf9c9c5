//! Filling a tree of sled in the order of keys, so that it takes little more room than what lives.
//!
//! sled cuts a leaf in two once it has more than 16 values and writes both halves anew. Filled
//! plainly in the order of keys it writes each value four times, and 1.8 bytes stay on disk for each
//! that lives. So keys come first, with nothing under them, some thousands at a time: leaves of nine keys
//! are cut while they are small. The values follow, each an entry of the log beside its leaf. With the
//! tenth such entry sled writes a leaf whole in place of them: the first value of every nine is the
//! last to be written, after those of all other leaves, so that what dies lies together and its room is
//! used again. A leaf is then read with one entry in place of ten, and 1.07 bytes stay.

use ::sled::IVec;

use super::tree::SledTree;
use crate::store::StoreError;

/// Entries whose keys are put down before their values.
pub(in crate::store) const AT_ONCE: usize = 4096;
/// Cache while a tree is filled, which writes each page once or twice.
pub(in crate::store) const CACHE_WHILE_FILLED: u64 = 16 << 20;
/// Keys in a leaf that sled fills in order: it cuts one of 17 behind the ninth. Where this is not so,
/// reading a leaf costs more, and nothing else changes.
const KEYS_IN_LEAF: usize = 9;
/// What stands for a value until all others of its leaf are there.
const PLACEHOLDER: &[u8] = &[0];

/// Adds entries (key, sealed value), whose keys ascend and follow all that the tree holds: some
/// [`AT_ONCE`] for each call. Keys among others are right as well and take more room.
pub(in crate::store) fn append(
    tree: &SledTree,
    entries: &[(IVec, IVec)],
) -> Result<(), StoreError> {
    for (key, _) in entries {
        tree.put_as_it_is(key, IVec::default())?;
    }
    for (at, (key, sealed)) in entries.iter().enumerate() {
        match at % KEYS_IN_LEAF {
            0 => tree.put_as_it_is(key, IVec::from(PLACEHOLDER))?,
            _ => tree.put_as_it_is(key, sealed.clone())?,
        }
    }
    for (key, sealed) in entries.iter().step_by(KEYS_IN_LEAF) {
        tree.put_as_it_is(key, sealed.clone())?;
    }
    Ok(())
}
