//! Components of the near-duplicate graph, by union and find over the pairs as they are found.
//!
//! A pair is counted on all shingles only while its documents are in different components: once a version of a family
//! is joined, pairs within the family need no text. So a family of m versions costs about m counts.

use std::cell::RefCell;

use simdex_cores::Partition;
use simdex_index::{GrowingPermit, IndexError, IndexReader, VisibleRoots};
use simdex_schema::DocId;
use simdex_signature::Ratio;

use super::{Cluster, Clusters, cluster};

/// The components of `documents`, which are ascending and visible in the view; counted in `held`. A single document
/// that several files carry is one too.
pub(super) fn find(
    index: &IndexReader,
    view: &VisibleRoots,
    documents: &[DocId],
    threshold: Ratio,
    held: &mut GrowingPermit,
) -> Result<Clusters, IndexError> {
    let account = held.account().clone();
    // Ids, places in the partition, and the resulting sets: pairs at worst.
    let _permit = account.take_large(56 * documents.len() as u64)?;
    let place = |id: DocId| documents.binary_search(&id).ok().map(|at| at as u32);
    let parts = RefCell::new(Partition::new(documents.len() as u32));
    let search = index.pairs().search(view, threshold);
    for (own, &id) in (0..).zip(documents) {
        account.cancel().check()?;
        let is_apart = |other: DocId| {
            let mut parts = parts.borrow_mut();
            let is_apart = |other| parts.find(own) != parts.find(other);
            Ok(place(other).is_some_and(is_apart))
        };
        let next = |limit| {
            Ok(documents[own as usize..]
                .iter()
                .copied()
                .take(limit)
                .collect())
        };
        search.look_ahead(id, &next, &account)?;
        let found = search.filtered_partners_of(id, &is_apart, &account)?;
        for other in found.iter().filter_map(|(other, _)| place(*other)) {
            parts.borrow_mut().join(own, other);
        }
    }
    let mut parts = parts.into_inner();
    let copied = |at: &u32| {
        index
            .files()
            .count_of_document(documents[*at as usize], view)
            > 1
    };
    let is_alone: Vec<bool> = parts.alone().collect();
    let alone = (0..documents.len() as u32).filter(|at| is_alone[*at as usize]);
    let copied: Vec<Vec<u32>> = alone.filter(copied).map(|at| vec![at]).collect();
    let mut clusters = Vec::new();
    for set in parts.sets().into_iter().chain(copied) {
        account.cancel().check()?;
        let ids = set.into_iter().map(|at| documents[at as usize]).collect();
        let cluster = cluster(index.documents(), ids, None);
        // The list of them doubles as it grows.
        held.add(cluster.bytes() + size_of::<Cluster>() as u64)?;
        clusters.push(cluster);
    }
    Ok(Clusters {
        clusters,
        unfinished: None,
        common_lists_skipped: search.common_lists_skipped(),
    })
}
