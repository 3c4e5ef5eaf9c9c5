//! Compares a walk of a root with the recorded files: enqueues every file that may have changed, and decides whether
//! missing files count as deleted.
//!
//! Events are only hints: the index is correct because of the walks. A walk visits files in the order in which they are
//! recorded, so both sequences are read side by side: files whose stat proves them unchanged are skipped, and
//! recorded files that the walk did not meet are enqueued last. Files below a directory that could not be
//! read, or that something was mounted over, are neither: they are kept. If so many files are missing at once
//! that a share may have lost them rather than its users, they are held until a person confirms.
//!
//! Nothing is concluded from a directory that is not proven to be the root ([`crate::write_side::identity`]).

mod comparison;
mod confirm;
mod findings;
mod known;
mod proof;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use simdex_index::{IndexWriter, Registry};
use simdex_schema::{DirectoryIdentity, FileKey};

use crate::base::turns::Turn;
use crate::base::visit::FirstError;
use crate::error::EngineError;
use crate::write_side::ingest::ChangeDetector;
use crate::write_side::pipeline::Pipeline;
use crate::write_side::roots::{LossToken, Root, RootState, RootStatus};
use crate::write_side::watch::anchor::{Anchor, RootRefusal};
use crate::write_side::watch::loss::{HELD_FROM, LossDecision, assess};
use crate::write_side::watch::walk::{PathState, WalkLimits, look, walk_beneath};
use comparison::RecordComparison;
use findings::{WalkFindings, move_key};
use known::KnownFiles;

/// The result of a walk, or the error that ended it.
type Result<T> = std::result::Result<T, EngineError>;

/// Walks roots and enqueues what may have changed; holds everything needed for that.
pub struct RootWalker<'a> {
    /// The records that a walk is compared with.
    pub registry: &'a Registry,
    /// Records changes of roots and damaged texts.
    pub writer: &'a IndexWriter,
    /// Receives the files that must be read.
    pub pipeline: &'a Pipeline,
    /// Decides what must be read.
    pub detector: &'a ChangeDetector<'a>,
    /// How long delete events may still be on their way.
    pub event_delay: Duration,
    /// Fails once nobody waits any more, or if the caller should be told what keeps changes from being applied.
    pub keep_going: &'a dyn Fn() -> Result<()>,
}

/// How often a wait for events checks whether anybody still waits for the walk.
const EVENT_POLL: Duration = Duration::from_millis(100);

/// The outcome of a walk of one directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkOutcome {
    /// Everything below it is enqueued.
    Complete,
    /// So many files are missing that the whole root must be walked and assessed.
    NeedsRootWalk,
}

impl RootWalker<'_> {
    /// Walks a root and enqueues what may have changed; returns the status it ended with. The
    /// root's current status may differ: another walk may have begun since.
    pub fn walk_on_request(&self, root: &Root) -> Result<RootStatus> {
        let _walking = self.take_walk_turn(root)?;
        self.walk_and_assess(root, RootState::Scanning)?;
        Ok(root.finish_walk())
    }

    /// Walks a root because a walk is due: as long as it finds nothing new, nothing is pending.
    pub fn walk_routinely(&self, root: &Root) -> Result<()> {
        let _walking = self.take_walk_turn(root)?.quiet();
        let shown = match root.state() {
            RootState::Watching => RootState::Watching,
            _ => RootState::Scanning,
        };
        self.walk_and_assess(root, shown)
    }

    /// Walks a root, which is shown in the state `shown` during the walk.
    fn walk_and_assess(&self, root: &Root, shown: RootState) -> Result<()> {
        let Some(anchor) = self.prove_root(root)? else {
            return Ok(());
        };
        // Files whose text was found damaged count as unread from here on. A stale root leaves them on record: they
        // could not be read again.
        for key in self.writer.release_damaged_texts()? {
            self.submit(key)?;
        }
        if root.state() != RootState::LossHeld {
            root.update(self.writer, |status| status.state = shown)?;
        }
        match self.walk_root(root, &anchor)? {
            Some(found) => self.accept_or_hold(root, &anchor, found),
            None => Ok(()),
        }
    }

    /// Accepts that the files missed by a walk of the whole root are removed, or holds them for a person to confirm.
    fn accept_or_hold(&self, root: &Root, anchor: &Anchor, found: WalkFindings) -> Result<()> {
        match self.count_held_loss(root, &found)? {
            Some(lost) => self.hold_loss(root, lost, found.token(anchor, lost)),
            None => {
                let identity = anchor.identity().ok();
                self.accept_missing(root, identity, found).map(|_| ())
            }
        }
    }

    /// Enqueues all that is missing; returns how many files. From here on the root is in step with its share.
    fn accept_missing(
        &self,
        root: &Root,
        identity: Option<DirectoryIdentity>,
        found: WalkFindings,
    ) -> Result<u64> {
        let removed = found.missing.len() as u64;
        self.enqueue_missing(found)?;
        root.forget_deletes();
        root.update(self.writer, |status| status.mark_in_step(identity))?;
        Ok(removed)
    }

    /// Enqueues every file below a directory (a new or renamed one), and every file recorded there that
    /// does not exist any more.
    pub fn walk_directory(&self, root: &Root, directory: &Path) -> Result<WalkOutcome> {
        let _walking = self.take_walk_turn(root)?;
        let (Some(key), Some(anchor)) = (root.key(directory), self.proven_anchor(root)) else {
            // The root itself, and an unproven root, are left to the next rescan.
            return Ok(WalkOutcome::NeedsRootWalk);
        };
        // It may have been a directory that could not be entered, or a file.
        self.submit(key.clone())?;
        let Ok(found) = self.walk(root, &anchor, &key)? else {
            return Ok(WalkOutcome::NeedsRootWalk);
        };
        let missed = found.missing.len() as u64;
        // Losses that a person must confirm, or that accumulate folder by folder, are assessed for the whole root.
        let is_held = root.state() == RootState::LossHeld;
        if missed > 0 && (is_held || !root.may_miss_below(missed)) {
            return Ok(WalkOutcome::NeedsRootWalk);
        }
        self.enqueue_missing(found)?;
        Ok(WalkOutcome::Complete)
    }

    /// Enqueues every known file at or below a path that was removed, and those that are being read.
    pub fn enqueue_removed(&self, root: &Root, path: &Path) -> Result<()> {
        let Some(at) = root.key(path) else {
            return Ok(());
        };
        // Asked before the records are read: a reading that is applied in between is on record then.
        let under_way = self.pipeline.under_way(&at);
        // All are noted before the first waits for the queue: a walk may judge a loss meanwhile.
        self.known_pages(&at, |page| {
            root.saw_deletes(&page);
            Ok(())
        })?;
        self.known_pages(&at, |page| {
            page.into_iter().try_for_each(|key| self.submit(key))
        })?;
        under_way.into_iter().try_for_each(|key| self.submit(key))
    }

    /// Passes on the recorded files at or below a path, a page at a time.
    fn known_pages(
        &self,
        at: &FileKey,
        mut take: impl FnMut(Vec<FileKey>) -> Result<()>,
    ) -> Result<()> {
        if self.registry.file(at)?.is_some() {
            take(vec![at.clone()])?;
        }
        let mut below = KnownFiles::below(self.registry, at);
        loop {
            let page = below.next_page()?;
            if page.is_empty() {
                return Ok(());
            }
            take(page)?;
        }
    }

    /// Enqueues a file; waits while the queue is full and the caller still waits.
    fn submit(&self, key: FileKey) -> Result<()> {
        self.pipeline.submit_while(key, self.keep_going)
    }

    /// Waits its turn until no other walk of the root is under way.
    fn take_walk_turn<'r>(&self, root: &'r Root) -> Result<Turn<'r>> {
        let turn = root.walk_turns.take(self.keep_going)?;
        root.count_walk();
        Ok(turn)
    }

    /// Walks the whole root; `None` if it vanished during the walk, which its status then says.
    fn walk_root(&self, root: &Root, anchor: &Anchor) -> Result<Option<WalkFindings>> {
        let key = FileKey {
            root: root.id,
            path: Vec::new(),
        };
        match self.walk(root, anchor, &key)? {
            Ok(found) => Ok(Some(found)),
            Err(refusal) => self.mark_stale(root, &refusal).map(|()| None),
        }
    }

    /// Walks a directory in parallel with the files recorded below it.
    fn walk(
        &self,
        root: &Root,
        anchor: &Anchor,
        directory: &FileKey,
    ) -> Result<std::result::Result<WalkFindings, RootRefusal>> {
        let start = match directory.path.is_empty() {
            true => root.path.clone(),
            false => root.path.join(OsStr::from_bytes(&directory.path)),
        };
        let number = root.begin_trouble_round(&directory.path);
        // Asked before the first record is read: a reading that is applied in between is on record then.
        let under_way = self.pipeline.under_way(directory);
        let mut comparison = RecordComparison {
            walker: self,
            root,
            known: KnownFiles::below(self.registry, directory),
            stable_inodes: root.stable_inodes(),
            found: WalkFindings::default(),
        };
        let mut failed = FirstError::default();
        let mut visit = |seen| failed.flow(comparison.see(seen));
        let walked = walk_beneath(anchor, &start, WalkLimits::default(), &mut visit);
        failed.into_result()?;
        if let Err(refusal) = walked {
            return Ok(Err(refusal));
        }
        comparison.miss_before(None)?;
        root.end_trouble_round(&directory.path, number);
        self.enqueue_vanished(anchor, under_way, &comparison.found)?;
        Ok(Ok(comparison.found))
    }

    /// Enqueues the files that were under way when the walk began and do not exist any more, except those it found
    /// missing: a file that was read before it was removed may be recorded only after the walk passed its place.
    fn enqueue_vanished(
        &self,
        anchor: &Anchor,
        under_way: Vec<FileKey>,
        found: &WalkFindings,
    ) -> Result<()> {
        let gone = |key: &FileKey| {
            !found.misses(key)
                && look(anchor, Path::new(OsStr::from_bytes(&key.path))) == PathState::NoFile
        };
        let mut gone = under_way.into_iter().filter(gone);
        gone.try_for_each(|key| self.submit(key))
    }

    /// Enqueues the missing files: ingesting each of them decides.
    fn enqueue_missing(&self, found: WalkFindings) -> Result<()> {
        let mut missing = found.missing.into_iter();
        missing.try_for_each(|(key, _)| self.submit(key))
    }

    /// How many files were lost, if a person must confirm that.
    fn count_held_loss(&self, root: &Root, found: &WalkFindings) -> Result<Option<u64>> {
        let missed = found.missing.len() as u64;
        if missed < HELD_FROM {
            return Ok(None);
        }
        let (keys, move_keys): (Vec<FileKey>, Vec<u64>) = found.missing.iter().cloned().unzip();
        let (known, mut moved_keys) =
            self.known_and_moved(root, &keys, &move_keys, &found.arrived)?;
        let moved = moved_keys.len() as u64;
        // A move is announced as a delete of the old path: it explains one missing file, not two.
        let missing = found.missing.iter();
        let unmoved = missing.filter(|(_, move_key)| !moved_keys.remove(move_key));
        let unmoved: Vec<FileKey> = unmoved.map(|(key, _)| key.clone()).collect();
        let hold =
            || assess(known, missed, moved, root.deletes_among(&unmoved)) == LossDecision::Hold;
        if !hold() {
            return Ok(None);
        }
        if root.has_events() {
            // The events that report these deletes may still be on their way.
            self.wait_for_events()?;
        }
        Ok(hold().then_some(missed.saturating_sub(moved)))
    }

    /// Waits as long as events may still be on their way; fails once nobody waits for the walk any more.
    fn wait_for_events(&self) -> Result<()> {
        let until = Instant::now() + self.event_delay;
        loop {
            (self.keep_going)()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(EVENT_POLL));
        }
    }

    /// Records that this many files wait for a person's decision; deletes noted before are settled.
    fn hold_loss(&self, root: &Root, files: u64, token: LossToken) -> Result<()> {
        root.forget_deletes();
        root.update(self.writer, |status| {
            status.state = RootState::LossHeld;
            status.pending_loss = files;
            status.shown_token = Some(token);
            status.detail = String::new();
        })?;
        Ok(())
    }

    /// The number of recorded files, and the move keys of the missing ones that were found at another path, recorded or
    /// not.
    fn known_and_moved(
        &self,
        root: &Root,
        missing: &[FileKey],
        move_keys: &[u64],
        arrived: &HashSet<u64>,
    ) -> Result<(u64, HashSet<u64>)> {
        let paths: HashSet<&[u8]> = missing.iter().map(|key| &key.path[..]).collect();
        let sought: HashSet<u64> = move_keys.iter().copied().collect();
        let mut moved: HashSet<u64> = sought.intersection(arrived).copied().collect();
        let mut known = 0;
        self.registry.files(root.id, &mut |key, record| {
            known += 1;
            let move_key = move_key(&record.stat);
            if !paths.contains(&key.path[..]) && sought.contains(&move_key) {
                moved.insert(move_key);
            }
        })?;
        Ok((known, moved))
    }
}
