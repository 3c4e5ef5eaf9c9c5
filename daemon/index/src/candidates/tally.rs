//! Counting, per document, how many of some fingerprints it holds.

use roaring::RoaringTreemap;
use rustc_hash::FxHashMap;
use simdex_schema::DocId;
use simdex_schema::posting::PostingKey;
use simdex_signature::{Fingerprint, Rung, SchemeKind};

use crate::edges::{LONG, PrincipalLists};
use crate::index::Index;
use crate::{Cancel, IndexError};

/// Counts, per document, how many of the probes it holds. Long lists are set aside and read last,
/// where they must be. No lock is held: of documents that were recorded after the counting began, and of
/// those purged since, counts mean nothing.
pub(crate) struct Tally<'a> {
    index: &'a Index,
    scheme: SchemeKind,
    /// Documents that count; none where all do. A view is applied here, where candidates are made.
    visible: Option<&'a RoaringTreemap>,
    /// Where principals alone count: what is known of long lists.
    pub(crate) principals: Option<&'a PrincipalLists>,
    pub(crate) hits: FxHashMap<DocId, u64>,
    /// Probes whose lists are long and still unread.
    pub(crate) long: Vec<Fingerprint>,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(
        index: &'a Index,
        scheme: SchemeKind,
        visible: Option<&'a RoaringTreemap>,
    ) -> Self {
        Self {
            index,
            scheme,
            visible,
            principals: None,
            hits: FxHashMap::default(),
            long: Vec::new(),
        }
    }

    /// Counts the documents of these fingerprints, except where their lists are long.
    pub(crate) fn probe(
        &mut self,
        probes: &[Fingerprint],
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        self.look_up(probes, true, true, cancel)
    }

    /// Unread long lists of fingerprints divisible by the modulus of a rung.
    pub(crate) fn long_at(&self, rung: Rung) -> u64 {
        self.long.iter().filter(|f| f.divisible_by(rung)).count() as u64
    }

    /// Reads those long lists that are due.
    pub(crate) fn read_long(
        &mut self,
        due: &dyn Fn(&Fingerprint) -> bool,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let (due, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.long).into_iter().partition(due);
        self.long = rest;
        self.look_up(&due, false, true, cancel)
    }

    /// Counts the long lists left for documents that were found otherwise; returns how many
    /// added no documents of their own.
    pub(crate) fn add_long(&mut self, cancel: &Cancel) -> Result<u64, IndexError> {
        let long = std::mem::take(&mut self.long);
        if !self.hits.is_empty() {
            self.look_up(&long, false, false, cancel)?;
        }
        Ok(long.len() as u64)
    }

    /// Counts the documents of some fingerprints; those not met before only with `add_new`.
    fn look_up(
        &mut self,
        probes: &[Fingerprint],
        skip_long: bool,
        add_new: bool,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let mut probes: Vec<(PostingKey, Fingerprint)> =
            probes.iter().map(|f| (PostingKey::of(*f), *f)).collect();
        // In key order neighbouring look-ups meet in one bucket, and buckets in one leaf.
        probes.sort_unstable();
        probes.dedup_by_key(|(key, _)| *key);
        let known = self.principals;
        if let Some(known) = known {
            let mut count = |key| known.read(key, |list| self.count(list, add_new));
            probes.retain(|(key, _)| count(*key).is_none());
        }
        let keys: Vec<PostingKey> = probes.iter().map(|(key, _)| *key).collect();
        let (index, scheme) = (self.index, self.scheme);
        let mut read = (0, 0);
        let show = &mut |at: usize, list: Option<&[DocId]>| match list {
            None => self.long.push(probes[at].1),
            Some(list) => {
                read = (read.0 + 1, read.1 + list.len() as u64);
                match known.filter(|_| list.len() >= LONG) {
                    Some(known) => {
                        let principals = self.principals_of(list);
                        self.count(&principals, add_new);
                        known.keep(keys[at], principals);
                    }
                    None => self.count(list, add_new),
                }
            }
        };
        index.look_up(scheme, &keys, skip_long, cancel, show)?;
        index.work.lists_read(read.0, read.1);
        Ok(())
    }

    /// The principals among some documents.
    fn principals_of(&self, list: &[DocId]) -> Vec<DocId> {
        let state = self.index.state();
        let leads = |id: &DocId| state.stars.leads(*id);
        list.iter().copied().filter(leads).collect()
    }

    fn count(&mut self, list: &[DocId], add_new: bool) {
        let index = self.index;
        let state = self.principals.map(|_| index.state());
        let (visible, stars) = (self.visible, state.as_deref().map(|state| &state.stars));
        let counts = |id: &DocId| {
            visible.is_none_or(|ids| ids.contains(id.0))
                && stars.is_none_or(|stars| stars.leads(*id))
        };
        for id in list {
            if let Some(hits) = self.hits.get_mut(id) {
                *hits += 1;
            } else if add_new && counts(id) {
                self.hits.insert(*id, 1);
            }
        }
    }
}
