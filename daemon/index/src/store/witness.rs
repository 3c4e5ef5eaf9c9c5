//! A witness of commits beside the engine, so that commits the engine lost do not go unnoticed.
//!
//! sled takes a damaged message in the part of its log that it reads at open for a torn tail, and
//! drops all that follows: one flipped bit can silently take hundreds of committed records, and no
//! checksum of a value shows it. So each commit writes its number into the engine, and once that
//! is power-safe into a file of its own. As the log keeps order, an engine that knows a lower
//! number than the file has lost commits.
//!
//! File `COMMITTED`: number (8 bytes, little-endian) ‖ XXH3-64 of these (8 bytes). It is not synced
//! each time: a power cut may leave an older number, which only weakens the witness.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::StoreError;
use crate::safe_fs;

/// Name of the file in the store.
const NAME: &str = "COMMITTED";

/// The file that holds the number of the last commit.
#[derive(Debug)]
pub(super) struct Witness {
    file: File,
    path: PathBuf,
}

impl Witness {
    /// Opens the witness in `dir`, creating it if absent.
    pub(super) fn open(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(NAME);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = safe_fs::open(&path, &mut options).map_err(StoreError::io("open", &path))?;
        Ok(Self { file, path })
    }

    /// The number of the last commit it knows; 0 if it is new or was torn.
    pub(super) fn read(&self) -> Result<u64, StoreError> {
        let number = number_in(&self.file).map_err(StoreError::io("read", &self.path))?;
        Ok(number.unwrap_or(0))
    }

    /// Notes a commit that is power-safe.
    pub(super) fn write(&self, number: u64) -> Result<(), StoreError> {
        let written = self.file.write_all_at(&encode(number), 0);
        written.map_err(StoreError::io("write", &self.path))
    }
}

/// Whether the witness of the store in `dir`, which must have made a commit, is missing or torn: then
/// nothing tells whether the engine lost commits. Reads it, and changes nothing.
///
/// # Errors
/// Where it cannot be read.
pub fn is_damaged(dir: &Path) -> Result<bool, StoreError> {
    let path = dir.join(NAME);
    let number = safe_fs::open_read(&path).and_then(|file| number_in(&file));
    match number {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        number => Ok(number.map_err(StoreError::io("read", &path))?.is_none()),
    }
}

/// The number in a witness; none where it is torn.
fn number_in(file: &File) -> std::io::Result<Option<u64>> {
    let mut bytes = [0; 16];
    match file.read_exact_at(&mut bytes, 0) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let number = u64::from_le_bytes(bytes[..8].try_into().unwrap_or_default());
    Ok((bytes == encode(number)).then_some(number))
}

fn encode(number: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    let checksum = XxHash3_64::oneshot(&bytes[..8]);
    bytes[8..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}
