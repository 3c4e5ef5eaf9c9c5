//! Fills a tree of sled in the order of keys, so that it takes little more disk space than its live data.
//!
//! sled splits a leaf in two once it has more than 16 values and rewrites both halves. If it is simply filled in the
//! order of keys, it writes each value four times, and 1.8 bytes stay on disk for each live one. So keys are written
//! first, with placeholders, some thousands at a time: leaves of nine keys are split while they are small. The values
//! follow, each as a log entry that is linked to its leaf. With the tenth such entry sled writes the whole leaf in
//! place of them: the first value of every nine is written last, after those of all other leaves, so that dead data is
//! contiguous and its space is reused. A leaf is then read with one entry in place of ten, and 1.07 bytes stay.

use ::sled::IVec;

use super::tree::SledTree;
use crate::store::StoreError;

/// Number of entries whose keys are written before their values.
pub(in crate::store) const AT_ONCE: usize = 4096;
/// Cache while a tree is filled, since each page is written once or twice.
pub(in crate::store) const CACHE_WHILE_FILLED: u64 = 16 << 20;
/// Keys in a leaf that sled fills in order: it splits one of 17 after the ninth. If that were different, reading a leaf
/// would cost more, and nothing else would change.
const KEYS_IN_LEAF: usize = 9;
/// Placeholder for a value until all others of its leaf are written.
const PLACEHOLDER: &[u8] = &[0];

/// Adds entries (key, sealed value), whose keys ascend and follow all that the tree holds: some [`AT_ONCE`] for each
/// call. Keys between existing ones are correct too, but take more space.
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
