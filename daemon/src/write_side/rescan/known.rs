//! Files on record below a directory, in the order of their keys, a page at a time: a walk, which
//! comes in the same order, is held against them without keeping either in memory, and without looking any up.
//!
//! Where any file's record changed since a page was read, its records say nothing any more, and each is looked up.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use simdex_index::{IndexError, Registry};
use simdex_schema::{FileKey, FileRecord};

/// Records read at once.
const PAGE: usize = 512;

/// A file on record; one without a record of its own stands for members whose container is not on record.
pub(super) type KnownFile = (FileKey, Option<FileRecord>);

/// The files on record that are still to come.
pub(super) struct KnownFiles<'a> {
    registry: &'a Registry,
    /// The prefix of all their paths: the directory and a `/`, or nothing for the root.
    prefix: Vec<u8>,
    page: VecDeque<KnownFile>,
    /// [`Registry::file_changes`] from before the page was read.
    read_at: u64,
    /// Where the next page begins; none after the last.
    next: Option<FileKey>,
}

impl<'a> KnownFiles<'a> {
    /// Everything on record below a directory; of the empty path, in the whole root.
    pub(super) fn below(registry: &'a Registry, directory: &FileKey) -> Self {
        let prefix = inside(&directory.path);
        let next = FileKey {
            root: directory.root,
            path: prefix.clone(),
        };
        Self {
            registry,
            prefix,
            page: VecDeque::new(),
            read_at: 0,
            next: Some(next),
        }
    }

    /// Takes the next one, if it comes before this path; without a path whatever comes.
    pub(super) fn next_before(
        &mut self,
        path: Option<&[u8]>,
    ) -> Result<Option<FileKey>, IndexError> {
        let is_before = |first: &FileKey| path.is_none_or(|path| first.path.as_slice() < path);
        Ok(match self.first()?.is_some_and(is_before) {
            true => self.page.pop_front().map(|(key, _)| key),
            false => None,
        })
    }

    /// Takes the one at this path, if it comes next; its record, where it has one and that is still known.
    pub(super) fn meet(&mut self, path: &[u8]) -> Result<Option<FileRecord>, IndexError> {
        let is_met = self.first()?.is_some_and(|first| first.path == path);
        let met = is_met.then(|| self.page.pop_front()).flatten();
        let is_current = self.registry.file_changes() == self.read_at;
        Ok(met.and_then(|(_, record)| record.filter(|_| is_current)))
    }

    /// Passes over what lies in a directory, if that comes next; whether anything does.
    pub(super) fn pass(&mut self, directory: &[u8]) -> Result<bool, IndexError> {
        let inside = inside(directory);
        let mut any = false;
        while self
            .first()?
            .is_some_and(|first| first.path.starts_with(&inside))
        {
            any = true;
            self.page.pop_front();
            if let (true, Some(next)) = (self.page.is_empty(), &mut self.next) {
                // The first path behind all that begin so: `0` follows `/`.
                next.path = [directory, b"0"].concat();
            }
        }
        Ok(any)
    }

    fn first(&mut self) -> Result<Option<&FileKey>, IndexError> {
        if self.page.is_empty()
            && let Some(from) = self.next.take()
        {
            self.read(&from)?;
        }
        Ok(self.page.front().map(|(key, _)| key))
    }

    fn read(&mut self, from: &FileKey) -> Result<(), IndexError> {
        self.read_at = self.registry.file_changes();
        let (prefix, page) = (&self.prefix, &mut self.page);
        self.registry.records_from(from, &mut |key, record| {
            if !key.path.starts_with(prefix) || page.len() == PAGE {
                return ControlFlow::Break(());
            }
            page.push_back((key, record));
            ControlFlow::Continue(())
        })?;
        self.next = self.page.back().map(|(last, _)| FileKey {
            root: last.root,
            // Behind the members of the last one, which a NUL follows.
            path: [&last.path[..], &[1]].concat(),
        });
        Ok(())
    }
}

/// The prefix of the paths in a directory.
pub(super) fn inside(directory: &[u8]) -> Vec<u8> {
    match directory.is_empty() {
        true => Vec::new(),
        false => [directory, b"/"].concat(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use simdex_index::store::MemoryStore;
    use simdex_index::{FileChange, Index, Opened, Options, SeenFile};
    use simdex_schema::file::FileOutcome;
    use simdex_schema::{FileRecord, FileStat, RootId, State, StoredReason};

    use super::*;

    struct Bed {
        _texts: tempfile::TempDir,
        opened: Opened,
        root: RootId,
    }

    impl Bed {
        fn put(&self, path: &str) {
            let record = FileRecord::new(
                FileStat::default(),
                FileOutcome::Unread(State::Skipped, StoredReason::None),
            );
            let file = SeenFile::without_content(key(self.root, path), record);
            self.opened.writer.apply(&[FileChange::file(file)]).unwrap();
        }
    }

    fn bed(paths: &[String]) -> Bed {
        let texts = tempfile::tempdir().unwrap();
        let parameters = crate::config::Config::default().parameters();
        let store = Box::new(MemoryStore::default());
        let opened = Index::open(store, texts.path(), parameters, Options::default()).unwrap();
        let root = opened.writer.add_root(Path::new("/r")).unwrap();
        let bed = Bed {
            _texts: texts,
            opened,
            root,
        };
        paths.iter().for_each(|path| bed.put(path));
        bed
    }

    fn key(root: RootId, path: &str) -> FileKey {
        FileKey {
            root,
            path: path.as_bytes().to_vec(),
        }
    }

    fn rest(known: &mut KnownFiles<'_>) -> Vec<String> {
        let next = || known.next_before(None).unwrap();
        let keys = std::iter::from_fn(next);
        keys.map(|key| String::from_utf8(key.path).unwrap())
            .collect()
    }

    #[test]
    fn only_what_lies_below_comes_and_names_that_begin_alike_do_not() {
        let bed = bed(&["a", "a!", "a!/x", "a/1", "a/b/2", "a0", "b"].map(String::from));
        let mut known = KnownFiles::below(bed.opened.index.registry(), &key(bed.root, "a"));
        assert_eq!(rest(&mut known), ["a/1", "a/b/2"]);
        let mut known = KnownFiles::below(bed.opened.index.registry(), &key(bed.root, ""));
        assert_eq!(rest(&mut known).len(), 7);
    }

    #[test]
    fn what_comes_before_a_path_is_given_and_what_is_met_is_not() {
        let bed = bed(&["a", "b", "c", "d"].map(String::from));
        let mut known = KnownFiles::below(bed.opened.index.registry(), &key(bed.root, ""));
        assert_eq!(
            known.next_before(Some(b"b")).unwrap(),
            Some(key(bed.root, "a"))
        );
        assert_eq!(known.next_before(Some(b"b")).unwrap(), None);
        assert!(known.meet(b"b").unwrap().is_some());
        assert_eq!(known.meet(b"b").unwrap(), None);
        bed.put("e");
        assert_eq!(
            known.meet(b"c").unwrap(),
            None,
            "it may not be that any more"
        );
        assert_eq!(rest(&mut known), ["d", "e"]);
    }

    #[test]
    fn pages_follow_one_another_and_a_directory_of_many_is_passed_over() {
        let many = (0..3 * PAGE).map(|number| format!("d/{number:06}"));
        let paths: Vec<String> = many.chain(["e".to_owned()]).collect();
        let bed = bed(&paths);
        let below = || KnownFiles::below(bed.opened.index.registry(), &key(bed.root, ""));
        assert_eq!(rest(&mut below()), paths);
        let mut known = below();
        assert!(known.pass(b"d").unwrap());
        assert!(!known.pass(b"d").unwrap());
        assert_eq!(rest(&mut known), ["e"]);
    }
}
