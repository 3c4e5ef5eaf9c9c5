//! Opening an index: reads what queries need into memory and signs again what was not yet merged.

use std::ops::ControlFlow;
use std::path::Path;

use simdex_schema::meta::Parameters;
use simdex_schema::{DocId, DocumentRecord, MetaRecord, StoreId, key};

use crate::apply::with_signatures;
use crate::batch::{Batch, LONG_BATCH};
use crate::error::decode_error;
use crate::index::{Index, IndexState, Options, Writer};
use crate::load::{Documents, TextReferences, load_documents, load_files, load_stars};
use crate::runs;
use crate::signing::forward_signature;
use crate::store::{Store, StoreError};
use crate::table::DocumentStats;
use crate::text::TextStore;
use crate::{Cancel, IndexError};

/// An index and how opening it went.
pub struct Opened {
    /// The index, ready for queries.
    pub index: Index,
    /// What opening did.
    pub report: OpenReport,
}

/// What opening had to do beyond reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Documents signed again because their postings were not yet in a run.
    pub signed_again: u64,
    /// True where the settings differ from those stored, so that what follows from them was dropped
    /// and is being made anew.
    pub rebuilt: bool,
    /// Documents whose extracted text is damaged: nothing finds them until they are extracted anew.
    pub damaged_texts: u64,
}

impl Index {
    /// Opens the index that lives in `store`, with extracted text under `text_dir`.
    pub fn open(
        store: Box<dyn Store>,
        text_dir: &Path,
        parameters: Parameters,
        options: Options,
    ) -> Result<Opened, IndexError> {
        Self::open_unless(store, text_dir, parameters, options, &Cancel::never())
    }

    /// The same as long as nobody says `stop`: then the store is closed as it is.
    pub fn open_unless(
        store: Box<dyn Store>,
        text_dir: &Path,
        parameters: Parameters,
        options: Options,
        stop: &Cancel,
    ) -> Result<Opened, IndexError> {
        let mut meta = read_meta(&*store, &parameters)?;
        let id = meta.store.ok_or(IndexError::Damaged("meta".to_owned()))?;
        let texts = TextStore::open(text_dir, id, meta.next_segment)?;
        let mut report = OpenReport::default();
        let named = runs::open(store.postings(), &meta)?;
        if named.is_none() {
            tracing::error!("a run of postings is missing: all are made anew");
        }
        let again = options.rebuild || named.is_none();
        let stale = Stale::of(&meta.parameters, &parameters, options.rebuild, again);
        if stale.signatures || stale.edges {
            adopt(&*store, &mut meta, parameters, stale)?;
            report.rebuilt = true;
        }
        runs::drop_others(&*store, &meta)?;
        let mut state = IndexState {
            runs: named.filter(|_| !meta.runs.is_empty()).unwrap_or_default(),
            ..IndexState::default()
        };
        let (unmerged, pointed) = load_documents(&*store, &mut state, &texts, meta.watermark)?;
        let (counts, orphans) = load_files(&*store, &mut state.table)?;
        if !load_stars(&*store, &mut state)? {
            drop_edges(&*store)?;
            state.queue_all_placements();
        }
        // Files may have come and gone since the stars were last brought up to date.
        state.queue_all_file_checks();
        let writer = Writer { meta, orphans };
        let index = Self::assemble(store, texts, options, state, counts, writer);
        report.signed_again = unmerged.len() as u64;
        if let Err(error) = index.catch_up(&pointed, unmerged, stop) {
            if matches!(error, IndexError::Cancelled) {
                index.close_unmerged()?;
            }
            return Err(error);
        }
        report.damaged_texts = index.damaged().len() as u64;
        Ok(Opened { index, report })
    }

    /// Makes up for what the run before did not come to.
    fn catch_up(
        &self,
        pointed: &TextReferences,
        unmerged: Documents,
        stop: &Cancel,
    ) -> Result<(), IndexError> {
        stop.check()?;
        self.look_into(pointed)?;
        self.sign_all_again(unmerged, stop)
    }

    /// Notes what is missing, and reads two texts of each segment, to notice one that was restored or
    /// exchanged; the next rescan then reads all of it.
    fn look_into(&self, pointed: &TextReferences) -> Result<(), IndexError> {
        self.note_missing_texts(&pointed.nowhere);
        for (_, id) in pointed.ends.values().flatten() {
            self.is_text_sound(*id)?;
        }
        Ok(())
    }

    /// Puts documents that were not yet merged back into the buffer, but for those whose texts are
    /// damaged.
    fn sign_all_again(&self, unmerged: Documents, stop: &Cancel) -> Result<(), IndexError> {
        for (id, record) in unmerged {
            stop.check()?;
            match self.sign_again(id, record) {
                // One damaged text must not keep the index from opening.
                Err(error) if error.is_damaged_text() => {}
                signed => signed?,
            }
            if self.buffered() >= self.options.buffer_postings {
                // The watermark may not pass documents that are still to be signed.
                self.merge_through(id)?;
            }
        }
        Ok(())
    }

    /// Puts one document back into the buffer. Where other settings give it another rung or other
    /// counts, its record follows.
    fn sign_again(&self, id: DocId, old: DocumentRecord) -> Result<(), IndexError> {
        // One at a time, while nobody asks: what it takes is held in check by the permits of the backlog,
        // and given back before the next.
        let account = self.memory().backlog.account(&Cancel::never());
        let Some((canonical, _of_canonical)) = self.held_canonical_of(id, &old, &account)? else {
            self.state_mut().buffer(id, &[forward_signature(&old)]);
            return Ok(());
        };
        let signatures = self.sign_text(&canonical, self.ladder().rung_for(old.length));
        let record = with_signatures(old.clone(), &signatures);
        if record != old {
            let mut batch = Batch::new(self.store.records());
            batch.put(key::document(id), record.encode());
            batch.apply()?;
            self.state_mut()
                .table
                .insert(id, DocumentStats::from(&record));
        }
        self.state_mut().buffer(id, &signatures);
        Ok(())
    }
}

fn read_meta(store: &dyn Store, parameters: &Parameters) -> Result<MetaRecord, IndexError> {
    let bytes = store.records().get(&key::meta())?;
    let decoded = bytes.as_deref().map(MetaRecord::decode).transpose();
    let mut meta = decoded
        .map_err(|source| decode_error("meta", source))?
        .unwrap_or_else(|| MetaRecord::new(parameters.clone()));
    if meta.store.is_none() {
        if bytes.is_some() {
            // Before format 3 every edge was kept. Cut anywhere, this is done again.
            drop_edges(store)?;
        }
        meta.store = Some(random_id()?);
    }
    // A store of an older format is of the present one before anything is added to it.
    if bytes.as_deref() != Some(&meta.encode()) {
        put_meta(store, &meta)?;
    }
    Ok(meta)
}

/// An id that no other store has.
fn random_id() -> Result<StoreId, IndexError> {
    let mut id = [0; 16];
    let filled = rustix::rand::getrandom(&mut id, rustix::rand::GetRandomFlags::empty());
    match filled {
        Ok(16) => Ok(StoreId(id)),
        _ => Err(StoreError::Engine("the kernel gives no random bytes".to_owned()).into()),
    }
}

pub(crate) fn put_meta(store: &dyn Store, meta: &MetaRecord) -> Result<(), IndexError> {
    let mut batch = Batch::new(store.records());
    batch.put(key::meta(), meta.encode());
    Ok(batch.apply()?)
}

/// What no longer follows from the settings, or is to be made again.
#[derive(Clone, Copy)]
struct Stale {
    signatures: bool,
    edges: bool,
}

impl Stale {
    fn of(old: &Parameters, new: &Parameters, everything: bool, signatures: bool) -> Self {
        let same_threshold = Parameters {
            threshold: new.threshold,
            ..old.clone()
        };
        let same_schemes = Parameters {
            bsw_n: new.bsw_n,
            ..old.clone()
        };
        Self {
            signatures: signatures || same_threshold != *new,
            edges: everything || same_schemes != *new,
        }
    }
}

/// Takes on other settings: drops the postings or edges that follow from the old ones. Records and
/// texts stay; signatures and edges are made again from them.
fn adopt(
    store: &dyn Store,
    meta: &mut MetaRecord,
    parameters: Parameters,
    stale: Stale,
) -> Result<(), IndexError> {
    if stale.edges {
        // Cut anywhere this is done again: the settings are stored last.
        drop_edges(store)?;
    }
    if stale.signatures {
        meta.watermark = 0;
        meta.runs = Vec::new();
        meta.dead_postings = 0;
    }
    if meta.parameters.canonical != parameters.canonical {
        // Their contents are read again, which names them anew.
        meta.named_from = meta.next_document;
    }
    meta.parameters = parameters;
    put_meta(store, meta)
}

/// Lets `each` write for every key of a kind, some thousands to a batch.
fn in_batches(
    store: &dyn Store,
    prefix: u8,
    each: impl Fn(&mut Batch<'_>, &[u8]),
) -> Result<(), IndexError> {
    let keys = Batch::new(store.records()).keys(&[prefix])?;
    for some in keys.chunks(LONG_BATCH) {
        let mut batch = Batch::new(store.records());
        some.iter().for_each(|key| each(&mut batch, key));
        batch.apply()?;
    }
    Ok(())
}

/// Drops all edges and has every document wait for its place.
fn drop_edges(store: &dyn Store) -> Result<(), IndexError> {
    in_batches(store, key::prefix::DOCUMENT, |batch, document| {
        let id = key::parse_document(document, 1);
        id.into_iter()
            .for_each(|id| batch.put(key::unsettled(id), Vec::new()));
    })?;
    in_batches(store, key::prefix::EDGE, |batch, edge| {
        batch.delete(edge.to_vec())
    })
}

/// Visits all records of a kind; the first error ends the scan.
pub(crate) fn visit(
    store: &dyn Store,
    prefix: u8,
    mut each: impl FnMut(&[u8], &[u8]) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    let mut failed = None;
    store
        .records()
        .scan(&[prefix], None, &mut |key, value| match each(key, value) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        })?;
    failed.map_or(Ok(()), Err)
}
