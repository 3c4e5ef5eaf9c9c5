//! The store of extracted texts: appending, reading, compaction.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::block::Place;
use super::segment::{self, Appender, Sync};
use super::{BLOCK_BYTES, MAX_TEXT, SEGMENT_BYTES, TextError, TextRef};

/// Blocks above this size are not kept after reading.
const CACHED_BLOCK_BYTES: usize = 1 << 20;

/// Compaction holds about this many bytes of text at a time.
const COMPACT_BATCH_BYTES: usize = 8 << 20;

/// Texts in segment files. One process at a time: the caller holds a lock, as that of the store
/// whose records point here.
#[derive(Debug)]
pub struct TextStore {
    dir: PathBuf,
    writer: Mutex<Writer>,
    /// Held while a segment is synced: of two who sync at once the kernel tells one of a failure.
    syncing: Mutex<()>,
    /// The block read last: neighbours are often read together.
    last: Mutex<Option<(Place, Arc<Vec<u8>>)>>,
}

#[derive(Debug)]
struct Writer {
    current: Option<Appender>,
    sync_failed: bool,
    next_segment: u32,
    tallies: BTreeMap<u32, Tally>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    /// Bytes of text that references point to, as far as the caller has told.
    live: u64,
    /// Bytes of text written, once known. A finished segment never changes.
    raw: Option<u64>,
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

impl TextStore {
    /// Opens the texts in `dir`, creating it if absent. Nothing is read or truncated. What a process
    /// before this one appended and did not sync is synced, as its records may have outlived it.
    pub fn open(dir: &Path) -> Result<Self, TextError> {
        std::fs::create_dir_all(dir).map_err(TextError::io("create", dir))?;
        if let Some(parent) = dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            segment::sync_dir(parent)?;
        }
        let newest = segment::list(dir)?.last().map_or(0, |&(number, _)| number);
        if newest > 0 {
            segment::sync(dir, newest)?;
        }
        let next_segment = newest.checked_add(1).ok_or(TextError::Exhausted)?;
        let writer = Writer {
            current: None,
            sync_failed: false,
            next_segment,
            tallies: BTreeMap::new(),
        };
        Ok(Self {
            dir: dir.into(),
            writer: Mutex::new(writer),
            syncing: Mutex::default(),
            last: Mutex::default(),
        })
    }

    /// Appends texts, packing neighbours into common blocks, and returns a reference to each in
    /// the same order. They last only after [`TextStore::sync`]. On an error none may be used.
    pub fn append(&self, texts: &[&str]) -> Result<Vec<TextRef>, TextError> {
        if let Some(text) = texts.iter().find(|text| text.len() > MAX_TEXT) {
            return Err(TextError::TooLong { len: text.len() });
        }
        let mut writer = self.writer();
        let mut refs = Vec::with_capacity(texts.len());
        for block in blocks(texts) {
            let whole = writer.append_block(&self.dir, block)?;
            refs.extend(split(whole, block));
        }
        refs.iter()
            .for_each(|text| writer.tally(text.segment).live += u64::from(text.len));
        Ok(refs)
    }

    /// Returns once everything appended before is power-safe; who appends meanwhile does not wait.
    /// Call it before the record that points there is committed. After an error nothing appended
    /// since the last sync may be used, and the store must be opened again.
    pub fn sync(&self) -> Result<(), TextError> {
        let _alone = self.syncing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sync) = self.writer().unsynced()? else {
            return Ok(());
        };
        let made = sync.make();
        self.writer().note(&sync, made)
    }

    /// Reads one text.
    pub fn read(&self, at: &TextRef) -> Result<String, TextError> {
        let place = Place {
            segment: at.segment,
            offset: at.offset,
        };
        let block = self.block(place, at)?;
        let start = at.start as usize;
        let text = block.get(start..start.saturating_add(at.len as usize));
        let text = text.ok_or_else(|| place.corrupt("reference past the end of the block"))?;
        let text = std::str::from_utf8(text);
        text.map(str::to_owned)
            .map_err(|_| place.corrupt("reference splits a character"))
    }

    fn block(&self, place: Place, at: &TextRef) -> Result<Arc<Vec<u8>>, TextError> {
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((cached, block)) = last().as_ref()
            && *cached == place
        {
            return Ok(Arc::clone(block));
        }
        let block = Arc::new(segment::read_block(&self.dir, at)?);
        if block.len() <= CACHED_BLOCK_BYTES {
            *last() = Some((place, Arc::clone(&block)));
        }
        Ok(block)
    }

    /// Counts a text as live. Needed after opening, once for each reference in the records;
    /// [`TextStore::append`] counts its own.
    pub fn count_live(&self, text: &TextRef) {
        self.writer().tally(text.segment).live += u64::from(text.len);
    }

    /// Counts a text as dead, once its reference is gone from the records.
    pub fn count_dead(&self, text: &TextRef) {
        let mut writer = self.writer();
        let tally = writer.tally(text.segment);
        tally.live = tally.live.saturating_sub(u64::from(text.len));
    }

    /// Every segment with its usage, in order. The first call reads the headers of all segments.
    pub fn segments(&self) -> Result<Vec<SegmentUsage>, TextError> {
        let mut writer = self.writer();
        let mut usage = Vec::new();
        for (segment, file_bytes) in segment::list(&self.dir)? {
            let tally = writer.tally(segment);
            let text_bytes = match tally.raw {
                Some(raw) => raw,
                None => *tally.raw.insert(segment::raw_bytes(&self.dir, segment)?),
            };
            let live_bytes = tally.live;
            usage.push(SegmentUsage {
                segment,
                file_bytes,
                text_bytes,
                live_bytes,
            });
        }
        Ok(usage)
    }

    /// Copies the `live` texts of a segment to the current one and syncs them. Returns each old
    /// reference with its new one, in order of their place. The caller commits records with the
    /// new references and then calls [`TextStore::remove_segment`]; a crash in between leaves both
    /// copies readable.
    pub fn compact(
        &self,
        segment: u32,
        live: &[TextRef],
    ) -> Result<Vec<(TextRef, TextRef)>, TextError> {
        if let Some(stray) = live.iter().find(|text| text.segment != segment) {
            return Err(TextError::WrongSegment {
                expected: segment,
                found: stray.segment,
            });
        }
        self.writer().leave(segment)?;
        let mut sorted = live.to_vec();
        sorted.sort_unstable();
        let mut moved = Vec::with_capacity(sorted.len());
        for batch in batches(&sorted) {
            let texts = batch
                .iter()
                .map(|text| self.read(text))
                .collect::<Result<Vec<_>, _>>()?;
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            moved.extend(batch.iter().copied().zip(self.append(&texts)?));
        }
        self.sync()?;
        Ok(moved)
    }

    /// Deletes a segment to which no committed record points any more. Its number is never used
    /// again.
    pub fn remove_segment(&self, segment: u32) -> Result<(), TextError> {
        let mut writer = self.writer();
        writer.leave(segment)?;
        if writer.next_segment == segment.saturating_add(1) {
            // Numbers go on from the highest file: leave an empty one above this.
            writer.start_segment(&self.dir)?;
        }
        let path = segment::path(&self.dir, segment);
        std::fs::remove_file(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => TextError::NoSegment { segment },
            _ => TextError::io("remove", path)(error),
        })?;
        segment::sync_dir(&self.dir)?;
        writer.tallies.remove(&segment);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    // A writer whose holder panicked is whole: its offset moves only after a finished write.
    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    fn tally(&mut self, segment: u32) -> &mut Tally {
        self.tallies.entry(segment).or_default()
    }

    fn append_block(&mut self, dir: &Path, texts: &[&str]) -> Result<TextRef, TextError> {
        if self.sync_failed {
            return Err(TextError::SyncFailed);
        }
        if self
            .current
            .as_ref()
            .is_some_and(|current| current.offset >= SEGMENT_BYTES)
        {
            self.finish_segment()?;
        }
        if self.current.is_none() {
            self.start_segment(dir)?;
        }
        let current = self.current.as_mut().ok_or(TextError::Exhausted)?;
        let whole = current.append(&texts.concat().into_bytes())?;
        let raw = &mut self.tally(whole.segment).raw;
        *raw = raw.map(|raw| raw + u64::from(whole.len));
        Ok(whole)
    }

    /// Syncs the current segment, which an unsynced append may still need, and leaves it.
    fn finish_segment(&mut self) -> Result<(), TextError> {
        self.sync()?;
        self.current = None;
        Ok(())
    }

    fn start_segment(&mut self, dir: &Path) -> Result<(), TextError> {
        let number = self.next_segment;
        let next = number.checked_add(1).ok_or(TextError::Exhausted)?;
        // The number is spent even if this fails half way.
        self.next_segment = next;
        self.current = Some(Appender::create(dir, number)?);
        self.tally(number).raw = Some(0);
        Ok(())
    }

    /// Makes sure that `segment` is not the current one.
    fn leave(&mut self, segment: u32) -> Result<(), TextError> {
        if self
            .current
            .as_ref()
            .is_some_and(|current| current.segment == segment)
        {
            self.finish_segment()?;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), TextError> {
        match self.unsynced()? {
            Some(sync) => {
                let made = sync.make();
                self.note(&sync, made)
            }
            None => Ok(()),
        }
    }

    fn unsynced(&self) -> Result<Option<Sync>, TextError> {
        if self.sync_failed {
            return Err(TextError::SyncFailed);
        }
        Ok(self.current.as_ref().and_then(Appender::unsynced))
    }

    fn note(&mut self, sync: &Sync, made: Result<(), TextError>) -> Result<(), TextError> {
        self.sync_failed |= made.is_err();
        if let (Ok(()), Some(current)) = (&made, &mut self.current) {
            current.note(sync);
        }
        made
    }
}

/// Cuts a batch into runs that share a block: as many texts as fit into [`BLOCK_BYTES`], at least
/// one.
fn blocks<'a, 'b>(texts: &'a [&'b str]) -> impl Iterator<Item = &'a [&'b str]> {
    runs(texts, |text| text.len(), BLOCK_BYTES)
}

/// Cuts references into runs of bounded text, at least one each.
fn batches(refs: &[TextRef]) -> impl Iterator<Item = &[TextRef]> {
    runs(refs, |text| text.len as usize, COMPACT_BATCH_BYTES)
}

fn runs<T>(items: &[T], len: impl Fn(&T) -> usize, max: usize) -> impl Iterator<Item = &[T]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut total = 0;
        let fits = rest.iter().take_while(|item| {
            total += len(item);
            total <= max
        });
        let count = fits.count().max(1).min(rest.len());
        let (run, after) = rest.split_at(count);
        rest = after;
        (!run.is_empty()).then_some(run)
    })
}

/// The references to the texts of one block.
fn split<'a>(whole: TextRef, texts: &'a [&str]) -> impl Iterator<Item = TextRef> + 'a {
    let mut start = 0;
    texts.iter().map(move |text| {
        // Fits: a block is at most MAX_TEXT long.
        let len = text.len() as u32;
        let this = TextRef {
            start,
            len,
            ..whole
        };
        start += len;
        this
    })
}
