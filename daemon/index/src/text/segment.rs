//! The segment files: names, reading a block, appending blocks, walking headers.

use std::fs::{File, Metadata, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use simdex_schema::StoreId;

use super::block::{self, BlockPosition, HEADER_LEN, Header};
use super::{TextError, TextRef};
use crate::io_error::is_lost;
use crate::safe_fs;

/// The file of a segment: `000001.seg` and so on.
pub(super) fn path(dir: &Path, segment: u32) -> PathBuf {
    dir.join(format!("{segment:06}.seg"))
}

/// Numbers and lengths in bytes of the segments in `dir`, in order; empty if there is no `dir`.
pub(super) fn list(dir: &Path) -> Result<Vec<(u32, u64)>, TextError> {
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        entries => entries.map_err(TextError::io("list", dir))?,
    };
    for entry in entries {
        let entry = entry.map_err(TextError::io("list", dir))?;
        let Some(number) = number(&entry.path()) else {
            continue;
        };
        match entry.metadata() {
            Ok(metadata) if metadata.is_file() => found.push((number, metadata.len())),
            Ok(_) => {
                let stray = std::io::Error::other("it is not a regular file; move it away");
                return Err(TextError::io("use", entry.path())(stray));
            }
            // Compacted away since it was listed.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            // Its number is in use, but no text in it can be read.
            Err(error) if is_lost(&error) => found.push((number, 0)),
            Err(error) => return Err(TextError::io("examine", entry.path())(error)),
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn number(path: &Path) -> Option<u32> {
    path.file_name()?
        .to_str()?
        .strip_suffix(".seg")?
        .parse()
        .ok()
}

/// Fsyncs the directory, so that creations and removals in it are durable.
pub(super) fn sync_dir(dir: &Path) -> Result<(), TextError> {
    let file = File::open(dir).map_err(TextError::io("open", dir))?;
    file.sync_all().map_err(TextError::io("sync", dir))
}

/// Fsyncs a segment that is no longer written.
pub(super) fn sync(dir: &Path, segment: u32) -> Result<(), TextError> {
    let (file, _) = open(dir, segment)?;
    file.sync_data()
        .map_err(TextError::io("sync", path(dir, segment)))
}

/// Opens a segment for reading.
pub(super) fn open(dir: &Path, segment: u32) -> Result<(File, Metadata), TextError> {
    let path = path(dir, segment);
    let opened = safe_fs::open_read(&path).and_then(|file| file.metadata().map(|m| (file, m)));
    let position = BlockPosition { segment, offset: 0 };
    opened.map_err(TextError::reading("open", dir, position))
}

/// Visits the header of every block of a segment, in order. Ends at the first that is not one: what follows was torn by
/// a crash, and nothing points there, or is damaged. Returns the number of bytes before it.
pub(super) fn blocks(
    dir: &Path,
    segment: u32,
    mut visit: impl FnMut(BlockPosition, &Header) -> Result<(), TextError>,
) -> Result<u64, TextError> {
    let (file, metadata) = open(dir, segment)?;
    let file_len = metadata.len();
    let mut offset = 0;
    let mut head = [0; HEADER_LEN];
    while offset + HEADER_LEN as u64 <= file_len {
        let position = BlockPosition { segment, offset };
        let read = file.read_exact_at(&mut head, offset);
        let read = read.map_err(TextError::reading("read", dir, position));
        let header = match read.and_then(|()| Header::parse(position, &head)) {
            Err(TextError::Corrupt { .. }) => break,
            header => header?,
        };
        let end = offset + (HEADER_LEN + header.block_len) as u64;
        if end > file_len {
            break;
        }
        visit(position, &header)?;
        offset = end;
    }
    Ok(offset)
}

/// Bytes of text in a segment, live or dead, from its headers.
pub(super) fn raw_bytes(dir: &Path, segment: u32) -> Result<u64, TextError> {
    let mut total = 0;
    blocks(dir, segment, |_, header| {
        total += header.raw_len as u64;
        Ok(())
    })?;
    Ok(total)
}

/// The segment being written.
#[derive(Debug)]
pub(super) struct Appender {
    pub(super) segment: u32,
    /// Where the next block goes. What a failed write left there is overwritten.
    pub(super) offset: u64,
    store: StoreId,
    file: Arc<File>,
    path: PathBuf,
    /// Everything before this offset is known to be on stable storage.
    synced: u64,
}

/// A sync that can be made without blocking threads that append.
#[derive(Debug)]
pub(super) struct PendingSync {
    segment: u32,
    offset: u64,
    file: Arc<File>,
    path: PathBuf,
}

impl Appender {
    /// Creates a segment; fails if one of this number exists.
    pub(super) fn create(dir: &Path, store: StoreId, segment: u32) -> Result<Self, TextError> {
        let path = path(dir, segment);
        let mut options = OpenOptions::new();
        let file = safe_fs::open(&path, options.write(true).create_new(true));
        let file = file.map_err(TextError::io("create", &path))?;
        sync_dir(dir)?;
        Ok(Self {
            segment,
            offset: 0,
            store,
            file: Arc::new(file),
            path,
            synced: 0,
        })
    }

    /// Writes one block; the reference covers the whole block.
    pub(super) fn append(&mut self, raw: &[u8]) -> Result<TextRef, TextError> {
        let position = BlockPosition {
            segment: self.segment,
            offset: self.offset,
        };
        let bytes = block::encode(self.store, position, raw)
            .map_err(TextError::io("compress for", &self.path))?;
        let written = self.file.write_all_at(&bytes, self.offset);
        written.map_err(TextError::io("write", &self.path))?;
        self.offset += bytes.len() as u64;
        // Both fit: the encoder has checked them.
        let block_len = (bytes.len() - HEADER_LEN) as u32;
        let len = raw.len() as u32;
        Ok(TextRef {
            segment: position.segment,
            offset: position.offset,
            block_len,
            start: 0,
            len,
            checksum: None,
        })
    }

    /// Whether the file still has its name. If it was removed or replaced, nobody can read what is appended to it.
    pub(super) fn in_place(&self) -> bool {
        let id = |m: std::fs::Metadata| (m.dev(), m.ino());
        match (self.file.metadata(), std::fs::symlink_metadata(&self.path)) {
            (Ok(ours), Ok(found)) => id(ours) == id(found),
            (_, Err(error)) => error.kind() != ErrorKind::NotFound,
            _ => true,
        }
    }

    /// The sync that all blocks so far need; `None` if they are synced.
    pub(super) fn unsynced(&self) -> Option<PendingSync> {
        (self.synced < self.offset).then(|| PendingSync {
            segment: self.segment,
            offset: self.offset,
            file: Arc::clone(&self.file),
            path: self.path.clone(),
        })
    }

    /// Notes a sync that was made.
    pub(super) fn note(&mut self, made: &PendingSync) {
        if made.segment == self.segment {
            self.synced = self.synced.max(made.offset);
        }
    }
}

impl PendingSync {
    /// Returns once the blocks are on stable storage. After an error the kernel may have dropped
    /// the pages it could not write.
    pub(super) fn make(&self) -> Result<(), TextError> {
        self.file
            .sync_all()
            .map_err(TextError::io("sync", &self.path))
    }
}
