//! One walk, merged with the recorded files: both are in the same order.

use simdex_schema::{FileKey, FileRecord, FileStat};

use super::findings::{WalkFindings, move_key};
use super::known::{KnownFiles, inside};
use super::{Result, RootWalker};
use crate::write_side::ingest::SeenStat;
use crate::write_side::roots::{Root, Trouble};
use crate::write_side::watch::walk::{SkipReason, WalkEntry};

/// A walk in progress, alongside the recorded files.
pub(super) struct RecordComparison<'a> {
    pub(super) walker: &'a RootWalker<'a>,
    pub(super) root: &'a Root,
    pub(super) known: KnownFiles<'a>,
    /// Whether the root's file system keeps inode numbers.
    pub(super) stable_inodes: bool,
    pub(super) found: WalkFindings,
}

impl RecordComparison<'_> {
    pub(super) fn see(&mut self, seen: WalkEntry) -> Result<()> {
        (self.walker.keep_going)()?;
        let Some(key) = self.root.key(seen.path()) else {
            return Ok(());
        };
        self.miss_before(Some(&key.path))?;
        let known = self.known.meet(&key.path)?;
        match seen {
            WalkEntry::File { stat, .. } => self.file(key, &stat, known),
            WalkEntry::Skipped { reason, .. } => {
                // A mount covers what was known there. A mount that was there first covers nothing.
                if reason == SkipReason::MountPoint && self.keep_below(&key)? {
                    self.root.saw_trouble(&key.path, Trouble::Kept);
                }
                self.walker.submit(key)
            }
            WalkEntry::Unreadable { .. } => {
                let trouble = match self.keep_below(&key)? {
                    true => Trouble::Kept,
                    false => Trouble::Unseen,
                };
                self.walker.submit(key.clone())?;
                self.root.saw_trouble(&key.path, trouble);
                Ok(())
            }
        }
    }

    /// Keeps the records below a directory that is not entered; returns whether there are any.
    fn keep_below(&mut self, directory: &FileKey) -> Result<bool> {
        self.miss_before(Some(&inside(&directory.path)))?;
        Ok(self.known.pass(&directory.path)?)
    }

    fn file(&mut self, key: FileKey, stat: &FileStat, met: Option<FileRecord>) -> Result<()> {
        let RootWalker {
            registry, detector, ..
        } = self.walker;
        // A file that was not met may have been recorded, or changed, since the page was read.
        let known = match met {
            Some(record) => Some(record),
            None => registry.file(&key)?,
        };
        if known.is_none() {
            self.found.note_arrived(stat);
        }
        let seen = SeenStat {
            stat,
            stable_inodes: self.stable_inodes,
        };
        let needs_read = known.map(|known| detector.needs_read(self.root, &key, &known, seen));
        if needs_read.transpose()?.unwrap_or(true) {
            self.walker.submit(key)?;
        }
        Ok(())
    }

    /// Handles recorded files before this path and after the last one met: they are missing. A file
    /// without a content has nothing to lose and is enqueued at once.
    pub(super) fn miss_before(&mut self, path: Option<&[u8]>) -> Result<()> {
        while let Some(key) = self.known.next_before(path)? {
            match self.walker.registry.file(&key)? {
                Some(record) if record.content().is_some() => {
                    let move_key = move_key(&record.stat);
                    self.found.missing.push((key, move_key));
                }
                // An entry without a record of its own stands for members whose container is not recorded.
                Some(_) | None => self.walker.submit(key)?,
            }
        }
        Ok(())
    }
}
