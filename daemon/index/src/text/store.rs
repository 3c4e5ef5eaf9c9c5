//! The store of extracted texts: appending, reading, compaction.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use simdex_schema::StoreId;

use super::pack::{batches, blocks, split};
use super::reader::{BlockReader, TextWork};
use super::segment;
use super::writer::SegmentWriter;
use super::{MAX_TEXT, TextError, TextRef, checksum};
use crate::safe_fs;

/// Texts in segment files. Used by one process at a time: the caller holds a lock, such as that of the store whose
/// records point here.
#[derive(Debug)]
pub struct TextStore {
    dir: PathBuf,
    /// The store that the texts belong to: covered by every block's checksum.
    store: StoreId,
    writer: Mutex<SegmentWriter>,
    /// Held while a segment is synced: if two threads sync at once, the kernel reports a failure to only one of them.
    syncing: Mutex<()>,
    reader: BlockReader,
    /// Segments that existed when it was opened and that no record referred to.
    unaccounted: BTreeSet<u32>,
}

/// How much of a segment is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentUsage {
    /// Number of the segment.
    pub segment: u32,
    /// Length of its file, in bytes.
    pub file_bytes: u64,
    /// Text it holds, decompressed, in bytes.
    pub text_bytes: u64,
    /// The part of `text_bytes` that is live, as counted by [`TextStore::append`],
    /// [`TextStore::count_live`] and [`TextStore::count_dead`].
    pub live_bytes: u64,
}

/// What the header of a block says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHead {
    /// Its offset in the segment, in bytes.
    pub offset: u64,
    /// Compressed bytes after it.
    pub block_len: u32,
    /// Length of its texts, decompressed.
    pub text_len: u32,
}

impl BlockHead {
    /// Whether a reference to this offset lies within the block.
    pub fn holds(&self, text: &TextRef) -> bool {
        let end = text.start.checked_add(text.len);
        text.block_len == self.block_len && end.is_some_and(|end| end <= self.text_len)
    }
}

/// The result of compacting a segment.
#[derive(Debug, Default)]
pub struct CompactedSegment {
    /// Each old reference with its new one, in order of position.
    pub moved: Vec<(TextRef, TextRef)>,
    /// References to texts that were not copied.
    pub left: Vec<TextRef>,
}

impl TextStore {
    /// Opens the texts of a store in `dir`, creating it if absent. Nothing is read or truncated. What an earlier
    /// process appended and did not sync is synced, since its records may have outlived it. New segments are numbered
    /// from `min_segment` on, or from above the files that exist.
    pub fn open(dir: &Path, store: StoreId, min_segment: u32) -> Result<Self, TextError> {
        safe_fs::create_dir(dir).map_err(TextError::io("create", dir))?;
        if let Some(parent) = dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            segment::sync_dir(parent)?;
        }
        let present = segment::list(dir)?;
        let newest = present.last().map_or(0, |&(number, _)| number);
        if newest > 0 {
            match segment::sync(dir, newest) {
                // Its texts are damaged: no reason to refuse all others.
                Err(TextError::Corrupt { .. }) => {}
                synced => synced?,
            }
        }
        let above = newest.checked_add(1).ok_or(TextError::Exhausted)?;
        let unaccounted = present.iter().map(|&(number, _)| number);
        let unaccounted: BTreeSet<u32> = unaccounted.filter(|&it| it >= min_segment).collect();
        // A crash leaves one: a segment that was begun and not yet recorded.
        if unaccounted.len() > 1 {
            let (dir, segments) = (dir.display(), unaccounted.len());
            tracing::warn!(%dir, segments, "the texts are newer than the records: kept until the next start");
        }
        Ok(Self {
            unaccounted,
            ..Self::at(dir, store, above.max(min_segment))
        })
    }

    /// Caches at most this many bytes of blocks that were read.
    pub(crate) fn caching(mut self, bytes: u64) -> Self {
        self.reader = self.reader.caching(bytes);
        self
    }

    /// Opens the texts of a store for reading only; writes nothing.
    pub fn open_read_only(dir: &Path, store: StoreId) -> Self {
        Self::at(dir, store, u32::MAX)
    }

    fn at(dir: &Path, store: StoreId, next_segment: u32) -> Self {
        Self {
            dir: dir.into(),
            store,
            writer: Mutex::new(SegmentWriter::new(next_segment)),
            syncing: Mutex::default(),
            reader: BlockReader::new(dir, store),
            unaccounted: BTreeSet::new(),
        }
    }

    /// Whether no record referred to this segment when the texts were opened; `live_bytes` of it are live. Somebody who
    /// restores older records may restore those that it belongs to.
    pub(crate) fn is_unaccounted(&self, segment: u32, live_bytes: u64) -> bool {
        live_bytes == 0 && self.unaccounted.contains(&segment)
    }

    /// The number of the next new segment. The caller keeps it in its records, in the batch that first points into a
    /// segment, and passes it to the next [`TextStore::open`]: so no number is reused, whatever happens to the files.
    pub fn next_segment(&self) -> u32 {
        self.writer().next_segment
    }

    /// Appends texts, packing adjacent ones into common blocks, and returns a reference to each in the same order. They
    /// are durable only after [`TextStore::sync`]. On an error none may be used.
    pub fn append(&self, texts: &[&str]) -> Result<Vec<TextRef>, TextError> {
        if let Some(text) = texts.iter().find(|text| text.len() > MAX_TEXT) {
            return Err(TextError::TooLong { len: text.len() });
        }
        let mut writer = self.writer();
        let mut refs = Vec::with_capacity(texts.len());
        for block in blocks(texts) {
            let whole = writer.append_block(&self.dir, self.store, block)?;
            refs.extend(split(whole, block));
        }
        refs.iter()
            .for_each(|text| writer.use_of(text.segment).live += u64::from(text.len));
        Ok(refs)
    }

    /// Returns once everything appended before is power-safe; appending does not wait for it.
    /// Call it before the record that points there is committed. After an error nothing appended
    /// since the last sync may be used, and the store must be opened again.
    pub fn sync(&self) -> Result<(), TextError> {
        let _alone = self.syncing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sync) = self.writer().unsynced()? else {
            return Ok(());
        };
        let made = sync.make();
        let mut writer = self.writer();
        writer.note(&sync, made)?;
        // Syncing a file that nobody can open any more succeeds as well.
        writer.leave_vanished();
        Ok(())
    }

    /// Reads one text; verifies it by the checksum in the reference, if there is one.
    pub fn read(&self, at: &TextRef) -> Result<String, TextError> {
        let position = at.position();
        let block = self.reader.block(at)?;
        let start = at.start as usize;
        let text = block.get(start..start.saturating_add(at.len as usize));
        let text = text.ok_or_else(|| position.corrupt("reference past the end of the block"))?;
        if at.checksum.is_some_and(|sum| sum != checksum(text)) {
            return Err(position.corrupt("another text lies here"));
        }
        let text = std::str::from_utf8(text);
        text.map(str::to_owned)
            .map_err(|_| position.corrupt("reference splits a character"))
    }

    /// The work of reading so far.
    pub fn work(&self) -> TextWork {
        self.reader.work()
    }

    /// Bytes of cached blocks, and the limit.
    pub(crate) fn kept(&self) -> (u64, u64) {
        self.reader.kept()
    }

    /// Drops what is cached in memory: from here on, reads see what is on disk.
    pub fn forget_kept(&self) {
        self.reader.forget();
    }

    /// Counts a text as live. Needed after opening, once for each reference in the records;
    /// [`TextStore::append`] counts its own.
    pub fn count_live(&self, text: &TextRef) {
        self.writer().use_of(text.segment).live += u64::from(text.len);
    }

    /// Counts a text as dead, once its reference is gone from the records.
    pub fn count_dead(&self, text: &TextRef) {
        let mut writer = self.writer();
        writer.died = true;
        let of_segment = writer.use_of(text.segment);
        of_segment.live = of_segment.live.saturating_sub(u64::from(text.len));
    }

    /// Whether any text died since the last call, or since the texts were opened.
    pub(crate) fn take_died(&self) -> bool {
        std::mem::take(&mut self.writer().died)
    }

    /// Makes [`TextStore::take_died`] return true again.
    pub(crate) fn note_died(&self) {
        self.writer().died = true;
    }

    /// Makes sure that nothing more is appended to these segments.
    pub(crate) fn leave(&self, segments: &BTreeSet<u32>) -> Result<(), TextError> {
        let mut writer = self.writer();
        segments
            .iter()
            .try_for_each(|segment| writer.leave(*segment))
    }

    /// Length of every segment file, in bytes, by number.
    pub fn lengths(&self) -> Result<BTreeMap<u32, u64>, TextError> {
        Ok(segment::list(&self.dir)?.into_iter().collect())
    }

    /// Segments that hold live text, as counted, and whose files are gone or were replaced while they were written.
    pub fn vanished(&self) -> Result<BTreeSet<u32>, TextError> {
        // The lock first: a segment that is begun after the listing is live and not in it.
        let writer = self.writer();
        let present = self.lengths()?;
        let live = writer
            .segment_use
            .iter()
            .filter(|(_, of_segment)| of_segment.live > 0);
        let gone = |number: &u32| !present.contains_key(number) || writer.vanished.contains(number);
        Ok(live.map(|(number, _)| *number).filter(gone).collect())
    }

    /// No longer counts anything in these segments as live.
    pub fn forget(&self, segments: &BTreeSet<u32>) {
        let mut writer = self.writer();
        writer
            .segment_use
            .retain(|number, _| !segments.contains(number));
        writer.vanished.retain(|number| !segments.contains(number));
    }

    /// Whether a segment was found removed or replaced while it was written.
    pub fn has_vanished(&self) -> bool {
        !self.writer().vanished.is_empty()
    }

    /// Every segment with its usage, in order. The first call reads the headers of all segments; appending does not
    /// wait for it.
    pub fn segments(&self) -> Result<Vec<SegmentUsage>, TextError> {
        let mut usage = Vec::new();
        for (segment, file_bytes) in segment::list(&self.dir)? {
            let known = self.writer().use_of(segment).raw;
            // For the segment that is being written it is known from the beginning.
            let found = match known {
                Some(raw) => Some(raw),
                None => match segment::raw_bytes(&self.dir, segment) {
                    // It may be readable the next time.
                    Err(TextError::Corrupt { .. }) => None,
                    raw => Some(raw?),
                },
            };
            let mut writer = self.writer();
            let of_segment = writer.use_of(segment);
            of_segment.raw = of_segment.raw.or(found);
            usage.push(SegmentUsage {
                segment,
                file_bytes,
                text_bytes: of_segment.raw.unwrap_or(0),
                live_bytes: of_segment.live,
            });
        }
        Ok(usage)
    }

    /// What the headers of a segment's blocks say, in order; nothing else is read.
    pub fn heads(&self, segment: u32) -> Result<Vec<BlockHead>, TextError> {
        let mut heads = Vec::new();
        segment::blocks(&self.dir, segment, |position, header| {
            // Both fit: they were four bytes each.
            heads.push(BlockHead {
                offset: position.offset,
                block_len: header.block_len as u32,
                text_len: header.raw_len as u32,
            });
            Ok(())
        })?;
        Ok(heads)
    }

    /// Reads a block and compares its checksum.
    pub fn check_block(&self, segment: u32, head: &BlockHead) -> Result<(), TextError> {
        let whole = TextRef {
            segment,
            offset: head.offset,
            block_len: head.block_len,
            start: 0,
            len: head.text_len,
            checksum: None,
        };
        self.reader.read(&whole).map(drop)
    }

    /// Copies the `live` texts of a segment to the current one and syncs them. The caller commits records with the new
    /// references and then calls [`TextStore::remove_segment`]; a crash in between leaves both copies readable. A text
    /// that is damaged, or that `is_right` refuses, is left where it is: a copy would get a valid checksum of its own.
    pub fn compact(
        &self,
        segment: u32,
        live: &[TextRef],
        is_right: &dyn Fn(&TextRef, &str) -> bool,
    ) -> Result<CompactedSegment, TextError> {
        if let Some(stray) = live.iter().find(|text| text.segment != segment) {
            return Err(TextError::WrongSegment {
                expected: segment,
                found: stray.segment,
            });
        }
        self.writer().leave(segment)?;
        let mut sorted = live.to_vec();
        sorted.sort_unstable();
        let mut compacted = CompactedSegment::default();
        for batch in batches(&sorted) {
            let mut whole = Vec::with_capacity(batch.len());
            for at in batch {
                match self.read(at) {
                    Ok(text) if is_right(at, &text) => whole.push((*at, text)),
                    Ok(_) | Err(TextError::Corrupt { .. }) => compacted.left.push(*at),
                    Err(error) => return Err(error),
                }
            }
            let texts: Vec<&str> = whole.iter().map(|(_, text)| text.as_str()).collect();
            let old = whole.iter().map(|(at, _)| *at);
            compacted.moved.extend(old.zip(self.append(&texts)?));
        }
        self.sync()?;
        Ok(compacted)
    }

    /// Deletes a segment to which no committed record points any more.
    pub fn remove_segment(&self, segment: u32) -> Result<(), TextError> {
        let mut writer = self.writer();
        writer.leave(segment)?;
        let path = segment::path(&self.dir, segment);
        std::fs::remove_file(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => TextError::NoSegment { segment },
            _ => TextError::io("remove", path)(error),
        })?;
        segment::sync_dir(&self.dir)?;
        writer.segment_use.remove(&segment);
        writer.vanished.remove(&segment);
        self.reader.forget();
        Ok(())
    }

    /// From here on, reading at the position of this reference fails with this error.
    #[cfg(test)]
    pub(crate) fn inject_error(&self, at: &TextRef, errno: rustix::io::Errno) {
        self.reader.inject_error(at, errno);
    }

    #[cfg(test)]
    pub(super) fn reader(&self) -> &BlockReader {
        &self.reader
    }

    // The state is consistent even if a holder panicked: its offset moves only after a finished write.
    fn writer(&self) -> MutexGuard<'_, SegmentWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
