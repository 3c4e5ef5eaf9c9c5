//! Hashes of bytes, and the clock for reading times.

use std::fs::File;
use std::io::{self, Read, Seek};

use simdex_index::{Cancel, IndexError};
use simdex_schema::{ContentHash, Reason, Timestamp};

/// Separates the hashes of contents that were cut short from those of whole ones.
const CUT_CONTENT: &str = "simdex 2026 cut content";

/// BLAKE3 and length of bytes that must not change meanwhile.
pub fn hash_all(bytes: impl Read) -> io::Result<(ContentHash, u64)> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(bytes)?;
    Ok((ContentHash(*hasher.finalize().as_bytes()), hasher.count()))
}

/// The hash of a content of which only these bytes could be had, by the hash of the bytes. It differs from theirs: the
/// record of a cut content says so, which is not true of a file that has these bytes and no more.
pub(super) fn hash_of_cut(bytes: ContentHash, reason: Reason) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key(CUT_CONTENT);
    hasher.update(&bytes.0).update(reason.code().as_bytes());
    ContentHash(*hasher.finalize().as_bytes())
}

/// BLAKE3 of a file of a share, which has `length` bytes; `None` if it has more or fewer by now.
/// The bytes cannot be relied on afterwards: to do more with them, take a snapshot.
pub(super) fn hash_in_place(
    mut file: &File,
    length: u64,
    cancel: &Cancel,
) -> Result<Option<ContentHash>, IndexError> {
    if file.rewind().is_err() {
        return Ok(None);
    }
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 128 << 10];
    let mut left = length;
    loop {
        cancel.check()?;
        let Ok(read) = file.read(&mut buffer) else {
            return Ok(None);
        };
        match left.checked_sub(read as u64) {
            // It grows: reading on might never end.
            None => return Ok(None),
            Some(0) if read == 0 => break,
            Some(_) if read == 0 => return Ok(None),
            Some(rest) => left = rest,
        }
        hasher.update(&buffer[..read]);
    }
    Ok(Some(ContentHash(*hasher.finalize().as_bytes())))
}

/// The current time, in the format of `stat`.
pub fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let since = since.unwrap_or_default();
    Timestamp {
        seconds: since.as_secs() as i64,
        nanos: since.subsec_nanos(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_that_grows_or_shrinks_is_not_hashed_on_and_on() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"some bytes").unwrap();
        let hash = |length| hash_in_place(&file, length, &Cancel::never()).unwrap();
        let (whole, _) = hash_all(&b"some bytes"[..]).unwrap();
        assert_eq!(hash(10), Some(whole));
        assert_eq!((hash(9), hash(11)), (None, None));
        // Reading it to the end would take hours.
        file.set_len(1 << 40).unwrap();
        assert_eq!(hash(10), None);
        let cancel = Cancel::never();
        cancel.cancel();
        let given_up = hash_in_place(&file, 1 << 40, &cancel);
        assert!(matches!(given_up, Err(IndexError::Cancelled)));
    }
}
