//! Groups: stars around principals, maintained without storing every edge.
//!
//! E-discovery's convention: take the documents by canonical length descending, then by document hash; each unassigned
//! one becomes a principal and takes all its unassigned neighbours. So a document is a principal iff it neighbours no
//! earlier principal (the lexicographically first maximal independent set), and a member belongs to the earliest
//! principal it neighbours.
//!
//! A star therefore needs one edge per member, to its principal. The stars over the *settled* documents are exact at
//! every moment. Two steps maintain them:
//!
//! * [`Stars::place`] adds a document. If it neighbours an earlier principal it becomes that one's
//!   member and nothing else changes. Otherwise it becomes a principal and takes those neighbours that are later
//!   principals, or members of later principals. If it takes a principal, that one's remaining members are unsettled
//!   and placed again. (Members exclude nobody, so removing them leaves the other stars exact.)
//! * [`Stars::remove`] removes a document; if it was a principal, its members are unsettled.
//!
//! Cost: memory is linear in documents; a document that joins costs one edge test for each earlier
//! principal among its candidates, one that becomes a principal costs one for each candidate.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use roaring::RoaringTreemap;
use rustc_hash::FxHashMap;
use simdex_schema::{DocId, DocumentHash, EdgeRecord};

use crate::table::{DocumentStats, Table};

/// A document's position in the order of principals: longest first, then by hash. Two documents have the same hash only
/// while contents that were identified by an older canonical text wait to be read again.
pub(crate) type Rank = (Reverse<u64>, DocumentHash, DocId);

/// The rank of a document; an unknown one comes last.
pub(crate) fn rank(table: &Table, id: DocId) -> Rank {
    let unknown = (Reverse(0), DocumentHash([0xff; 32]), id);
    table.get(id).map_or(unknown, |stats| rank_of(id, stats))
}

/// The rank of a document with these figures.
pub(crate) fn rank_of(id: DocId, stats: &DocumentStats) -> Rank {
    (Reverse(stats.length), stats.hash, id)
}

/// Where a document belongs among the settled ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A member of the earliest principal it neighbours; the edge counts the principal's side first.
    Member {
        /// The principal it joins.
        principal: DocId,
        /// Exact counts of the pair.
        edge: EdgeRecord,
    },
    /// The principal of a star of its own.
    Principal {
        /// Documents it takes from later principals, with edges that count its own side first.
        taken: Vec<(DocId, EdgeRecord)>,
    },
}

impl Place {
    /// Whether it is that of a principal.
    pub(crate) fn leads(&self) -> bool {
        matches!(self, Self::Principal { .. })
    }
}

/// The stars over the settled documents.
#[derive(Default)]
pub(crate) struct Stars {
    /// Members of each principal, with edges that count the principal's side first; principals
    /// without members are not in it.
    members: FxHashMap<DocId, BTreeMap<DocId, EdgeRecord>>,
    principal: FxHashMap<DocId, DocId>,
    /// All principals, those without members too.
    principals: RoaringTreemap,
    /// How many members lost their principal so far, and how many principals were taken, at once or not.
    departures: u64,
}

/// The candidates of a document that have to be compared with it to place it.
pub(crate) struct CandidatesToCompare<T> {
    /// Earlier principals, earliest first: the first neighbour among them becomes its principal.
    pub(crate) earlier: Vec<(DocId, T)>,
    /// Later principals, and members of later principals: what it takes if it becomes a principal.
    pub(crate) later: Vec<(DocId, T)>,
}

impl Stars {
    /// Approximate bytes of memory that principals and members take; a member is in both maps.
    pub(crate) fn bytes(&self) -> usize {
        self.members.capacity() * size_of::<(DocId, BTreeMap<DocId, EdgeRecord>)>()
            + self.principal.capacity() * size_of::<(DocId, DocId)>()
            + self.principal.len() * size_of::<(DocId, EdgeRecord)>()
    }

    /// Members of this principal's star, with edges that count the principal's side first.
    pub(crate) fn members(
        &self,
        principal: DocId,
    ) -> impl Iterator<Item = (DocId, EdgeRecord)> + '_ {
        let members = self.members.get(&principal).into_iter().flatten();
        members.map(|(id, edge)| (*id, *edge))
    }

    /// The principal of a document: the document itself if it is a principal or not settled.
    pub(crate) fn principal(&self, id: DocId) -> DocId {
        self.principal.get(&id).copied().unwrap_or(id)
    }

    /// Whether a document is a principal.
    pub(crate) fn leads(&self, id: DocId) -> bool {
        self.principals.contains(id.0)
    }

    /// Whether a document is settled.
    pub(crate) fn contains(&self, id: DocId) -> bool {
        self.principals.contains(id.0) || self.principal.contains_key(&id)
    }

    /// How many principals there are.
    pub(crate) fn count_principals(&self) -> usize {
        self.principals.len() as usize
    }

    /// How many principals have members, and how many members there are.
    pub(crate) fn count_members(&self) -> (usize, usize) {
        (self.members.len(), self.principal.len())
    }

    /// How many documents left their group so far: while it stays the same, no list of groups misses any.
    pub(crate) fn departures(&self) -> u64 {
        self.departures
    }

    /// All principals, those without members too.
    #[cfg(test)]
    pub(crate) fn principals(&self) -> &RoaringTreemap {
        &self.principals
    }

    /// Principals that have members.
    pub(crate) fn with_members(&self) -> impl Iterator<Item = DocId> + '_ {
        self.members.keys().copied()
    }

    /// Which of the candidates of `id` decide its place. Candidates that are not settled do not.
    pub(crate) fn to_test<T>(
        &self,
        id: DocId,
        candidates: impl IntoIterator<Item = (DocId, T)>,
        rank: &dyn Fn(DocId) -> Rank,
    ) -> CandidatesToCompare<T> {
        let own = rank(id);
        let (mut earlier, mut later) = (Vec::new(), Vec::new());
        for (other, what) in candidates {
            if other == id || !self.contains(other) {
                continue;
            }
            let principal = rank(self.principal(other));
            if principal > own {
                later.push((other, what));
            } else if self.principals.contains(other.0) {
                earlier.push((principal, other, what));
            }
        }
        earlier.sort_unstable_by_key(|(rank, ..)| *rank);
        let earlier = earlier.into_iter().map(|(_, other, what)| (other, what));
        CandidatesToCompare {
            earlier: earlier.collect(),
            later,
        }
    }

    /// Members that lose their principal because a placement takes it.
    pub(crate) fn displaced(&self, place: &Place) -> Vec<DocId> {
        let Place::Principal { taken } = place else {
            return Vec::new();
        };
        let ids: BTreeSet<DocId> = taken.iter().map(|(id, _)| *id).collect();
        let members = ids.iter().flat_map(|id| self.members(*id));
        let members = members.map(|(member, _)| member);
        members.filter(|member| !ids.contains(member)).collect()
    }

    /// Settles a document in its place; returns the members that this leaves unsettled.
    pub(crate) fn place(&mut self, id: DocId, place: &Place) -> Vec<DocId> {
        let displaced = self.displaced(place);
        match place {
            Place::Member { principal, edge } => self.join(id, *principal, *edge),
            Place::Principal { taken } => {
                // One that led a group, if only of its own copies, may be listed under the new principal alone.
                let led = taken.iter().filter(|(other, _)| self.leads(*other));
                self.departures += led.count() as u64;
                let leaving = taken.iter().map(|(other, _)| other).chain(&displaced);
                leaving.for_each(|other| self.leave(*other));
                self.lead(id);
                for (member, edge) in taken {
                    self.join(*member, id, *edge);
                }
            }
        }
        displaced
    }

    /// Removes a document; returns the members that this leaves unsettled.
    pub(crate) fn remove(&mut self, id: DocId) -> Vec<DocId> {
        let displaced: Vec<DocId> = self.members(id).map(|(member, _)| member).collect();
        displaced.iter().for_each(|member| self.leave(*member));
        self.leave(id);
        displaced
    }

    /// Makes a document a principal without members.
    pub(crate) fn lead(&mut self, id: DocId) {
        self.principals.insert(id.0);
    }

    /// Makes a document a member; `edge` counts the principal's side first.
    pub(crate) fn join(&mut self, id: DocId, principal: DocId, edge: EdgeRecord) {
        self.principals.remove(id.0);
        self.principal.insert(id, principal);
        self.members.entry(principal).or_default().insert(id, edge);
    }

    /// Unsettles a document. If it has members, the caller must move them.
    fn leave(&mut self, id: DocId) {
        self.principals.remove(id.0);
        let Some(principal) = self.principal.remove(&id) else {
            return;
        };
        self.departures += 1;
        if let Some(members) = self.members.get_mut(&principal) {
            members.remove(&id);
            if members.is_empty() {
                self.members.remove(&principal);
            }
        }
    }
}

impl<T> CandidatesToCompare<T> {
    /// Where the document belongs. `edge` returns the edge to a candidate, counted from the document's own side; `None`
    /// if the two are not neighbours.
    pub(crate) fn place<E>(
        mut self,
        mut edge: impl FnMut(DocId, T) -> Result<Option<EdgeRecord>, E>,
    ) -> Result<Place, E> {
        for (principal, what) in std::mem::take(&mut self.earlier) {
            if let Some(edge) = edge(principal, what)? {
                let edge = edge.swapped();
                return Ok(Place::Member { principal, edge });
            }
        }
        self.take(edge)
    }

    /// Places a document that neighbours no earlier principal.
    pub(crate) fn take<E>(
        self,
        mut edge: impl FnMut(DocId, T) -> Result<Option<EdgeRecord>, E>,
    ) -> Result<Place, E> {
        let mut taken = Vec::new();
        for (other, what) in self.later {
            taken.extend(edge(other, what)?.map(|edge| (other, edge)));
        }
        Ok(Place::Principal { taken })
    }
}

#[cfg(test)]
mod tests;
