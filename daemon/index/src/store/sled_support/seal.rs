//! Seals values with a checksum bound to their key and tree, so that a value that was damaged or
//! found under the wrong key is reported, never served.
//!
//! Layout: value ‖ checksum (8 bytes, little-endian). The checksum is XXH3-64 of the value, seeded
//! by XXH3-64 of the key, itself seeded by a number of the tree, and of the run where it is one of
//! postings. It guards against faults, not against forgery: anybody who can write the store's files can forge it.
//!
//! XXH3 because a query reads some hundred blocks of 1 to 2 KB: it costs about 40 ns per block (BLAKE3: 940 ns). It is
//! also a different function than the CRC-32 that sled uses for its pages, so it may catch what that misses.

use twox_hash::XxHash3_64;

use crate::store::StoreError;

/// Bytes a seal adds to a value.
pub(in crate::store) const SEAL_LEN: usize = 8;

/// Which tree a value belongs to; part of its seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum TreeId {
    Records,
    /// A run, by number.
    Postings(u32),
    Commits,
    /// Packs of records, each under the key of its last record.
    Packed,
    /// No tree: marks a packed record as removed.
    Removed,
    /// The sum of all records.
    Summed,
    /// Parts of long values.
    Parts,
    /// No tree: a value of records that is stored in parts, as a whole.
    Whole,
}

impl TreeId {
    /// Name of the tree, in sled and in messages.
    pub(in crate::store) fn name(self) -> &'static str {
        match self {
            Self::Records | Self::Removed | Self::Whole => "records",
            Self::Postings(_) => "postings",
            Self::Commits => "commits",
            Self::Packed => "packed",
            Self::Summed => "summed",
            Self::Parts => "parts",
        }
    }

    /// Refuses a value longer than `max` bytes.
    pub(in crate::store) fn check_len(self, value: &[u8], max: usize) -> Result<(), StoreError> {
        match value.len() {
            len if len > max => Err(StoreError::TooLarge {
                tree: self.name(),
                len,
                max,
            }),
            _ => Ok(()),
        }
    }

    /// Seeds the checksum of a key.
    fn seed(self) -> u64 {
        match self {
            Self::Records => 1,
            Self::Postings(run) => 2 | u64::from(run) << 8,
            Self::Commits => 3,
            Self::Packed => 4,
            Self::Removed => 5,
            Self::Summed => 6,
            Self::Parts => 7,
            Self::Whole => 8,
        }
    }
}

/// The value followed by its seal.
pub(in crate::store) fn seal(tree: TreeId, key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(value.len() + SEAL_LEN);
    sealed.extend_from_slice(value);
    sealed.extend_from_slice(&seal_of(tree, key, value));
    sealed
}

/// The seal of a value, little-endian.
pub(in crate::store) fn seal_of(tree: TreeId, key: &[u8], value: &[u8]) -> [u8; SEAL_LEN] {
    checksum(tree, key, value).to_le_bytes()
}

/// Strips the seal; `None` if it does not match.
pub(in crate::store) fn unseal<'a>(tree: TreeId, key: &[u8], sealed: &'a [u8]) -> Option<&'a [u8]> {
    let (value, stored) = sealed.split_last_chunk::<SEAL_LEN>()?;
    (u64::from_le_bytes(*stored) == checksum(tree, key, value)).then_some(value)
}

fn checksum(tree: TreeId, key: &[u8], value: &[u8]) -> u64 {
    let seed = XxHash3_64::oneshot_with_seed(tree.seed(), key);
    XxHash3_64::oneshot_with_seed(seed, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn unseal_returns_what_was_sealed(key: Vec<u8>, value: Vec<u8>) {
            let sealed = seal(TreeId::Records, &key, &value);
            prop_assert_eq!(unseal(TreeId::Records, &key, &sealed), Some(&value[..]));
        }

        #[test]
        fn any_flipped_bit_is_noticed(key: Vec<u8>, value: Vec<u8>, at: prop::sample::Index) {
            let mut sealed = seal(TreeId::Postings(7), &key, &value);
            let bit = at.index(sealed.len() * 8);
            sealed[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(unseal(TreeId::Postings(7), &key, &sealed), None);
        }

        #[test]
        fn any_truncation_is_noticed(key: Vec<u8>, value: Vec<u8>, at: prop::sample::Index) {
            let sealed = seal(TreeId::Postings(7), &key, &value);
            let cut = at.index(sealed.len());
            prop_assert_eq!(unseal(TreeId::Postings(7), &key, &sealed[..cut]), None);
        }
    }

    #[test]
    fn a_value_under_another_key_or_tree_is_noticed() {
        let sealed = seal(TreeId::Records, b"ab", b"c");
        assert_eq!(unseal(TreeId::Records, b"a", &sealed), None);
        assert_eq!(unseal(TreeId::Postings(0), b"ab", &sealed), None);
        let of_a_run = seal(TreeId::Postings(7), b"ab", b"c");
        assert_eq!(unseal(TreeId::Postings(8), b"ab", &of_a_run), None);
        assert_ne!(seal(TreeId::Records, b"a", b"bc"), sealed);
    }
}
