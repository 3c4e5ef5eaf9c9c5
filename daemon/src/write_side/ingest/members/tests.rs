//! Limits of a tree, tested without real workers.

use simdex_extract::{
    EXTRACTOR_VERSION, Fact, Limits, MemberBytes, Pool, QueueKey, Role, WorkerCommand,
};
use simdex_index::store::MemoryStore;
use simdex_index::{Cancel, Index, Options};
use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentRecord, Reason, RootId, State, StoredReason};

use super::*;
use crate::config::Config;
use crate::write_side::ingest::outcome::is_incomplete;

fn file() -> FileKey {
    FileKey {
        root: RootId(1),
        path: b"box.tar".to_vec(),
    }
}

/// The outcomes of two members within these limits if no worker can be started, after `before` was applied to
/// their tree.
fn unpacked_after(limits: TreeLimits, before: impl FnOnce(&mut MemberTree<'_>)) -> Vec<SeenFile> {
    let texts = tempfile::tempdir().unwrap();
    let parameters = Config::default().parameters();
    let store = Box::new(MemoryStore::default());
    let opened = Index::open(store, texts.path(), parameters, Options::default()).unwrap();
    let command = WorkerCommand {
        program: "/nowhere".into(),
        args: Vec::new(),
    };
    let pool = Pool::new(command, 1, Limits::default());
    let (index, registry) = (opened.index.reader(), opened.index.registry());
    let processor = ContentProcessor {
        index,
        pool: &pool,
        queue_key: QueueKey::default(),
        account: index.memory().backlog.account(&Cancel::never()),
        raw_bytes: 0,
    };
    let member = |name: &str| Member {
        name: name.to_owned(),
        role: Role::Entry,
        modified: None,
        body: Ok(
            MemberBytes::written_in(pool.space(), |out| out.write_all(name.as_bytes())).unwrap(),
        ),
    };
    let unpacker = Unpacker {
        records: Records {
            registry,
            pool: &pool,
        },
        processor: &processor,
        limits,
    };
    let members = vec![member("a.txt"), member("b.txt")];
    let mut tree = MemberTree::new(&unpacker, ContentHash([1; 32]));
    before(&mut tree);
    tree.into_files(&file(), members).unwrap()
}

fn unpacked(limits: TreeLimits) -> Vec<SeenFile> {
    unpacked_after(limits, |_| ())
}

/// A content on record that contains this many files, with or without a reason to read it again.
fn on_record(members: u32, state: State) -> ContentRecord {
    ContentRecord {
        state,
        reason: StoredReason::None,
        document: None,
        media_type: String::new(),
        parser: String::new(),
        extractor: EXTRACTOR_VERSION,
        reader: None,
        strikes: 0,
        bytes: 9,
        warnings: Vec::new(),
        facts: vec![(Fact::Members.code().to_owned(), members.to_string())],
    }
}

#[test]
fn containers_on_record_take_no_time_from_what_they_hold_as_long_as_they_have_their_own() {
    let limits = TreeLimits {
        time: Duration::from_secs(1),
        ..TreeLimits::of(&ExtractConfig::default())
    };
    let left = |known: Option<ContentRecord>| {
        let files = unpacked_after(limits, |tree| {
            tree.charge(Duration::from_secs(9), known.as_ref());
        });
        put_off(&files, Reason::WallLimit) == 0
    };
    assert!(left(Some(on_record(2, State::Container))));
    let again = unpacked_after(limits, |tree| {
        let known = on_record(2, State::Container);
        (0..2).for_each(|_| tree.charge(Duration::from_secs(9), Some(&known)));
    });
    assert!(put_off(&again, Reason::WallLimit) > 0, "not without end");
    assert!(!left(None), "it was never read before");
    assert!(!left(Some(on_record(2, State::Crashed))), "a new try");
    assert!(!left(Some(on_record(0, State::Indexed))));
}

/// The number of members with this reason; all of them must still be unread.
fn put_off(files: &[SeenFile], expected: Reason) -> usize {
    let is_it = |file: &&SeenFile| {
        let outcome = &file.record.outcome;
        matches!(outcome, FileOutcome::Unread(State::Unstable, reason) if reason.is(expected))
            && is_incomplete(&file.record)
    };
    files.iter().filter(is_it).count()
}

#[test]
fn what_no_time_is_left_for_is_tried_again_and_waiting_takes_none() {
    let limits = TreeLimits {
        time: Duration::ZERO,
        ..TreeLimits::of(&ExtractConfig::default())
    };
    assert_eq!(put_off(&unpacked(limits), Reason::WallLimit), 2);
    // Even the shortest time is longer than that of documents that never reach a worker.
    let limits = TreeLimits {
        time: Duration::from_nanos(1),
        ..limits
    };
    assert_eq!(put_off(&unpacked(limits), Reason::NoWorker), 2);
}
