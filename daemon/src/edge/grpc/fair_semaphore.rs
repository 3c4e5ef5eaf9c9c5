//! A bounded number of slots that users and connections share fairly.
//!
//! No user holds more than three quarters of the slots and no connection more than half, so that one
//! greedy client always leaves room for the next. A further quarter of slots is only for users who
//! hold none, so that two greedy users leave some too. A slot that is released goes to the waiting
//! user who holds the fewest, and among those to the one who has waited longest.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::oneshot;
use tokio::time::timeout_at;

/// The client that a slot counts against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ClientId {
    /// The user, as the kernel reports it.
    pub(super) uid: u32,
    /// Number of the connection, unique in this run.
    pub(super) connection: u64,
}

/// Requests of one user that may wait for one semaphore.
const WAITING_PER_USER: usize = 256;

/// Why a request got no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSlot {
    /// The deadline passed first.
    Late,
    /// Too many requests of this user are waiting already.
    Crowded,
}

/// A semaphore whose slots are shared out by user and connection.
#[derive(Debug)]
pub(super) struct FairSemaphore {
    width: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    held: usize,
    by_user: HashMap<u32, usize>,
    by_connection: HashMap<u64, usize>,
    /// Those that wait, in order of arrival.
    waiting: VecDeque<Waiter>,
}

#[derive(Debug)]
struct Waiter {
    client: ClientId,
    slot: oneshot::Sender<Slot>,
}

/// One slot, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    semaphore: Arc<FairSemaphore>,
    client: ClientId,
}

impl FairSemaphore {
    /// A semaphore of `width` slots, at least one.
    pub(super) fn new(width: usize) -> Arc<Self> {
        Arc::new(Self {
            width: width.max(1),
            state: Mutex::default(),
        })
    }

    /// Waits for a slot until the deadline.
    pub(super) async fn enter(
        self: &Arc<Self>,
        client: ClientId,
        deadline: Instant,
    ) -> Result<Slot, NoSlot> {
        let given = {
            let mut state = self.lock();
            if self.may_hold(&state, client) {
                return Ok(self.give(&mut state, client));
            }
            let of_user = |waiter: &&Waiter| waiter.client.uid == client.uid;
            state.waiting.retain(|waiter| !waiter.slot.is_closed());
            if state.waiting.iter().filter(of_user).count() >= WAITING_PER_USER {
                return Err(NoSlot::Crowded);
            }
            let (slot, given) = oneshot::channel();
            state.waiting.push_back(Waiter { client, slot });
            given
        };
        match timeout_at(deadline.into(), given).await {
            Ok(Ok(slot)) => Ok(slot),
            // The semaphore outlives its waiters: a closed channel is as good as no slot.
            Ok(Err(_)) | Err(_) => Err(NoSlot::Late),
        }
    }

    /// All slots, including those for users who hold none.
    pub(super) const fn all_slots(width: usize) -> usize {
        width + width / 4
    }

    /// Slots that one user may hold.
    fn user_share(&self) -> usize {
        (self.width * 3 / 4).max(1)
    }

    /// Slots that one connection may hold.
    fn connection_share(&self) -> usize {
        (self.width / 2).max(1)
    }

    fn may_hold(&self, state: &State, client: ClientId) -> bool {
        let of_connection = state.by_connection.get(&client.connection).copied();
        let of_user = state.of_user(client.uid);
        let width = match of_user {
            0 => Self::all_slots(self.width),
            _ => self.width,
        };
        state.held < width
            && of_user < self.user_share()
            && of_connection.unwrap_or(0) < self.connection_share()
    }

    fn give(self: &Arc<Self>, state: &mut State, client: ClientId) -> Slot {
        state.held += 1;
        *state.by_user.entry(client.uid).or_insert(0) += 1;
        *state.by_connection.entry(client.connection).or_insert(0) += 1;
        Slot {
            semaphore: Arc::clone(self),
            client,
        }
    }

    /// Takes the waiter whose turn it is out of the line, with a slot for it.
    fn next(self: &Arc<Self>) -> Option<(oneshot::Sender<Slot>, Slot)> {
        let mut state = self.lock();
        state.waiting.retain(|waiter| !waiter.slot.is_closed());
        let allowed = state.waiting.iter().enumerate();
        let allowed = allowed.filter(|(_, waiter)| self.may_hold(&state, waiter.client));
        let (at, _) = allowed.min_by_key(|(at, waiter)| (state.of_user(waiter.client.uid), *at))?;
        let waiter = state.waiting.remove(at)?;
        let slot = self.give(&mut state, waiter.client);
        Some((waiter.slot, slot))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn of_user(&self, uid: u32) -> usize {
        self.by_user.get(&uid).copied().unwrap_or(0)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        {
            let mut state = self.semaphore.lock();
            state.held = state.held.saturating_sub(1);
            give_back(&mut state.by_user, self.client.uid);
            give_back(&mut state.by_connection, self.client.connection);
        }
        // A waiter that has just gone away hands its slot back by dropping it here.
        while let Some((waiter, slot)) = self.semaphore.next() {
            let _ = waiter.send(slot);
        }
    }
}

fn give_back<K: std::hash::Hash + Eq>(held: &mut HashMap<K, usize>, key: K) {
    if let Some(count) = held.get_mut(&key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            held.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn client(uid: u32, connection: u64) -> ClientId {
        ClientId { uid, connection }
    }

    fn in_time() -> Instant {
        Instant::now() + Duration::from_secs(120)
    }

    async fn refused(semaphore: &Arc<FairSemaphore>, client: ClientId) -> bool {
        semaphore.enter(client, Instant::now()).await.is_err()
    }

    #[tokio::test]
    async fn neither_a_connection_nor_a_user_takes_every_slot() {
        let semaphore = FairSemaphore::new(8);
        let mut held = Vec::new();
        for connection in [1, 1, 1, 1, 2, 2] {
            held.push(semaphore.enter(client(7, connection), in_time()).await.ok());
        }
        assert!(held.iter().all(Option::is_some));
        assert!(
            refused(&semaphore, client(7, 1)).await,
            "one connection holds half at most"
        );
        assert!(
            refused(&semaphore, client(7, 3)).await,
            "one user holds three quarters at most"
        );
        assert!(semaphore.enter(client(8, 4), in_time()).await.is_ok());
    }

    #[tokio::test]
    async fn two_users_who_hold_all_they_may_leave_slots_for_others() {
        let semaphore = FairSemaphore::new(8);
        let mut held = Vec::new();
        for (uid, connection) in [
            (1, 1),
            (1, 1),
            (1, 2),
            (1, 2),
            (1, 3),
            (1, 3),
            (2, 4),
            (2, 4),
        ] {
            held.push(
                semaphore
                    .enter(client(uid, connection), in_time())
                    .await
                    .ok(),
            );
        }
        assert!(refused(&semaphore, client(2, 5)).await, "it holds some");
        let other = semaphore.enter(client(3, 6), Instant::now()).await;
        assert!(other.is_ok());
        assert!(refused(&semaphore, client(3, 7)).await, "one of these each");
        let third = semaphore.enter(client(4, 8), Instant::now()).await;
        assert!(third.is_ok());
        assert!(
            refused(&semaphore, client(5, 9)).await,
            "these are bounded too"
        );
        drop(other);
        assert!(semaphore.enter(client(5, 9), Instant::now()).await.is_ok());
    }

    #[tokio::test]
    async fn among_users_who_hold_none_the_first_to_wait_is_served_first() {
        let semaphore = FairSemaphore::new(2);
        // One slot per user: both are taken, and three more wait.
        let first = semaphore.enter(client(1, 1), in_time()).await.ok();
        let second = semaphore.enter(client(2, 2), in_time()).await.ok();
        let (order, mut came) = tokio::sync::mpsc::unbounded_channel();
        for (number, uid) in [(1, 1), (2, 2), (3, 3)] {
            let (same, order) = (Arc::clone(&semaphore), order.clone());
            tokio::spawn(async move {
                let slot = same.enter(client(uid, 10 + number), in_time()).await;
                let _ = order.send(uid);
                // Held until the test ends, so that the order is that in which slots were granted.
                std::future::pending::<()>().await;
                drop(slot);
            });
            while semaphore.lock().waiting.len() < number as usize {
                tokio::task::yield_now().await;
            }
        }
        drop(first);
        assert_eq!(
            came.recv().await,
            Some(1),
            "user 1 holds none now, and came first"
        );
        drop(second);
        assert_eq!(came.recv().await, Some(2));
        assert!(
            semaphore
                .lock()
                .waiting
                .iter()
                .all(|waiter| waiter.client.uid == 3)
        );
    }

    #[tokio::test]
    async fn a_newcomer_comes_before_one_more_of_a_user_who_holds_some() {
        let semaphore = FairSemaphore::new(4);
        let mut held = Vec::new();
        for (uid, connection) in [(1, 1), (1, 1), (1, 2), (2, 3), (4, 4)] {
            held.push(
                semaphore
                    .enter(client(uid, connection), in_time())
                    .await
                    .ok(),
            );
        }
        let waits = |uid, connection| {
            let semaphore = Arc::clone(&semaphore);
            tokio::spawn(async move { semaphore.enter(client(uid, connection), in_time()).await })
        };
        let again = waits(1, 2);
        while semaphore.lock().waiting.is_empty() {
            tokio::task::yield_now().await;
        }
        let newcomer = waits(3, 9);
        while semaphore.lock().waiting.len() < 2 {
            tokio::task::yield_now().await;
        }
        held.remove(0);
        let slot = newcomer.await.ok();
        assert!(slot.is_some_and(|slot| slot.is_ok()));
        assert!(!again.is_finished());
        drop(held);
        assert!(again.await.is_ok_and(|slot| slot.is_ok()));
    }

    #[tokio::test]
    async fn one_who_stopped_waiting_loses_no_slot() {
        let semaphore = FairSemaphore::new(1);
        let slot = semaphore.enter(client(1, 1), in_time()).await.ok();
        assert!(refused(&semaphore, client(2, 2)).await);
        drop(slot);
        assert!(semaphore.enter(client(3, 3), in_time()).await.is_ok());
        assert_eq!(semaphore.lock().held, 0);
    }

    #[tokio::test]
    async fn those_who_wait_are_bounded_for_each_user() {
        let semaphore = FairSemaphore::new(1);
        let _slot = semaphore.enter(client(1, 1), in_time()).await.ok();
        let mut waiting = Vec::new();
        for number in 0..WAITING_PER_USER {
            let semaphore = Arc::clone(&semaphore);
            waiting.push(tokio::spawn(async move {
                semaphore
                    .enter(client(1, number as u64), in_time())
                    .await
                    .map(drop)
            }));
        }
        while semaphore.lock().waiting.len() < WAITING_PER_USER {
            tokio::task::yield_now().await;
        }
        let refused = semaphore.enter(client(1, 1), in_time()).await.map(drop);
        assert_eq!(refused, Err(NoSlot::Crowded));
        let other = semaphore
            .enter(client(2, 2), Instant::now())
            .await
            .map(drop);
        assert_eq!(other, Err(NoSlot::Late));
    }
}
