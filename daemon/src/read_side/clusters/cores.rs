//! Cores of a view: each text is signed by its 100 smallest fingerprints, and the table of these is mined
//! component by component, the small ones first, so that one that takes long does not delay the others.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use simdex_cores::{InvertedTable, Mined, components, mine};
use simdex_index::{GrowingPermit, IndexError, IndexReader, MemoryAccount};
use simdex_schema::DocId;
use simdex_signature::Window;
use simdex_signature::laboratory::{Method, OutOfDomain, Recipe, ShingleUnit, Shingling, Signer};

use super::{Cluster, ClusterError, Clusters, cluster};

/// The number of fingerprints, the smallest, that represent a text in the search for cores: the same for each text, so
/// that long ones are not favoured. It is the number in the paper, which calls them the image of a document.
pub const SKETCH_FINGERPRINTS: u32 = 100;

/// Bytes for each such fingerprint: as a pair to be sorted, then in the table and its parts.
const FINGERPRINT_BYTES: u64 = 24;

/// Most documents in cores that are listed: a document counts once for each core it is in.
const MAX_MEMBERS: u64 = 4 << 20;

/// Signs texts with the smallest fingerprints of the index's own shingles.
pub fn signer(window: Window) -> Result<Signer, OutOfDomain> {
    let shingling = Shingling::new(ShingleUnit::Bytes, window.width(), 1)?;
    let method = Method::min_n(SKETCH_FINGERPRINTS);
    Signer::new(Recipe { method, shingling })
}

/// The cores of `documents`, ascending, that share `common` fingerprints, counted in `held`. Half of the time is for
/// dividing the collection into parts, so that the rest is left for the cores: if the division takes longer, the
/// remaining parts are mined as one.
pub(super) fn find(
    index: &IndexReader,
    documents: &[DocId],
    common: u32,
    time: Duration,
    held: &mut GrowingPermit,
) -> Result<Clusters, ClusterError> {
    let account = &held.account().clone();
    let needed = documents.len() as u64 * u64::from(SKETCH_FINGERPRINTS) * FINGERPRINT_BYTES;
    if needed > account.total() {
        return Err(ClusterError::TooMany {
            documents: documents.len(),
            needed: needed >> 20,
            available: account.total() >> 20,
        });
    }
    let _permit = account.take_large(needed)?;
    let table = table(index, documents, account)?;
    let started = Instant::now();
    let within = |time| started.elapsed() < time && account.cancel().check().is_ok();
    let mut parts = components(&table, common, &|| within(time / 2)).sets;
    account.cancel().check()?;
    parts.sort_by_key(Vec::len);
    let tables = table.split(&parts);
    drop(table);
    let mut found = FoundCores {
        index,
        held,
        clusters: Vec::new(),
        members: 0,
    };
    let mut unfinished = 0;
    for (part, table) in parts.iter().zip(&tables) {
        let ids: Vec<DocId> = part.iter().map(|&at| documents[at as usize]).collect();
        unfinished += u64::from(!found.mine(table, &ids, common, &|| within(time))?);
    }
    account.cancel().check()?;
    Ok(Clusters {
        clusters: found.clusters,
        unfinished: Some(unfinished),
        common_lists_skipped: 0,
    })
}

/// The fingerprints of all documents, each with the documents that hold it.
fn table(
    index: &IndexReader,
    documents: &[DocId],
    account: &MemoryAccount,
) -> Result<InvertedTable, IndexError> {
    let Ok(signer) = signer(index.window()) else {
        // The window of an index is always valid for shingles.
        return Ok(InvertedTable::default());
    };
    let mut held = Vec::with_capacity(documents.len() * SKETCH_FINGERPRINTS as usize);
    for (at, &id) in (0..).zip(documents) {
        account.cancel().check()?;
        let signed = index.texts().signature_if_readable(id, &signer, account)?;
        let units = signed.iter().flat_map(|signature| signature.units());
        held.extend(units.map(|unit| (unit.0, at)));
    }
    Ok(InvertedTable::from_pairs(held, documents.len() as u32))
}

/// Cores found so far, counted.
struct FoundCores<'a> {
    index: &'a IndexReader,
    held: &'a mut GrowingPermit,
    clusters: Vec<Cluster>,
    members: u64,
}

impl FoundCores<'_> {
    /// Mines a component; returns whether all its cores were found.
    fn mine(
        &mut self,
        table: &InvertedTable,
        ids: &[DocId],
        common: u32,
        go_on: &dyn Fn() -> bool,
    ) -> Result<bool, IndexError> {
        let mut failed = None;
        let mined = mine(table, common, go_on, &mut |core| {
            let documents = core.documents.iter().map(|&at| ids[at as usize]).collect();
            match self.add(documents, core.common) {
                Ok(flow) => flow,
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        // No text has more fingerprints than a word has bits.
        failed.map_or(Ok(mined == Ok(Mined::All)), Err)
    }

    fn add(&mut self, documents: Vec<DocId>, common: u32) -> Result<ControlFlow<()>, IndexError> {
        let members = self.members + documents.len() as u64;
        if members > MAX_MEMBERS {
            return Ok(ControlFlow::Break(()));
        }
        let core = cluster(self.index.documents(), documents, Some(common));
        // The list of them doubles as it grows.
        self.held.add(core.bytes() + size_of::<Cluster>() as u64)?;
        self.members = members;
        self.clusters.push(core);
        Ok(ControlFlow::Continue(()))
    }
}
