//! Components of the graph in which two documents are joined that share at least k fingerprints.
//!
//! Pairs are sought as a prefix filter does (Xiao et al., WWW 2008, Lemma 1): with the fingerprints of all
//! documents in one order, of two documents that share k the first |A| - k + 1 and |B| - k + 1 have one in
//! common. The rarest come first, so that lists of these are short. A pair is counted only while its documents
//! lie in different components: a family of m versions costs about m counts and not m²/2.

use crate::{InvertedTable, Partition, ShouldContinue};

/// The components of two documents or more, each ascending, by their least document; `None` where it was not
/// to go on.
pub fn components(
    table: &InvertedTable,
    k: u32,
    go_on: &ShouldContinue<'_>,
) -> Option<Vec<Vec<u32>>> {
    let mut images = table.images();
    let lists = prefix_lists(table, &images, k);
    images.iter_mut().for_each(|image| image.sort_unstable());
    let mut parts = Partition::new(table.documents());
    for list in lists {
        // What was met of each component, by one of its documents.
        let mut met: Vec<Vec<u32>> = Vec::new();
        for document in list {
            if !go_on() {
                return None;
            }
            let mut own = None;
            for (at, class) in met.iter().enumerate() {
                let is_joined = parts.find(class[0]) == parts.find(document)
                    || joins(&images, class, document, k);
                if is_joined {
                    parts.join(class[0], document);
                    own = Some(at);
                }
            }
            match own {
                Some(at) => met[at].push(document),
                None => met.push(vec![document]),
            }
        }
    }
    Some(parts.sets())
}

/// Of each fingerprint the documents that have it in their prefix.
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

fn joins(images: &[Vec<u32>], class: &[u32], document: u32, k: u32) -> bool {
    let own = &images[document as usize];
    let mut others = class.iter().map(|&other| &images[other as usize]);
    others.any(|other| shares(own, other, k))
}

/// Whether two ascending images have at least k in common.
fn shares(a: &[u32], b: &[u32], k: u32) -> bool {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() && shared < k {
        shared += u32::from(a[i] == b[j]);
        let (x, y) = (a[i], b[j]);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    shared >= k
}
