//! Short names for the losses that a person may confirm. The token changes whenever the loss does, so that only a loss
//! that was shown is confirmed.

use std::fmt;
use std::str::FromStr;

use simdex_schema::{DirectoryIdentity, FileKey};

use crate::write_side::watch::probe::InodeId;

/// Bytes of a token: two of a day's losses collide with a probability of 10^-14.
const BYTES: usize = 6;

/// Identifies one held loss, or one directory in a root's place; shown as 12 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossToken([u8; BYTES]);

impl LossToken {
    /// The token of a held loss in this directory: the number of lost files, and which are missing, in the order of a
    /// walk.
    pub fn of_held<'a>(
        directory: InodeId,
        lost: u64,
        missing: impl Iterator<Item = &'a FileKey>,
    ) -> Self {
        let mut hasher = hasher("held", directory);
        hasher.update(&lost.to_le_bytes());
        for key in missing {
            hasher.update(&(key.path.len() as u64).to_le_bytes());
            hasher.update(&key.path);
        }
        Self::of(&hasher)
    }

    /// The token of another directory in the root's place.
    pub fn of_replaced(directory: InodeId, identity: DirectoryIdentity) -> Self {
        let mut hasher = hasher("replaced", directory);
        hasher.update(&identity.file_system.to_le_bytes());
        hasher.update(&[u8::from(identity.file_system_id.is_some())]);
        hasher.update(&identity.file_system_id.unwrap_or_default().to_le_bytes());
        Self::of(&hasher)
    }

    fn of(hasher: &blake3::Hasher) -> Self {
        let mut short = [0; BYTES];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..BYTES]);
        Self(short)
    }
}

fn hasher(kind: &str, directory: InodeId) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind.as_bytes());
    for number in [directory.device, directory.inode, directory.mount] {
        hasher.update(&number.to_le_bytes());
    }
    hasher
}

impl fmt::Display for LossToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// A text that is not a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidToken;

impl FromStr for LossToken {
    type Err = InvalidToken;

    fn from_str(text: &str) -> Result<Self, InvalidToken> {
        let digits: Option<Vec<u8>> = text
            .chars()
            .map(|digit| u8::try_from(digit.to_digit(16)?).ok())
            .collect();
        let digits = digits.filter(|digits| digits.len() == 2 * BYTES);
        let digits = digits.ok_or(InvalidToken)?;
        let mut bytes = [0; BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = pair.iter().fold(0, |byte, digit| byte << 4 | digit);
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use simdex_schema::RootId;

    use super::*;

    const HERE: InodeId = InodeId {
        device: 1,
        inode: 2,
        mount: 3,
    };

    #[test]
    fn a_token_is_another_once_number_files_or_directory_are() {
        let keys = |names: &[&str]| {
            let key = |name: &&str| FileKey {
                root: RootId(1),
                path: name.as_bytes().to_vec(),
            };
            names.iter().map(key).collect::<Vec<_>>()
        };
        let held = |at, lost, names: &[&str]| LossToken::of_held(at, lost, keys(names).iter());
        let token = held(HERE, 2, &["a", "bc"]);
        assert_eq!(token, held(HERE, 2, &["a", "bc"]));
        let there = InodeId { mount: 4, ..HERE };
        let identity = |id| DirectoryIdentity {
            inode: 2,
            file_system: 0xEF53,
            file_system_id: id,
        };
        let replaced = |id| LossToken::of_replaced(HERE, identity(id));
        for other in [
            held(HERE, 1, &["a", "bc"]),
            held(HERE, 2, &["ab", "c"]),
            held(there, 2, &["a", "bc"]),
            replaced(None),
        ] {
            assert_ne!(token, other);
        }
        assert_ne!(replaced(None), replaced(Some(0)));
        assert_ne!(replaced(Some(1)), replaced(Some(0)));
    }

    #[test]
    fn a_token_is_read_as_it_is_shown_and_nothing_else_is() {
        let token = LossToken([0, 0x5f, 0xa1, 9, 0xff, 0x10]);
        assert_eq!(token.to_string(), "005fa109ff10");
        assert_eq!("005fa109ff10".parse(), Ok(token));
        assert_eq!("005FA109FF10".parse(), Ok(token));
        for other in [
            "",
            "005fa109ff1",
            "005fa109ff100",
            "005fa109ff1g",
            "+05fa109ff10",
        ] {
            assert_eq!(other.parse::<LossToken>(), Err(InvalidToken), "{other}");
        }
    }
}
