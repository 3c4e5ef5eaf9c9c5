//! All cores of a table, each once: maximal frequent sets by pattern growth, after FPmax* (Grahne and Zhu,
//! FIMI 2003), which Ignatov et al. found the fastest.
//!
//! Taken from FPmax*: the search is depth first, with one document more in the head at each level; below it, it uses
//! only what the head's own fingerprints say about the others (its conditional table); if all that is left can be added
//! at once, that is one core and no search is needed.
//!
//! Where it departs, and why: images have a limited length n, here at most 128. So the conditional table of a document
//! is one word of n bits for each document that shares k with it, and no prefix tree is built or walked: what a head
//! shares with a document is the bitwise AND of two words. Three things follow.
//!
//! - A set is maximal iff no document left out shares k with all of it. Those that were tried before are kept with
//!   their words, as in Bron and Kerbosch 1973, so that no store of found sets is searched.
//! - Each level first takes what it can, most shared first. Every other core of this head holds a document that could
//!   not be taken: only these are tried next (the pivot of Tomita et al. 2006, for sets).
//! - A document that could not be taken lacks a fingerprint of the head: the number shared falls at every level, so
//!   there are at most n - k + 1 levels, with 32 bytes for each document at each.
//!
//! Cost: once, the sum over fingerprints of the square of how many documents hold one; then in proportion to the cores.
//! These may be exponentially many: the caller can end it, and what was found by then are still cores.

use std::ops::ControlFlow;

use thiserror::Error;

use crate::{InvertedTable, ShouldContinue};

/// The most fingerprints that an image may have: the bits of a word.
pub const LONGEST_IMAGE: usize = u128::BITS as usize;

/// A maximal set of documents that share at least k fingerprints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Core {
    /// Two or more, ascending.
    pub documents: Vec<u32>,
    /// How many fingerprints all of them share.
    pub common: u32,
}

/// Whether everything was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mined {
    /// Every core was found.
    All,
    /// Only the cores found before `go_on` ended it.
    Some,
}

/// An image has more fingerprints than a word has bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the image of document {document} has {length} fingerprints, and at most {LONGEST_IMAGE} can be mined"
)]
pub struct TooLong {
    /// Number of the document in the table.
    pub document: u32,
    /// Number of its fingerprints that other documents hold too.
    pub length: usize,
}

/// Calls `found` for each core at `k`, which is at least 1, in no particular order.
///
/// # Errors
/// [`TooLong`] before anything is found.
pub fn mine(
    table: &InvertedTable,
    k: u32,
    go_on: &ShouldContinue<'_>,
    found: &mut dyn FnMut(Core) -> ControlFlow<()>,
) -> Result<Mined, TooLong> {
    let images = table.images();
    let mut numbered = (0..).zip(&images);
    if let Some((document, image)) = numbered.find(|(_, image)| image.len() > LONGEST_IMAGE) {
        let length = image.len();
        return Err(TooLong { document, length });
    }
    let search = Search {
        k: k.max(1),
        go_on,
        found,
        head: Vec::new(),
    };
    let ended = search.run(table, &images);
    Ok(match ended {
        ControlFlow::Continue(()) => Mined::All,
        ControlFlow::Break(()) => Mined::Some,
    })
}

/// A document with the fingerprints of the head that it holds, one bit each.
#[derive(Clone, Copy)]
struct Projected {
    document: u32,
    held: u128,
}

impl Projected {
    fn within(self, common: u128) -> Self {
        let held = self.held & common;
        Self { held, ..self }
    }
}

struct Search<'a> {
    k: u32,
    go_on: &'a ShouldContinue<'a>,
    found: &'a mut dyn FnMut(Core) -> ControlFlow<()>,
    head: Vec<u32>,
}

impl Search<'_> {
    /// Tries each document as the first of a head, those with few neighbours first.
    fn run(mut self, table: &InvertedTable, images: &[Vec<u32>]) -> ControlFlow<()> {
        let reach = |document: u32| {
            let image = images[document as usize].iter();
            image
                .map(|&row| table.row(row as usize).len())
                .sum::<usize>()
        };
        let mut order: Vec<u32> = (0..table.documents()).collect();
        order.sort_by_cached_key(|&document| (reach(document), document));
        let mut is_tried = vec![false; images.len()];
        let mut projection = Projection::new(images.len());
        for document in order {
            let image = &images[document as usize];
            is_tried[document as usize] = true;
            if image.len() < self.k as usize {
                continue;
            }
            let all = u128::MAX >> (LONGEST_IMAGE - image.len());
            let near = projection.of(table, image, document, self.k);
            let (tried, open) = near
                .into_iter()
                .partition(|other| is_tried[other.document as usize]);
            self.head.push(document);
            self.grow(all, open, &tried)?;
            self.head.pop();
        }
        ControlFlow::Continue(())
    }

    /// Finds the cores of the head, which shares `common`, among the documents that are `open`. All documents that
    /// share k of `common` are in `open` or in `tried`.
    fn grow(
        &mut self,
        common: u128,
        mut open: Vec<Projected>,
        tried: &[Projected],
    ) -> ControlFlow<()> {
        if !(self.go_on)() {
            return ControlFlow::Break(());
        }
        if tried.iter().any(|other| other.held == common) {
            // It could be added to every set found here.
            return ControlFlow::Continue(());
        }
        open.sort_by_key(|other| (other.held.count_ones(), other.document));
        let (taken, left, shared) = self.take(common, &open);
        self.report(&taken, shared, tried)?;
        let mut tried = tried.to_vec();
        for (at, next) in left.iter().enumerate() {
            let within = |others: &[Projected]| -> Vec<Projected> {
                let others = others.iter().map(|other| other.within(next.held));
                others
                    .filter(|other| self.is_frequent(other.held))
                    .collect()
            };
            let mut below = within(&left[at + 1..]);
            below.extend(within(&taken));
            let above = within(&tried);
            self.head.push(next.document);
            self.grow(next.held, below, &above)?;
            self.head.pop();
            tried.push(*next);
        }
        ControlFlow::Continue(())
    }

    /// Takes what can be taken together, most shared first. Returns what was taken; what was left, least shared first;
    /// and the fingerprints that the head and all that was taken share.
    fn take(&self, common: u128, open: &[Projected]) -> (Vec<Projected>, Vec<Projected>, u128) {
        let (mut taken, mut left, mut shared) = (Vec::new(), Vec::new(), common);
        for other in open.iter().rev() {
            if self.is_frequent(shared & other.held) {
                shared &= other.held;
                taken.push(*other);
            } else {
                left.push(*other);
            }
        }
        left.reverse();
        (taken, left, shared)
    }

    fn report(
        &mut self,
        taken: &[Projected],
        shared: u128,
        tried: &[Projected],
    ) -> ControlFlow<()> {
        let is_single = self.head.len() + taken.len() < 2;
        let extends = |other: &Projected| self.is_frequent(shared & other.held);
        if is_single || tried.iter().any(extends) {
            return ControlFlow::Continue(());
        }
        let mut documents = self.head.clone();
        documents.extend(taken.iter().map(|other| other.document));
        documents.sort_unstable();
        let common = shared.count_ones();
        (self.found)(Core { documents, common })
    }

    fn is_frequent(&self, held: u128) -> bool {
        held.count_ones() >= self.k
    }
}

/// Projects a table on one image after another.
struct Projection {
    words: Vec<u128>,
    met: Vec<u32>,
}

impl Projection {
    fn new(documents: usize) -> Self {
        Self {
            words: vec![0; documents],
            met: Vec::new(),
        }
    }

    /// The documents that share at least k with an image, except its own.
    fn of(&mut self, table: &InvertedTable, image: &[u32], own: u32, k: u32) -> Vec<Projected> {
        for (at, &row) in image.iter().enumerate() {
            for &document in table.row(row as usize) {
                let word = &mut self.words[document as usize];
                if *word == 0 {
                    self.met.push(document);
                }
                *word |= 1 << at;
            }
        }
        let mut near = Vec::new();
        for document in self.met.drain(..) {
            let held = std::mem::take(&mut self.words[document as usize]);
            if document != own && held.count_ones() >= k {
                near.push(Projected { document, held });
            }
        }
        near
    }
}
