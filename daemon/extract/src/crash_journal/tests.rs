//! Crashes, suspects and who waits for whom.

use super::slot_file::{EXTRACTOR, NAME, PREPARED, boot_id, new_or_overwritten, suspects_in};
use super::*;
use std::fs::File;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::io::Errno;

const CRASHING: Name = [1; 32];
const HARMLESS: Name = [2; 32];

/// Leaves these contents under way as a crash does, all of them at work.
fn crash(directory: &Path, names: &[Name]) {
    let journal = CrashJournal::open(directory).unwrap();
    for name in names {
        let entry = journal
            .begin(*name, WaitPolicy::MayWait, &KeepGoing::default())
            .unwrap();
        entry.working();
        std::mem::forget(entry);
    }
}

#[test]
fn what_was_at_work_at_two_crashes_is_not_tried_a_third_time() {
    let dir = tempfile::tempdir().unwrap();
    crash(dir.path(), &[CRASHING]);
    crash(dir.path(), &[CRASHING]);
    let third = CrashJournal::open(dir.path()).unwrap();
    assert!(matches!(
        third.begin(CRASHING, WaitPolicy::MayWait, &KeepGoing::default()),
        Err(NotTried::Quarantined)
    ));
    drop(third);
    let later = CrashJournal::open(dir.path()).unwrap();
    assert!(matches!(
        later.begin(CRASHING, WaitPolicy::MayWait, &KeepGoing::default()),
        Err(NotTried::Quarantined)
    ));
}

#[test]
fn suspects_are_tried_alone_and_cleared_by_a_read_that_ends_well() {
    let dir = tempfile::tempdir().unwrap();
    crash(dir.path(), &[CRASHING, HARMLESS]);
    let second = CrashJournal::open(dir.path()).unwrap();
    drop(
        second
            .begin(HARMLESS, WaitPolicy::MayWait, &KeepGoing::default())
            .unwrap(),
    );
    let alone = second
        .begin(CRASHING, WaitPolicy::MayWait, &KeepGoing::default())
        .unwrap();
    alone.working();
    let started = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _entry = second
                .begin([3; 32], WaitPolicy::MayWait, &KeepGoing::default())
                .unwrap();
            started.fetch_add(1, Ordering::SeqCst);
        });
        assert!(second.in_flight().alone, "others may start");
        assert_eq!(started.load(Ordering::SeqCst), 0);
        // The crash: what the file contains now is what the next start finds.
        let bytes = std::fs::read(dir.path().join(NAME)).unwrap();
        let left = suspects_in(&bytes, &boot_id());
        assert_eq!(left, BTreeMap::from([(CRASHING, QUARANTINE_WEIGHT)]));
        drop(alone);
    });
    assert_eq!(started.load(Ordering::SeqCst), 1);
    drop(second);
    let third = CrashJournal::open(dir.path()).unwrap();
    assert!(third.lock().suspects.is_empty(), "all ended well");
}

#[test]
fn whoever_holds_what_others_wait_for_never_waits_for_a_suspect() {
    let dir = tempfile::tempdir().unwrap();
    crash(dir.path(), &[CRASHING, HARMLESS]);
    let second = CrashJournal::open(dir.path()).unwrap();
    let container = second
        .begin([3; 32], WaitPolicy::MayWait, &KeepGoing::default())
        .unwrap();
    std::thread::scope(|scope| {
        let alone = scope.spawn(|| {
            second
                .begin(CRASHING, WaitPolicy::MayWait, &KeepGoing::default())
                .map(drop)
        });
        while second.in_flight().waiting == 0 && !alone.is_finished() {
            std::thread::yield_now();
        }
        // Members of a container, a suspect among them: the suspect that waits would wait for
        // the container, and the container for it.
        drop(
            second
                .begin([4; 32], WaitPolicy::MustGoOn, &KeepGoing::default())
                .unwrap(),
        );
        let member = second
            .begin(HARMLESS, WaitPolicy::MustGoOn, &KeepGoing::default())
            .unwrap();
        member.working();
        let left = suspects_in(&std::fs::read(dir.path().join(NAME)).unwrap(), &boot_id());
        assert!(
            left[&HARMLESS] < QUARANTINE_WEIGHT,
            "a crash may be another's fault"
        );
        drop((member, container));
        alone.join().unwrap().unwrap();
    });
    assert_eq!(second.in_flight().under_way, 0);
}

#[test]
fn whoever_is_not_waited_for_does_not_wait_for_a_suspect_nor_keep_others_waiting() {
    let dir = tempfile::tempdir().unwrap();
    crash(dir.path(), &[CRASHING, HARMLESS]);
    let second = CrashJournal::open(dir.path()).unwrap();
    let gone = KeepGoing::asking(|| false);
    let begin = |name, keep_going: &KeepGoing| second.begin(name, WaitPolicy::MayWait, keep_going);
    let alone = begin(CRASHING, &KeepGoing::default()).unwrap();
    for name in [[3; 32], HARMLESS] {
        assert!(matches!(begin(name, &gone), Err(NotTried::Cancelled)));
    }
    drop(alone);
    let other = begin([3; 32], &KeepGoing::default()).unwrap();
    assert!(matches!(begin(HARMLESS, &gone), Err(NotTried::Cancelled)));
    // Nobody waits for the suspect that gave up.
    drop(begin([4; 32], &KeepGoing::default()).unwrap());
    drop(other);
    assert_eq!(second.in_flight().under_way, 0);
    assert!(second.lock().suspects.contains_key(&HARMLESS));
}

#[test]
fn a_suspect_that_cannot_be_written_down_stays_one() {
    let dir = tempfile::tempdir().unwrap();
    crash(dir.path(), &[CRASHING]);
    let mut second = CrashJournal::open(dir.path()).unwrap();
    // Nothing can be written to it.
    second.file = SlotFile(File::open(dir.path().join(NAME)).unwrap());
    let begun = second.begin(CRASHING, WaitPolicy::MayWait, &KeepGoing::default());
    assert!(matches!(begun, Err(NotTried::NotRecorded(_))));
    drop(begun);
    assert!(second.lock().suspects.contains_key(&CRASHING));
    assert_eq!(second.lock().taken.len(), 1);
    assert_eq!(second.in_flight().under_way, 0);
    drop(second);
    assert_eq!(
        CrashJournal::open(dir.path())
            .unwrap()
            .lock()
            .suspects
            .len(),
        1
    );
}

#[test]
fn kills_from_outside_weigh_little_or_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        let journal = CrashJournal::open(dir.path()).unwrap();
        std::mem::forget(
            journal
                .begin(HARMLESS, WaitPolicy::MayWait, &KeepGoing::default())
                .unwrap(),
        );
    }
    let waited = CrashJournal::open(dir.path()).unwrap();
    let entry = waited
        .begin(HARMLESS, WaitPolicy::MayWait, &KeepGoing::default())
        .unwrap();
    entry.working();
    waited.stopping();
    std::mem::forget(entry);
    let stopped = CrashJournal::open(dir.path()).unwrap();
    let entry = stopped
        .begin(HARMLESS, WaitPolicy::MayWait, &KeepGoing::default())
        .unwrap();
    entry.working();
    let bytes = std::fs::read(dir.path().join(NAME)).unwrap();
    let after_reboot = suspects_in(&bytes, &[b'x'; 36]);
    assert_eq!(after_reboot, BTreeMap::from([(HARMLESS, 3)]));
}

#[test]
fn an_odd_file_holds_nothing_against_anybody() {
    let dir = tempfile::tempdir().unwrap();
    for odd in [&b""[..], b"short", &[0xff; 640]] {
        std::fs::write(dir.path().join(NAME), odd).unwrap();
        let journal = CrashJournal::open(dir.path()).unwrap();
        assert!(journal.lock().suspects.is_empty());
    }
    let path = dir.path().join(NAME);
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(dir.path().join("elsewhere"), &path).unwrap();
    assert!(
        CrashJournal::open(dir.path()).is_err(),
        "a link is not followed"
    );
    std::fs::remove_file(&path).unwrap();
    crash(dir.path(), &[CRASHING; 1]);
    let path = dir.path().join(NAME);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[EXTRACTOR.start] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let upgraded = CrashJournal::open(dir.path()).unwrap();
    assert!(upgraded.lock().suspects.is_empty(), "another extractor");
}

#[test]
fn more_at_once_than_there_is_room_for_is_written_down_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<Name> = (0..PREPARED + 9)
        .map(|at| {
            let mut name = [0; 32];
            name[..8].copy_from_slice(&(at as u64 + 1).to_le_bytes());
            name
        })
        .collect();
    crash(dir.path(), &names);
    let next = CrashJournal::open(dir.path()).unwrap();
    assert_eq!(next.lock().suspects.len(), names.len());
}

#[test]
fn on_a_full_disk_the_file_of_before_is_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let written = || {
        let full = std::io::Error::from(Errno::NOSPC);
        new_or_overwritten(Err(full), dir.path(), b"new").map(drop)
    };
    let none = written().unwrap_err();
    assert_eq!(none.raw_os_error(), Some(Errno::NOSPC.raw_os_error()));
    crash(dir.path(), &[CRASHING]);
    let path = dir.path().join(NAME);
    let inode = |path| std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(path).unwrap());
    let before = inode(&path);
    written().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    assert_eq!(inode(&path), before);
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(dir.path().join("other"), &path).unwrap();
    std::fs::write(dir.path().join("other"), "kept").unwrap();
    let linked = written().unwrap_err();
    assert_eq!(linked.kind(), std::io::ErrorKind::StorageFull);
    let said = linked.to_string();
    assert!(
        said.contains("No space") && said.contains("`under-way`"),
        "{said}"
    );
    let cause = std::error::Error::source(&linked).unwrap().to_string();
    assert!(cause.contains("symbolic links"), "{cause}");
}
