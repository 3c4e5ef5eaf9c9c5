//! The book of open connections: whose they are, what is under way on them, which of them must go.
//!
//! A connection is cut when nothing was said on it in time, when no request has been under way for
//! long, when a client does not read what it asked for or reads too slowly, or when its place is needed.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tonic::Status;

use super::fair_semaphore::ClientId;
use super::limits::{ClientLimits, HANDSHAKE, INTAKE, LEAST_RATE};

/// All open connections.
pub struct Connections {
    limits: ClientLimits,
    table: Mutex<Table>,
    /// A connection closed, or has no request under way any more.
    eased: Notify,
}

#[derive(Default)]
struct Table {
    next: u64,
    open: BTreeMap<u64, Arc<Line>>,
    users: HashMap<u32, Load>,
}

/// What a user has under way.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Load {
    requests: usize,
    /// Of requests that are not answered yet.
    bytes: u64,
}

/// One connection.
struct Line {
    id: u64,
    uid: u32,
    opened: Instant,
    state: Mutex<LineState>,
}

struct LineState {
    requests: usize,
    idle_since: Instant,
    /// Replies under way.
    replies: BTreeMap<u64, Reading>,
    next: u64,
    cut: bool,
    /// Whoever reads and writes on the connection.
    waker: Option<Waker>,
}

/// How a client reads one reply.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    /// The piece it is to read now, and since when.
    piece: Option<(usize, Instant)>,
    /// Time it took for earlier pieces beyond what those may take.
    late: Duration,
}

impl Reading {
    /// Until when it must have read the piece it was given, with so much patience for all of them.
    fn until(&self, patience: Duration) -> Option<Instant> {
        let (_, since) = self.piece?;
        Some(since + patience.saturating_sub(self.late))
    }

    /// It has read the piece.
    fn taken(&mut self) {
        if let Some((length, since)) = self.piece.take() {
            let usual = Duration::from_secs(1).max(LEAST_RATE.time_for(length));
            self.late = (self.late + since.elapsed()).saturating_sub(usual);
        }
    }
}

/// Why a connection is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It did not say that it speaks HTTP/2.
    Silent,
    /// No request was under way on it.
    Idle,
    /// Its client does not read what it asked for, or reads too slowly.
    Unread,
    /// Its place was needed.
    Displaced,
}

/// What becomes of somebody who connects.
pub enum Admission {
    /// Welcome.
    Granted(Peer),
    /// The user has as many connections as one may, none of them idle.
    Refused,
    /// Every connection is taken and in use: ask again after [`Connections::eased`].
    Wait,
}

/// An open connection, as its socket and its requests know it. Its socket closes it.
#[derive(Clone)]
pub struct Peer {
    book: Arc<Connections>,
    line: Arc<Line>,
}

impl Connections {
    /// An empty book.
    pub fn new(limits: ClientLimits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            table: Mutex::default(),
            eased: Notify::new(),
        })
    }

    /// What connections are held to.
    pub fn limits(&self) -> &ClientLimits {
        &self.limits
    }

    /// Admits a connection of a user, where need be in the place of an idle one: of the user's own
    /// above the user's share, else of whoever has most. Where all are busy, a user who has none
    /// takes the place of the youngest of whoever has most.
    pub fn admit(self: &Arc<Self>, uid: u32) -> Admission {
        let mut table = lock(&self.table);
        let own = table.of_user(uid);
        let (full, displaced) = if own >= self.limits.connections_per_user {
            (
                Admission::Refused,
                table.longest_idle(|line| line.uid == uid),
            )
        } else if table.open.len() >= self.limits.connections {
            let idle = table.longest_idle(|_| true);
            // Busy ones give way only to a user who has none.
            let youngest = || table.youngest_of_many().filter(|_| own == 0);
            (Admission::Wait, idle.or_else(youngest))
        } else {
            return Admission::Granted(self.enter(&mut table, uid));
        };
        let Some(displaced) = displaced else {
            return full;
        };
        table.open.remove(&displaced.id);
        displaced.cut();
        Admission::Granted(self.enter(&mut table, uid))
    }

    fn enter(self: &Arc<Self>, table: &mut Table, uid: u32) -> Peer {
        let now = Instant::now();
        let line = Arc::new(Line {
            id: table.next,
            uid,
            opened: now,
            state: Mutex::new(LineState {
                requests: 0,
                idle_since: now,
                replies: BTreeMap::new(),
                next: 0,
                cut: false,
                waker: None,
            }),
        });
        table.next += 1;
        table.open.insert(line.id, Arc::clone(&line));
        Peer {
            book: Arc::clone(self),
            line,
        }
    }

    /// Returns once a connection closed or became idle since the last call.
    pub async fn eased(&self) {
        self.eased.notified().await;
    }
}

impl Table {
    fn of_user(&self, uid: u32) -> usize {
        self.open.values().filter(|line| line.uid == uid).count()
    }

    /// The idle connection whose place is given away first: of the user with the most connections,
    /// the one that has been idle for longest.
    fn longest_idle(&self, among: impl Fn(&Line) -> bool) -> Option<Arc<Line>> {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for line in self.open.values() {
            *counts.entry(line.uid).or_insert(0) += 1;
        }
        let idle = self.open.values().filter(|line| among(line));
        let idle = idle.filter_map(|line| Some((line, line.idle_since()?)));
        let first = idle.min_by_key(|(line, since)| {
            let count = counts.get(&line.uid).copied().unwrap_or(0);
            (std::cmp::Reverse(count), *since)
        });
        first.map(|(line, _)| Arc::clone(line))
    }

    /// The youngest connection of the user with the most, where that is more than one.
    fn youngest_of_many(&self) -> Option<Arc<Line>> {
        let mut of_users: BTreeMap<u32, Vec<&Arc<Line>>> = BTreeMap::new();
        for line in self.open.values() {
            of_users.entry(line.uid).or_default().push(line);
        }
        let most = of_users.into_values().max_by_key(Vec::len)?;
        let youngest = most.last().filter(|_| most.len() > 1);
        youngest.map(|line| Arc::clone(line))
    }
}

impl Line {
    fn idle_since(&self) -> Option<Instant> {
        let state = lock(&self.state);
        (state.requests == 0).then_some(state.idle_since)
    }

    fn cut(&self) {
        let mut state = lock(&self.state);
        state.cut = true;
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }
}

impl Peer {
    /// Who it is, as far as sharing goes.
    pub(super) fn client(&self) -> ClientId {
        ClientId {
            uid: self.line.uid,
            connection: self.line.id,
        }
    }

    /// Whether the connection must be cut now, else when to look again. `spoke` says whether the
    /// client has shown that it speaks HTTP/2; `waker` is woken where the place is needed.
    pub fn verdict(&self, spoke: bool, waker: &Waker) -> Result<Instant, Cut> {
        let limits = &self.book.limits;
        let mut state = lock(&self.line.state);
        if state.cut {
            return Err(Cut::Displaced);
        }
        if !state
            .waker
            .as_ref()
            .is_some_and(|known| known.will_wake(waker))
        {
            state.waker = Some(waker.clone());
        }
        let now = Instant::now();
        let mut look = now + limits.idle;
        let mut until = |since: Instant, patience: Duration, cut: Cut| {
            look = look.min(since + patience);
            if now >= since + patience {
                Err(cut)
            } else {
                Ok(())
            }
        };
        if !spoke {
            until(self.line.opened, HANDSHAKE, Cut::Silent)?;
        }
        if state.requests == 0 {
            until(state.idle_since, limits.connection_idle, Cut::Idle)?;
        }
        let unread = state.replies.values();
        if let Some(last) = unread.filter_map(|reply| reply.until(limits.idle)).min() {
            until(last, Duration::ZERO, Cut::Unread)?;
        }
        Ok(look)
    }

    /// The connection is closed.
    pub fn close(&self) {
        lock(&self.book.table).open.remove(&self.line.id);
        self.book.eased.notify_one();
    }

    /// Begins a request, within the user's share.
    pub(super) fn begin(&self) -> Result<Ticket, Status> {
        {
            let mut table = lock(&self.book.table);
            let load = table.users.entry(self.line.uid).or_default();
            if load.requests >= self.book.limits.requests_per_user {
                return Err(Status::resource_exhausted(
                    "as many requests of this user as one may have are under way",
                ));
            }
            load.requests += 1;
        }
        let mut state = lock(&self.line.state);
        state.requests += 1;
        let number = state.next;
        state.next += 1;
        state.replies.insert(number, Reading::default());
        drop(state);
        Ok(Ticket {
            peer: self.clone(),
            number,
        })
    }

    fn change_load(&self, change: impl FnOnce(&mut Load)) {
        let mut table = lock(&self.book.table);
        if let Some(load) = table.users.get_mut(&self.line.uid) {
            change(load);
            if *load == Load::default() {
                table.users.remove(&self.line.uid);
            }
        }
    }
}

/// One request, from its head to the last byte of its reply.
pub(super) struct Ticket {
    peer: Peer,
    number: u64,
}

impl Ticket {
    /// The client has been given a piece of the reply and is to read on.
    pub(super) fn handed(&self, length: usize) {
        self.note(|reading| reading.piece = Some((length, Instant::now())));
    }

    /// The client has read what it was given.
    pub(super) fn taken(&self) {
        self.note(Reading::taken);
    }

    fn note(&self, change: impl FnOnce(&mut Reading)) {
        let mut state = lock(&self.peer.line.state);
        change(state.replies.entry(self.number).or_default());
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        {
            let mut state = lock(&self.peer.line.state);
            state.requests = state.requests.saturating_sub(1);
            state.idle_since = Instant::now();
            state.replies.remove(&self.number);
        }
        self.peer
            .change_load(|load| load.requests = load.requests.saturating_sub(1));
        self.peer.book.eased.notify_one();
    }
}

/// Bytes of one request that wait in memory; a user holds half of all that may.
pub(super) struct Charge {
    peer: Peer,
    bytes: Mutex<u64>,
}

impl Charge {
    /// Nothing yet.
    pub(super) fn new(peer: &Peer) -> Self {
        Self {
            peer: peer.clone(),
            bytes: Mutex::new(0),
        }
    }

    /// More bytes have come.
    pub(super) fn add(&self, count: u64) -> Result<(), Status> {
        let mut bytes = lock(&self.bytes);
        let mut table = lock(&self.peer.book.table);
        let all: u64 = table.users.values().map(|load| load.bytes).sum();
        let load = table.users.entry(self.peer.line.uid).or_default();
        if all + count > INTAKE || load.bytes + count > INTAKE / 2 {
            return Err(Status::resource_exhausted(
                "as many bytes of requests as the daemon keeps wait for their answers",
            ));
        }
        load.bytes += count;
        *bytes += count;
        Ok(())
    }

    /// So many of them need no memory any more.
    pub(super) fn release(&self, count: u64) {
        let mut bytes = lock(&self.bytes);
        let count = count.min(*bytes);
        *bytes -= count;
        self.peer
            .change_load(|load| load.bytes = load.bytes.saturating_sub(count));
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.release(u64::MAX);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub(super) fn limits() -> ClientLimits {
    ClientLimits {
        connections: 4,
        connections_per_user: 3,
        requests_per_user: 2,
        idle: Duration::from_secs(30),
        connection_idle: Duration::from_secs(300),
        sending: Duration::from_secs(100),
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::PIECE;
    use super::*;

    fn admitted(book: &Arc<Connections>, uid: u32) -> Option<Peer> {
        match book.admit(uid) {
            Admission::Granted(peer) => Some(peer),
            Admission::Refused | Admission::Wait => None,
        }
    }

    fn verdict(peer: &Peer) -> Option<Cut> {
        peer.verdict(true, Waker::noop()).err()
    }

    #[tokio::test(start_paused = true)]
    async fn a_user_above_the_share_displaces_an_idle_connection_of_its_own() {
        let book = Connections::new(limits());
        let mine: Vec<Peer> = (0..3).filter_map(|_| admitted(&book, 1)).collect();
        let other = admitted(&book, 2).unwrap();
        let busy = mine[0].begin().unwrap();
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(admitted(&book, 1).is_some());
        let cut: Vec<_> = mine.iter().map(verdict).collect();
        assert_eq!(
            cut,
            [None, Some(Cut::Displaced), None],
            "the busy one stays"
        );
        assert_eq!(verdict(&other), None);
        drop(busy);
    }

    #[tokio::test(start_paused = true)]
    async fn a_user_whose_connections_are_all_busy_is_refused_one_more() {
        let book = Connections::new(ClientLimits {
            requests_per_user: 9,
            ..limits()
        });
        let mine: Vec<Peer> = (0..3).filter_map(|_| admitted(&book, 1)).collect();
        let tickets: Vec<_> = mine.iter().map(|peer| peer.begin().unwrap()).collect();
        assert!(matches!(book.admit(1), Admission::Refused));
        assert!(admitted(&book, 2).is_some());
        drop(tickets);
        assert!(admitted(&book, 1).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_house_gives_the_place_of_whoever_has_most_and_waits_where_all_are_busy() {
        let book = Connections::new(ClientLimits {
            requests_per_user: 9,
            ..limits()
        });
        let lone = admitted(&book, 2).unwrap();
        let greedy: Vec<Peer> = (0..3).filter_map(|_| admitted(&book, 1)).collect();
        let newcomer = admitted(&book, 3).unwrap();
        assert_eq!(verdict(&lone), None, "though it has been idle for longest");
        assert_eq!(verdict(&greedy[0]), Some(Cut::Displaced));
        let all = [&lone, &greedy[1], &greedy[2], &newcomer];
        let mut busy: Vec<_> = all.iter().map(|peer| peer.begin().unwrap()).collect();
        assert!(matches!(book.admit(3), Admission::Wait));
        busy.pop();
        book.eased().await;
        assert!(admitted(&book, 3).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn busy_connections_give_way_to_a_user_who_has_none() {
        let book = Connections::new(ClientLimits {
            requests_per_user: 9,
            ..limits()
        });
        let greedy: Vec<Peer> = (0..3).filter_map(|_| admitted(&book, 1)).collect();
        let lone = admitted(&book, 2).unwrap();
        let all = || greedy.iter().chain([&lone]);
        let mut busy: Vec<_> = all().map(|peer| peer.begin().unwrap()).collect();
        let newcomer = admitted(&book, 3).unwrap();
        let cut: Vec<_> = all().map(verdict).collect();
        assert_eq!(cut, [None, None, Some(Cut::Displaced), None]);
        busy.push(newcomer.begin().unwrap());
        assert!(matches!(book.admit(3), Admission::Wait), "it has one now");
        let fourth = admitted(&book, 4).unwrap();
        assert_eq!(verdict(&greedy[1]), Some(Cut::Displaced));
        busy.push(fourth.begin().unwrap());
        assert!(matches!(book.admit(5), Admission::Wait), "all have one");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_too_slowly_is_cut_and_one_that_rests_once_is_not() {
        let book = Connections::new(limits());
        let (slow, resting) = (admitted(&book, 1).unwrap(), admitted(&book, 2).unwrap());
        let (drips, rests) = (slow.begin().unwrap(), resting.begin().unwrap());
        // A piece each 20 s never is a silence of 30 s.
        drips.handed(PIECE);
        rests.handed(PIECE);
        tokio::time::advance(Duration::from_secs(20)).await;
        assert_eq!((verdict(&slow), verdict(&resting)), (None, None));
        drips.taken();
        drips.handed(PIECE);
        for _ in 0..20 {
            rests.taken();
            rests.handed(PIECE);
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!(verdict(&slow), Some(Cut::Unread));
        tokio::time::advance(Duration::from_secs(25)).await;
        assert_eq!(verdict(&resting), None);
    }

    #[tokio::test(start_paused = true)]
    async fn idle_and_unread_connections_are_cut_and_one_at_work_is_not() {
        let book = Connections::new(limits());
        let (idle, unread, at_work) = (
            admitted(&book, 1).unwrap(),
            admitted(&book, 2).unwrap(),
            admitted(&book, 3).unwrap(),
        );
        let reply = unread.begin().unwrap();
        let _long = at_work.begin().unwrap();
        reply.handed(1);
        tokio::time::advance(Duration::from_secs(29)).await;
        assert_eq!(verdict(&unread), None);
        reply.taken();
        reply.handed(1);
        tokio::time::advance(Duration::from_secs(30)).await;
        assert_eq!(verdict(&unread), Some(Cut::Unread));
        tokio::time::advance(Duration::from_secs(300)).await;
        assert_eq!(verdict(&idle), Some(Cut::Idle));
        assert_eq!(verdict(&at_work), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_says_nothing_is_cut_early() {
        let book = Connections::new(limits());
        let peer = admitted(&book, 1).unwrap();
        let look = peer.verdict(false, Waker::noop()).unwrap();
        assert_eq!(look, Instant::now() + HANDSHAKE);
        tokio::time::advance(HANDSHAKE).await;
        assert_eq!(peer.verdict(false, Waker::noop()), Err(Cut::Silent));
        assert_eq!(verdict(&peer), None);
    }

    #[tokio::test]
    async fn requests_and_their_bytes_are_shared_out_by_user() {
        let book = Connections::new(limits());
        let (one, two) = (admitted(&book, 1).unwrap(), admitted(&book, 2).unwrap());
        let first = one.begin().unwrap();
        let _second = one.begin().unwrap();
        assert!(one.begin().is_err());
        let _other = two.begin().unwrap();
        drop(first);
        let _third = one.begin().unwrap();
        let charge = Charge::new(&one);
        charge.add(INTAKE / 2).unwrap();
        assert!(Charge::new(&one).add(1).is_err());
        Charge::new(&two).add(1).unwrap();
        charge.release(1);
        Charge::new(&one).add(1).unwrap();
        drop(charge);
        Charge::new(&one).add(INTAKE / 2).unwrap();
    }
}
