//! Recorded files below a directory, in the order of their keys, a page at a time: a walk, which visits in the
//! same order, is compared with them without holding either in memory, and without single look-ups.
//!
//! If any file's record changed since a page was read, the records of the page are no longer used, and each is
//! looked up.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use simdex_index::{IndexError, Registry};
use simdex_schema::{FileKey, FileRecord};

/// Records read at once.
const PAGE: usize = 512;

/// A recorded file; one without a record of its own stands for members whose container is not recorded.
pub(super) type KnownFile = (FileKey, Option<FileRecord>);

/// The recorded files that are still to come.
pub(super) struct KnownFiles<'a> {
    registry: &'a Registry,
    /// The prefix of all their paths: the directory and a `/`, or nothing for the root.
    prefix: Vec<u8>,
    page: VecDeque<KnownFile>,
    /// [`Registry::file_changes`] from before the page was read.
    read_at: u64,
    /// Where the next page begins; `None` after the last.
    next: Option<FileKey>,
}

impl<'a> KnownFiles<'a> {
    /// All recorded files below a directory; for the empty path, in the whole root.
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

    /// Takes the next one, if it comes before this path; without a path, any.
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

    /// Takes those of the page that comes next; none after the last page.
    pub(super) fn next_page(&mut self) -> Result<Vec<FileKey>, IndexError> {
        self.first()?;
        Ok(self.page.drain(..).map(|(key, _)| key).collect())
    }

    /// Takes the one at this path, if it comes next; returns its record, if it has one and that is still valid.
    pub(super) fn meet(&mut self, path: &[u8]) -> Result<Option<FileRecord>, IndexError> {
        let is_met = self.first()?.is_some_and(|first| first.path == path);
        let met = is_met.then(|| self.page.pop_front()).flatten();
        let is_current = self.registry.file_changes() == self.read_at;
        Ok(met.and_then(|(_, record)| record.filter(|_| is_current)))
    }

    /// Skips the files in a directory, if they come next; returns whether there were any.
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
                // The first path after all with this prefix: `0` follows `/`.
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
            // After the members of the last one, which are marked by a NUL.
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
    fn a_page_is_taken_at_once_and_holds_no_more_than_a_page() {
        let paths: Vec<String> = (0..2 * PAGE + 1)
            .map(|number| format!("{number:06}"))
            .collect();
        let bed = bed(&paths);
        let mut known = KnownFiles::below(bed.opened.index.registry(), &key(bed.root, ""));
        let mut pages = Vec::new();
        while let Some(page) = Some(known.next_page().unwrap()).filter(|page| !page.is_empty()) {
            pages.push(page.len());
        }
        assert_eq!(pages, [PAGE, PAGE, 1]);
        assert!(known.next_page().unwrap().is_empty());
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
