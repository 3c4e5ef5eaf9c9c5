//! Identifiers: hashes that identify contents and documents, and the numbers used internally.

use std::fmt;

macro_rules! hash_name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 32]);

        impl $name {
            /// Reads a hash from exactly 32 bytes.
            pub fn from_slice(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }
    };
}

hash_name! {
    /// BLAKE3 of a file's raw bytes; identifies a content.
    ContentHash
}
hash_name! {
    /// BLAKE3 of a canonical text (or, for contents without text, of the raw bytes under a key of its own); identifies
    /// a document.
    DocumentHash
}

/// Identifies the store for which texts were written: random, created with the store, and part of the seal of every
/// block of text. So the texts of one data directory are not accepted in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoreId(pub [u8; 16]);

/// Identifies the run of postings in a directory: random, created with the run, and kept in it and in the meta record.
/// So a run of another store, or a former run of this one, is not accepted for the run with the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunId(pub [u8; 16]);

/// A document inside one index: 16 bits identify the issuer of the number, 48 bits count up and are never reused, so
/// that replaying postings after a crash cannot give them to another document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocId(pub u64);

impl DocId {
    const SERIAL_BITS: u32 = 48;

    /// The document `serial` of this daemon (issuer 0).
    pub fn local(serial: u64) -> Self {
        debug_assert!(serial < 1 << Self::SERIAL_BITS);
        Self(serial)
    }

    /// The number without its issuer.
    pub fn serial(self) -> u64 {
        self.0 & ((1 << Self::SERIAL_BITS) - 1)
    }
}

/// A watched directory tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootId(pub u32);

/// Persistent id of a group, which counts up from 1; or, from 2^52 on, a temporary id of a group that has none. All are
/// below 2^53, so that a reader whose numbers are doubles tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u64);

impl GroupId {
    const TEMPORARY: u64 = 1 << 52;

    /// The temporary id of the group around this principal. Issuers of documents use at most 4 bits.
    pub fn temporary(principal: DocId) -> Self {
        debug_assert!(principal.0 < Self::TEMPORARY);
        Self(Self::TEMPORARY | principal.0)
    }

    /// The principal from which a temporary id was made; `None` for a persistent id.
    pub fn as_temporary(self) -> Option<DocId> {
        let principal = self.0.checked_sub(Self::TEMPORARY)?;
        (principal < Self::TEMPORARY).then_some(DocId(principal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_group_id_names_its_principal_and_a_persistent_one_none() {
        for id in [0, 1, (7 << 48) | 5, (1 << 52) - 1] {
            let principal = DocId(id);
            assert_eq!(
                GroupId::temporary(principal).as_temporary(),
                Some(principal)
            );
        }
        for id in [0, 7, (1 << 52) - 1, 1 << 53, (1 << 63) | 5, u64::MAX] {
            assert_eq!(GroupId(id).as_temporary(), None);
        }
    }

    #[test]
    fn group_ids_are_as_distinct_as_doubles() {
        let documents = [1_u64 << 32, (1 << 48) - 2, (15 << 48) | 7];
        let ids = documents.map(|id| [id, id + 1].map(|id| GroupId::temporary(DocId(id)).0));
        for [id, next] in ids {
            assert!((id as f64 as u64, next as f64 as u64) == (id, next), "{id}");
        }
    }
}
