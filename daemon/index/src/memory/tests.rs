//! Permits: fairness, cancellation, no deadlock. Waiting is observed by the count of waiters, not by time.

use super::*;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, spawn};

fn never() -> Cancel {
    Cancel::never()
}

/// Returns once this many wait.
fn until_waiting(budget: &MemoryBudget, many: usize) {
    while budget.waiting() != many {
        std::thread::yield_now();
    }
}

/// Takes a permit on its own thread, sends its name, and holds the permit until told to end.
fn taker(
    account: MemoryAccount,
    bytes: u64,
    name: u32,
    told: Sender<u32>,
) -> (JoinHandle<()>, Sender<()>) {
    let (go, end): (Sender<()>, Receiver<()>) = channel();
    let thread = spawn(move || {
        let permit = account.take(bytes).unwrap();
        told.send(name).unwrap();
        let _ = end.recv();
        drop(permit);
    });
    (thread, go)
}

#[test]
fn a_permit_is_given_back_whole_and_in_part() {
    let budget = MemoryBudget::new(100);
    let mut permit = budget.acquire(70, &never()).unwrap();
    assert_eq!((budget.used(), permit.bytes()), (70, 70));
    permit.shrink_to(80);
    assert_eq!(budget.used(), 70);
    permit.shrink_to(30);
    assert_eq!((budget.used(), permit.bytes()), (30, 30));
    drop(permit);
    assert_eq!(budget.used(), 0);
}

#[test]
fn a_request_above_the_budget_is_the_whole_budget() {
    let budget = MemoryBudget::new(100);
    let small = budget.acquire(1, &never()).unwrap();
    let (told, tells) = channel();
    let (thread, go) = taker(budget.account(&never()), u64::MAX, 1, told);
    until_waiting(&budget, 1);
    drop(small);
    assert_eq!(tells.recv().unwrap(), 1);
    assert_eq!(budget.used(), 100);
    drop(go);
    thread.join().unwrap();
    assert_eq!(budget.used(), 0);
}

#[test]
fn a_large_request_is_not_passed_by_small_ones_that_came_later() {
    let budget = MemoryBudget::new(100);
    let first = budget.acquire(60, &never()).unwrap();
    let (told, tells) = channel();
    let large = taker(budget.account(&never()), 90, 90, told.clone());
    until_waiting(&budget, 1);
    let small: Vec<_> = (1..=3)
        .map(|name| {
            // Two of them would fit beside the first, none beside the large one.
            let small = taker(budget.account(&never()), 20, name, told.clone());
            until_waiting(&budget, 1 + name as usize);
            small
        })
        .collect();
    assert!(tells.try_recv().is_err());
    drop(first);
    assert_eq!(tells.recv().unwrap(), 90);
    assert_eq!((budget.waiting(), budget.used()), (3, 90));
    drop(large.1);
    let names: u32 = tells.iter().take(3).sum();
    assert_eq!(names, 6);
    large.0.join().unwrap();
    for (thread, go) in small {
        drop(go);
        thread.join().unwrap();
    }
    assert_eq!(budget.used(), 0);
}

#[test]
fn who_is_cancelled_leaves_the_line_to_those_behind() {
    let budget = MemoryBudget::new(100);
    let first = budget.acquire(60, &never()).unwrap();
    let cancel = never();
    let account = budget.account(&cancel);
    let large = spawn(move || account.take(90).map(drop));
    until_waiting(&budget, 1);
    let (told, tells) = channel();
    let (small, go) = taker(budget.account(&never()), 40, 1, told);
    until_waiting(&budget, 2);
    cancel.cancel();
    assert!(matches!(large.join().unwrap(), Err(IndexError::Cancelled)));
    assert_eq!(tells.recv().unwrap(), 1);
    assert_eq!(budget.used(), 100);
    drop(go);
    small.join().unwrap();
    drop(first);
    assert_eq!((budget.used(), budget.waiting()), (0, 0));
}

#[test]
fn a_deadline_ends_a_wait_and_a_cancelled_account_takes_nothing() {
    let budget = MemoryBudget::new(10);
    let _all = budget.acquire(10, &never()).unwrap();
    let soon = Cancel::at(std::time::Instant::now() + Duration::from_millis(5));
    assert!(matches!(
        budget.acquire(1, &soon),
        Err(IndexError::Cancelled)
    ));
    let cancel = never();
    cancel.cancel();
    let empty = MemoryBudget::new(10);
    assert!(matches!(
        empty.acquire(1, &cancel),
        Err(IndexError::Cancelled)
    ));
    assert_eq!((empty.used(), empty.waiting()), (0, 0));
}

/// Eight accounts, each of which wants three permits before it returns any, in a budget that holds two: without the
/// overdraft all would wait for one another.
#[test]
fn accounts_that_take_more_while_they_hold_never_wait_for_one_another() {
    let budget = MemoryBudget::new(20);
    let most = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (budget, most) = (budget.clone(), Arc::clone(&most));
            spawn(move || {
                for _ in 0..200 {
                    let account = budget.account(&never());
                    let permits: Vec<_> = (0..3).map(|_| account.take(10).unwrap()).collect();
                    most.fetch_max(budget.used(), std::sync::atomic::Ordering::Relaxed);
                    assert_eq!(account.held(), 30);
                    drop(permits);
                    assert_eq!(account.held(), 0);
                }
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!((budget.used(), budget.waiting()), (0, 0));
    // The budget, and the second and third permit of one account.
    let most = most.load(std::sync::atomic::Ordering::Relaxed);
    assert!(most <= 40, "{most}");
}

#[test]
fn one_account_at_a_time_overdraws() {
    let budget = MemoryBudget::new(20);
    let (one, other) = (budget.account(&never()), budget.account(&never()));
    let held = [one.take(10).unwrap(), other.take(10).unwrap()];
    let past = [one.take(10).unwrap(), one.take(5).unwrap()];
    assert_eq!((budget.used(), one.held()), (35, 25));
    let (told, tells) = channel();
    let (thread, go) = taker(other, 10, 2, told);
    until_waiting(&budget, 1);
    assert!(tells.try_recv().is_err());
    drop(past);
    // Now the other may.
    assert_eq!(tells.recv().unwrap(), 2);
    assert_eq!(budget.used(), 30);
    drop(go);
    thread.join().unwrap();
    drop(held);
    assert_eq!(budget.used(), 0);
}

#[test]
fn one_user_leaves_a_quarter_to_others_and_does_not_hold_up_the_line() {
    let budget = MemoryBudget::new(100);
    let of = |user| budget.account_of(user, &never());
    // More than a share is the share.
    let greedy = of(1).take(u64::MAX).unwrap();
    assert_eq!(greedy.bytes(), 75);
    let (told, tells) = channel();
    let (next, go_on) = taker(of(1), 10, 1, told.clone());
    until_waiting(&budget, 1);
    let (other, go) = taker(of(2), 25, 2, told);
    assert_eq!(tells.recv().unwrap(), 2, "it came later and is not held up");
    assert_eq!((budget.waiting(), budget.used()), (1, 100));
    drop(greedy);
    assert_eq!(tells.recv().unwrap(), 1);
    drop((go, go_on));
    next.join().unwrap();
    other.join().unwrap();
    assert_eq!((budget.used(), budget.waiting()), (0, 0));
}

#[test]
fn one_account_at_a_time_goes_past_the_share_of_its_user() {
    let budget = MemoryBudget::new(100);
    let of = |user| budget.account_of(user, &never());
    let (one, other) = (of(1), of(1));
    let held = [one.take(40).unwrap(), other.take(30).unwrap()];
    let past = one.take(20).unwrap();
    let (told, tells) = channel();
    let (thread, go) = taker(other.clone(), 10, 1, told);
    until_waiting(&budget, 1);
    // Another user has nothing to do with it.
    drop(of(2).take(10).unwrap());
    assert!(tells.try_recv().is_err());
    drop(past);
    assert_eq!(tells.recv().unwrap(), 1);
    drop((go, held));
    thread.join().unwrap();
    assert_eq!(budget.used(), 0);
}

#[test]
fn who_waits_for_lasting_work_holds_up_lasting_work_alone() {
    let budget = MemoryBudget::new(64);
    let lasting = |user| budget.lasting_account_of(Some(user), &never());
    let held = lasting(1).take(40).unwrap();
    let (told, tells) = channel();
    let (large, end_large) = taker(lasting(2), 40, 2, told.clone());
    until_waiting(&budget, 1);
    let small = |user, name| taker(budget.account_of(user, &never()), 4, name, told.clone());
    let (first, end_first) = small(3, 3);
    assert_eq!(tells.recv().unwrap(), 3, "it came later and is let past");
    let (behind, end_behind) = taker(lasting(4), 4, 4, told.clone());
    until_waiting(&budget, 2);
    // So is one that came after both: nobody overtakes lasting accounts.
    let (second, end_second) = small(5, 5);
    assert_eq!(tells.recv().unwrap(), 5);
    assert_eq!((budget.waiting(), budget.used()), (2, 48));
    drop(held);
    let both = [tells.recv().unwrap(), tells.recv().unwrap()];
    assert_eq!(both.iter().sum::<u32>(), 6, "the large one, then the next");
    drop((end_large, end_first, end_behind, end_second));
    for thread in [large, first, behind, second] {
        thread.join().unwrap();
    }
    assert_eq!((budget.used(), budget.waiting()), (0, 0));
}

#[test]
fn a_large_request_that_lasting_work_made_way_for_is_not_starved_by_small_ones() {
    let budget = MemoryBudget::new(64);
    let held = budget.lasting_account_of(Some(1), &never());
    let held = held.take(40).unwrap();
    let (told, tells) = channel();
    let (large, end_large) = taker(budget.account_of(2, &never()), 40, 2, told.clone());
    until_waiting(&budget, 1);
    // Allowed to overtake, since the other waits for lasting accounts.
    let of_others = budget.account_of(3, &never()).take(20).unwrap();
    drop(budget.account_of(3, &never()).take(4).unwrap());
    let fourth = budget.account_of(4, &never()).take(4).unwrap();
    drop(held);
    assert_eq!(tells.recv().unwrap(), 2, "it fits beside them");
    drop(end_large);
    large.join().unwrap();
    // If only small ones are in its way, those that come later wait behind it.
    let (large, end_large) = taker(budget.account_of(2, &never()), 48, 2, told.clone());
    until_waiting(&budget, 1);
    let (late, end_late) = taker(budget.account_of(5, &never()), 4, 5, told);
    until_waiting(&budget, 2);
    assert!(tells.try_recv().is_err());
    drop((of_others, fourth));
    let both = [tells.recv().unwrap(), tells.recv().unwrap()];
    assert_eq!(both.iter().sum::<u32>(), 7);
    drop((end_large, end_late));
    large.join().unwrap();
    late.join().unwrap();
    assert_eq!((budget.used(), budget.waiting()), (0, 0));
}

#[test]
fn what_is_small_is_not_counted() {
    let budget = MemoryBudget::new(128 << 20);
    let account = budget.account(&never());
    assert!(account.take_large(SMALL - 1).unwrap().is_none());
    assert_eq!(budget.used(), 0);
    let permit = account.take_large(SMALL).unwrap();
    assert_eq!(permit.unwrap().bytes(), SMALL);
}

#[test]
fn questions_have_memory_of_their_own() {
    let memory = Memory::new(101);
    assert_eq!(memory.backlog.total() + memory.requests.total(), 101);
    let _backlog = memory.backlog.acquire(u64::MAX, &never()).unwrap();
    assert_eq!(memory.requests.used(), 0);
    drop(memory.requests.acquire(u64::MAX, &never()).unwrap());
}

#[test]
fn what_grows_is_counted_until_it_is_dropped_and_refused_above_what_one_may_hold() {
    let budget = MemoryBudget::new(8 * SMALL);
    let account = budget.account_of(7, &never());
    let mut found = GrowingPermit::of(&account);
    found.add(SMALL - 1).unwrap();
    assert_eq!(budget.used(), 0, "what is small is not counted");
    found.add(1).unwrap();
    found.add(SMALL / 2).unwrap();
    assert_eq!((found.bytes(), budget.used()), (3 * SMALL / 2, 2 * SMALL));
    found.add(3 * SMALL).unwrap();
    assert_eq!(budget.used(), 9 * SMALL / 2);
    let refused = found.add(2 * SMALL).unwrap_err();
    assert!(matches!(refused, IndexError::TooMuchMemory { max_bytes } if max_bytes == 6 * SMALL));
    assert_eq!(
        refused.advice(),
        Some("name fewer roots, or raise store.memory_mib")
    );
    found.shrink_to(SMALL);
    assert_eq!(budget.used(), SMALL);
    drop(found);
    assert_eq!(budget.used(), 0);
}

/// A budget of 100 in which a user is past the share, so that nobody may overdraw; 20 are free. Returns what that user
/// holds, and last what went past the share.
fn past_the_share_of_one_user(budget: &MemoryBudget) -> [MemoryPermit; 3] {
    let (one, other) = (
        budget.account_of(1, &never()),
        budget.account_of(1, &never()),
    );
    let held = [one.take(40).unwrap(), other.take(30).unwrap()];
    let past = one.take(10).unwrap();
    assert!(one.is_overdrawn());
    let [one, other] = held;
    [one, other, past]
}

#[test]
fn a_second_permit_keeps_its_place_when_another_thread_returns_the_first() {
    let budget = MemoryBudget::new(100);
    let [_one, _other, past] = past_the_share_of_one_user(&budget);
    let account = budget.account(&never());
    let first = account.take(20).unwrap();
    let (told, tells) = channel();
    let (second, end_second) = taker(account, 30, 2, told.clone());
    until_waiting(&budget, 1);
    drop(first);
    let (late, end_late) = taker(budget.account(&never()), 20, 3, told);
    while budget.waiting() < 2 {
        assert!(tells.try_recv().is_err(), "20 are free, but it came later");
        std::thread::yield_now();
    }
    drop(past);
    assert_eq!(tells.recv().unwrap(), 2);
    drop(end_second);
    assert_eq!(tells.recv().unwrap(), 3);
    drop(end_late);
    second.join().unwrap();
    late.join().unwrap();
}

#[test]
fn a_second_permit_above_the_budget_is_the_whole_budget_once_the_first_was_returned() {
    let budget = MemoryBudget::new(100);
    let of_user = past_the_share_of_one_user(&budget);
    let far = std::time::Instant::now() + Duration::from_secs(60);
    let account = budget.account(&Cancel::at(far));
    let first = account.take(20).unwrap();
    let second = spawn(move || account.take(1_000).map(|permit| permit.bytes()));
    until_waiting(&budget, 1);
    drop(first);
    drop(of_user);
    assert_eq!(second.join().unwrap().unwrap(), 100);
}

#[test]
fn two_threads_of_one_account_neither_wait_for_each_other_nor_leave_anything_behind() {
    let budget = MemoryBudget::new(20);
    let most = std::sync::atomic::AtomicU64::new(0);
    let take_twice = |account: &MemoryAccount| {
        let permits = [account.take(10).unwrap(), account.take(10).unwrap()];
        most.fetch_max(budget.used(), std::sync::atomic::Ordering::Relaxed);
        drop(permits);
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let account = budget.account(&never());
                    std::thread::scope(|both| {
                        both.spawn(|| take_twice(&account));
                        take_twice(&account);
                    });
                    assert_eq!(account.held(), 0);
                }
            });
        }
    });
    assert_eq!((budget.used(), budget.waiting()), (0, 0));
    // The budget, and all permits of one account after its first.
    let most = most.into_inner();
    assert!(most <= 50, "{most}");
}

#[test]
fn what_grows_on_two_threads_is_refused_above_what_their_account_may_hold() {
    let budget = MemoryBudget::new(8 * SMALL);
    let all = budget.acquire(8 * SMALL, &never()).unwrap();
    let account = budget.account(&never());
    let grow = || {
        let mut found = GrowingPermit::of(&account);
        found.add(5 * SMALL).map(|()| found)
    };
    std::thread::scope(|scope| {
        let grown = [scope.spawn(grow), scope.spawn(grow)];
        until_waiting(&budget, 2);
        drop(all);
        let grown = grown.map(|thread| thread.join().unwrap());
        let refused = grown.iter().filter(|grown| {
            matches!(grown, Err(IndexError::TooMuchMemory { max_bytes }) if *max_bytes == 8 * SMALL)
        });
        assert_eq!(refused.count(), 1, "{grown:?}");
    });
    assert_eq!(budget.used(), 0);
}
