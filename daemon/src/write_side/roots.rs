//! The watched trees: where they are, how they are watched, what problems they have.
//!
//! A root is used only while the directory at its path is the one that was proven to be it
//! ([`crate::write_side::identity`]): every look and every open goes through [`Root::look`] and [`Root::open_file`],
//! which draw no conclusions otherwise.

mod deletes;
mod keys;
pub mod live_reads;
mod loss_token;
mod share_waits;
mod status;
mod troubles;
mod walks;
mod watcher;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use simdex_index::{IndexError, IndexWriter, VisibleRoots};
use simdex_schema::{FileKey, RootId, RootRecord, path};

use crate::base::events::{EventKind, EventSubject, Events, VisibleChange};
use crate::base::lock::lock;
use crate::base::turns::Turns;
use crate::config::RootConfig;
use crate::write_side::watch::RootWatcher;
use crate::write_side::watch::anchor::{Anchor, RootRefusal};
use crate::write_side::watch::open::{OpenError, open_regular};
use crate::write_side::watch::probe::FileSystem;
use crate::write_side::watch::walk::{PathState, look};
use deletes::Deletes;
use keys::below;
use live_reads::LiveReads;
use share_waits::ShareWaits;
use troubles::PathTroubles;
use walks::Walks;

pub use loss_token::LossToken;
pub use status::{RootState, RootStatus};
pub use troubles::Trouble;

/// One watched tree.
pub struct Root {
    /// Its number in the index.
    pub id: RootId,
    /// Absolute path, as it is configured.
    pub path: PathBuf,
    /// Its section of the config.
    pub configured: RootConfig,
    /// Walks of it take turns, so that no walk decides about the losses of another.
    pub walk_turns: Turns,
    /// Its files that questions read in place.
    pub live_reads: LiveReads,
    /// Threads that wait for its share.
    pub share_waits: ShareWaits,
    walks: Walks,
    deletes: Mutex<Deletes>,
    troubles: Mutex<PathTroubles>,
    status: Mutex<RootStatus>,
    /// Held while a change of the status is recorded, so that records are written in the order of the changes. Locked
    /// before `status`, which is not held while the store is written to.
    recording: Mutex<()>,
    watcher: Mutex<Option<RootWatcher>>,
    events: Arc<Events>,
}

impl Root {
    /// The root as the index records it.
    pub fn open(
        writer: &IndexWriter,
        configured: RootConfig,
        events: &Arc<Events>,
    ) -> Result<Self, IndexError> {
        let path = configured.path.clone();
        let id = writer.add_root(&path)?;
        let record = writer
            .registry()
            .roots()?
            .into_iter()
            .find(|(root, _)| *root == id)
            .map(|(_, r)| r);
        let status = RootStatus {
            state: RootState::Scanning,
            pending_loss: record.as_ref().map_or(0, |record| record.pending_loss),
            identity: record.and_then(|record| record.identity),
            proven: None,
            shown_token: None,
            detail: String::new(),
        };
        Ok(Self {
            id,
            path,
            configured,
            walk_turns: Turns::default(),
            live_reads: LiveReads::default(),
            share_waits: ShareWaits::default(),
            walks: Walks::default(),
            deletes: Mutex::default(),
            troubles: Mutex::default(),
            status: Mutex::new(status),
            recording: Mutex::default(),
            watcher: Mutex::new(None),
            events: Arc::clone(events),
        })
    }

    fn lock(&self) -> MutexGuard<'_, RootStatus> {
        lock(&self.status)
    }

    /// Its status now.
    pub fn status(&self) -> RootStatus {
        let mut status = self.lock().clone();
        let troubles = lock(&self.troubles).note();
        let waits = self.share_waits.note(Instant::now());
        let details = [std::mem::take(&mut status.detail), troubles, waits];
        let said = details.iter().filter(|detail| !detail.is_empty());
        status.detail = said.map(String::as_str).collect::<Vec<_>>().join("; ");
        status
    }

    /// Its state now.
    pub fn state(&self) -> RootState {
        self.lock().state
    }

    /// Changes what is known of it, and its record if that changed.
    pub fn update(
        &self,
        writer: &IndexWriter,
        change: impl FnOnce(&mut RootStatus),
    ) -> Result<(), IndexError> {
        let _recording = lock(&self.recording);
        let mut status = self.lock();
        let recorded = |status: &RootStatus| (status.pending_loss, status.identity);
        let (before, state) = (recorded(&status), status.state);
        change(&mut status);
        if status.state != state {
            let detail = || status.state.name().to_owned();
            let subject = EventSubject::default();
            self.publish_event(EventKind::RootState, b"", subject, detail);
            status.log_change(&self.path, state);
        }
        if recorded(&status) == before {
            return Ok(());
        }
        let record = RootRecord {
            path: self.path.as_os_str().as_bytes().to_vec(),
            pending_loss: status.pending_loss,
            identity: status.identity,
        };
        drop(status);
        writer.put_root(self.id, &record)
    }

    /// The directory at its path, if that is the one proven to be this root.
    fn anchor(&self) -> Result<Anchor, RootRefusal> {
        let anchor = Anchor::open(&self.path)?;
        match self.lock().proven == Some(anchor.inode()) {
            true => Ok(anchor),
            false => Err(RootRefusal::Replaced),
        }
    }

    /// The state of a path below it now.
    pub fn look(&self, below: &[u8]) -> PathState {
        let below = Path::new(OsStr::from_bytes(below));
        match self.anchor() {
            Ok(anchor) => look(&anchor, below),
            Err(refusal) if refusal.shortage().is_some() => PathState::Shortage,
            Err(_) => PathState::RootUnusable,
        }
    }

    /// Opens the regular file at this path below it.
    pub fn open_file(&self, below: &[u8]) -> Result<File, OpenError> {
        open_regular(&self.anchor()?, Path::new(OsStr::from_bytes(below)))
    }

    /// Notes a path below it that could not be accessed.
    pub fn saw_trouble(&self, below: &[u8], trouble: Trouble) {
        lock(&self.troubles).add(below, trouble);
    }

    /// Forgets the trouble of exactly this path: it could be accessed.
    pub fn forget_trouble(&self, below: &[u8]) {
        lock(&self.troubles).forget(below);
    }

    /// Begins a walk of what lies at or below this directory; returns the number of the walk.
    pub fn begin_trouble_round(&self, directory: &[u8]) -> u64 {
        lock(&self.troubles).begin_round(directory)
    }

    /// Ends the walk of this number: paths that it could access are no trouble any more.
    pub fn end_trouble_round(&self, directory: &[u8], number: u64) {
        lock(&self.troubles).end_round(directory, number);
    }

    /// The number of paths below it that cannot be looked at or listed. What is on record there, if anything, is kept.
    pub fn unreadable(&self) -> u64 {
        lock(&self.troubles).unreadable()
    }

    /// Whether its file system keeps inode numbers.
    pub fn stable_inodes(&self) -> bool {
        FileSystem::of(&self.path).is_ok_and(|file_system| file_system.stable_inodes)
    }

    /// Publishes an event at a path below this root, if anybody is subscribed.
    pub fn publish_event(
        &self,
        kind: EventKind,
        below: &[u8],
        subject: EventSubject,
        detail: impl FnOnce() -> String,
    ) {
        if !self.events.is_watched() {
            return;
        }
        self.events.record(VisibleChange {
            kind,
            root: Some(self.id),
            unless_seen: Vec::new(),
            path: self.shown(below),
            subject,
            detail: detail(),
        });
    }

    /// Absolute path of a file below this root, as it is shown; for an empty path, that of the root.
    pub fn shown(&self, below: &[u8]) -> PathBuf {
        if below.is_empty() {
            return self.path.clone();
        }
        let stored = self.path.join(OsString::from_vec(below.to_vec()));
        path_from(path::to_shown(stored.as_os_str().as_bytes()))
    }

    /// Remembers known files that a delete event named.
    pub fn saw_deletes(&self, keys: &[FileKey]) {
        lock(&self.deletes).add(keys);
    }

    /// How many of these were named by a delete event since the last rescan.
    pub fn deletes_among(&self, keys: &[FileKey]) -> u64 {
        lock(&self.deletes).among(keys)
    }

    /// Whether walks of directories may accept that this many further files are gone: in total since the last
    /// assessed rescan, no more than a rescan accepts without an assessment.
    pub fn may_miss_below(&self, files: u64) -> bool {
        lock(&self.deletes).may_miss(files)
    }

    /// Forgets the deletes seen: a rescan has decided about what was lost until now.
    pub fn forget_deletes(&self) {
        lock(&self.deletes).forget();
    }

    /// The key of a path below this root.
    pub fn key(&self, path: &Path) -> Option<FileKey> {
        let path = below(&self.path, path)?;
        Some(FileKey {
            root: self.id,
            path,
        })
    }
}

/// All roots of this run. Recorded roots that are not configured appear in no answer.
pub struct Roots(Vec<Arc<Root>>);

impl Roots {
    /// Opens every configured root.
    pub fn open(
        writer: &IndexWriter,
        configured: &[RootConfig],
        events: &Arc<Events>,
    ) -> Result<Self, IndexError> {
        let open = |config: &RootConfig| Root::open(writer, config.clone(), events).map(Arc::new);
        let roots = configured.iter().map(open);
        Ok(Self(roots.collect::<Result<_, _>>()?))
    }

    /// The root with this id.
    pub fn get(&self, id: RootId) -> Option<Arc<Root>> {
        self.0.iter().find(|root| root.id == id).cloned()
    }

    /// All of them, as configured.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Root>> {
        self.0.iter()
    }

    /// The root that contains the file or member of a displayed path, with its key.
    pub fn locate(&self, shown: &Path) -> Option<(Arc<Root>, FileKey)> {
        let stored = path::from_shown(shown.as_os_str().as_bytes());
        let end = stored.iter().position(|byte| *byte == path::MEMBER);
        let (disk, inside) = stored.split_at(end.unwrap_or(stored.len()));
        let disk = Path::new(OsStr::from_bytes(disk));
        self.0.iter().find_map(|root| {
            let mut key = root.key(disk)?;
            key.path.extend_from_slice(inside);
            Some((Arc::clone(root), key))
        })
    }

    /// The view of a user who may see every root.
    pub fn view(&self) -> VisibleRoots {
        VisibleRoots::Roots(self.0.iter().map(|root| root.id).collect())
    }

    /// A view of only these roots; those that are not configured are left out.
    pub fn view_of(&self, ids: &[u32]) -> VisibleRoots {
        let is_included = |root: &&Arc<Root>| ids.is_empty() || ids.contains(&root.id.0);
        VisibleRoots::Roots(
            self.0
                .iter()
                .filter(is_included)
                .map(|root| root.id)
                .collect(),
        )
    }
}

/// An absolute path from raw bytes.
pub fn path_from(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}
