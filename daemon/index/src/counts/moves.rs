//! Which files are renamed while a list by path is made. Such a list may miss a file that is renamed from a path that
//! it has not reached yet to one that it has passed, whether or not another file was there.
//!
//! A caller that makes a list watches the changes meanwhile. A rename is recognised by the content: a name gets a
//! content that another name has lost, or loses afterwards. If the bytes of a file were not read, it is recognised by
//! its length and modification time. A file that is edited and renamed between two looks counts as another file.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, FileKey, FileRecord, Reason, RootId, StoredReason};

use crate::VisibleRoots;

/// Maximum number of contents, and of files identified by length and time, that one list distinguishes: about 3 MiB of
/// them. Above that, every arrival at a name is counted as a rename as long as there are as many departures.
const MAX_DISTINGUISHED: usize = 1 << 15;

/// A name that now holds another file, as far as is known.
#[derive(Clone, Debug)]
pub(crate) struct NameChange {
    root: RootId,
    /// Hash of the name.
    name: u64,
    gone: Option<Trace>,
    come: Option<Trace>,
    /// Some name lost the new content, perhaps before anything was noted about it.
    lost_by_another_name: bool,
}

/// What identifies a file under another name. Hash collisions count a rename too many.
#[derive(Clone, Copy, Debug)]
struct Trace {
    /// `None` if its bytes were not read.
    content: Option<u64>,
    /// Length and modification time.
    look: u64,
}

impl NameChange {
    /// The change from one record of a file to another; `lost_by_another_name` says whether some name lost the new
    /// content recently.
    pub(crate) fn new(
        file: &FileKey,
        [old, new]: [Option<&FileRecord>; 2],
        lost_by_another_name: bool,
    ) -> Self {
        Self {
            root: file.root,
            name: hash(file),
            gone: old.and_then(Trace::of),
            come: new.and_then(Trace::of),
            lost_by_another_name,
        }
    }
}

impl Trace {
    /// `None` for a container that is still being unpacked: its members identify it, and later its content.
    fn of(record: &FileRecord) -> Option<Self> {
        let content = match &record.outcome {
            FileOutcome::Unread(_, StoredReason::Known(Reason::Unpacking)) => return None,
            FileOutcome::Unread(..) => None,
            FileOutcome::Content(ContentHash(hash)) => Some(self::hash(hash)),
        };
        let (length, mtime) = (record.stat.length, record.stat.mtime);
        let look = hash(&(length, mtime.seconds, mtime.nanos));
        Some(Self { content, look })
    }
}

fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// How often one content, or one file identified by length and time, came to a name and left one.
#[derive(Debug, Default)]
struct Passages {
    come: u64,
    gone: u64,
    /// How many of these were of files whose bytes were not read.
    come_unread: u64,
    gone_unread: u64,
    name: Option<u64>,
    /// It had more than one name: a file that leaves a name and comes back to it was not renamed.
    has_several_names: bool,
}

impl Passages {
    fn note(&mut self, name: u64, has_come: bool, is_unread: bool) {
        let (all, unread) = match has_come {
            true => (&mut self.come, &mut self.come_unread),
            false => (&mut self.gone, &mut self.gone_unread),
        };
        *all += 1;
        *unread += u64::from(is_unread);
        self.has_several_names |= self.name.is_some_and(|first| first != name);
        self.name = Some(name);
    }

    /// Notes that some name lost a content that came; if that was not noted, it happened earlier.
    fn note_left(&mut self) {
        if self.gone == 0 {
            self.gone = 1;
            self.has_several_names = true;
        }
    }

    fn renamed(&self) -> u64 {
        match self.has_several_names {
            true => self.come.min(self.gone),
            false => 0,
        }
    }

    /// How many left a name and came to none so far.
    fn missing(&self) -> u64 {
        self.gone.saturating_sub(self.come)
    }

    /// Renames that contents do not reveal: the bytes were not read under one of the names.
    fn renamed_unread(&self) -> u64 {
        let of_unread = self.come_unread.min(self.gone) + self.gone_unread.min(self.come);
        self.renamed().min(of_unread)
    }
}

/// The moves of files that were noted for one listing.
#[derive(Debug)]
struct NotedMoves {
    view: VisibleRoots,
    contents: HashMap<u64, Passages>,
    looks: HashMap<u64, Passages>,
    /// All of them together.
    all: Passages,
    /// There were too many to distinguish.
    is_full: bool,
}

impl NotedMoves {
    fn of(view: &VisibleRoots) -> Self {
        Self {
            view: view.clone(),
            contents: HashMap::new(),
            looks: HashMap::new(),
            all: Passages::default(),
            is_full: false,
        }
    }

    fn note(&mut self, changes: &[NameChange]) {
        for change in changes {
            if self.view.shows(change.root) {
                self.note_one(change);
            }
        }
    }

    fn note_one(&mut self, change: &NameChange) {
        let sides = [(change.gone, false), (change.come, true)];
        let [gone, come] = [change.gone, change.come].map(|trace| trace.map(|trace| trace.look));
        // A file with the same length and time in the same place is the same file.
        let is_in_place = gone.is_some() && gone == come;
        for (trace, has_come) in sides {
            let Some(trace) = trace else { continue };
            let is_unread = trace.content.is_none();
            self.all.note(change.name, has_come, is_unread);
            if self.is_full {
                continue;
            }
            if !is_in_place {
                let look = self.looks.entry(trace.look).or_default();
                look.note(change.name, has_come, is_unread);
            }
            if let Some(content) = trace.content {
                let content = self.contents.entry(content).or_default();
                content.note(change.name, has_come, false);
                if has_come && change.lost_by_another_name {
                    content.note_left();
                }
            }
        }
        if self.contents.len().max(self.looks.len()) > MAX_DISTINGUISHED {
            self.is_full = true;
            (self.contents, self.looks) = Default::default();
        }
    }

    fn renamed(&self) -> u64 {
        if self.is_full {
            return self.all.renamed();
        }
        let contents: u64 = self.contents.values().map(Passages::renamed).sum();
        let unread: u64 = self.looks.values().map(Passages::renamed_unread).sum();
        contents + unread
    }

    /// How many left a name and may come to another. A file with a content that is not read yet under its other name is
    /// recognised by length and time.
    fn missing(&self) -> u64 {
        if self.is_full {
            return self.all.missing();
        }
        let contents: u64 = self.contents.values().map(Passages::missing).sum();
        let looks = self.looks.values().map(Passages::missing).sum();
        contents.max(looks)
    }
}

/// Notes what is renamed in a view, until it is dropped.
#[derive(Debug)]
pub struct MoveWatch(Arc<Mutex<NotedMoves>>);

impl MoveWatch {
    /// How many files of the view may have been renamed since; a list by path made meanwhile may have missed each of
    /// them. Never too low: `on_their_way` is the number of changes of the view that were seen and not applied before
    /// this call, each of which may be of a file that left another name.
    pub fn moved(&self, on_their_way: u64) -> u64 {
        let noted = lock(&self.0);
        noted.renamed() + noted.missing().min(on_their_way)
    }
}

/// The lists being made now. A batch is noted before it is applied, and also for watches that begin before that is
/// finished, so that no change goes unnoticed that a list sees halfway.
#[derive(Default)]
pub(crate) struct MoveWatches {
    watching: Vec<Weak<Mutex<NotedMoves>>>,
    /// Changes of the batch that is being applied; the writer applies one at a time.
    under_way: Vec<NameChange>,
}

impl MoveWatches {
    /// Notes changes that are about to be applied.
    pub(crate) fn begin(&mut self, changes: Vec<NameChange>) {
        self.watching.retain(|noted| match noted.upgrade() {
            Some(noted) => {
                lock(&noted).note(&changes);
                true
            }
            None => false,
        });
        self.under_way = changes;
    }

    /// Call once they were applied, or could not be.
    pub(crate) fn end(&mut self) {
        self.under_way = Vec::new();
    }

    pub(crate) fn watch(&mut self, view: &VisibleRoots) -> MoveWatch {
        let mut noted = NotedMoves::of(view);
        noted.note(&self.under_way);
        let noted = Arc::new(Mutex::new(noted));
        self.watching.retain(|noted| noted.strong_count() > 0);
        self.watching.push(Arc::downgrade(&noted));
        MoveWatch(noted)
    }
}

fn lock(noted: &Mutex<NotedMoves>) -> MutexGuard<'_, NotedMoves> {
    noted.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use simdex_schema::{FileStat, State};

    use super::*;

    fn change(name: &str, old: Option<u32>, new: Option<u32>) -> NameChange {
        let key = FileKey {
            root: RootId(1),
            path: name.as_bytes().to_vec(),
        };
        let record = |content: u32| {
            let mut hash = [0; 32];
            hash[..4].copy_from_slice(&content.to_le_bytes());
            let outcome = FileOutcome::Content(ContentHash(hash));
            FileRecord::new(FileStat::default(), outcome)
        };
        let [old, new] = [old, new].map(|content| content.map(record));
        NameChange::new(&key, [old.as_ref(), new.as_ref()], false)
    }

    #[test]
    fn a_batch_counts_for_whoever_begins_before_it_is_over_and_not_after() {
        let mut watches = MoveWatches::default();
        let before = watches.watch(&VisibleRoots::All);
        let renamed = || vec![change("z", Some(1), None), change("a", None, Some(1))];
        watches.begin(renamed());
        let meanwhile = watches.watch(&VisibleRoots::All);
        watches.end();
        let after = watches.watch(&VisibleRoots::All);
        assert_eq!(
            [&before, &meanwhile, &after].map(|watch| watch.moved(0)),
            [1, 1, 0]
        );
        drop((before, meanwhile));
        watches.begin(renamed());
        assert_eq!((after.moved(0), watches.watching.len()), (1, 1));
    }

    #[test]
    fn more_than_are_told_apart_count_as_renamed_rather_than_not_at_all() {
        let mut watches = MoveWatches::default();
        let watch = watches.watch(&VisibleRoots::All);
        let many = MAX_DISTINGUISHED as u32;
        watches.begin(vec![change("z", Some(many), None)]);
        watches.begin(
            (0..many)
                .map(|at| change(&at.to_string(), None, Some(at)))
                .collect(),
        );
        assert_eq!(watch.moved(0), 1, "and none of them is held any more");
        let noted = lock(&watch.0);
        assert!(noted.is_full && noted.contents.is_empty() && noted.looks.is_empty());
    }

    #[test]
    fn a_container_is_known_by_its_members_until_it_is_unpacked() {
        let stat = FileStat::default();
        let unpacking = FileRecord::unread(stat, State::Unstable, Reason::Unpacking);
        let unstable = FileRecord::unread(stat, State::Unstable, Reason::ChangedWhileRead);
        assert!(Trace::of(&unpacking).is_none() && Trace::of(&unstable).is_some());
    }
}
