//! What is held in memory about every document: enough to estimate without a read, and which documents are live in
//! which root.

mod by_root;

use std::collections::{BTreeMap, BTreeSet};

use roaring::RoaringTreemap;
use simdex_schema::document::RUNGS;
use simdex_schema::{DocId, DocumentHash, DocumentKind, DocumentRecord, RootId, Schemes};
use simdex_signature::{Ladder, Rung, SchemeKind, SuperShingles};

use crate::id_map::IdMap;

/// Whether a file is counted from now on, or no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountStep {
    More,
    Less,
}

impl CountStep {
    /// Adds one to a count, or subtracts one.
    pub(crate) fn apply(self, count: &mut u64) {
        *count = match self {
            Self::More => *count + 1,
            Self::Less => count.saturating_sub(1),
        };
    }
}

/// The figures of one document that candidates and groups need.
#[derive(Clone, Copy, Debug)]
pub struct DocumentStats {
    /// Identifies the document.
    pub hash: DocumentHash,
    /// Text or raw bytes.
    pub kind: DocumentKind,
    /// Canonical text in bytes.
    pub length: u64,
    /// Rung of its signatures.
    pub rung: Rung,
    /// Mod_n (or chunk) fingerprints by rung; see [`DocumentRecord::counts`].
    pub counts: [u32; RUNGS],
    /// Entries of its BSW_n signature; 0 where that scheme is off.
    pub bsw_count: u32,
    /// Entries of its signature by Min_n.
    pub min_count: u32,
    /// Sketch_n entries: bins in use.
    pub sketch_count: u32,
    /// The change of signatures by which it was last signed again; 0 if it was not since the index was opened.
    pub(crate) signed_anew: u32,
}

impl DocumentStats {
    /// Mod_n (or chunk) fingerprints of its signature.
    pub(crate) fn kept(&self) -> u32 {
        self.counts[usize::from(self.rung.get())]
    }

    /// The rung that a ladder has for it, and how many Mod_n fingerprints it keeps there; the latter is approximate if
    /// it is signed more coarsely now.
    pub fn by_ladder(&self, ladder: Ladder) -> (Rung, u64) {
        let kept = |rung: Rung| match self.rung.get().checked_sub(rung.get()) {
            None | Some(0) => u64::from(self.counts[usize::from(rung.get())]),
            Some(finer) => u64::from(self.kept()) << finer,
        };
        let by_length = ladder.rung_of_text(self.length);
        let rung = ladder.rung_of_kept(by_length, kept(by_length));
        (rung, kept(rung))
    }

    /// Whether it is signed as a ladder says. If it is signed no coarser than its length asks for, it is known how much
    /// it keeps at that rung. If it is signed more coarsely, that is unknown, and its rung is wrong in any case.
    pub(crate) fn is_signed_by(&self, ladder: Ladder) -> bool {
        self.kind == DocumentKind::Raw || self.by_ladder(ladder).0 == self.rung
    }

    /// Its super-shingles, where the index holds them: a text has all if it has a shingle, and then it keeps one, since
    /// a text that keeps few is signed at a finer rung.
    pub fn super_shingles(&self) -> u64 {
        match self.kind == DocumentKind::Text && self.kept() > 0 {
            true => SuperShingles::GROUPS,
            false => 0,
        }
    }

    /// Postings of all its signatures, in an index that holds these schemes.
    pub(crate) fn postings(&self, held: Schemes) -> u64 {
        let counts = [
            self.kept(),
            self.bsw_count,
            self.min_count,
            self.sketch_count,
        ];
        let super_shingles = match held.hold(SchemeKind::SuperShingles) {
            true => self.super_shingles(),
            false => 0,
        };
        super_shingles + counts.into_iter().map(u64::from).sum::<u64>()
    }
}

impl From<&DocumentRecord> for DocumentStats {
    fn from(record: &DocumentRecord) -> Self {
        Self {
            hash: record.hash,
            kind: record.kind,
            length: record.length,
            rung: record.rung,
            counts: record.counts,
            bsw_count: record.bsw_count,
            min_count: record.min_count,
            sketch_count: record.sketch_count,
            signed_anew: 0,
        }
    }
}

/// The roots whose files a caller may see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VisibleRoots {
    /// Files of every root.
    #[default]
    All,
    /// Files of these roots only.
    Roots(BTreeSet<RootId>),
}

impl VisibleRoots {
    /// Whether files of this root may be seen.
    pub fn shows(&self, root: RootId) -> bool {
        match self {
            VisibleRoots::All => true,
            VisibleRoots::Roots(roots) => roots.contains(&root),
        }
    }
}

/// All documents known, and how many files carry each, by root.
#[derive(Default)]
pub(crate) struct Table {
    documents: IdMap<DocumentStats>,
    /// The keys of `documents`, in order.
    known: RoaringTreemap,
    /// The known documents that have text.
    texts: RoaringTreemap,
    /// Documents by kind and rung, so that the rungs in use need no look at every document.
    rungs: BTreeMap<(bool, Rung), RungInUse>,
    roots: BTreeMap<RootId, RootDocuments>,
    files: IdMap<u64>,
    live: RoaringTreemap,
}

/// The documents of one rung.
#[derive(Default)]
struct RungInUse {
    documents: u64,
    /// Documents by the bit length of the number of fingerprints that they keep; the highest bucket also holds counts
    /// of 2^31 and more.
    by_kept: [u64; u32::BITS as usize],
}

impl RungInUse {
    fn of_kept(&mut self, stats: &DocumentStats) -> &mut u64 {
        let bits = u32::BITS - stats.kept().leading_zeros();
        &mut self.by_kept[bits.min(u32::BITS - 1) as usize]
    }

    /// A lower bound of what each of them keeps: a power of two that no document stays below, or 0.
    fn min_kept(&self) -> u64 {
        match self.by_kept.iter().position(|documents| *documents > 0) {
            None | Some(0) => 0,
            Some(bits) => 1 << (bits - 1),
        }
    }
}

/// Ids up to this one have a bit of their own in [`KnownDocuments`]: 512 MiB of them at most.
const MAX_IN_BITS: u64 = 1 << 32;

/// Which documents are known, for a merge that checks each posting.
#[derive(Default)]
pub(crate) struct KnownDocuments {
    bits: Vec<u64>,
    /// Ids above those with a bit.
    others: RoaringTreemap,
}

impl KnownDocuments {
    pub(crate) fn contains(&self, id: DocId) -> bool {
        match self.bits.get(id.0 as usize / 64) {
            Some(bits) => bits >> (id.0 % 64) & 1 == 1,
            None => self.others.contains(id.0),
        }
    }
}

#[derive(Default)]
struct RootDocuments {
    files: IdMap<u64>,
    live: RoaringTreemap,
}

impl Table {
    pub(crate) fn insert(&mut self, id: DocId, stats: DocumentStats) {
        self.forget(id);
        let in_use = self.rungs.entry(place(&stats)).or_default();
        in_use.documents += 1;
        *in_use.of_kept(&stats) += 1;
        self.known.insert(id.0);
        if stats.kind == DocumentKind::Text {
            self.texts.insert(id.0);
        }
        self.documents.get_or_insert(id, stats);
    }

    pub(crate) fn forget(&mut self, id: DocId) {
        let Some(stats) = self.documents.remove(id) else {
            return;
        };
        self.known.remove(id.0);
        self.texts.remove(id.0);
        if let Some(in_use) = self.rungs.get_mut(&place(&stats)) {
            in_use.documents -= 1;
            *in_use.of_kept(&stats) -= 1;
        }
        self.rungs.retain(|_, in_use| in_use.documents > 0);
    }

    pub(crate) fn get(&self, id: DocId) -> Option<&DocumentStats> {
        self.documents.get(id)
    }

    /// Bytes of memory its maps take, without their sets of ids.
    pub(crate) fn bytes(&self) -> usize {
        let of_roots = self.roots.values().map(|root| root.files.bytes());
        self.documents.bytes() + self.files.bytes() + of_roots.sum::<usize>()
    }

    /// Whether a document was signed again since the index was opened.
    pub(crate) fn was_signed_anew(&self, id: DocId) -> bool {
        self.get(id).is_some_and(|stats| stats.signed_anew > 0)
    }

    /// Whether a document is known and has text.
    pub(crate) fn is_text(&self, id: DocId) -> bool {
        self.get(id)
            .is_some_and(|stats| stats.kind == DocumentKind::Text)
    }

    /// Every document known, live or not yet purged.
    pub(crate) fn known(&self) -> &RoaringTreemap {
        &self.known
    }

    /// A copy of [`Table::known`] with constant-time look-up.
    pub(crate) fn known_bits(&self) -> KnownDocuments {
        let mut known = KnownDocuments::default();
        for id in &self.known {
            match usize::try_from(id / 64) {
                Ok(at) if id <= MAX_IN_BITS => {
                    known.bits.resize(known.bits.len().max(at + 1), 0);
                    known.bits[at] |= 1 << (id % 64);
                }
                _ => drop(known.others.insert(id)),
            }
        }
        known
    }

    /// Counts one file more (or less) that carries a document; returns whether it is the first (or was the last) in its
    /// root.
    pub(crate) fn count_file(&mut self, root: RootId, id: DocId, step: CountStep) -> bool {
        let of_root = self.roots.entry(root).or_default();
        bump(&mut self.files, &mut self.live, id, step);
        bump(&mut of_root.files, &mut of_root.live, id, step)
    }

    /// Files that carry a document, in all roots.
    pub(crate) fn files(&self, id: DocId) -> u64 {
        self.files.get(id).copied().unwrap_or(0)
    }

    pub(crate) fn is_live(&self, id: DocId) -> bool {
        self.live.contains(id.0)
    }

    pub(crate) fn live(&self) -> &RoaringTreemap {
        &self.live
    }

    /// Rungs in use by documents of a kind, finest first, so that a query is signed for each.
    pub(crate) fn rungs(&self, kind: DocumentKind) -> impl Iterator<Item = Rung> + '_ {
        let is_raw = kind == DocumentKind::Raw;
        let of_kind = self.rungs.keys().filter(move |(raw, _)| *raw == is_raw);
        of_kind.map(|(_, rung)| *rung)
    }

    /// The smallest number of fingerprints that any document of a kind at this rung keeps; `None` if there is none.
    pub(crate) fn min_kept(&self, kind: DocumentKind, rung: Rung) -> Option<u64> {
        let in_use = self.rungs.get(&(kind == DocumentKind::Raw, rung));
        in_use.map(RungInUse::min_kept)
    }

    /// Documents with text that are not signed as a ladder says.
    pub(crate) fn signed_by_other_ladder(&self, ladder: Ladder) -> RoaringTreemap {
        let is_right = |id: &u64| {
            let stats = self.get(DocId(*id));
            stats.is_none_or(|stats| stats.is_signed_by(ladder))
        };
        self.texts.iter().filter(|id| !is_right(id)).collect()
    }
}

fn place(stats: &DocumentStats) -> (bool, Rung) {
    (stats.kind == DocumentKind::Raw, stats.rung)
}

/// Returns whether the document became live, or ceased to be.
fn bump(files: &mut IdMap<u64>, live: &mut RoaringTreemap, id: DocId, step: CountStep) -> bool {
    let count = files.get_or_insert(id, 0);
    step.apply(count);
    if *count == 0 {
        files.remove(id);
        live.remove(id.0)
    } else {
        live.insert(id.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_that_a_document_of_a_rung_keeps_follows_who_has_it() {
        let stats = |rung: u8, kept: u32| {
            let mut counts = [0; RUNGS];
            counts[usize::from(rung)] = kept;
            DocumentStats {
                hash: DocumentHash([1; 32]),
                kind: DocumentKind::Text,
                length: 1,
                rung: Rung::new(rung).unwrap(),
                counts,
                bsw_count: 0,
                min_count: 0,
                sketch_count: 0,
                signed_anew: 0,
            }
        };
        let mut table = Table::default();
        for (id, rung, kept) in [(1, 2, 300), (2, 2, 40), (3, 3, 0), (4, 3, u32::MAX)] {
            table.insert(DocId(id), stats(rung, kept));
        }
        let rung = |rung| Rung::new(rung).unwrap();
        let min_kept = |table: &Table, of| table.min_kept(DocumentKind::Text, rung(of));
        assert_eq!(
            (min_kept(&table, 2), min_kept(&table, 3)),
            (Some(32), Some(0))
        );
        table.insert(DocId(2), stats(2, 257));
        table.forget(DocId(3));
        assert_eq!(
            (min_kept(&table, 2), min_kept(&table, 3)),
            (Some(256), Some(1 << 30))
        );
        assert_eq!(min_kept(&table, 1), None);
        assert_eq!(table.min_kept(DocumentKind::Raw, rung(2)), None);
    }

    #[test]
    fn a_document_is_live_where_a_file_carries_it() {
        let (a, b, doc) = (RootId(1), RootId(2), DocId(5));
        let mut table = Table::default();
        table.count_file(a, doc, CountStep::More);
        table.count_file(b, doc, CountStep::More);
        table.count_file(a, doc, CountStep::Less);
        assert!(table.is_live(doc));
        assert!(!table.visible(&VisibleRoots::Roots([a].into())).contains(5));
        assert!(
            table
                .visible(&VisibleRoots::Roots([a, b].into()))
                .contains(5)
        );
        table.count_file(b, doc, CountStep::Less);
        assert!(!table.is_live(doc) && table.visible(&VisibleRoots::All).is_empty());
    }
}
