//! Counts, per document, how many of some fingerprints it holds.

use roaring::RoaringTreemap;
use rustc_hash::{FxHashMap, FxHashSet};
use simdex_schema::DocId;
use simdex_schema::posting::PostingKey;
use simdex_signature::{Fingerprint, Rung, SchemeKind};

use super::Postings;
use crate::buckets::CommonLists;
use crate::principal_lists::{PRINCIPALS_KEPT_FROM, PrincipalLists};
use crate::{Cancel, DocumentStats, GrowingPermit, IndexError, MemoryAccount};

/// For requests, a list is common if it spans more further shards than this in one run: some 4,000 documents. Reading
/// it would make each of them a candidate because of one shared fingerprint.
const MAX_SHARDS_PER_REQUEST: usize = 2;
/// This limit is for edges. Up to it, reading a list costs no more than the further lists that would make up for it,
/// and the count is exact.
const MAX_SHARDS_PER_EDGE: usize = 8;

/// Bytes that a document takes in the map of counts, including room to grow.
pub(crate) const BYTES_PER_COUNTED_DOCUMENT: u64 = 48;
/// Documents counted before memory is taken for the new ones among them.
const COUNTED_AT_ONCE: usize = 4_096;

/// Counts, per document, how many of the probes it holds. Common posting lists are set aside; they are read last, and
/// only if needed. No lock is held, so the counts of documents that were recorded or purged after counting began mean
/// nothing.
pub(crate) struct Tally<'a> {
    postings: Postings<'a>,
    scheme: SchemeKind,
    /// Documents that are counted.
    filter: Filter<'a>,
    /// How many of the probed fingerprints each document shares.
    pub(crate) shared: FxHashMap<DocId, u64>,
    /// Probes whose lists are common and still unread.
    pub(crate) common_lists_unread: Vec<Fingerprint>,
    /// The document being probed; not counted.
    left_out: Option<DocId>,
    /// Maximum number of further shards of a list that is not common.
    max_shards: usize,
    /// The last change of a signature before counting began: if a document was signed again later, postings of both
    /// signatures may have been counted.
    pub(crate) began: u32,
    /// The memory permit for `shared`, if the count serves a request.
    pub(crate) held: Option<GrowingPermit>,
}

/// Which documents a tally counts.
#[derive(Clone, Copy)]
pub(crate) enum Filter<'a> {
    /// Every document is counted.
    All,
    /// Only these documents are counted. A view is applied here, where candidates are made.
    Among(&'a RoaringTreemap),
    /// Only principals are counted; takes them from the lists in which they are known.
    Principals(&'a PrincipalLists),
}

impl<'a> Filter<'a> {
    fn principal_lists(self) -> Option<&'a PrincipalLists> {
        match self {
            Self::Principals(lists) => Some(lists),
            Self::All | Self::Among(_) => None,
        }
    }

    fn among(self) -> Option<&'a RoaringTreemap> {
        match self {
            Self::Among(ids) => Some(ids),
            Self::All | Self::Principals(_) => None,
        }
    }
}

/// How fingerprints are looked up.
#[derive(Clone, Copy)]
struct LookUp {
    /// Common lists that are not read are set aside.
    common_lists: CommonLists,
    /// Every document is counted; otherwise only those that were counted before.
    adds_documents: bool,
}

impl<'a> Tally<'a> {
    /// A count of partners for edges.
    pub(crate) fn new(postings: Postings<'a>, scheme: SchemeKind, filter: Filter<'a>) -> Self {
        Self {
            postings,
            scheme,
            filter,
            shared: FxHashMap::default(),
            common_lists_unread: Vec::new(),
            left_out: None,
            max_shards: MAX_SHARDS_PER_EDGE,
            began: postings.shared.state().awaiting_signature.changes(),
            held: None,
        }
    }

    /// A count for a request about these documents, which charges its memory to an account.
    pub(crate) fn for_request(
        postings: Postings<'a>,
        scheme: SchemeKind,
        visible: &'a RoaringTreemap,
        account: &MemoryAccount,
    ) -> Self {
        Self {
            held: Some(GrowingPermit::of(account)),
            max_shards: MAX_SHARDS_PER_REQUEST,
            ..Self::new(postings, scheme, Filter::Among(visible))
        }
    }

    /// Does not count this document.
    pub(crate) fn leave_out(&mut self, id: DocId) {
        self.left_out = Some(id);
    }

    /// Adds documents that were found by other means, so that they are counted if they share anything.
    pub(crate) fn add_uncounted(
        &mut self,
        documents: impl Iterator<Item = DocId>,
    ) -> Result<(), IndexError> {
        let known = self.shared.len();
        for id in documents {
            self.shared.entry(id).or_insert(0);
        }
        self.hold_since(known)
    }

    /// Takes memory for the documents added since `known` of them were held.
    fn hold_since(&mut self, known: usize) -> Result<(), IndexError> {
        let added = (self.shared.len() - known) as u64;
        match &mut self.held {
            Some(held) if added > 0 => held.add(added * BYTES_PER_COUNTED_DOCUMENT),
            _ => Ok(()),
        }
    }

    /// Returns what `make` makes of the counted documents, with the permit for its memory.
    /// Nothing is locked while it waits for memory, and the state is locked for a few thousand documents at a time.
    pub(crate) fn into_found<T>(
        self,
        make: &dyn Fn(DocId, &DocumentStats, u64) -> Option<T>,
    ) -> Result<(Vec<T>, Option<GrowingPermit>), IndexError> {
        let (counted, mut held) = (self.shared, self.held);
        let bytes = (counted.len() * size_of::<T>()) as u64;
        if let Some(held) = &mut held {
            held.add(bytes + (counted.len() * size_of::<(DocId, u64)>()) as u64)?;
        }
        // Adjacent ids have their figures in one page: looked up in any order, most would miss the processor's cache.
        let mut counted: Vec<(DocId, u64)> = counted.into_iter().collect();
        counted.sort_unstable();
        let mut found = Vec::with_capacity(counted.len());
        let mut counted = counted.into_iter().peekable();
        while counted.peek().is_some() {
            let state = self.postings.shared.state();
            let some = counted.by_ref().take(COUNTED_AT_ONCE);
            found.extend(some.filter_map(|(id, shared)| make(id, state.table.get(id)?, shared)));
        }
        drop(counted);
        if let Some(held) = &mut held {
            held.shrink_to(bytes);
        }
        Ok((found, held))
    }

    /// Drops all counted documents except these.
    pub(crate) fn keep(&mut self, documents: impl Iterator<Item = DocId>) {
        let kept: FxHashSet<DocId> = documents.collect();
        self.shared.retain(|id, _| kept.contains(id));
    }

    /// Counts further fingerprints for documents that were already counted, except in common lists.
    pub(crate) fn probe_for_counted(
        &mut self,
        probes: &[Fingerprint],
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        self.look_up_rare(probes, false, cancel)
    }

    fn look_up_rare(
        &mut self,
        probes: &[Fingerprint],
        adds_documents: bool,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let look_up = LookUp {
            common_lists: CommonLists::SkipAbove(self.max_shards),
            adds_documents,
        };
        self.look_up(probes, look_up, cancel)
    }

    /// Counts the documents of these fingerprints, except in common lists.
    pub(crate) fn probe(
        &mut self,
        probes: &[Fingerprint],
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        self.look_up_rare(probes, true, cancel)
    }

    /// Number of unread common lists of fingerprints divisible by the modulus of a rung.
    pub(crate) fn common_lists_unread_at(&self, rung: Rung) -> u64 {
        self.common_lists_unread
            .iter()
            .filter(|f| f.divisible_by(rung))
            .count() as u64
    }

    /// Reads the common lists of some fingerprints and counts all their documents.
    pub(crate) fn read_common(
        &mut self,
        to_read: &dyn Fn(&Fingerprint) -> bool,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let (to_read, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.common_lists_unread)
            .into_iter()
            .partition(to_read);
        self.common_lists_unread = rest;
        let look_up = LookUp {
            common_lists: CommonLists::Read,
            adds_documents: true,
        };
        self.look_up(&to_read, look_up, cancel)
    }

    /// Reads the remaining common lists, but counts only documents found by other lists. Returns how many lists there
    /// were.
    pub(crate) fn count_common_for_counted(&mut self, cancel: &Cancel) -> Result<u64, IndexError> {
        let common = std::mem::take(&mut self.common_lists_unread);
        if !self.shared.is_empty() {
            let look_up = LookUp {
                common_lists: CommonLists::Read,
                adds_documents: false,
            };
            self.look_up(&common, look_up, cancel)?;
        }
        Ok(common.len() as u64)
    }

    fn look_up(
        &mut self,
        probes: &[Fingerprint],
        look_up: LookUp,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let mut probes: Vec<(PostingKey, Fingerprint)> =
            probes.iter().map(|f| (PostingKey::of(*f), *f)).collect();
        // In key order adjacent look-ups share a bucket, and adjacent buckets a leaf.
        probes.sort_unstable();
        probes.dedup_by_key(|(key, _)| *key);
        let principal_lists = self.filter.principal_lists();
        if let Some(lists) = principal_lists {
            let mut unknown = Vec::with_capacity(probes.len());
            for (key, fingerprint) in probes {
                // Copied, so that the state is never locked while the lists are.
                match lists.get(key) {
                    Some(list) => self.count(&list, look_up)?,
                    None => unknown.push((key, fingerprint)),
                }
            }
            probes = unknown;
        }
        let keys: Vec<PostingKey> = probes.iter().map(|(key, _)| *key).collect();
        let (postings, scheme) = (self.postings, self.scheme);
        let mut read = (0, 0);
        let each = &mut |at: usize, list: Option<&[DocId]>| {
            let Some(list) = list else {
                self.common_lists_unread.push(probes[at].1);
                return Ok(());
            };
            read = (read.0 + 1, read.1 + list.len() as u64);
            match principal_lists.filter(|_| list.len() >= PRINCIPALS_KEPT_FROM) {
                Some(lists) => {
                    let principals = self.principals_of(list);
                    let counted = self.count(&principals, look_up);
                    lists.keep(keys[at], principals);
                    counted
                }
                None => self.count(list, look_up),
            }
        };
        postings.for_each_list(scheme, &keys, look_up.common_lists, cancel, each)?;
        postings.shared.work.lists_read(read.0, read.1);
        Ok(())
    }

    /// The principals among some documents.
    fn principals_of(&self, list: &[DocId]) -> Vec<DocId> {
        let state = self.postings.shared.state();
        let leads = |id: &DocId| state.stars.leads(*id);
        list.iter().copied().filter(leads).collect()
    }

    /// Counts the documents of a list. Nothing is locked while it waits for memory.
    fn count(&mut self, list: &[DocId], look_up: LookUp) -> Result<(), IndexError> {
        if !look_up.adds_documents {
            for id in list {
                if let Some(shared) = self.shared.get_mut(id) {
                    *shared += 1;
                }
            }
            return Ok(());
        }
        for some in list.chunks(COUNTED_AT_ONCE) {
            let known = self.shared.len();
            self.count_and_add(some);
            self.hold_since(known)?;
        }
        Ok(())
    }

    fn count_and_add(&mut self, list: &[DocId]) {
        let others = list.iter().filter(|id| Some(**id) != self.left_out);
        let postings = self.postings;
        let among = self.filter.among();
        // Locked only if a document is found for the first time.
        let mut state = None;
        let mut counts = |id: &DocId| match self.filter {
            Filter::Principals(_) => {
                let state = state.get_or_insert_with(|| postings.shared.state());
                state.stars.leads(*id)
            }
            Filter::All | Filter::Among(_) => among.is_none_or(|ids| ids.contains(id.0)),
        };
        for id in others {
            if let Some(shared) = self.shared.get_mut(id) {
                *shared += 1;
            } else if counts(id) {
                self.shared.insert(*id, 1);
            }
        }
    }
}
