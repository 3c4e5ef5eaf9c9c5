//! The names of things: hashes that name contents and documents, and the numbers used inside.

use std::fmt;

macro_rules! hash_name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 32]);

        impl $name {
            /// Reads a name from exactly 32 bytes.
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
    /// BLAKE3 of a file's raw bytes: names a content.
    ContentHash
}
hash_name! {
    /// BLAKE3 of a canonical text (or, for contents without text, of the raw bytes under a key of
    /// its own): names a document.
    DocumentHash
}

/// Which store texts were written for: random, made with the store, part of the seal of every block
/// of text. So the texts of one data directory are not taken for those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoreId(pub [u8; 16]);

/// Which run of postings a directory holds: random, made with the run, and kept in it and in the meta record.
/// So a run of another store, or of another life of this one, is not taken for the one of its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunId(pub [u8; 16]);

/// A document inside one index: 16 bits say who issued the number, 48 bits count up and are never
/// used again, so that replaying postings after a crash cannot give them to another document.
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

/// Persistent id of a group; with the top bit set, a temporary id of a group that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u64);

impl GroupId {
    const TEMPORARY: u64 = 1 << 63;

    /// The temporary id of the group around this principal. Issuers of documents take 15 bits at most.
    pub fn temporary(principal: DocId) -> Self {
        debug_assert!(principal.0 & Self::TEMPORARY == 0);
        Self(Self::TEMPORARY | principal.0)
    }

    /// The principal that a temporary id was made of; none of a persistent id.
    pub fn as_temporary(self) -> Option<DocId> {
        (self.0 & Self::TEMPORARY != 0).then_some(DocId(self.0 & !Self::TEMPORARY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_group_id_names_its_principal_and_a_handle_none() {
        for id in [0, 1, (7 << 48) | 5, (1 << 63) - 1] {
            let principal = DocId(id);
            assert_eq!(
                GroupId::temporary(principal).as_temporary(),
                Some(principal)
            );
        }
        assert_eq!(GroupId(7).as_temporary(), None);
    }
}
