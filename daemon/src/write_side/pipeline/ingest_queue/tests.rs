//! Turns, limits on the ingesters of a root and a folder, and callers that wait for room.

use super::*;
use crate::write_side::progress::Progress;

impl IngestQueue {
    /// Queues a file, however long it takes.
    fn queue(&self, job: IngestJob) {
        self.push(job, || Ok::<(), ()>(())).unwrap();
    }
}

/// Enough ingesters that the limits do not matter.
const MANY: usize = 100;

fn key(root: u32, path: &str) -> FileKey {
    FileKey {
        root: RootId(root),
        path: path.into(),
    }
}

fn job(progress: &Progress, root: u32, path: &str) -> IngestJob {
    progress.submit(key(root, path)).unwrap()
}

fn named(queue: &IngestQueue, progress: &Progress, files: &[(u32, &str)]) {
    for (root, path) in files {
        queue.queue(job(progress, *root, path));
    }
}

fn next_file(queue: &IngestQueue) -> Option<(u32, String)> {
    match queue.next(Duration::ZERO) {
        NextStep::Job(job) => Some((job.key.root.0, String::from_utf8(job.key.path).unwrap())),
        NextStep::Idle | NextStep::Ended => None,
    }
}

fn all(queue: &IngestQueue) -> Vec<String> {
    let files = std::iter::from_fn(|| next_file(queue));
    files.map(|(root, path)| format!("{root}:{path}")).collect()
}

#[test]
fn roots_are_served_in_turn_then_folders_and_each_in_its_order() {
    let (queue, progress) = (IngestQueue::new(MANY), Progress::default());
    let files = [
        (7, "a/1"),
        (7, "a/2"),
        (7, "b/1"),
        (7, "top"),
        (2, "x"),
        (9, "y"),
    ];
    named(&queue, &progress, &files);
    let order = ["2:x", "7:top", "9:y", "7:a/1", "7:b/1", "7:a/2"];
    assert_eq!(all(&queue), order);
}

#[test]
fn ingesters_go_where_the_fewest_are() {
    let (queue, progress) = (IngestQueue::new(MANY), Progress::default());
    named(&queue, &progress, &[(1, "slow/1"), (1, "slow/2")]);
    assert_eq!(all(&queue).len(), 2);
    named(
        &queue,
        &progress,
        &[(1, "slow/3"), (1, "b/1"), (1, "b/2"), (2, "c"), (2, "d")],
    );
    assert_eq!(all(&queue), ["2:c", "2:d", "1:b/1", "1:b/2", "1:slow/3"]);
    assert!(next_file(&queue).is_none());
}

#[test]
fn no_root_and_no_folder_has_all_ingesters() {
    let (queue, progress) = (IngestQueue::new(8), Progress::default());
    let slow: Vec<String> = (0..9).map(|at| format!("slow/{at}")).collect();
    slow.iter()
        .for_each(|path| queue.queue(job(&progress, 1, path)));
    assert_eq!(all(&queue).len(), 4, "of one folder");
    named(
        &queue,
        &progress,
        &[(1, "b/1"), (1, "c/1"), (1, "d/1"), (2, "y")],
    );
    assert_eq!(all(&queue), ["2:y", "1:b/1", "1:c/1"], "of one root");
    queue.release_ingester(&key(1, "slow/0"));
    assert_eq!(all(&queue), ["1:d/1"]);
    queue.release_ingester(&key(1, "b/1"));
    assert_eq!(all(&queue), ["1:slow/4"]);
}

#[test]
fn however_many_roots_hang_each_other_one_is_read() {
    const SHARED: usize = 4;
    for hanging in 1..8 {
        let (queue, progress) = (IngestQueue::new(SHARED), Progress::default());
        for (root, folder) in (1..=hanging).flat_map(|root| (0..9).map(move |at| (root, at))) {
            named(&queue, &progress, &[(root, &format!("{folder}/1"))]);
        }
        // Threads that are still busy, out of those that exist with one more root.
        let at_work = all(&queue).len();
        assert!(at_work < SHARED + hanging as usize + 1, "{hanging} hang");
        named(&queue, &progress, &[(99, "a"), (99, "b")]);
        assert_eq!(
            next_file(&queue),
            Some((99, "a".to_owned())),
            "{hanging} hang"
        );
        queue.release_ingester(&key(99, "a"));
        assert_eq!(
            next_file(&queue),
            Some((99, "b".to_owned())),
            "{hanging} hang"
        );
    }
}

#[test]
fn what_is_through_leaves_nothing_behind() {
    let (queue, progress) = (IngestQueue::new(8), Progress::default());
    named(&queue, &progress, &[(1, "a/1"), (1, "b/1")]);
    for (root, path) in std::iter::from_fn(|| next_file(&queue)) {
        queue.release_ingester(&key(root, &path));
    }
    assert!(queue.lock().roots.is_empty());
}

#[test]
fn one_ingester_serves_all() {
    let (queue, progress) = (IngestQueue::new(1), Progress::default());
    named(&queue, &progress, &[(1, "a"), (1, "b")]);
    assert_eq!(all(&queue), ["1:a"]);
    queue.release_ingester(&key(1, "a"));
    assert_eq!(all(&queue), ["1:b"]);
}

#[test]
fn a_full_line_holds_up_its_own_folder_only_and_the_end_frees_who_waits() {
    let (queue, progress) = (IngestQueue::new(MANY), Progress::default());
    for number in 0..WAITING_IN_FOLDER {
        queue.queue(job(&progress, 1, &number.to_string()));
    }
    queue.queue(job(&progress, 1, "other/folder"));
    queue.queue(job(&progress, 2, "other root"));
    queue.requeue(job(&progress, 1, "again"));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.queue(job(&progress, 1, "one more")));
        std::thread::yield_now();
        queue.close();
        waiting.join().unwrap();
    });
    assert!(matches!(queue.next(Duration::ZERO), NextStep::Ended));
}

#[test]
fn a_caller_that_gives_up_does_not_wait_for_room_and_its_file_is_queued_all_the_same() {
    let (progress, queue) = (Progress::default(), IngestQueue::new(4));
    for number in 0..WAITING_IN_FOLDER {
        queue.queue(job(&progress, 1, &number.to_string()));
    }
    let given_up = queue.push(job(&progress, 1, "one more"), || Err("cancelled"));
    assert_eq!(given_up, Err("cancelled"));
    assert_eq!(
        queue.lock().roots[&RootId(1)].waiting,
        WAITING_IN_FOLDER + 1
    );
}
