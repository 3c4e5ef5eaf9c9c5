//! A join of documents with one another over their postings, which are read once and in order. It finds all possible
//! pairs at a threshold without a look-up for each document.
//!
//! **Which pairs begin.** Keys have one order for all documents: short lists first, by key; then long ones, by length.
//! In this order the prefix filter (see [`edges`](crate::edges)) holds for both sides: if o of a fingerprints must be
//! shared, the first shared one is among the first a - o + 1 of both documents. So a pair begins only at a key that is
//! in the prefix of both. A key does not tell the rung of its posting. Of two documents of different rungs only the
//! coarser one decides, since all of its postings are at the common rung.
//!
//! **Which remain.** Postings are counted in segments. After each segment a pair stays only if what it shares so far,
//! plus what was not read yet, reaches what it must share. Once no pair can begin any more and none is left, reading
//! ends. So the pairs that remain at the end share enough of the samples, and are decided on all shingles like any
//! other.
//!
//! **Long lists**, those of a template, come last, when few documents are still in their prefix. For pairs that have
//! begun they are counted by pairs, not by members.
//!
//! **Memory** holds a few numbers for each document, one segment, and the open pairs. If these take too much, fewer
//! documents are handled at once, and the others follow in a later join. Documents that the view does not show are
//! never counted.

use std::ops::ControlFlow;
use std::sync::PoisonError;

use simdex_schema::DocId;
use simdex_schema::posting::{Posting, PostingKey};
use simdex_signature::SchemeKind;

use crate::cuts::Cuts;
use crate::postings::Postings;
use crate::{GrowingPermit, IndexError, MemoryAccount, SecondThread};

mod counting;
mod documents;
mod long;
mod open_pairs;
mod segment;

use counting::ScratchPool;
use documents::{JoinDocuments, NO_TURN};
use long::LongList;
pub(crate) use open_pairs::BlockLimits;
use open_pairs::{OpenPair, OpenPairs};
use segment::Segment;

/// A segment holds this fraction of all postings, so that pairs begin and end while much is left to read.
const PART: usize = 16;

/// Sizes that change no answer.
#[derive(Clone, Copy)]
pub(crate) struct JoinLimits {
    /// Members of a segment, at least and at most.
    pub(crate) members: [usize; 2],
    /// Lists with at least this many members are long.
    pub(crate) long_from: usize,
    /// Open pairs are counted in blocks of at most this size.
    pub(crate) block: BlockLimits,
    /// Number of open pairs that there is room for at first.
    pub(crate) first_pairs: usize,
    /// Maximum number of open pairs.
    pub(crate) max_pairs: usize,
    /// Postings that can be read in the time that a search for one document alone takes.
    pub(crate) postings_as_one: u64,
}

impl JoinLimits {
    pub(crate) const USUAL: Self = Self {
        members: [1 << 14, 1 << 22],
        long_from: 256,
        block: BlockLimits::USUAL,
        first_pairs: 1 << 16,
        max_pairs: 1 << 26,
        postings_as_one: 10_000,
    };
}

/// The parameters of a join.
pub(crate) struct JoinRequest<'a> {
    /// Documents whose partners are searched for, distinct, in the order of their turns.
    pub(crate) turns: &'a [DocId],
    /// Documents that may be partners, ascending, including those with a turn.
    pub(crate) among: &'a mut dyn Iterator<Item = DocId>,
    pub(crate) cuts: &'a Cuts,
    pub(crate) second_thread: Option<&'a SecondThread>,
    pub(crate) limits: JoinLimits,
}

/// What a join found.
pub(crate) struct Joined {
    /// For each document that had its turn, in order, its possible partners without an earlier turn.
    pub(crate) partners: Vec<Vec<DocId>>,
    /// Lists left unread, because no pair depended on them.
    pub(crate) common_lists_skipped: u64,
    /// A permit for the partners.
    pub(crate) held: GrowingPermit,
}

/// The state of a running join.
struct Join<'a> {
    postings: Postings<'a>,
    cuts: &'a Cuts,
    documents: JoinDocuments,
    /// Documents by their turn.
    places: Vec<u32>,
    open: OpenPairs,
    segment: Segment,
    /// Number of members of a full segment.
    members: usize,
    limits: JoinLimits,
    second_thread: Option<&'a SecondThread>,
    scratch: ScratchPool,
    long: Vec<LongList>,
    room: Room,
}

/// Memory reserved for a join.
struct Room {
    held: GrowingPermit,
    /// Number of open pairs that are reserved for.
    pairs: usize,
    max_pairs: usize,
}

impl Room {
    /// Bytes of a pair. Those of the few turns that are being counted have a permit of their own.
    const PAIR: u64 = size_of::<OpenPair>() as u64;

    fn of(
        account: &MemoryAccount,
        (documents, members): (usize, usize),
        limits: &JoinLimits,
    ) -> Result<Self, IndexError> {
        let mut held = GrowingPermit::of(account);
        let fixed = documents as u64 * JoinDocuments::EACH + members as u64 * Segment::EACH;
        let max_bytes = account.total() / 2;
        let left = max_bytes.saturating_sub(account.held() + fixed);
        let max_pairs = limits.max_pairs.min((left / Self::PAIR) as usize);
        if max_pairs < 2 {
            return Err(IndexError::TooMuchMemory { max_bytes });
        }
        held.add(fixed)?;
        let mut room = Self {
            held,
            pairs: 0,
            max_pairs,
        };
        room.grow(limits.first_pairs)?;
        Ok(room)
    }

    /// Makes room for this many pairs, or for the maximum if that is less.
    fn grow(&mut self, pairs: usize) -> Result<(), IndexError> {
        let pairs = pairs.min(self.max_pairs);
        let more = pairs.saturating_sub(self.pairs) as u64;
        self.held.add(more * Self::PAIR)?;
        self.pairs = self.pairs.max(pairs);
        Ok(())
    }
}

/// Searches for the partners of the first documents, as many as fit in memory at once.
///
/// # Errors
/// [`IndexError::TooMuchMemory`] if not even those of one fit.
pub(crate) fn join(
    postings: Postings<'_>,
    request: JoinRequest<'_>,
    account: &MemoryAccount,
) -> Result<Joined, IndexError> {
    let JoinRequest {
        turns,
        among,
        cuts,
        second_thread,
        mut limits,
    } = request;
    limits.block = limits.block.for_turns(turns.len());
    let shared = postings.shared;
    let joining = shared.joining.read();
    let _joining = joining.unwrap_or_else(PoisonError::into_inner);
    let total = postings.count(SchemeKind::ModN) as usize;
    let members = (total / PART).clamp(limits.members[0], limits.members[1]);
    let documents = shared.state().table.known().len() as usize;
    let room = Room::of(account, (documents, members), &limits)?;
    let documents = JoinDocuments::of(shared, among, turns, cuts);
    let place = |id: &DocId| documents.place(*id).unwrap_or(NO_TURN);
    let places: Vec<u32> = turns.iter().map(place).collect();
    let mut join = Join {
        postings,
        cuts,
        open: OpenPairs::none(places.len(), &limits.block),
        places,
        documents,
        segment: Segment::default(),
        members,
        limits,
        second_thread,
        scratch: ScratchPool::default(),
        long: Vec::new(),
        room,
    };
    join.read_short(account)?;
    let common_lists_skipped = join.read_common(account)?;
    join.into_partners(common_lists_skipped)
}

impl Join<'_> {
    /// Reads all postings except those of long lists, as long as any pair depends on them.
    fn read_short(&mut self, account: &MemoryAccount) -> Result<(), IndexError> {
        if !self.documents.renew() {
            return Ok(());
        }
        let (all, cancel) = (self.postings, account.cancel());
        let (mut members, mut read) = (Vec::new(), (0, 0));
        all.scan(SchemeKind::ModN, cancel, &mut |postings| {
            for list in postings.chunk_by(|a, b| a.0 == b.0) {
                read = (read.0 + 1, read.1 + list.len() as u64);
                self.add(list, &mut members)?;
            }
            Ok(match self.segment.is_full(self.members) {
                true => self.count_segment(account)?,
                false => ControlFlow::Continue(()),
            })
        })?;
        all.shared.work.lists_read(read.0, read.1);
        self.count_segment(account).map(drop)
    }

    /// Adds the list of one key, or notes it if it is long.
    fn add(&mut self, list: &[Posting], members: &mut Vec<u32>) -> Result<(), IndexError> {
        members.clear();
        let places = list.iter().filter_map(|(_, id)| self.documents.place(*id));
        members.extend(places);
        if let Some(long) =
            key_of(list).and_then(|key| LongList::of(key, members.len(), &self.limits))
        {
            self.room.held.add(size_of::<LongList>() as u64)?;
            self.long.push(long);
            return Ok(());
        }
        for place in members.iter() {
            self.documents.kept[*place as usize].seen += 1;
        }
        let turns = self.open.turns();
        self.segment.add(&self.documents, turns, members);
        Ok(())
    }

    /// Counts the pairs of the segment, and empties it. Breaks if nothing depends on further postings.
    fn count_segment(&mut self, account: &MemoryAccount) -> Result<ControlFlow<()>, IndexError> {
        let turns = self.open.turns();
        let found = self.count_pairs(account)?;
        if found.turns() == 0 && turns > 0 {
            return Err(IndexError::TooMuchMemory {
                max_bytes: account.total(),
            });
        }
        self.places.truncate(found.turns());
        self.segment.clear();
        self.replace_open(found);
        Ok(match self.documents.renew() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    }

    fn replace_open(&mut self, found: OpenPairs) {
        self.open = found;
        let kept = &mut self.documents.kept;
        kept.iter_mut().for_each(|kept| kept.is_paired = false);
        for (turn, pairs) in self.open.iter() {
            let place = self.places[turn];
            if place != NO_TURN && !pairs.is_empty() {
                kept[place as usize].is_paired = true;
            }
            for pair in pairs {
                kept[pair.other as usize].is_paired = true;
            }
        }
    }

    fn into_partners(self, common_lists_skipped: u64) -> Result<Joined, IndexError> {
        let mut held = GrowingPermit::of(self.room.held.account());
        let ids = (size_of::<Vec<DocId>>() * self.open.turns()
            + size_of::<DocId>() * self.open.len()) as u64;
        held.add(ids)?;
        let ids_of = |pairs: &[OpenPair]| {
            let ids = pairs.iter().map(|pair| self.documents.id(pair.other));
            ids.collect()
        };
        Ok(Joined {
            partners: self.open.iter().map(|(_, pairs)| ids_of(pairs)).collect(),
            common_lists_skipped,
            held,
        })
    }
}

/// The key that these postings have in common.
fn key_of(list: &[Posting]) -> Option<PostingKey> {
    list.first().map(|(key, _)| *key)
}
