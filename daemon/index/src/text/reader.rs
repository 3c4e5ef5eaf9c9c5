//! Reads blocks: recently read segments stay open, recently read blocks stay decompressed.
//!
//! People may change the directory as well: before a block is read its segment's name is looked up, and a file that was
//! replaced is opened again. A cached block is not read again.

use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use simdex_schema::StoreId;

use super::block::{self, BlockPosition, HEADER_LEN};
use super::{TextError, TextRef, segment};
use crate::cache::Cache;

/// Number of segments kept open: descriptors are scarce.
const OPEN_SEGMENTS: usize = 16;
/// Bytes of cached blocks, decompressed, unless [`BlockReader::caching`] sets another limit.
const KEPT_BYTES: u64 = 16 << 20;
/// Blocks above this size are not cached.
const KEPT_BLOCK_BYTES: usize = 1 << 20;

/// The work of reading texts since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextWork {
    /// How often a segment file was opened.
    pub segments_opened: u64,
    /// Blocks read and decompressed.
    pub blocks_read: u64,
}

#[derive(Debug)]
pub(super) struct BlockReader {
    dir: PathBuf,
    store: StoreId,
    /// The most recently used one is last.
    open: Mutex<Vec<Arc<OpenSegment>>>,
    blocks: Cache<BlockPosition, Arc<Vec<u8>>>,
    segments_opened: AtomicU64,
    blocks_read: AtomicU64,
    /// Errors of reads at a position, for tests.
    #[cfg(test)]
    errors: Mutex<Vec<(BlockPosition, rustix::io::Errno)>>,
}

#[derive(Debug)]
struct OpenSegment {
    number: u32,
    file: File,
    /// Device and inode.
    id: (u64, u64),
}

impl BlockReader {
    pub(super) fn new(dir: &Path, store: StoreId) -> Self {
        Self {
            dir: dir.into(),
            store,
            open: Mutex::default(),
            blocks: Cache::new(KEPT_BYTES),
            segments_opened: AtomicU64::new(0),
            blocks_read: AtomicU64::new(0),
            #[cfg(test)]
            errors: Mutex::default(),
        }
    }

    /// Caches at most this many bytes of blocks.
    pub(super) fn caching(mut self, bytes: u64) -> Self {
        self.blocks = Cache::new(bytes);
        self
    }

    pub(super) fn work(&self) -> TextWork {
        TextWork {
            segments_opened: self.segments_opened.load(Ordering::Relaxed),
            blocks_read: self.blocks_read.load(Ordering::Relaxed),
        }
    }

    /// The block a reference points into, decompressed; it may come from the cache.
    pub(super) fn block(&self, at: &TextRef) -> Result<Arc<Vec<u8>>, TextError> {
        let position = at.position();
        if let Some(block) = self.blocks.get(&position) {
            return Ok(block);
        }
        let block = Arc::new(self.read(at)?);
        if block.len() <= KEPT_BLOCK_BYTES {
            self.blocks
                .insert(position, Arc::clone(&block), block.len() as u64);
        }
        Ok(block)
    }

    /// Reads and decompresses the block a reference points into.
    pub(super) fn read(&self, at: &TextRef) -> Result<Vec<u8>, TextError> {
        let position = at.position();
        let (segment, len) = self.segment(position)?;
        // Before allocating: a false reference may state any length.
        if at.block_end().is_none_or(|end| end > len) {
            return Err(position.corrupt("reference past the end"));
        }
        let mut bytes = vec![0; HEADER_LEN + at.block_len as usize];
        let read = match self.injected_error(position) {
            Some(error) => Err(error),
            None => segment.file.read_exact_at(&mut bytes, at.offset),
        };
        read.map_err(TextError::reading("read", &self.dir, position))?;
        self.blocks_read.fetch_add(1, Ordering::Relaxed);
        block::decode(self.store, position, &bytes)
    }

    #[cfg(not(test))]
    const fn injected_error(&self, _: BlockPosition) -> Option<std::io::Error> {
        None
    }

    /// Bytes of cached blocks, and the limit.
    pub(super) fn kept(&self) -> (u64, u64) {
        self.blocks.weight()
    }

    /// Drops everything cached: from here on, reads see what is on disk.
    pub(super) fn forget(&self) {
        self.blocks.clear();
        self.lock().clear();
    }

    /// The segment of a position, and its length in bytes.
    fn segment(&self, position: BlockPosition) -> Result<(Arc<OpenSegment>, u64), TextError> {
        let number = position.segment;
        let path = segment::path(&self.dir, number);
        let found = std::fs::symlink_metadata(&path);
        let found = found.map_err(TextError::reading("examine", &self.dir, position));
        // A segment that is gone, or replaced, need not be kept.
        let kept = self.take(number);
        let found = found?;
        let kept = kept.filter(|kept| kept.id == (found.dev(), found.ino()));
        let (segment, len) = match kept {
            Some(kept) => (kept, found.len()),
            None => self.open(number)?,
        };
        self.keep(&segment);
        Ok((segment, len))
    }

    fn open(&self, number: u32) -> Result<(Arc<OpenSegment>, u64), TextError> {
        let (file, metadata) = segment::open(&self.dir, number)?;
        self.segments_opened.fetch_add(1, Ordering::Relaxed);
        let id = (metadata.dev(), metadata.ino());
        let segment = OpenSegment { number, file, id };
        Ok((Arc::new(segment), metadata.len()))
    }

    fn take(&self, number: u32) -> Option<Arc<OpenSegment>> {
        let mut open = self.lock();
        let at = open.iter().position(|segment| segment.number == number)?;
        Some(open.remove(at))
    }

    fn keep(&self, segment: &Arc<OpenSegment>) {
        let mut open = self.lock();
        // Another reader may have opened it at the same time.
        open.retain(|other| other.number != segment.number);
        if open.len() == OPEN_SEGMENTS {
            open.remove(0);
        }
        open.push(Arc::clone(segment));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<OpenSegment>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl BlockReader {
    /// From here on, reading at the position of this reference fails with this error.
    pub(super) fn inject_error(&self, at: &TextRef, errno: rustix::io::Errno) {
        self.forget();
        let mut errors = self.errors.lock().unwrap();
        errors.retain(|(position, _)| *position != at.position());
        errors.push((at.position(), errno));
    }

    fn injected_error(&self, position: BlockPosition) -> Option<std::io::Error> {
        let errors = self.errors.lock().unwrap();
        let errno = errors.iter().find(|(at, _)| *at == position)?.1;
        Some(std::io::Error::from_raw_os_error(errno.raw_os_error()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{BLOCK_BYTES, TextStore};

    const ID: StoreId = StoreId([9; 16]);

    /// A store with this many blocks of one text each, every four in a segment of their own.
    fn filled(dir: &Path, blocks: usize) -> (TextStore, Vec<TextRef>) {
        let text = |at: usize| format!("{at} ").repeat(BLOCK_BYTES / 4);
        let mut refs = Vec::new();
        for some in (0..blocks).collect::<Vec<_>>().chunks(4) {
            // Every start begins a new segment.
            let store = TextStore::open(dir, ID, 1).unwrap();
            refs.extend(
                some.iter()
                    .flat_map(|at| store.append(&[&text(*at)]).unwrap()),
            );
        }
        (TextStore::open(dir, ID, 1).unwrap(), refs)
    }

    #[test]
    fn a_segment_is_opened_once_and_a_block_decompressed_once() {
        let dir = tempfile::tempdir().unwrap();
        let (store, refs) = filled(dir.path(), 12);
        for _ in 0..3 {
            refs.iter().for_each(|at| drop(store.read(at).unwrap()));
        }
        let work = TextWork {
            segments_opened: 3,
            blocks_read: 12,
        };
        assert_eq!(store.work(), work);
        store.forget_kept();
        store.read(&refs[0]).unwrap();
        let work = TextWork {
            segments_opened: 4,
            blocks_read: 13,
        };
        assert_eq!(store.work(), work);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let (store, refs) = filled(dir.path(), 4 * (OPEN_SEGMENTS + 3));
        refs.iter().for_each(|at| drop(store.read(at).unwrap()));
        assert_eq!(store.reader().lock().len(), OPEN_SEGMENTS);
        // The first of them is opened again, the last is still open.
        store.reader().blocks.clear();
        let opened = store.work().segments_opened;
        store.read(&refs[refs.len() - 1]).unwrap();
        assert_eq!(store.work().segments_opened, opened);
        store.read(&refs[0]).unwrap();
        assert_eq!(store.work().segments_opened, opened + 1);
    }

    #[test]
    fn a_segment_that_is_removed_or_replaced_is_noticed_while_it_is_open() {
        let dir = tempfile::tempdir().unwrap();
        let (store, refs) = filled(dir.path(), 8);
        store.read(&refs[0]).unwrap();
        let path = segment::path(dir.path(), refs[0].segment);
        let other = segment::path(dir.path(), refs[4].segment);
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(
            store.read(&refs[1]),
            Err(TextError::NoSegment { .. })
        ));
        std::fs::rename(&other, &path).unwrap();
        assert!(matches!(
            store.read(&refs[1]),
            Err(TextError::Corrupt { .. })
        ));
    }
}
