//! The book of open connections: their owners, the requests under way on them, and which of them must be cut.
//!
//! A connection is cut when it does not say in time that it speaks HTTP/2, when no request has been under way for
//! long, when a client does not read what it asked for or reads too slowly, or when its place is needed.

mod request;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::time::Duration;

use tokio::time::Instant;
use tonic::Status;

use super::fair_semaphore::ClientId;
use super::limits::{ClientLimits, HANDSHAKE, MIN_RATE};
use crate::base::lock::lock;

pub(super) use request::{Charge, Ticket};

/// All open connections.
pub struct Connections {
    limits: ClientLimits,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    next: u64,
    open: BTreeMap<u64, Arc<OpenConnection>>,
    users: HashMap<u32, Load>,
}

/// What a user has under way.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Load {
    requests: usize,
    /// Bytes of requests that are not answered yet.
    bytes: u64,
}

/// One connection, from its admission until it is closed.
struct OpenConnection {
    id: u64,
    uid: u32,
    opened: Instant,
    state: Mutex<ConnectionState>,
}

struct ConnectionState {
    requests: usize,
    idle_since: Instant,
    /// Replies under way.
    replies: BTreeMap<u64, ReplyReading>,
    next: u64,
    cut: bool,
    /// Wakes the task that reads and writes on the connection.
    waker: Option<Waker>,
}

/// How a client reads one reply.
#[derive(Clone, Copy, Debug, Default)]
struct ReplyReading {
    /// The piece it is to read now, and since when.
    piece: Option<(usize, Instant)>,
    /// Time that earlier pieces took beyond what they may take.
    late: Duration,
}

impl ReplyReading {
    /// The time by which it must have read the current piece, with this much patience for all pieces.
    fn until(&self, patience: Duration) -> Option<Instant> {
        let (_, since) = self.piece?;
        Some(since + patience.saturating_sub(self.late))
    }

    /// The client has read the piece.
    fn taken(&mut self) {
        if let Some((length, since)) = self.piece.take() {
            let usual = Duration::from_secs(1).max(MIN_RATE.time_for(length));
            self.late = (self.late + since.elapsed()).saturating_sub(usual);
        }
    }
}

/// Why a connection is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutReason {
    /// It did not show that it speaks HTTP/2.
    Silent,
    /// No request was under way on it.
    Idle,
    /// Its client does not read what it asked for, or reads too slowly.
    Unread,
    /// Its place was needed.
    Displaced,
}

/// The outcome of an attempt to connect.
pub enum Admission {
    /// The connection is open.
    Granted(Peer),
    /// The user has as many connections as allowed, or all places are taken and none can give way.
    Refused,
}

/// An open connection, shared by its socket and its requests. Its socket closes it.
#[derive(Clone)]
pub struct Peer {
    book: Arc<Connections>,
    connection: Arc<OpenConnection>,
}

impl Connections {
    /// An empty book.
    pub fn new(limits: ClientLimits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            table: Mutex::default(),
        })
    }

    /// Limits of the connections.
    pub fn limits(&self) -> &ClientLimits {
        &self.limits
    }

    /// Admits a connection of a user, if necessary in place of an idle one: one of the user's own above the user's
    /// share, otherwise one of the user with the most. If all are busy, a user who has none takes the place of the
    /// youngest connection of the user with the most. This never waits: there may be a place for the next client.
    pub fn admit(self: &Arc<Self>, uid: u32) -> Admission {
        let mut table = lock(&self.table);
        let own = table.of_user(uid);
        let displaced = if own >= self.limits.connections_per_user {
            table.longest_idle(|connection| connection.uid == uid)
        } else if table.open.len() >= self.limits.connections {
            let idle = table.longest_idle(|_| true);
            // Busy ones give way only to a user who has none.
            let youngest = || table.youngest_of_many().filter(|_| own == 0);
            idle.or_else(youngest)
        } else {
            return Admission::Granted(self.enter(&mut table, uid));
        };
        let Some(displaced) = displaced else {
            return Admission::Refused;
        };
        table.open.remove(&displaced.id);
        displaced.cut();
        Admission::Granted(self.enter(&mut table, uid))
    }

    fn enter(self: &Arc<Self>, table: &mut Table, uid: u32) -> Peer {
        let now = Instant::now();
        let connection = Arc::new(OpenConnection {
            id: table.next,
            uid,
            opened: now,
            state: Mutex::new(ConnectionState {
                requests: 0,
                idle_since: now,
                replies: BTreeMap::new(),
                next: 0,
                cut: false,
                waker: None,
            }),
        });
        table.next += 1;
        table.open.insert(connection.id, Arc::clone(&connection));
        Peer {
            book: Arc::clone(self),
            connection,
        }
    }
}

impl Table {
    fn of_user(&self, uid: u32) -> usize {
        self.open
            .values()
            .filter(|connection| connection.uid == uid)
            .count()
    }

    /// The idle connection whose place is given away first: of the user with the most connections,
    /// the one that has been idle for longest.
    fn longest_idle(&self, among: impl Fn(&OpenConnection) -> bool) -> Option<Arc<OpenConnection>> {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for connection in self.open.values() {
            *counts.entry(connection.uid).or_insert(0) += 1;
        }
        let idle = self.open.values().filter(|connection| among(connection));
        let idle = idle.filter_map(|connection| Some((connection, connection.idle_since()?)));
        let first = idle.min_by_key(|(connection, since)| {
            let count = counts.get(&connection.uid).copied().unwrap_or(0);
            (std::cmp::Reverse(count), *since)
        });
        first.map(|(connection, _)| Arc::clone(connection))
    }

    /// The youngest connection of the user with the most, if that user has more than one.
    fn youngest_of_many(&self) -> Option<Arc<OpenConnection>> {
        let mut of_users: BTreeMap<u32, Vec<&Arc<OpenConnection>>> = BTreeMap::new();
        for connection in self.open.values() {
            of_users.entry(connection.uid).or_default().push(connection);
        }
        let largest = of_users.into_values().max_by_key(Vec::len)?;
        let youngest = largest.last().filter(|_| largest.len() > 1);
        youngest.map(|connection| Arc::clone(connection))
    }
}

impl OpenConnection {
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
    /// The client that slots are counted against.
    pub(super) fn client(&self) -> ClientId {
        ClientId {
            uid: self.connection.uid,
            connection: self.connection.id,
        }
    }

    /// Fails if the connection must be cut now; otherwise returns when to check again. `spoke` says whether the client
    /// has shown that it speaks HTTP/2; `waker` is woken when the place is needed.
    pub fn verdict(&self, spoke: bool, waker: &Waker) -> Result<Instant, CutReason> {
        let limits = &self.book.limits;
        let mut state = lock(&self.connection.state);
        if state.cut {
            return Err(CutReason::Displaced);
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
        let mut until = |since: Instant, patience: Duration, cut: CutReason| {
            look = look.min(since + patience);
            if now >= since + patience {
                Err(cut)
            } else {
                Ok(())
            }
        };
        if !spoke {
            until(self.connection.opened, HANDSHAKE, CutReason::Silent)?;
        }
        if state.requests == 0 {
            until(state.idle_since, limits.connection_idle, CutReason::Idle)?;
        }
        let unread = state.replies.values();
        if let Some(last) = unread.filter_map(|reply| reply.until(limits.idle)).min() {
            until(last, Duration::ZERO, CutReason::Unread)?;
        }
        Ok(look)
    }

    /// Removes the closed connection from the book.
    pub fn close(&self) {
        lock(&self.book.table).open.remove(&self.connection.id);
    }

    /// Begins a request, within the user's share.
    pub(super) fn begin(&self) -> Result<Ticket, Status> {
        {
            let mut table = lock(&self.book.table);
            let load = table.users.entry(self.connection.uid).or_default();
            if load.requests >= self.book.limits.requests_per_user {
                return Err(Status::resource_exhausted(
                    "this user has as many requests under way as a user may have",
                ));
            }
            load.requests += 1;
        }
        let mut state = lock(&self.connection.state);
        state.requests += 1;
        let number = state.next;
        state.next += 1;
        state.replies.insert(number, ReplyReading::default());
        drop(state);
        Ok(Ticket {
            peer: self.clone(),
            number,
        })
    }

    fn change_load(&self, change: impl FnOnce(&mut Load)) {
        let mut table = lock(&self.book.table);
        if let Some(load) = table.users.get_mut(&self.connection.uid) {
            change(load);
            if *load == Load::default() {
                table.users.remove(&self.connection.uid);
            }
        }
    }
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
mod tests;
