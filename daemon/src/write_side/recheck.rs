//! Rehashes files in the background to find changes that left no trace in their metadata.
//!
//! A store into a page that is mapped and already dirty changes the bytes of a file but none of its
//! times: no event, rescan or `sync` can detect it. So all files are hashed again in the background,
//! in the order of their paths, at a limited number of bytes per second; a file with other bytes than
//! recorded is marked and read again. The position reached is kept in the data directory.

mod cursor;
mod debt;

use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use simdex_index::{IndexError, IndexWriter};
use simdex_schema::{ContentHash, FileKey, FileRecord, FileStat};

use self::cursor::Cursor;
use self::debt::UnwaitedBytes;
use crate::config::WatchConfig;
use crate::host::lifecycle::Lifecycle;
use crate::write_side::ingest::{OwnReports, now};
use crate::write_side::pipeline::Pipeline;
use crate::write_side::roots::{Root, Roots};
use crate::write_side::watch::stat::Observe;

/// Names that are fetched from the index at once.
const BATCH: usize = 64;
/// Bytes read at once.
const CHUNK: usize = 128 << 10;
/// Added to the niceness of the thread.
const NICE_INCREMENT: i32 = 15;
/// How often the position is saved.
const SAVE_EVERY: Duration = Duration::from_secs(60);

/// Rate limit of the recheck.
#[derive(Clone, Debug)]
pub struct RecheckRate {
    /// Bytes per second, at least 1.
    pub bytes_per_second: u64,
    /// Files read within this time are skipped; between two rounds it rests for this time, at most ten minutes.
    pub rest: Duration,
}

impl RecheckRate {
    /// The configured rate; `None` if the recheck is switched off.
    pub fn of(config: &WatchConfig) -> Option<Self> {
        let bytes_per_second = config.recheck_mib_per_second.bytes();
        (bytes_per_second > 0).then_some(Self {
            bytes_per_second,
            rest: Duration::from_secs(config.recheck_rest_seconds),
        })
    }
}

/// The rounds over all files. They end with the engine: every wait is one of the [`Lifecycle`], and fails with
/// [`IndexError::Cancelled`] once it has ended.
pub struct Recheck {
    lifecycle: Arc<Lifecycle>,
    pipeline: Arc<Pipeline>,
    roots: Arc<Roots>,
    own_reports: Arc<OwnReports>,
    cursor: Cursor,
    noted: Instant,
    rate: RecheckRate,
    debt: UnwaitedBytes,
}

impl Recheck {
    /// Starts the thread, whose panic ends the engine; the pipeline ingests the files found changed, and
    /// `data_dir` keeps the cursor.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn spawn(
        lifecycle: &Arc<Lifecycle>,
        pipeline: Arc<Pipeline>,
        roots: Arc<Roots>,
        own_reports: Arc<OwnReports>,
        rate: RecheckRate,
        data_dir: PathBuf,
    ) -> io::Result<JoinHandle<()>> {
        let mut recheck = Self {
            lifecycle: Arc::clone(lifecycle),
            pipeline,
            roots,
            own_reports,
            cursor: Cursor::read(data_dir),
            noted: Instant::now(),
            rate,
            debt: UnwaitedBytes::default(),
        };
        lifecycle.spawn("recheck".to_owned(), move || {
            // If it is refused, all threads have equal priority.
            let _ = rustix::process::nice(NICE_INCREMENT);
            recheck.run();
        })
    }

    fn run(&mut self) {
        loop {
            match self.check_all() {
                Ok(()) => self.cursor.restart(),
                Err(IndexError::Cancelled) => break,
                Err(error) => {
                    tracing::warn!(%error, "files cannot be rechecked at the moment");
                }
            }
            self.cursor.write();
            let rest = self.rate.rest.min(Duration::from_secs(600));
            if !self.lifecycle.wait(rest.max(Duration::from_millis(10))) {
                break;
            }
        }
        self.cursor.write();
    }

    /// Checks all files from the cursor on.
    fn check_all(&mut self) -> Result<(), IndexError> {
        let roots = Arc::clone(&self.roots);
        let mut roots: Vec<_> = roots.iter().cloned().collect();
        roots.sort_by_key(|root| root.id);
        for root in roots {
            if self.cursor.has_passed(root.id) {
                continue;
            }
            loop {
                let names = self.next_names(&root)?;
                if names.is_empty() {
                    break;
                }
                for name in names {
                    self.check_one(&root, &name)?;
                    self.cursor.pass(name);
                }
            }
        }
        Ok(())
    }

    fn writer(&self) -> &IndexWriter {
        self.pipeline.writer()
    }

    /// The next files of a root, after the cursor.
    fn next_names(&self, root: &Root) -> Result<Vec<FileKey>, IndexError> {
        let from = self.cursor.from(root.id);
        let mut names = Vec::new();
        self.writer().registry().keys_from(&from, &mut |key| {
            if key != from {
                names.push(key);
            }
            match names.len() < BATCH {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })?;
        Ok(names)
    }

    /// Checks one file: hashes it again if its record says that nothing changed.
    fn check_one(&mut self, root: &Root, key: &FileKey) -> Result<(), IndexError> {
        self.wait()?;
        let Some(record) = self
            .writer()
            .registry()
            .file(key)?
            .filter(|record| self.is_old(record))
        else {
            return Ok(());
        };
        let content = self.own_reports.content_on_record(root, key, &record);
        let Some(content) = content else {
            return Ok(());
        };
        let started = now();
        let Some(found) = self.hash_of(root, key, &record)? else {
            return Ok(());
        };
        if found == content {
            let last_read = Some(started.seconds);
            let read = FileRecord {
                last_read,
                ..record
            };
            return self.writer().record_reading(key, &read);
        }
        tracing::info!(
            root = %root.path.display(),
            "a file changed though its timestamps did not; it is read again"
        );
        self.writer().mark_for_reread(key, &record)?;
        self.pipeline.submit(key.clone());
        Ok(())
    }

    fn is_old(&self, record: &FileRecord) -> bool {
        let is_fresh = |read| is_fresh(read, now().seconds, self.rate.rest);
        !record.last_read.is_some_and(is_fresh)
    }

    /// Hashes a file; `None` if it cannot be read, or its stat shows a change: hints and rescans find those.
    fn hash_of(
        &mut self,
        root: &Root,
        key: &FileKey,
        record: &FileRecord,
    ) -> Result<Option<ContentHash>, IndexError> {
        let length = record.stat.length;
        let (mut hasher, mut at) = (blake3::Hasher::new(), 0);
        // Reopened for each part: no descriptor is held during waits, which would keep a share from
        // being unmounted, and a file that grows meanwhile is given up at once.
        loop {
            let part = self.debt.charge_part(at, length);
            if !read_part(root, key, record, (at, part), &mut hasher) {
                return Ok(None);
            }
            at += part;
            if at == length {
                return Ok(Some(ContentHash(*hasher.finalize().as_bytes())));
            }
            self.wait()?;
        }
    }

    /// Keeps to the rate, and saves the position periodically.
    fn wait(&mut self) -> Result<(), IndexError> {
        let time = self.debt.pay_off(self.rate.bytes_per_second);
        if self.noted.elapsed() >= SAVE_EVERY {
            self.cursor.write();
            self.noted = Instant::now();
        }
        match self.lifecycle.wait(time) {
            true => Ok(()),
            false => Err(IndexError::Cancelled),
        }
    }
}

/// Adds a part of a file, of `length` bytes from `start`, to a hash; returns false if it cannot be
/// read or the file does not match its record any more.
fn read_part(
    root: &Root,
    key: &FileKey,
    record: &FileRecord,
    (start, length): (u64, u64),
    hasher: &mut blake3::Hasher,
) -> bool {
    let Ok(file) = root.open_file(&key.path) else {
        return false;
    };
    let stands = || {
        let stat = FileStat::of_open(&file);
        stat.is_ok_and(|stat| stat.unchanged(&record.stat, root.stable_inodes()))
    };
    let mut buffer = vec![0; CHUNK];
    let (mut at, end) = (start, start + length);
    let mut whole = stands();
    while whole && at < end {
        let chunk_bytes = (end - at).min(CHUNK as u64) as usize;
        match file.read_at(&mut buffer[..chunk_bytes], at) {
            Ok(read) if read > 0 => {
                hasher.update(&buffer[..read]);
                at += read as u64;
            }
            _ => whole = false,
        }
    }
    whole && stands()
}

/// Whether a file was read so recently that it may be skipped. A time in the future means that the
/// clock was wrong when it was read.
fn is_fresh(read: i64, now: i64, rest: Duration) -> bool {
    let rest = i64::try_from(rest.as_secs()).unwrap_or(i64::MAX);
    (0..rest).contains(&now.saturating_sub(read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_a_while_ago_or_under_a_wrong_clock_is_read_again() {
        let hour = Duration::from_secs(3600);
        let table = [(1_000, true), (0, true), (3_600, false), (-1, false)];
        for (age, fresh) in table {
            assert_eq!(is_fresh(10_000 - age, 10_000, hour), fresh, "{age}");
        }
        assert!(!is_fresh(10_000, 10_000, Duration::ZERO));
        assert!(!is_fresh(i64::MAX, i64::MIN, hour));
    }
}
