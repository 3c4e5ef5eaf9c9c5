//! Components of the graph in which two documents are joined if they share at least k fingerprints.
//!
//! Pairs are found by a prefix filter (Xiao et al., WWW 2008, Lemma 1): with the fingerprints of all documents in one
//! order, if two documents share k, their first |A| - k + 1 and |B| - k + 1 have one in common. The rarest come first,
//! so their lists are short. A pair is counted only while its documents are in different components: a family of m
//! versions costs about m counts and not m²/2.
//!
//! Documents that have one fingerprint in common and do not share k would cost m²/2 counts. So the counts for a list
//! are limited to its number of documents times [`MAX_PER_DOCUMENT`]; above that, all its documents are joined without
//! comparison. Components are then coarser than they should be, and marked so. Each true component is still within one
//! of them: the cores are the same, mined in larger parts.

use crate::{InvertedTable, Partition, ShouldContinue};

/// Number of documents that each document of a list is compared with, on average: lists of up to twice as many are
/// always compared completely.
const MAX_PER_DOCUMENT: usize = 256;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Components of two documents or more, each ascending, by their least document.
    pub sets: Vec<Vec<u32>>,
    /// False if documents were joined without comparison: some of these may be several components.
    pub is_exact: bool,
}

/// The components of a table. If `go_on` ends it, what was not compared by then is joined.
pub fn components(table: &InvertedTable, k: u32, go_on: &ShouldContinue<'_>) -> Components {
    within(table, k, MAX_PER_DOCUMENT, go_on)
}

/// Components, found with at most this many comparisons for each document of a list.
pub(crate) fn within(
    table: &InvertedTable,
    k: u32,
    most_per_document: usize,
    go_on: &ShouldContinue<'_>,
) -> Components {
    let mut images = table.images();
    let lists = prefix_lists(table, &images, k);
    images.iter_mut().for_each(|image| image.sort_unstable());
    let mut joiner = Joiner {
        images,
        k,
        parts: Partition::new(table.documents()),
    };
    let mut is_exact = true;
    for list in lists {
        let left = list.len().saturating_mul(most_per_document);
        if !go_on() || !joiner.compare(&list, left, go_on) {
            joiner.join_all(&list);
            is_exact = false;
        }
    }
    let sets = joiner.parts.sets();
    Components { sets, is_exact }
}

/// For each fingerprint, the documents that have it in their prefix.
fn prefix_lists(table: &InvertedTable, images: &[Vec<u32>], k: u32) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); table.rows().len()];
    for (document, image) in (0..).zip(images) {
        let length = (image.len() + 1).saturating_sub(k.max(1) as usize);
        for &fingerprint in &image[..length] {
            lists[fingerprint as usize].push(document);
        }
    }
    lists.retain(|list| list.len() > 1);
    lists
}

/// Joins documents that share enough.
struct Joiner {
    /// Each document's fingerprints, ascending.
    images: Vec<Vec<u32>>,
    k: u32,
    parts: Partition,
}

impl Joiner {
    /// Joins the documents of a list that share enough; returns false if that takes more comparisons than are left, or
    /// if `go_on` ends it.
    fn compare(&mut self, list: &[u32], mut left: usize, go_on: &ShouldContinue<'_>) -> bool {
        // The documents seen so far, by component.
        let mut met: Vec<Vec<u32>> = Vec::new();
        for &document in list {
            if !go_on() {
                return false;
            }
            let mut own = None;
            for (at, class) in met.iter().enumerate() {
                let Some(is_joined) = self.is_joined(class, document, &mut left) else {
                    return false;
                };
                if is_joined {
                    self.parts.join(class[0], document);
                    own = Some(at);
                }
            }
            match own {
                Some(at) => met[at].push(document),
                None => met.push(vec![document]),
            }
        }
        true
    }

    /// Whether a document belongs to those of a class; `None` if no comparisons are left to find out.
    fn is_joined(&mut self, class: &[u32], document: u32, left: &mut usize) -> Option<bool> {
        *left = left.checked_sub(1)?;
        if self.parts.find(class[0]) == self.parts.find(document) {
            return Some(true);
        }
        let own = &self.images[document as usize];
        for &other in class {
            *left = left.checked_sub(1)?;
            if shares(own, &self.images[other as usize], self.k) {
                return Some(true);
            }
        }
        Some(false)
    }

    fn join_all(&mut self, list: &[u32]) {
        for pair in list.windows(2) {
            self.parts.join(pair[0], pair[1]);
        }
    }
}

/// Whether two ascending images have at least k in common.
fn shares(a: &[u32], b: &[u32], k: u32) -> bool {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() && shared < k {
        let left = (a.len() - i).min(b.len() - j);
        if left < (k - shared) as usize {
            return false;
        }
        shared += u32::from(a[i] == b[j]);
        let (x, y) = (a[i], b[j]);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    shared >= k
}
