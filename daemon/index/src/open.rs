//! Opening an index: reads what queries need into memory and signs again what was not yet merged.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use simdex_schema::meta::Parameters;
use simdex_schema::{
    ContentHash, ContentRecord, DecodeError, DocId, DocumentRecord, EdgeRecord, GroupId,
    MetaRecord, RootId, key,
};
use simdex_signature::{
    BswN, CanonicalText, Chunks, Fingerprint, Ladder, ModN, Rung, SchemeKind, Signature,
};

use crate::apply::with_signatures;
use crate::batch::{Batch, LONG_BATCH};
use crate::buckets::drop_stale;
use crate::groups::Stars;
use crate::index::{Index, Options, Shared, Writer, text_reference};
use crate::lost::is_loss;
use crate::settle::rank;
use crate::store::Store;
use crate::table::{DocumentStats, Table};
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
    /// Documents signed again because their postings were not yet in buckets.
    pub signed_again: u64,
    /// True where the settings differ from those stored, so that what follows from them was dropped
    /// and is being made anew.
    pub rebuilt: bool,
    /// Documents whose extracted text is damaged: nothing finds them until they are extracted anew.
    pub lost_texts: u64,
}

impl Index {
    /// Opens the index that lives in `store`, with extracted text under `text_dir`.
    pub fn open(
        store: Box<dyn Store>,
        text_dir: &Path,
        parameters: Parameters,
        options: Options,
    ) -> Result<Opened, IndexError> {
        let texts = TextStore::open(text_dir)?;
        let mut meta = read_meta(&*store, &parameters)?;
        let mut report = OpenReport::default();
        if meta.merging {
            // What a merge that was cut short left of a split.
            drop_stale(store.postings(), &meta.bucket_bits)?;
        }
        let stale = Stale::of(&meta.parameters, &parameters, options.rebuild);
        if stale.signatures || stale.edges {
            adopt(&*store, &mut meta, parameters, stale)?;
            report.rebuilt = true;
        }
        let mut shared = Shared {
            bucket_bits: meta.bucket_bits,
            merged: (meta.postings, meta.bytes),
            ..Shared::default()
        };
        let unmerged = load_documents(&*store, &mut shared, &texts, meta.watermark)?;
        let orphans = load_files(&*store, &mut shared.table)?;
        if !load_stars(&*store, &mut shared)? {
            drop_edges(&*store)?;
            shared.unsettle_all();
        }
        // Files may have come and gone since the stars were last brought up to date.
        shared.restless = shared.table.known().iter().map(DocId).collect();
        let writer = Writer { meta, orphans };
        let index = Self::assemble(store, texts, options, shared, writer);
        report.signed_again = unmerged.len() as u64;
        report.lost_texts = index.sign_all_again(unmerged)?;
        Ok(Opened { index, report })
    }

    /// Puts documents that were not yet merged back into the buffer; returns how many could not be
    /// signed, since their texts are damaged.
    fn sign_all_again(&self, unmerged: Vec<(DocId, DocumentRecord)>) -> Result<u64, IndexError> {
        let mut lost = 0;
        for (id, record) in unmerged {
            match self.sign_again(id, record) {
                // One damaged text must not keep the index from opening.
                Err(error) if is_loss(&error) => {
                    self.note_lost(id, &error);
                    lost += 1;
                }
                signed => signed?,
            }
            if self.buffered() >= self.options.buffer_postings {
                // The watermark may not pass documents that are still to be signed.
                self.merge_through(id)?;
            }
        }
        Ok(lost)
    }

    /// Puts one document back into the buffer. Where other settings give it another rung or other
    /// counts, its record follows.
    fn sign_again(&self, id: DocId, old: DocumentRecord) -> Result<(), IndexError> {
        // One at a time, while nobody asks: what it takes is held in check by the permits of the backlog,
        // and given back before the next.
        let account = self.memory().backlog.account(&Cancel::never());
        let length = text_reference(&old)?.map_or(0, |text| u64::from(text.len));
        let _of_text = account.take_large(2 * length)?;
        let Some(text) = self.text_of(&old)? else {
            self.write().buffer(id, &[forward_signature(&old)]);
            return Ok(());
        };
        let (canonical, _of_canonical) = account.canonical(&text)?;
        drop(text);
        let ladder = Ladder {
            target: self.parameters.target,
            ..Ladder::default()
        };
        let signatures = self.sign_text(&canonical, ladder.rung_for(old.length));
        let record = with_signatures(old.clone(), &signatures);
        if record != old {
            let mut batch = Batch::new(self.store.records());
            batch.put(key::document(id), record.encode());
            batch.apply()?;
            self.write().table.insert(id, DocumentStats::from(&record));
        }
        self.write().buffer(id, &signatures);
        Ok(())
    }

    /// Signs a canonical text with every scheme that is on, Mod_n first.
    pub fn sign_text(&self, text: &CanonicalText, rung: Rung) -> Vec<Signature> {
        let timed = |kind, sign: &dyn Fn() -> Signature| {
            let started = Instant::now();
            let signature = sign();
            self.spent_signing(kind, started.elapsed());
            signature
        };
        let window = self.window();
        let mut signatures = vec![timed(SchemeKind::ModN, &|| ModN::sign(text, window, rung))];
        if self.parameters.bsw_n {
            signatures.push(timed(SchemeKind::BswN, &|| BswN::sign(text, window, rung)));
        }
        signatures
    }
}

/// The signature a record carries itself, where there is no text to sign again.
fn forward_signature(record: &DocumentRecord) -> Signature {
    let fingerprints = record.forward.iter().map(|f| Fingerprint(*f)).collect();
    Signature::new(Chunks::SCHEME, record.rung, fingerprints)
}

fn damaged(what: &str, source: DecodeError) -> IndexError {
    IndexError::Record {
        what: what.to_owned(),
        source,
    }
}

fn read_meta(store: &dyn Store, parameters: &Parameters) -> Result<MetaRecord, IndexError> {
    match store.records().get(&key::meta())? {
        Some(bytes) => {
            let meta = MetaRecord::decode(&bytes).map_err(|source| damaged("meta", source))?;
            // A store of an older format is of the present one before anything is added to it.
            if meta.encode() != bytes {
                put_meta(store, &meta)?;
            }
            Ok(meta)
        }
        None => {
            let meta = MetaRecord::new(parameters.clone());
            put_meta(store, &meta)?;
            Ok(meta)
        }
    }
}

fn put_meta(store: &dyn Store, meta: &MetaRecord) -> Result<(), IndexError> {
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
    fn of(old: &Parameters, new: &Parameters, everything: bool) -> Self {
        let same_threshold = Parameters {
            threshold: new.threshold,
            ..old.clone()
        };
        let same_schemes = Parameters {
            bsw_n: new.bsw_n,
            ..old.clone()
        };
        Self {
            signatures: everything || same_threshold != *new,
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
        // Another bucket width makes the old buckets stale: the next merge drops them.
        meta.watermark = 0;
        meta.merging = true;
        meta.bucket_bits = meta.bucket_bits.map(|bits| u8::from(bits == 0));
        meta.postings = Default::default();
        meta.bytes = Default::default();
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

/// Reads all documents and counts their texts as live; returns those whose postings are not in buckets, by id.
fn load_documents(
    store: &dyn Store,
    shared: &mut Shared,
    texts: &TextStore,
    watermark: u64,
) -> Result<Vec<(DocId, DocumentRecord)>, IndexError> {
    let mut unmerged = Vec::new();
    visit(store, key::prefix::DOCUMENT, |bytes, value| {
        let record = DocumentRecord::decode(value).map_err(|e| damaged("of a document", e))?;
        let id = key::parse_document(bytes, 1)
            .ok_or_else(|| IndexError::Damaged("the key of a document".to_owned()))?;
        shared.table.insert(id, DocumentStats::from(&record));
        text_reference(&record)?
            .iter()
            .for_each(|text| texts.count_live(text));
        if id.serial() >= watermark {
            unmerged.push((id, record));
        }
        Ok(())
    })?;
    visit(store, key::prefix::UNSETTLED, |bytes, _| {
        let id = key::parse_document(bytes, 1);
        let id = id.filter(|id| shared.table.is_text(*id));
        shared.unsettled.extend(id);
        Ok(())
    })?;
    Ok(unmerged)
}

/// Counts the files of every document; returns contents that no file holds.
fn load_files(
    store: &dyn Store,
    table: &mut Table,
) -> Result<std::collections::BTreeSet<ContentHash>, IndexError> {
    let mut contents: BTreeMap<ContentHash, (Option<DocId>, bool)> = BTreeMap::new();
    visit(store, key::prefix::CONTENT, |bytes, value| {
        let record = ContentRecord::decode(value).map_err(|e| damaged("of a content", e))?;
        if let Some(hash) = ContentHash::from_slice(&bytes[1..]) {
            contents.insert(hash, (record.document, false));
        }
        Ok(())
    })?;
    visit(store, key::prefix::FILE_OF_CONTENT, |bytes, _| {
        let hash = bytes.get(1..33).and_then(ContentHash::from_slice);
        let root = key::parse_file(bytes, 33).map(|file| file.root);
        if let (Some(entry), Some(root)) = (hash.and_then(|h| contents.get_mut(&h)), root) {
            entry.1 = true;
            if let Some(id) = entry.0 {
                table.count_file(root, id, true);
            }
        }
        Ok(())
    })?;
    Ok(contents
        .into_iter()
        .filter(|(_, (_, held))| !held)
        .map(|(hash, _)| hash)
        .collect())
}

/// Reads the stars: every edge joins a member to its principal, the earlier of the two, and a
/// document that is settled and no member is a principal. False where the edges contradict that.
fn load_stars(store: &dyn Store, shared: &mut Shared) -> Result<bool, IndexError> {
    let mut members = Vec::new();
    visit(store, key::prefix::EDGE, |bytes, value| {
        let edge = EdgeRecord::decode(value).map_err(|e| damaged("of an edge", e))?;
        let ends = key::parse_document(bytes, 1).zip(key::parse_document(bytes, 9));
        let Some((a, b)) = ends else {
            return Ok(());
        };
        let (principal, member, edge) = match rank(&shared.table, a) < rank(&shared.table, b) {
            true => (a, b, edge),
            false => (b, a, edge.swapped()),
        };
        shared.stars.join(member, principal, edge);
        members.push((member, principal));
        Ok(())
    })?;
    for id in shared.table.known().iter().map(DocId) {
        let settled = shared.table.is_text(id) && !shared.unsettled.contains(&id);
        if settled && shared.stars.principal(id) == id {
            shared.stars.lead(id);
        }
    }
    let sound = members.iter().all(|(member, principal)| {
        shared.stars.principals().contains(principal.0)
            && shared.stars.principal(*member) == *principal
            && !shared.unsettled.contains(member)
    });
    load_handles(store, shared)?;
    Ok(sound)
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

impl Shared {
    /// Has every document with text wait for its place.
    fn unsettle_all(&mut self) {
        self.stars = Stars::default();
        let known = self.table.known().iter().map(DocId);
        self.unsettled = known.filter(|id| self.table.is_text(*id)).collect();
    }
}

fn load_handles(store: &dyn Store, shared: &mut Shared) -> Result<(), IndexError> {
    visit(store, key::prefix::GROUP, |bytes, value| {
        let handle = value.try_into().map(u64::from_be_bytes).map(GroupId);
        if let (Some(id), Ok(handle)) = (key::parse_document(bytes, 1), handle) {
            shared.group_ids.insert(id, handle);
        }
        Ok(())
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

impl Index {
    /// Roots recorded, by id.
    pub fn roots(&self) -> Result<Vec<(RootId, simdex_schema::RootRecord)>, IndexError> {
        let mut roots = Vec::new();
        visit(&*self.store, key::prefix::ROOT, |bytes, value| {
            let record =
                simdex_schema::RootRecord::decode(value).map_err(|e| damaged("of a root", e))?;
            if let Some((_, id)) = bytes.split_first() {
                let id = id.try_into().map(u32::from_be_bytes).unwrap_or_default();
                roots.push((RootId(id), record));
            }
            Ok(())
        })?;
        Ok(roots)
    }
}
