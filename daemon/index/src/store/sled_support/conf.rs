//! sled's file `conf`: three lines of settings and their CRC-32. Ours never change, so its content is known: if its CRC
//! does not match, it was damaged and is rewritten. sled itself only warns about that, and then refuses the store
//! because of the setting that a flipped bit changed.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};

use crate::safe_fs;
use crate::store::StoreError;
use crate::store::directory::RUNS;
use crate::store::files::{folders, sync_dir};

/// Name of the file in sled's directory.
const NAME: &str = "conf";
/// What sled 0.34 writes with our settings.
const SETTINGS: &[u8] = b"segment_size: 524288\nuse_compression: false\nversion: 0.34\n";
const CRC_LEN: usize = 4;
/// Limit of what is read; far above the length of any settings.
const MAX_BYTES: u64 = 4 << 10;

/// The damaged files of sled's settings, of the records, which are in this folder of the store, and of its runs; they
/// are repaired when the store is opened.
///
/// # Errors
/// [`StoreError::Io`] if one cannot be read or is no regular file.
pub fn damaged_settings(store: &Path, records: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut dirs = vec![store.join(records)];
    dirs.extend(folders(&store.join(RUNS))?);
    let mut damaged = Vec::new();
    for dir in dirs {
        if is_damaged(&dir)? {
            damaged.push(dir.join(NAME));
        }
    }
    Ok(damaged)
}

/// Whether sled's settings in its directory exist and are damaged.
///
/// # Errors
/// [`StoreError::Io`] if the file cannot be read or is no regular file.
pub(in crate::store) fn is_damaged(dir: &Path) -> Result<bool, StoreError> {
    let path = dir.join(NAME);
    let file = match safe_fs::open_read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        file => file.map_err(StoreError::io("open", &path))?,
    };
    let mut bytes = Vec::new();
    let read = file.take(MAX_BYTES).read_to_end(&mut bytes);
    read.map_err(StoreError::io("read", &path))?;
    // Settings of another version of sled are undamaged, and sled refuses them with a message.
    let whole = bytes
        .split_last_chunk::<CRC_LEN>()
        .is_some_and(|(settings, crc)| crc32(settings).to_le_bytes() == *crc);
    Ok(!whole)
}

/// Repairs a damaged file, atomically.
pub(in crate::store) fn restore(dir: &Path) -> Result<(), StoreError> {
    if !is_damaged(dir)? {
        return Ok(());
    }
    tracing::warn!(dir = %dir.display(), "the settings of sled were damaged: restored");
    let (path, new) = (dir.join(NAME), dir.join("conf.new"));
    let mut options = OpenOptions::new();
    let file = safe_fs::open(&new, options.write(true).create(true).truncate(true));
    let mut file = file.map_err(StoreError::io("create", &new))?;
    let bytes = [SETTINGS, &crc32(SETTINGS).to_le_bytes()].concat();
    let written = file.write_all(&bytes).and_then(|()| file.sync_all());
    written.map_err(StoreError::io("write", &new))?;
    std::fs::rename(&new, &path).map_err(StoreError::io("rename", &new))?;
    sync_dir(dir)
}

/// CRC-32 (ISO 3309, reflected, polynomial 0xEDB88320), bit by bit: it is computed over some 60 bytes.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc))
    });
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{SledStore, StoreOptions};

    #[test]
    fn the_settings_are_those_that_sled_writes() {
        let temp = tempfile::tempdir().unwrap();
        let options = StoreOptions {
            cache_bytes: 8 << 20,
        };
        SledStore::open(temp.path(), options)
            .unwrap()
            .close()
            .unwrap();
        let written = std::fs::read(temp.path().join("conf")).unwrap();
        assert_eq!(written, [SETTINGS, &crc32(SETTINGS).to_le_bytes()].concat());
        assert!(!is_damaged(temp.path()).unwrap());
    }

    #[test]
    fn every_flipped_bit_is_damage_and_is_put_right() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("conf");
        let whole = [SETTINGS, &crc32(SETTINGS).to_le_bytes()].concat();
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, damaged).unwrap();
            assert!(is_damaged(temp.path()).unwrap(), "bit {bit}");
            restore(temp.path()).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn settings_of_another_program_are_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        let settings = b"segment_size: 524288\nuse_compression: true\nversion: 0.35\n".as_slice();
        let bytes = [settings, &crc32(settings).to_le_bytes()].concat();
        std::fs::write(temp.path().join("conf"), &bytes).unwrap();
        restore(temp.path()).unwrap();
        assert_eq!(std::fs::read(temp.path().join("conf")).unwrap(), bytes);
    }
}
