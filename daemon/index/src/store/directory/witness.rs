//! A witness of commits outside sled, so that commits that sled lost do not go unnoticed.
//!
//! sled mistakes a damaged message near the end of its log for a torn tail, and drops everything after it: one flipped
//! bit can silently remove hundreds of committed records, and no checksum of a value shows it. (What it skips earlier
//! in the log is found by the sum of all records: [`crate::store::records::summed`].) So each commit writes its number
//! into sled, and once that is power-safe into a file of its own. As the log keeps order, a sled that knows a lower
//! number than the file has lost commits.
//!
//! Numbers alone do not distinguish stores: restored records of an earlier life of a store may know more commits than
//! the present one. So the witness also holds the id of the records, once the records themselves hold it power-safe.
//!
//! File `COMMITTED`: number (8 bytes, little-endian) ‖ XXH3-64 of these (8 bytes); then, if the records have one, their
//! id (16 bytes) ‖ XXH3-64 of these (8 bytes). It is not synced each time: a power cut may leave an older number, or no
//! id, which only weakens the witness.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use twox_hash::XxHash3_64;

use super::lock::Anchor;
use crate::safe_fs;
use crate::store::StoreError;

/// Name of the file in the store.
pub(in crate::store) const NAME: &str = "COMMITTED";
/// Where the id is in it.
const ID_AT: u64 = 16;
/// Limit of what is read; far above its length.
const MAX_BYTES: usize = 256;

/// Id of the records of a store, the same in all their generations.
pub(in crate::store) type RecordsId = [u8; 16];

/// The content of a witness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::store) struct Witnessed {
    /// The number of the last commit; 0 if the witness is new or was torn.
    pub(in crate::store) commits: u64,
    /// The id of the records that made them; `None` if it was torn, or is from before they had one.
    pub(in crate::store) id: Option<RecordsId>,
}

impl Witnessed {
    /// Whether it identifies these records. A number alone does not.
    pub(in crate::store) fn names_records(&self) -> bool {
        self.commits > 0 && self.id.is_some()
    }
}

/// The file that holds the number of the last commit.
#[derive(Debug)]
pub(in crate::store) struct Witness {
    file: File,
    path: PathBuf,
    anchor: Anchor,
    /// Set once the id is noted.
    named: OnceLock<RecordsId>,
    /// The bytes of the file, as they were last read or written.
    bytes: Mutex<Vec<u8>>,
}

impl Witness {
    /// Opens the witness in `dir`, creating it if absent.
    pub(in crate::store) fn open(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(NAME);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = safe_fs::open(&path, &mut options).map_err(StoreError::io("open", &path))?;
        let anchor = Anchor::of(&path)?;
        let bytes = bytes_of(&file).map_err(StoreError::io("read", &path))?;
        Ok(Self {
            file,
            path,
            anchor,
            named: OnceLock::new(),
            bytes: Mutex::new(bytes),
        })
    }

    /// Reads the number of the last commit and the id of the records from its file.
    pub(in crate::store) fn read(&self) -> Result<Witnessed, StoreError> {
        let read = || {
            Ok(Witnessed {
                commits: number_in(&self.file)?.unwrap_or(0),
                id: sealed_at(&self.file, ID_AT)?,
            })
        };
        read().map_err(StoreError::io("read", &self.path))
    }

    /// Notes a commit that is power-safe.
    ///
    /// # Errors
    /// [`StoreError::Replaced`] if another file is in its place: the number would go where nobody looks. Also if the
    /// file is the same and somebody wrote to it: a restore that writes into files may be changing the others too.
    pub(in crate::store) fn write(&self, number: u64) -> Result<(), StoreError> {
        self.anchor.check()?;
        self.put(&sealed(number.to_le_bytes()), 0)
    }

    /// Notes the id of the records whose commits these are. The records must hold it power-safe: they would be refused
    /// if only the witness had it.
    pub(in crate::store) fn name(&self, id: RecordsId) -> Result<(), StoreError> {
        if self.named.get() == Some(&id) {
            return Ok(());
        }
        self.put(&sealed(id), ID_AT)?;
        let _set_before = self.named.set(id);
        Ok(())
    }

    fn put(&self, bytes: &[u8], at: u64) -> Result<(), StoreError> {
        let mut last = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || bytes_of(&self.file).map_err(StoreError::io("read", &self.path));
        if read()? != *last {
            let path = self.path.clone();
            return Err(StoreError::Replaced { path });
        }
        match self.file.write_all_at(bytes, at) {
            Ok(()) => put_at(&mut last, bytes, at as usize),
            Err(error) => {
                // Part of it may have been written.
                *last = read()?;
                return Err(StoreError::io("write", &self.path)(error));
            }
        }
        Ok(())
    }
}

/// The content of a file after other bytes are written at an offset.
fn put_at(file: &mut Vec<u8>, bytes: &[u8], at: usize) {
    let end = at + bytes.len();
    if file.len() < end {
        file.resize(end, 0);
    }
    file[at..end].copy_from_slice(bytes);
}

/// Whether the witness of the store in `dir`, which must have made a commit, is missing or torn: then nothing shows
/// whether sled lost commits. Changes nothing.
///
/// # Errors
/// If it cannot be read.
pub fn is_damaged(dir: &Path) -> Result<bool, StoreError> {
    let path = dir.join(NAME);
    let number = safe_fs::open_read(&path).and_then(|file| number_in(&file));
    match number {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        number => Ok(number.map_err(StoreError::io("read", &path))?.is_none()),
    }
}

/// The number in a witness; `None` if it is torn.
fn number_in(file: &File) -> std::io::Result<Option<u64>> {
    Ok(sealed_at(file, 0)?.map(u64::from_le_bytes))
}

/// The whole content of a witness; bounded, in case the file is not one.
fn bytes_of(file: &File) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; MAX_BYTES];
    let read = file.read_at(&mut bytes, 0)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// The bytes at an offset, if their checksum follows them.
fn sealed_at<const N: usize>(file: &File, at: u64) -> std::io::Result<Option<[u8; N]>> {
    let (mut bytes, mut checksum) = ([0; N], [0; 8]);
    let read = file.read_exact_at(&mut bytes, at);
    match read.and_then(|()| file.read_exact_at(&mut checksum, at + N as u64)) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let is_whole = XxHash3_64::oneshot(&bytes).to_le_bytes() == checksum;
    Ok(is_whole.then_some(bytes))
}

/// Bytes with their checksum.
fn sealed<const N: usize>(bytes: [u8; N]) -> Vec<u8> {
    let checksum = XxHash3_64::oneshot(&bytes).to_le_bytes();
    [&bytes[..], &checksum].concat()
}
