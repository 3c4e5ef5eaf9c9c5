//! Notes made from events and errors of notify.

use notify::event::{CreateKind, DataChange, Flag, ModifyKind, RemoveKind, RenameMode};

use super::*;

fn notes(event: notify::Result<Event>) -> Vec<RootNote> {
    let (inbox, notes) = Inbox::new(8);
    read(event, &inbox);
    notes.try_iter().collect()
}

fn touched(path: &str) -> RootNote {
    RootNote::Touched(path.into())
}

#[test]
fn reading_a_file_is_no_change_and_closing_a_written_one_is() {
    let of = |access| {
        notes(Ok(
            Event::new(EventKind::Access(access)).add_path("/r/a".into())
        ))
    };
    assert!(of(AccessKind::Open(AccessMode::Any)).is_empty());
    assert!(of(AccessKind::Close(AccessMode::Read)).is_empty());
    assert_eq!(of(AccessKind::Close(AccessMode::Write)), [touched("/r/a")]);
}

#[test]
fn every_change_touches_every_path_it_names() {
    for kind in [
        EventKind::Create(CreateKind::Folder),
        EventKind::Modify(ModifyKind::Data(DataChange::Any)),
        EventKind::Remove(RemoveKind::File),
        EventKind::Any,
    ] {
        assert_eq!(
            notes(Ok(Event::new(kind).add_path("/r/a".into()))),
            [touched("/r/a")]
        );
    }
    let rename = EventKind::Modify(ModifyKind::Name(RenameMode::Both));
    let event = Event::new(rename)
        .add_path("/r/a".into())
        .add_path("/r/b".into());
    assert_eq!(notes(Ok(event)), [touched("/r/a"), touched("/r/b")]);
}

#[test]
fn an_event_without_a_path_is_an_overflow_flagged_or_not() {
    let flagged = Event::new(EventKind::Other).set_flag(Flag::Rescan);
    for event in [flagged, Event::new(EventKind::Other)] {
        assert_eq!(notes(Ok(event)), [RootNote::Missed(WalkCause::Overflow)]);
    }
}

#[test]
fn an_error_of_the_watcher_asks_for_a_rescan() {
    let error = notify::Error::generic("broken");
    assert_eq!(
        notes(Err(error)),
        [RootNote::Missed(WalkCause::WatcherError)]
    );
}

#[test]
fn a_full_inbox_never_blocks_and_remembers_the_overflow_once() {
    let (inbox, notes) = Inbox::new(1);
    for name in ["a", "b", "c"] {
        inbox.put(touched(name));
    }
    assert_eq!(notes.try_iter().collect::<Vec<_>>(), [touched("a")]);
    assert!(inbox.take_overflow());
    assert!(!inbox.take_overflow());
}

#[test]
fn the_watch_limit_is_told_apart_from_other_errors() {
    let limit = notify::Error::new(ErrorKind::MaxFilesWatch);
    assert!(matches!(ArmError::from(limit), ArmError::Limit));
    assert!(matches!(
        ArmError::from(notify::Error::path_not_found()),
        ArmError::Notify(_)
    ));
}

#[test]
fn a_thread_of_notify_that_ends_by_itself_is_told_and_one_that_was_dropped_is_not() {
    for (is_retired, expected) in [
        (false, vec![RootNote::Missed(WalkCause::WatcherError)]),
        (true, vec![]),
    ] {
        let (inbox, notes) = Inbox::new(8);
        let heartbeat = Heartbeat {
            inbox,
            retired: Arc::new(AtomicBool::new(is_retired)),
            ended: Arc::default(),
        };
        let ended = Arc::clone(&heartbeat.ended);
        drop(heartbeat);
        assert!(ended.load(Ordering::Acquire));
        assert_eq!(notes.try_iter().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_watch_is_not_asked_of_a_thread_that_has_ended() {
    let dir = tempfile::tempdir().unwrap();
    let (inbox, _notes) = Inbox::new(8);
    let mut native = NativeWatches::arm(dir.path(), inbox).unwrap();
    native.ended.store(true, Ordering::Release);
    assert!(matches!(native.watch(dir.path()), Err(ArmError::Ended)));
}

#[test]
fn only_a_directorys_own_errors_leave_it_unwatched_in_silence() {
    let of = |errno: Errno| notify::Error::io(errno.into());
    for errno in [Errno::NOENT, Errno::ACCESS, Errno::LOOP] {
        assert!(is_of_directory(&of(errno)), "{errno}");
    }
    for errno in [Errno::NOMEM, Errno::MFILE, Errno::IO] {
        assert!(!is_of_directory(&of(errno)), "{errno}");
    }
    assert!(!is_of_directory(&notify::Error::new(
        ErrorKind::MaxFilesWatch
    )));
}

/// Takes notes until one is about `path`.
fn wait_for(notes: &Receiver<RootNote>, path: &Path) -> bool {
    let timeout = std::time::Duration::from_secs(20);
    std::iter::from_fn(|| notes.recv_timeout(timeout).ok())
        .any(|note| note == RootNote::Touched(path.into()))
}

#[test]
fn what_happens_at_the_old_path_of_a_moved_directory_does_not_end_its_watch() {
    let dir = tempfile::tempdir().unwrap();
    let [root, old, new] = ["root", "0", "1"].map(|name| dir.path().join(name));
    for directory in [&root, &old.join("moved")] {
        std::fs::create_dir_all(directory).unwrap();
    }
    let (inbox, notes) = Inbox::new(64);
    let mut native = NativeWatches::arm(&root, inbox).unwrap();
    native.watch(&old.join("moved")).unwrap();
    // Nothing watches the directory above, as if the event of the move were not read yet.
    std::fs::rename(&old, &new).unwrap();
    native.watch(&new.join("moved")).unwrap();
    std::fs::create_dir(&old).unwrap();
    native.watch(&old).unwrap();
    std::fs::create_dir(old.join("moved")).unwrap();
    std::fs::remove_dir(old.join("moved")).unwrap();
    assert!(wait_for(&notes, &old.join("moved")));
    // notify has ended the watches of what was deleted once it answers.
    native.watch(&root).unwrap();
    std::fs::write(new.join("moved/file"), "").unwrap();
    assert!(wait_for(&notes, &new.join("moved/file")));
}

#[test]
fn a_directory_that_is_gone_is_watched_no_more_and_one_found_again_is() {
    let dir = tempfile::tempdir().unwrap();
    let (inbox, _notes) = Inbox::new(64);
    let [kept, gone] = ["kept", "gone"].map(|name| dir.path().join(name));
    for directory in [&kept, &gone] {
        std::fs::create_dir(directory).unwrap();
    }
    let mut native = NativeWatches::arm(dir.path(), inbox).unwrap();
    let watched = |native: &NativeWatches| native.watched.older_than(dir.path(), u64::MAX).len();
    assert_eq!(watched(&native), 3);
    std::fs::remove_dir(&gone).unwrap();
    native.forget(&gone);
    assert_eq!(watched(&native), 2);
    std::fs::remove_dir(&kept).unwrap();
    std::fs::create_dir(&gone).unwrap();
    native.extend(dir.path()).unwrap();
    assert_eq!(watched(&native), 2, "found by the walk");
}
