//! The truth about a root: a walk that names every file that may have changed, and judges losses.
//!
//! Events are hints; this is what makes the index right. Files whose stat proves them unchanged are
//! passed over. Files on record that the walk did not meet are named last, unless so many are
//! missing at once that a share may have lost them rather than its users: then they are held until
//! a person confirms (DESIGN §3).

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use simdex_index::{Index, IndexError};
use simdex_schema::FileKey;

use crate::ingest::Ingest;
use crate::pipeline::Pipeline;
use crate::roots::{Root, RootState};
use crate::watch::loss::{Verdict, judge};
use crate::watch::probe::RootIdentity;
use crate::watch::walk::{Limits, Seen, walk, walk_beneath};

/// What a rescan needs.
pub struct Rescan<'a> {
    /// Where records are.
    pub index: &'a Index,
    /// Where files are named.
    pub pipeline: &'a Pipeline,
    /// Decides what must be read.
    pub ingest: &'a Ingest<'a>,
    /// How long delete events may still be on their way.
    pub event_delay: Duration,
}

/// What a walk met.
#[derive(Default)]
struct Met {
    /// 128-bit hashes of the paths met: what is not among them is missing.
    paths: HashSet<[u8; 16]>,
    /// Inodes of files not on record: a missing file with one of them has moved.
    new_inodes: HashSet<u64>,
    /// Directories that could not be read: nothing under them is missing.
    unreadable: Vec<PathBuf>,
}

impl Rescan<'_> {
    /// Walks a root and names what may have changed. `suspect`: another directory stands at the
    /// root's path than before, so that no loss is believed.
    pub fn root(&self, root: &Root, suspect: bool) -> Result<(), IndexError> {
        let _walking = root
            .walking
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // Files whose text was found damaged count as unread from here on.
        for key in self.index.release_lost()? {
            self.pipeline.submit(key);
        }
        let identity = RootIdentity::of(&root.path).ok();
        let Some(identity) = identity else {
            return self.gone(root);
        };
        let known = root.status().identity;
        let suspect = suspect || known.is_some_and(|known| known != identity);
        if root.status().state != RootState::LossHeld {
            root.update(self.index, |status| status.state = RootState::Scanning)?;
        }
        let Some(met) = self.walk(root)? else {
            return self.gone(root);
        };
        let missing = self.missing(root, &met)?;
        let moved = missing
            .iter()
            .filter(|(_, inode)| met.new_inodes.contains(inode))
            .count() as u64;
        let held = self.held(root, missing.len() as u64, moved, suspect)?;
        if !held {
            missing
                .into_iter()
                .for_each(|(key, _)| self.pipeline.submit(key));
        }
        root.deletes_seen.store(0, Ordering::Relaxed);
        root.update(self.index, |status| {
            status.detail = unreadable_note(&met.unreadable);
            if !held {
                status.state = RootState::Watching;
                status.pending_loss = 0;
                status.identity = Some(identity);
            }
        })
    }

    /// Names every file below a directory (a new or renamed one).
    pub fn subtree(&self, root: &Root, directory: &std::path::Path) -> Result<(), IndexError> {
        let mut visit = |seen: Seen| {
            root.key(seen.path())
                .into_iter()
                .for_each(|key| self.pipeline.submit(key));
            ControlFlow::Continue(())
        };
        // It may have been one that could not be entered.
        root.key(directory)
            .into_iter()
            .for_each(|key| self.pipeline.submit(key));
        // A root that vanished meanwhile is for the next rescan to say.
        let _ = walk_beneath(&root.path, directory, Limits::default(), &mut visit);
        Ok(())
    }

    /// Names every known file at or below a path that was removed.
    pub fn removed(&self, root: &Root, path: &std::path::Path) -> Result<(), IndexError> {
        let known = self.known_under(root, path)?;
        root.saw_deletes(known.len() as u64);
        known.into_iter().for_each(|key| self.pipeline.submit(key));
        Ok(())
    }

    fn gone(&self, root: &Root) -> Result<(), IndexError> {
        root.update(self.index, |status| {
            status.state = RootState::Stale;
            status.detail =
                "the directory is missing or unreadable; its files keep their last state".into();
        })
    }

    /// None where the root vanished meanwhile.
    fn walk(&self, root: &Root) -> Result<Option<Met>, IndexError> {
        let mut met = Met::default();
        let mut failed = None;
        let walked = walk(
            &root.path,
            &mut |seen| match self.see(root, seen, &mut met) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            },
        );
        match failed {
            Some(error) => Err(error),
            None => Ok(walked.is_ok().then_some(met)),
        }
    }

    fn see(&self, root: &Root, seen: Seen, met: &mut Met) -> Result<(), IndexError> {
        self.pipeline.check()?;
        let Some(key) = root.key(seen.path()) else {
            return Ok(());
        };
        met.paths.insert(path_hash(&key.path));
        match seen {
            Seen::File { stat, .. } => {
                let known = self.index.file(&key)?;
                if known.is_none() {
                    met.new_inodes.insert(stat.inode);
                }
                let must_read = known.map(|known| self.ingest.must_read(root, &key, &known, &stat));
                if must_read.transpose()?.unwrap_or(true) {
                    self.pipeline.submit(key);
                }
            }
            Seen::Skipped { .. } => self.pipeline.submit(key),
            Seen::Unreadable { path, .. } => {
                met.unreadable.push(path);
                self.pipeline.submit(key);
            }
        }
        Ok(())
    }

    /// Files on record that the walk did not meet, with their inodes. A directory that was not
    /// entered and now is, is no loss: it is named at once.
    fn missing(&self, root: &Root, met: &Met) -> Result<Vec<(FileKey, u64)>, IndexError> {
        let (mut missing, mut entered) = (Vec::new(), Vec::new());
        self.index.file_keys(root.id, &mut |key, record| {
            let path = root.path.join(std::ffi::OsStr::from_bytes(&key.path));
            let hidden = met
                .unreadable
                .iter()
                .any(|directory| path.starts_with(directory));
            let was_met = hidden || met.paths.contains(&path_hash(&key.path));
            if !was_met && record.content().is_none() && path.is_dir() {
                entered.push(key);
            } else if !was_met {
                missing.push((key, record.stat.inode));
            }
        })?;
        let name = |key| self.pipeline.submit(key);
        entered.into_iter().for_each(name);
        Ok(missing)
    }

    /// Whether a loss must be confirmed by a person.
    fn held(
        &self,
        root: &Root,
        missed: u64,
        moved: u64,
        suspect: bool,
    ) -> Result<bool, IndexError> {
        let mut known = 0;
        self.index.file_keys(root.id, &mut |_, _| known += 1)?;
        let seen = || root.deletes_seen.load(Ordering::Relaxed);
        let hold = |seen| {
            (suspect && missed > moved) || judge(known, missed, moved, seen) == Verdict::Hold
        };
        if !hold(seen()) {
            return Ok(false);
        }
        if root.has_events() && !suspect {
            // The events that tell of these deletes may still be on their way.
            std::thread::sleep(self.event_delay);
        }
        if !hold(seen()) {
            return Ok(false);
        }
        root.update(self.index, |status| {
            status.state = RootState::LossHeld;
            status.pending_loss = missed - moved.min(missed);
        })?;
        Ok(true)
    }

    /// Takes a held loss as real: removes every file on record that is not there.
    pub fn confirm_loss(&self, root: &Root) -> Result<u64, IndexError> {
        let identity = RootIdentity::of(&root.path).ok();
        let removed = {
            let _walking = root
                .walking
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            let Some(met) = self.walk(root)? else {
                return Ok(0);
            };
            root.update(self.index, |status| {
                status.identity = identity;
                status.pending_loss = 0;
                status.state = RootState::Watching;
            })?;
            let missing = self.missing(root, &met)?;
            let removed = missing.len() as u64;
            missing
                .into_iter()
                .for_each(|(key, _)| self.pipeline.submit(key));
            removed
        };
        Ok(removed)
    }

    fn known_under(&self, root: &Root, path: &std::path::Path) -> Result<Vec<FileKey>, IndexError> {
        let mut known = Vec::new();
        let Some(at) = root.key(path) else {
            return Ok(known);
        };
        let directory = [&at.path[..], b"/"].concat();
        self.index.file_keys_from(&at, &mut |key| {
            if key.path == at.path || key.path.starts_with(&directory) {
                known.push(key);
                return ControlFlow::Continue(());
            }
            // Names between `a` and `a/` (such as `a!`) lie among those sought.
            if key.path.starts_with(&at.path) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        Ok(known)
    }
}

fn path_hash(path: &[u8]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(path).as_bytes()[..16]);
    short
}

fn unreadable_note(unreadable: &[PathBuf]) -> String {
    match unreadable.first() {
        None => String::new(),
        Some(first) => {
            let path = first.display().to_string().escape_debug().to_string();
            format!(
                "{} paths cannot be read, the first is {path}",
                unreadable.len()
            )
        }
    }
}
