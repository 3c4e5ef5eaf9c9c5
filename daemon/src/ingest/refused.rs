//! A file that the share answers for with an error: that is no state of a file whose content is known.
//! It keeps it, the root says so, and the next rescan tries again.

use simdex_schema::{FileKey, FileRecord, FileStat, State};

use super::{Looked, unread};
use crate::roots::Root;

/// What becomes of a file when a folder above it, or its file system, refuses.
pub(super) fn refused(
    root: &Root,
    key: FileKey,
    known: Option<FileRecord>,
    stat: Option<FileStat>,
    reason: &str,
) -> Looked {
    root.saw_trouble(&key.path);
    match has_content(known.as_ref()) {
        true => Looked::Unchanged,
        false => unread(key, known, stat, State::Unreadable, reason),
    }
}

/// What becomes of a file that another file system was mounted over, or over a folder above it: what
/// is on record is kept, as the file may still be there below.
pub(super) fn covered(root: &Root, key: &FileKey, known: Option<&FileRecord>) -> Looked {
    if known.is_some() {
        root.saw_trouble(&key.path);
    }
    Looked::Unchanged
}

/// Whether bytes are on record of a file.
pub(super) fn has_content(known: Option<&FileRecord>) -> bool {
    known.and_then(FileRecord::content).is_some()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use simdex_index::store::MemoryStore;
    use simdex_index::{Change, Index, Options};
    use simdex_schema::ContentHash;
    use simdex_schema::file::FileOutcome;

    use super::*;
    use crate::config::{Config, RootConfig, RootMode};
    use crate::events::Events;

    #[test]
    fn an_error_of_the_share_keeps_a_known_content_and_is_said() {
        let texts = tempfile::tempdir().unwrap();
        let parameters = Config::default().parameters();
        let store = Box::new(MemoryStore::default());
        let index = Index::open(store, texts.path(), parameters, Options::default()).unwrap();
        let configured = RootConfig {
            path: "/share".into(),
            mode: RootMode::Poll,
        };
        let root = Root::open(&index.index, configured, &Arc::new(Events::default())).unwrap();
        let key = FileKey {
            root: root.id,
            path: b"folder/a.txt".to_vec(),
        };
        let record = FileRecord {
            stat: FileStat::default(),
            racy: false,
            outcome: FileOutcome::Content(ContentHash([1; 32])),
            member: None,
            last_read: None,
        };
        let kept = refused(&root, key.clone(), Some(record), None, "io-error");
        assert!(matches!(kept, Looked::Unchanged));
        let detail = root.status().detail;
        assert!(detail.contains("the first is folder/a.txt"), "{detail}");

        let Looked::Changed(Change::File { record, .. }) =
            refused(&root, key, None, None, "io-error")
        else {
            panic!("a file that was never read has a state");
        };
        let FileOutcome::Unread(State::Unreadable, reason) = record.outcome else {
            panic!("{record:?}");
        };
        assert_eq!(reason.as_str(), "io-error");
    }
}
