//! The segment files: names, reading a block, appending blocks, walking headers.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::block::{self, HEADER_LEN, Header, Place};
use super::{TextError, TextRef};

/// The file of a segment: `000001.seg` and so on.
pub(super) fn path(dir: &Path, segment: u32) -> PathBuf {
    dir.join(format!("{segment:06}.seg"))
}

/// Numbers and lengths in bytes of the segments in `dir`, in order.
pub(super) fn list(dir: &Path) -> Result<Vec<(u32, u64)>, TextError> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(TextError::io("list", dir))? {
        let entry = entry.map_err(TextError::io("list", dir))?;
        if let Some(number) = number(&entry.path()) {
            let len = entry
                .metadata()
                .map_err(TextError::io("examine", entry.path()))?
                .len();
            found.push((number, len));
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

/// fsync of the directory: makes creations and removals in it last.
pub(super) fn sync_dir(dir: &Path) -> Result<(), TextError> {
    File::open(dir)
        .and_then(|file| file.sync_all())
        .map_err(TextError::io("sync", dir))
}

/// fsync of a segment that nobody writes any more.
pub(super) fn sync(dir: &Path, segment: u32) -> Result<(), TextError> {
    let (file, _) = open(dir, segment)?;
    file.sync_data()
        .map_err(TextError::io("sync", path(dir, segment)))
}

fn open(dir: &Path, segment: u32) -> Result<(File, u64), TextError> {
    let path = path(dir, segment);
    let opened = File::open(&path).and_then(|file| file.metadata().map(|m| (file, m.len())));
    opened.map_err(|error| match error.kind() {
        ErrorKind::NotFound => TextError::NoSegment { segment },
        _ => TextError::io("open", path)(error),
    })
}

/// Reads and decompresses the block a reference points into.
pub(super) fn read_block(dir: &Path, at: &TextRef) -> Result<Vec<u8>, TextError> {
    let place = Place {
        segment: at.segment,
        offset: at.offset,
    };
    let (file, file_len) = open(dir, at.segment)?;
    let len = HEADER_LEN as u64 + u64::from(at.block_len);
    // Before allocating: a false reference may state any length.
    if at.offset.checked_add(len).is_none_or(|end| end > file_len) {
        return Err(place.corrupt("reference past the end"));
    }
    let mut bytes = vec![0; HEADER_LEN + at.block_len as usize];
    let read = file.read_exact_at(&mut bytes, at.offset);
    read.map_err(TextError::io("read", path(dir, at.segment)))?;
    block::decode(place, &bytes)
}

/// Bytes of text in a segment, live or not, from its headers. Ends at the first that is not one:
/// what follows was torn by a crash, and nothing points there.
pub(super) fn raw_bytes(dir: &Path, segment: u32) -> Result<u64, TextError> {
    let (file, file_len) = open(dir, segment)?;
    let (mut offset, mut total) = (0, 0);
    let mut head = [0; HEADER_LEN];
    while offset + HEADER_LEN as u64 <= file_len {
        let read = file.read_exact_at(&mut head, offset);
        read.map_err(TextError::io("read", path(dir, segment)))?;
        let Ok(header) = Header::parse(Place { segment, offset }, &head) else {
            break;
        };
        offset += (HEADER_LEN + header.block_len) as u64;
        if offset > file_len {
            break;
        }
        total += header.raw_len as u64;
    }
    Ok(total)
}

/// The segment being written.
#[derive(Debug)]
pub(super) struct Appender {
    pub(super) segment: u32,
    /// Where the next block goes. What a failed write left behind it is written over.
    pub(super) offset: u64,
    file: Arc<File>,
    path: PathBuf,
    /// What is known to be on stable storage: everything before this offset.
    synced: u64,
}

/// A sync to be made without holding up who appends.
#[derive(Debug)]
pub(super) struct Sync {
    segment: u32,
    offset: u64,
    file: Arc<File>,
    path: PathBuf,
}

impl Appender {
    /// Creates a segment; an error if there is one of this number.
    pub(super) fn create(dir: &Path, segment: u32) -> Result<Self, TextError> {
        let path = path(dir, segment);
        let file = File::create_new(&path).map_err(TextError::io("create", &path))?;
        sync_dir(dir)?;
        Ok(Self {
            segment,
            offset: 0,
            file: Arc::new(file),
            path,
            synced: 0,
        })
    }

    /// Writes one block; the reference covers the whole block.
    pub(super) fn append(&mut self, raw: &[u8]) -> Result<TextRef, TextError> {
        let place = Place {
            segment: self.segment,
            offset: self.offset,
        };
        let bytes = block::encode(place, raw).map_err(TextError::io("compress for", &self.path))?;
        let written = self.file.write_all_at(&bytes, self.offset);
        written.map_err(TextError::io("write", &self.path))?;
        self.offset += bytes.len() as u64;
        // Both fit: the encoder has checked them.
        let block_len = (bytes.len() - HEADER_LEN) as u32;
        let len = raw.len() as u32;
        Ok(TextRef {
            segment: place.segment,
            offset: place.offset,
            block_len,
            start: 0,
            len,
        })
    }

    /// The sync that all blocks so far need; none where they are synced.
    pub(super) fn unsynced(&self) -> Option<Sync> {
        (self.synced < self.offset).then(|| Sync {
            segment: self.segment,
            offset: self.offset,
            file: Arc::clone(&self.file),
            path: self.path.clone(),
        })
    }

    /// A sync was made.
    pub(super) fn note(&mut self, made: &Sync) {
        if made.segment == self.segment {
            self.synced = self.synced.max(made.offset);
        }
    }
}

impl Sync {
    /// Returns once the blocks are on stable storage. After an error the kernel may have dropped
    /// the pages it could not write.
    pub(super) fn make(&self) -> Result<(), TextError> {
        self.file
            .sync_all()
            .map_err(TextError::io("sync", &self.path))
    }
}
