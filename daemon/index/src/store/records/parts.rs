//! Long values, in parts.
//!
//! sled writes whatever takes more than 131,052 bytes, one value or a leaf with all its values, into a separate file.
//! If that file cannot be created, a batch fails halfway; in a power cut, a batch can lose it and keep the rest. So no
//! entry of a leaf is long enough for 20 of them, the most that a leaf has for a moment, to reach that size. A longer
//! value is cut into parts, entries of a separate tree, which are written and removed in one transaction with its
//! stand-in, the entry under its key.
//!
//! Each time a value is written its parts get another id, so that no reader mixes the parts of two values. Parts are
//! not in the sum of all values: their stand-in is, and it has a seal of the whole.

use std::path::Path;

use ::sled::{Db, IVec};

use crate::store::sled_support::seal::{SEAL_LEN, TreeId, seal, seal_of, unseal};
use crate::store::sled_support::tree::SledTree;
use crate::store::sled_support::writes::Writes;
use crate::store::{MAX_RECORD, StoreError, random_id};

/// Maximum bytes of key and value in an entry, unless the key alone has more.
pub(in crate::store) const MAX_ENTRY: usize = 6_000;
/// Bytes of a part.
const PART_BYTES: usize = 6_000;
/// The beginning of a stand-in. A value that begins the same way is stored in parts, however short.
const MARK: [u8; 16] = [
    0xdd, 0xf9, 0x97, 0x21, 0x5a, 0x45, 0x2b, 0x0a, 0x09, 0x32, 0x97, 0x8a, 0x58, 0x6b, 0xb4, 0x88,
];

/// A key and its sealed value.
pub(in crate::store) type Entry = (IVec, IVec);

/// The stand-in of a long value, stored under its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct StandIn {
    /// Prefix of the keys of the parts.
    id: [u8; 16],
    parts: u32,
    /// The seal of the whole value under its key.
    seal: [u8; SEAL_LEN],
}

impl StandIn {
    const LEN: usize = MARK.len() + 16 + 4 + SEAL_LEN;
    const MAX_PARTS: usize = MAX_RECORD / PART_BYTES + 1;

    fn encode(&self) -> Vec<u8> {
        [&MARK[..], &self.id, &self.parts.to_le_bytes(), &self.seal].concat()
    }

    /// `None` if the value is stored inline.
    pub(in crate::store) fn decode(value: &[u8]) -> Option<Self> {
        let rest = value.strip_prefix(&MARK)?;
        let (id, rest) = rest.split_first_chunk()?;
        let (parts, seal) = rest.split_first_chunk()?;
        let parts = u32::from_le_bytes(*parts);
        (parts as usize <= Self::MAX_PARTS).then_some(Self {
            id: *id,
            parts,
            seal: seal.try_into().ok()?,
        })
    }

    /// The key of a part, by number.
    fn key(&self, part: u32) -> Vec<u8> {
        [&self.id[..], &part.to_be_bytes()].concat()
    }

    fn keys(self) -> impl Iterator<Item = Vec<u8>> {
        (0..self.parts).map(move |part| self.key(part))
    }
}

/// A value that was cut.
pub(in crate::store) struct Cut {
    pub(in crate::store) stand_in: Vec<u8>,
    /// Parts in the order of their keys.
    pub(in crate::store) parts: Vec<Entry>,
}

/// Cuts a value that is too long for an entry; `None` if it is not.
pub(in crate::store) fn cut(key: &[u8], value: &[u8]) -> Result<Option<Cut>, StoreError> {
    let max_value = MAX_ENTRY.saturating_sub(key.len()).max(StandIn::LEN);
    if value.len() <= max_value && !value.starts_with(&MARK) {
        return Ok(None);
    }
    let chunks = value.chunks(PART_BYTES);
    let stand_in = StandIn {
        id: random_id()?,
        parts: u32::try_from(chunks.len()).unwrap_or(u32::MAX),
        seal: seal_of(TreeId::Whole, key, value),
    };
    let sealed = |(key, part): (Vec<u8>, &[u8])| {
        let sealed = seal(TreeId::Parts, &key, part);
        (key.into(), sealed.into())
    };
    Ok(Some(Cut {
        stand_in: stand_in.encode(),
        parts: stand_in.keys().zip(chunks).map(sealed).collect(),
    }))
}

/// The keys of the parts of a value that was changed, sealed as it was under its key; none if it has no parts.
pub(in crate::store) fn keys_of(key: &[u8], sealed: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    // Few values have parts: the others need no checksum.
    let marked = sealed.starts_with(&MARK).then_some(sealed);
    let value = marked.and_then(|sealed| unseal(TreeId::Records, key, sealed));
    let stand_in = value.and_then(StandIn::decode);
    stand_in.into_iter().flat_map(StandIn::keys)
}

/// The tree of all parts.
#[derive(Debug)]
pub(in crate::store) struct Parts {
    pub(in crate::store) tree: SledTree,
}

impl Parts {
    /// Must be opened before the trees that hold stand-ins: whatever part of the log loses the parts then loses those
    /// too.
    pub(in crate::store) fn open(db: &Db, dir: &Path, writes: &Writes) -> Result<Self, StoreError> {
        Ok(Self {
            tree: SledTree::open(db, dir, TreeId::Parts, writes)?,
        })
    }

    /// The value under a key; `None` if parts are missing or are not what they were.
    pub(in crate::store) fn join(
        &self,
        key: &[u8],
        stand_in: &StandIn,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let mut value = Vec::new();
        let mut entries = self.tree.from(&stand_in.key(0))?;
        for part in stand_in.keys() {
            let found = entries.next().transpose()?;
            let found = found.filter(|(found, _)| **found == *part);
            let part = found.as_ref();
            match part.and_then(|(key, sealed)| unseal(TreeId::Parts, key, sealed)) {
                Some(part) => value.extend_from_slice(part),
                None => return Ok(None),
            }
        }
        let is_whole = seal_of(TreeId::Whole, key, &value) == stand_in.seal;
        Ok(is_whole.then_some(value))
    }
}

#[cfg(test)]
mod tests;
