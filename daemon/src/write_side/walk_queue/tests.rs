//! Merged requests, generations, pauses.

use std::time::Duration;

use super::*;

#[test]
fn wishes_for_the_same_are_one_walk_and_the_whole_root_is_all_of_them() {
    let queue = WalkQueue::default();
    for directory in ["/r/a", "/r/b", "/r/a"] {
        queue.request_below(directory.into());
    }
    assert_eq!(queue.next(), Some(WalkRequest::Below("/r/a".into())));
    queue.request_root(RootUrgency::Routine);
    queue.request_root(RootUrgency::Pressing);
    queue.request_root(RootUrgency::Requested);
    queue.request_below("/r/c".into());
    assert_eq!(queue.next(), Some(WalkRequest::Root));
    queue.request_below("/r/c".into());
    assert_eq!(queue.next(), Some(WalkRequest::Below("/r/c".into())));
    queue.end();
    queue.request_root(RootUrgency::Pressing);
    assert_eq!(queue.next(), None);
}

#[test]
fn a_walk_is_under_way_from_its_request_until_the_next_one_is_asked_for() {
    let queue = WalkQueue::default();
    assert!(queue.is_busy(), "the watcher is going to ask for the first");
    queue.request_root(RootUrgency::Pressing);
    assert_eq!(queue.next(), Some(WalkRequest::Root));
    assert!(queue.is_busy(), "it is being walked");
    std::thread::scope(|scope| {
        let next = scope.spawn(|| queue.next());
        while queue.is_busy() {
            std::thread::yield_now();
        }
        queue.request_below("/r/a".into());
        assert_eq!(
            next.join().unwrap(),
            Some(WalkRequest::Below("/r/a".into()))
        );
    });
    assert!(queue.is_busy());
    queue.end();
    assert_eq!(queue.next(), None);
    assert!(!queue.is_busy());
}

#[test]
fn the_walk_that_the_watcher_asks_for_is_waited_for_even_if_a_sync_had_one_before() {
    let queue = WalkQueue::default();
    queue.request_sync();
    let requested = queue.end_generation();
    assert_eq!(queue.next(), Some(WalkRequest::Root));
    queue.lock().note_walked(Instant::now());
    assert!(queue.is_busy() && !queue.is_done_through(requested));
    queue.request_root(RootUrgency::Pressing);
    assert_eq!(queue.next(), Some(WalkRequest::Root));
    assert!(!queue.is_done_through(requested));
    queue.end();
    assert_eq!(queue.next(), None);
    assert!(!queue.is_busy() && queue.is_done_through(requested));
}

#[test]
fn too_many_directories_are_a_walk_of_the_root() {
    let queue = WalkQueue::default();
    for number in 0..=DIRECTORIES {
        queue.request_below(format!("/r/{number}").into());
    }
    assert_eq!(queue.next(), Some(WalkRequest::Root));
    queue.end();
    assert_eq!(queue.next(), None);
}

#[test]
fn a_generation_is_done_whatever_is_wanted_later() {
    let queue = WalkQueue::default();
    let at_start = queue.end_generation();
    queue.request_root(RootUrgency::Pressing);
    assert_eq!(queue.next(), Some(WalkRequest::Root));
    assert!(!queue.is_done_through(at_start), "it is the first walk");
    queue.request_below("/r/a".into());
    let before = queue.end_generation();
    queue.request_below("/r/a".into());
    queue.request_below("/r/b".into());
    assert_eq!(queue.next(), Some(WalkRequest::Below("/r/a".into())));
    assert!(queue.is_done_through(at_start) && !queue.is_done_through(before));
    assert_eq!(queue.next(), Some(WalkRequest::Below("/r/b".into())));
    assert!(queue.is_done_through(before) && queue.is_busy());
    // A walk made in place of another has the generation of that one; a request of its own has not.
    let before = queue.end_generation();
    queue.request_root(RootUrgency::Pressing);
    assert_eq!(queue.next(), Some(WalkRequest::Root));
    assert!(queue.is_done_through(before));
    let before = queue.end_generation();
    queue.request_root_instead();
    queue.request_below("/r/c".into());
    assert_eq!(queue.next(), Some(WalkRequest::Root));
    assert!(!queue.is_done_through(before), "of what was walked before");
}

#[test]
fn routine_counts_for_the_directories_that_are_walked_with_it() {
    let queue = WalkQueue::default();
    queue.request_root(RootUrgency::Pressing);
    assert_eq!(queue.next(), Some(WalkRequest::Root));
    let routine = queue.end_generation();
    let mut state = queue.lock();
    state.note_walked(Instant::now());
    state.pause_end = None;
    state.request_root(RootUrgency::Routine);
    assert!(state.oldest().is_none() && !state.is_busy(Instant::now()));
    drop(state);
    assert!(queue.is_done_through(routine));
    queue.request_below("/r/a".into());
    let below = queue.end_generation();
    assert_eq!(queue.next(), Some(WalkRequest::Root));
    assert!(queue.is_busy() && !queue.is_done_through(below));
    queue.end();
    assert_eq!(queue.next(), None);
    assert!(queue.is_done_through(below));
}

/// A state whose last walk of the root, for this urgency, took a minute and has just ended.
fn after_a_minute(urgency: RootUrgency) -> (State, Instant) {
    let start = Instant::now();
    let end = start + Duration::from_secs(60);
    let mut state = State {
        begun: true,
        ..State::default()
    };
    state.request_root(urgency);
    assert!(state.hand_out(start).is_some());
    state.note_walked(end);
    (state, end)
}

#[test]
fn a_walk_that_can_wait_begins_when_as_long_has_passed_as_the_last_one_took() {
    let minute = Duration::from_secs(60);
    for (urgency, request) in [
        (RootUrgency::Routine, WalkRequest::Routine),
        (RootUrgency::Requested, WalkRequest::Root),
        (RootUrgency::Lost, WalkRequest::Root),
    ] {
        let (mut state, end) = after_a_minute(RootUrgency::Routine);
        state.request_root(urgency);
        state.directories.push_back((0, "/r/a".into()));
        let below = Some(WalkRequest::Below("/r/a".into()));
        assert_eq!(state.hand_out(end), below, "hints go on: {urgency:?}");
        assert_eq!(state.hand_out(end), None, "{urgency:?}");
        assert_eq!(state.hand_out(end + minute), Some(request));
    }
    let (mut state, end) = after_a_minute(RootUrgency::Routine);
    state.request_root(RootUrgency::Pressing);
    assert_eq!(state.hand_out(end), Some(WalkRequest::Root));
}

#[test]
fn neither_the_timer_nor_who_asks_again_and_again_keeps_the_index_from_being_complete() {
    let (mut state, end) = after_a_minute(RootUrgency::Requested);
    state.request_root(RootUrgency::Routine);
    assert!(!state.is_busy(end));
    state.request_root(RootUrgency::Requested);
    assert!(!state.is_busy(end), "it was walked for that just now");
    assert!(state.is_busy(end + Duration::from_secs(60)));
    let (mut state, end) = after_a_minute(RootUrgency::Routine);
    state.request_root(RootUrgency::Requested);
    assert!(state.is_busy(end), "who asks knows something");
    state.request_root(RootUrgency::Lost);
    assert!(state.is_busy(end));
    let (mut state, end) = after_a_minute(RootUrgency::Pressing);
    state.request_root(RootUrgency::Routine);
    assert!(state.hand_out(end + Duration::from_secs(60)).is_some());
    assert!(!state.is_busy(end), "under way, and nothing is known");
}

#[test]
fn syncs_again_and_again_have_a_root_walked_for_half_of_the_time_and_one_alone_waits_for_none() {
    let minute = Duration::from_secs(60);
    // Nobody asked for the previous walk.
    for urgency in [
        RootUrgency::Routine,
        RootUrgency::Lost,
        RootUrgency::Pressing,
    ] {
        let (mut state, end) = after_a_minute(urgency);
        state.request_sync();
        assert!(state.is_busy(end), "{urgency:?}");
        assert_eq!(state.hand_out(end), Some(WalkRequest::Root), "{urgency:?}");
        // A request that arrives during the walk gets the next one, a pause later, and another urgency does
        // not speed it up.
        state.generation += 1;
        state.request_sync();
        let end = end + minute;
        state.note_walked(end);
        assert!(!state.is_busy(end), "what was requested for is answered");
        assert_eq!(state.oldest(), Some(1), "and the sync waits all the same");
        state.request_root(RootUrgency::Requested);
        assert_eq!(state.hand_out(end + minute / 2), None, "{urgency:?}");
        state.request_root(RootUrgency::Lost);
        assert!(state.is_busy(end), "events were lost");
        assert_eq!(state.hand_out(end + minute / 2), None, "{urgency:?}");
        assert_eq!(state.hand_out(end + minute), Some(WalkRequest::Root));
        // The walk for both counts as asked for.
        state.request_sync();
        state.note_walked(end + 2 * minute);
        assert_eq!(state.hand_out(end + 2 * minute), None, "{urgency:?}");
        assert!(state.hand_out(end + 3 * minute).is_some());
    }
    let (mut state, end) = after_a_minute(RootUrgency::Requested);
    state.request_sync();
    assert_eq!(state.hand_out(end), None, "behind a rescan");
    state.request_root(RootUrgency::Pressing);
    assert!(state.hand_out(end).is_some(), "what cannot wait does not");
}

#[test]
fn a_share_that_hung_for_a_day_keeps_no_sync_waiting_for_another() {
    let (mut state, end) = after_a_minute(RootUrgency::Routine);
    state.request_sync();
    assert!(state.hand_out(end).is_some());
    let day = end + Duration::from_secs(86_400);
    state.note_walked(day);
    state.request_sync();
    assert_eq!(state.hand_out(day + SYNC_PAUSE / 2), None);
    assert!(state.hand_out(day + SYNC_PAUSE).is_some());
}
