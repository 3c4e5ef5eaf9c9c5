//! Readers and writers do not wait for each other's store access, and a reader misses nothing, whatever is written
//! meanwhile.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Weak;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use simdex_schema::DocId;
use simdex_signature::{CanonicalText, Rung, SchemeKind, ShingleSet, Window};

use super::bed::{Bed, Clients, account, put};
use super::candidates::check;
use super::frail::{Access, hook};
use super::texts::{Random, pool};
use crate::{Candidate, CandidateKind, Fingerprints, QueryFingerprints, VisibleRoots};

/// A thread without progress for this long is taken for deadlocked.
const STUCK: Duration = Duration::from_secs(60);

/// A bed in which only the test merges.
fn bed() -> Bed {
    let mut bed = Bed::memory();
    bed.options.buffer_postings = usize::MAX;
    bed.open();
    bed
}

fn put_all(index: &Clients, texts: &[String], from: usize) {
    let files = texts.iter().enumerate();
    let files = files.map(|(at, text)| put(index, &format!("a/{}", from + at), text, 0));
    index.writer.apply(&files.collect::<Vec<_>>()).unwrap();
}

fn ask(index: &Clients, text: &str) -> Vec<Candidate> {
    let query = ShingleSet::new(&CanonicalText::from_extracted(text), Window::DEFAULT);
    let asked = QueryFingerprints {
        scheme: SchemeKind::ModN,
        fingerprints: Fingerprints::All(&query),
        rung: Rung::ZERO,
    };
    let found = index.reader().candidates().by_samples(
        asked,
        CandidateKind::Contained,
        &VisibleRoots::All,
        &account(index),
    );
    found.unwrap().found
}

/// Runs `script` once, before the read `at` of this thread, during `ask`; returns whether there were as many reads.
pub(super) fn in_the_midst(
    bed: &Bed,
    at: usize,
    script: impl Fn(&Clients) + 'static,
    ask: impl FnOnce(),
) -> bool {
    let (index, left) = (bed.weak(), Rc::new(Cell::new(Some(at))));
    let count = Rc::clone(&left);
    let _hooked = hook(move |access, _| {
        let Some(left) = count.get().filter(|_| access == Access::Read) else {
            return;
        };
        count.set(left.checked_sub(1));
        if left == 0 {
            script(&Weak::upgrade(&index).unwrap());
        }
    });
    ask();
    left.get().is_none()
}

/// A third of the documents merged, the others buffered: a merge includes the run.
fn half_merged(texts: &[String]) -> Bed {
    let bed = bed();
    let (first, second) = texts.split_at(texts.len() / 3);
    put_all(bed.index(), first, 0);
    bed.index().writer.merge().unwrap();
    put_all(bed.index(), second, first.len());
    bed
}

fn texts(seed: u64) -> Vec<String> {
    let mut texts = pool(&mut Random::new(seed), 2, 40);
    texts.sort();
    texts.dedup();
    texts
}

#[test]
fn a_merge_under_a_reader_hides_nothing() {
    let texts = texts(71);
    let mut at = 0;
    loop {
        let bed = half_merged(&texts);
        let runs = bed.index().index.shared.store.postings().runs().unwrap();
        let merge = |index: &Clients| index.writer.merge().unwrap();
        let ran = in_the_midst(&bed, at, merge, || {
            check(&bed, &texts, &texts[0], CandidateKind::Contained);
        });
        if !ran {
            break;
        }
        let merged = bed.index().index.shared.store.postings().runs().unwrap();
        assert_ne!(runs, merged, "the run that was read is gone");
        at += 1 + at / 4;
    }
    assert!(at > 5, "the question reads several buckets");
}

#[test]
fn merges_repeated_under_a_reader_hide_nothing() {
    let texts = texts(72);
    let mut at = 0;
    loop {
        let bed = half_merged(&texts);
        let ran = in_the_midst(
            &bed,
            at,
            |index| {
                // Twice with something in between, so that buckets are rewritten repeatedly.
                for round in 0..2 {
                    index.writer.merge().unwrap();
                    let late = Random::new(80 + round).words(60);
                    put_all(index, &[late], 900 + round as usize);
                }
                index.writer.merge().unwrap();
            },
            || check(&bed, &texts, &texts[0], CandidateKind::Contained),
        );
        if !ran {
            break;
        }
        at += 1 + at / 4;
    }
    assert!(at > 5, "the question reads several buckets");
}

#[test]
fn edges_are_found_while_runs_are_merged() {
    let texts = texts(74);
    let mut at = 0;
    loop {
        let bed = half_merged(&texts);
        let merge = |index: &Clients| index.writer.merge().unwrap();
        let ran = in_the_midst(&bed, at, merge, || bed.settle());
        let groups = |bed: &Bed| {
            let threshold = simdex_signature::Ratio::new(bed.parameters.threshold).unwrap();
            let groups =
                bed.reader()
                    .groups()
                    .of_view(&VisibleRoots::All, threshold, &account(bed.index()));
            let mut groups: Vec<(DocId, usize)> = groups
                .unwrap()
                .groups
                .iter()
                .map(|group| (group.principal, group.members.len()))
                .collect();
            groups.sort_unstable();
            groups
        };
        let undisturbed = half_merged(&texts);
        undisturbed.settle();
        assert_eq!(groups(&bed), groups(&undisturbed), "read {at}");
        if !ran {
            break;
        }
        at += 1 + at / 2;
    }
    assert!(at > 20, "settling reads many buckets");
}

/// Stops the thread that called it until told to go on.
struct Stop {
    arrived: Sender<()>,
    go_on: Receiver<()>,
}

/// The side that waits for a [`Stop`], and lets it continue.
struct Stopped {
    arrived: Receiver<()>,
    go_on: Sender<()>,
}

fn stop() -> (Stop, Stopped) {
    let ((arrived, arrives), (go_on, goes_on)) = (channel(), channel());
    let stop = Stop {
        arrived,
        go_on: goes_on,
    };
    (
        stop,
        Stopped {
            arrived: arrives,
            go_on,
        },
    )
}

impl Stop {
    fn here(&self) {
        self.arrived.send(()).unwrap();
        // An error if the test has already failed.
        let _ = self.go_on.recv();
    }
}

/// Runs `stopped` in a thread until its access number `at` of the given kind, then `other` in another thread, which
/// must end meanwhile; then lets the first continue.
fn meanwhile(
    access: Access,
    at: usize,
    stopped: impl FnOnce() + Send,
    other: impl FnOnce() + Send,
) {
    let (stop, waiting) = stop();
    let (ended, ends) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut left = Some(at);
            let _hooked = hook(move |found, _| {
                if found != access {
                    return;
                }
                if left == Some(0) {
                    stop.here();
                }
                left = left.and_then(|left| left.checked_sub(1));
            });
            stopped();
        });
        waiting
            .arrived
            .recv_timeout(STUCK)
            .expect("it comes so far");
        scope.spawn(move || {
            other();
            ended.send(()).unwrap();
        });
        let progress = ends.recv_timeout(STUCK);
        drop(waiting.go_on);
        assert!(progress.is_ok(), "it waits for what is stopped");
    });
}

#[test]
fn changes_are_applied_committed_and_merged_while_a_question_reads() {
    let texts = texts(75);
    let bed = half_merged(&texts);
    let late = [Random::new(76).words(60)];
    let reads = || drop(ask(bed.index(), &texts[0]));
    meanwhile(Access::Read, 3, reads, || {
        put_all(bed.index(), &late, 900);
        bed.index().writer.commit().unwrap();
        bed.index().writer.merge().unwrap();
        assert!(!ask(bed.index(), &late[0]).is_empty());
    });
}

#[test]
fn changes_are_applied_and_questions_answered_while_edges_are_sought() {
    let texts = texts(77);
    let bed = half_merged(&texts);
    let late = [Random::new(78).words(60)];
    for at in [0, 5, 40] {
        let finder = || {
            let threshold = simdex_signature::Ratio::new(0.6).unwrap();
            let search = bed.reader().pairs().search(&VisibleRoots::All, threshold);
            for id in search.documents() {
                search.partners_of(id, &account(bed.index())).unwrap();
            }
        };
        meanwhile(Access::Read, at, finder, || {
            put_all(bed.index(), &late, 900 + at);
            assert!(!ask(bed.index(), &texts[0]).is_empty());
        });
    }
}

#[test]
fn questions_are_answered_while_a_write_is_under_way() {
    let texts = texts(79);
    for at in [0, 1, 9] {
        let bed = half_merged(&texts);
        let question = || assert!(!ask(bed.index(), &texts[0]).is_empty());
        meanwhile(
            Access::Write,
            at,
            || bed.index().writer.merge().unwrap(),
            question,
        );
    }
    let bed = half_merged(&texts);
    let late = [Random::new(80).words(60)];
    let question = || assert!(!ask(bed.index(), &texts[0]).is_empty());
    meanwhile(
        Access::Write,
        0,
        || put_all(bed.index(), &late, 900),
        question,
    );
    meanwhile(Access::Write, 0, || bed.settle(), question);
}

#[test]
fn a_bucket_is_read_once_for_all_keys_that_lie_in_it() {
    let texts = texts(81);
    let bed = bed();
    put_all(bed.index(), &texts, 0);
    bed.index().writer.merge().unwrap();
    let read = Rc::new(std::cell::RefCell::new(Vec::new()));
    let noted = Rc::clone(&read);
    let hooked = hook(move |access, key| {
        if access == Access::Read {
            noted.borrow_mut().push(key.to_vec());
        }
    });
    // Far more fingerprints than there are buckets.
    let query: String = texts.concat();
    assert!(!ask(bed.index(), &query).is_empty());
    drop(hooked);
    let mut read = read.borrow().clone();
    let bits = bed.index().index.shared.state().runs[0].record.schemes[0].bits;
    let (all, buckets) = (read.len(), 1 << bits);
    read.sort();
    read.dedup();
    // Keys are looked up a thousand at a time: a bucket at the boundary is read for both.
    assert!(
        all - read.len() < 10,
        "{all} reads of {} blocks",
        read.len()
    );
    assert_eq!(
        read.iter().filter(|key| key[6..] == [0, 0]).count(),
        buckets
    );
}
