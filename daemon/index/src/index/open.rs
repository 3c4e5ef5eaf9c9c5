//! Opens an index: reads what queries need into memory and signs again what was not yet merged.

use std::path::Path;
use std::sync::Arc;

use roaring::RoaringTreemap;
use simdex_schema::meta::Parameters;
use simdex_schema::{DocId, MetaRecord, StoreId, key};
use simdex_signature::Signature;

use super::load::{TextReferences, load_documents, load_files, load_stars, missing_texts};
use super::settings::{drop_edges, open_runs};
use crate::batch::Batch;
use crate::error::decode_error;
use crate::runs::{Runs, changes_with_rung};
use crate::shared::{self, IndexShared, IndexState};
use crate::signing::forward_signature;
use crate::store::{Store, random_id};
use crate::stored_records::put_meta;
use crate::table::DocumentStats;
use crate::text::{self, TextStore};
use crate::writer::{WriterState, with_signatures};
use crate::{Cancel, Fault, Index, IndexError, IndexSettings, IndexWriter, Options, UnreadTexts};

/// An index and how opening it went.
pub struct Opened {
    /// The index, ready for queries.
    pub index: Index,
    /// The only writer.
    pub writer: IndexWriter,
    /// What opening did.
    pub report: OpenReport,
}

/// What opening had to do besides reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Documents signed again because their postings were not yet in a run.
    pub signed_again: u64,
    /// True if the settings differ from the stored ones, so that what depends on them was dropped and is being rebuilt.
    pub rebuilt: bool,
    /// Documents whose extracted text is damaged: nothing finds them until they are extracted again.
    pub damaged_texts: u64,
}

impl Index {
    /// Opens the index that lives in `store`, with extracted text under `text_dir`.
    pub fn open(
        store: Box<dyn Store>,
        text_dir: &Path,
        settings: impl Into<IndexSettings>,
        options: Options,
    ) -> Result<Opened, IndexError> {
        Self::open_unless(store, text_dir, settings, options, &Cancel::never())
    }

    /// Opens an index; `stop` cancels it. A cancelled open closes the store as it is or, if texts are missing, abandons
    /// it without closing, as in a crash.
    pub fn open_unless(
        store: Box<dyn Store>,
        text_dir: &Path,
        settings: impl Into<IndexSettings>,
        options: Options,
        stop: &Cancel,
    ) -> Result<Opened, IndexError> {
        let settings = settings.into();
        let mut meta = match read_meta(&*store)? {
            Some(meta) => meta,
            None => begin(&*store, text_dir, &settings.parameters)?,
        };
        let id = meta.store.ok_or(IndexError::Damaged("meta".to_owned()))?;
        let texts = TextStore::open(text_dir, id, meta.next_segment)?;
        let texts = texts.caching(options.text_block_bytes);
        if options.unread != UnreadTexts::Release {
            refuse_missing(&*store, &texts)?;
        }
        let (named, stale) = open_runs(&*store, &mut meta, &settings, options.rebuild)?;
        let mut state = empty_state(&meta, named);
        let (unmerged, pointed) = load_documents(&*store, &mut state, &texts, meta.watermark)?;
        let (counts, orphans) = load_files(&*store, &mut state.table)?;
        if !load_stars(&*store, &mut state)? {
            drop_edges(&*store)?;
            state.queue_all_placements();
        }
        state.recount_shown();
        // Files may have come and gone since the stars were last updated.
        state.queue_all_file_checks();
        let unmerged = UnmergedDocuments {
            ids: unmerged,
            watermark: meta.watermark,
        };
        let lines = settings.template_lines;
        let shared = IndexShared::new(store, texts, options, state, counts, &meta, lines);
        let shared = Arc::new(shared);
        let writer = IndexWriter::new(&shared, WriterState { meta, orphans });
        let index = Self::new(shared);
        let report = OpenReport {
            signed_again: unmerged.ids.len() as u64,
            rebuilt: stale.signatures || stale.edges,
            ..OpenReport::default()
        };
        let caught_up = writer.catch_up(&pointed, &unmerged, stop);
        let opened = Opened {
            index,
            writer,
            report,
        };
        opened.unless_failed(caught_up)
    }
}

impl Opened {
    /// The open index, unless it failed to complete what the previous run had not finished.
    fn unless_failed(mut self, caught_up: Result<(), IndexError>) -> Result<Self, IndexError> {
        let damaged = self.index.shared.damaged.documents().len() as u64;
        if let Err(error) = caught_up {
            // Closing it would release documents whose texts may still come back: only an opening that completes may do
            // that.
            if matches!(error, IndexError::Cancelled) && damaged == 0 {
                self.index.close_unmerged(self.writer)?;
            }
            return Err(error);
        }
        self.report.damaged_texts = damaged;
        Ok(self)
    }
}

/// Documents whose postings are in no run.
struct UnmergedDocuments {
    /// Ids of the documents, ascending.
    ids: Vec<DocId>,
    /// Documents below this id are here because their rung changed. Their postings of schemes that do not depend on the
    /// rung are still in runs.
    watermark: u64,
}

impl IndexWriter {
    /// Completes what the previous run had not finished.
    fn catch_up(
        &self,
        pointed: &TextReferences,
        unmerged: &UnmergedDocuments,
        stop: &Cancel,
    ) -> Result<(), IndexError> {
        stop.check()?;
        self.look_into(pointed)?;
        self.unread_texts()?;
        self.restore_unmerged_postings(unmerged, stop)?;
        self.unread_texts().map(drop)
    }

    /// Number of documents whose text could not be read so far; an error if that is not accepted.
    fn unread_texts(&self) -> Result<u64, IndexError> {
        let unread = self.shared.damaged.documents().len() as u64;
        match self.shared.options.unread {
            UnreadTexts::Refuse if unread > 0 => Err(IndexError::UnreadTexts(unread)),
            _ => Ok(unread),
        }
    }

    /// Notes what is missing, and reads two texts of each segment, to notice one that was restored or exchanged; the
    /// next rescan then reads all of it.
    fn look_into(&self, pointed: &TextReferences) -> Result<(), IndexError> {
        self.shared.damaged.note_missing(&pointed.nowhere);
        for (_, id) in pointed.ends.values().flatten() {
            self.reader.texts().is_sound(*id)?;
        }
        Ok(())
    }

    /// Puts documents that were not yet merged back into the buffer, except those whose texts are damaged.
    fn restore_unmerged_postings(
        &self,
        unmerged: &UnmergedDocuments,
        stop: &Cancel,
    ) -> Result<(), IndexError> {
        for id in unmerged.ids.iter().copied() {
            stop.check()?;
            match self.restore_postings(id, unmerged) {
                // One damaged text must not keep the index from opening.
                Err(error) if error.is_damaged_text() => {}
                signed => signed?,
            }
            // After a merge the postings of documents below the watermark count, including those that are in no run: so
            // all of these are signed before.
            let may_merge = id.serial() >= unmerged.watermark;
            if may_merge && self.shared.buffered() >= self.shared.options.buffer_postings {
                if self.unread_texts()? > 0 {
                    self.release_unread()?;
                }
                // The watermark must not pass documents that are still to be signed.
                match self.merge_through(id) {
                    Err(error) if self.may_merge_later(&error) => {
                        tracing::warn!(%error, "postings stay in memory until the disk has room for them");
                    }
                    merged => merged?,
                }
            }
        }
        Ok(())
    }

    /// Whether the index can open without a merge that failed: the disk is full, and memory holds fewer postings than
    /// fill the buffer twice. They are merged once there is room. What a full disk kept from being merged while the
    /// index was open is less, unless one batch added more than fills the buffer; more is signed again only if other
    /// settings are in force.
    fn may_merge_later(&self, error: &IndexError) -> bool {
        let has_room = self.shared.unmerged() < 2 * self.shared.options.buffer_postings;
        has_room && error.is_disk_full() && error.fault() == Fault::Transient
    }

    /// Puts one document back into the buffer. If other settings give it another rung or other counts, its record is
    /// updated.
    fn restore_postings(&self, id: DocId, unmerged: &UnmergedDocuments) -> Result<(), IndexError> {
        let Some(old) = self.registry.document(id)? else {
            return Ok(());
        };
        // One at a time, and there are no callers yet: the permits of the backlog limit its memory, and they are
        // returned before the next document.
        let account = self.shared.memory.backlog.account(&Cancel::never());
        let Some((text, _of_text)) = self.reader.texts().signed_of(id, &old, &account)? else {
            self.shared
                .state_mut()
                .buffer(id, [forward_signature(&old)].iter());
            return Ok(());
        };
        let signer = self.reader.signer();
        // A settled document was placed at its recorded rung, so it is signed at that rung. Settings that change rungs
        // unsettle every document first, so this is also true after a crash in between.
        let has_place = self.shared.state().stars.contains(id);
        let signatures = match has_place {
            true => signer.sign_at(&text, old.rung),
            false => signer.sign(&text, old.length),
        };
        let record = with_signatures(old.clone(), &signatures);
        if record != old {
            let mut batch = Batch::new(self.shared.store.records());
            batch.put(key::document(id), record.encode());
            batch.write()?;
            self.shared
                .state_mut()
                .insert_document(id, DocumentStats::from(&record));
        }
        let is_in_no_run = |signature: &&Signature| {
            id.serial() >= unmerged.watermark || changes_with_rung(signature.scheme().kind)
        };
        let unmerged = signatures.iter().filter(is_in_no_run);
        self.shared.state_mut().buffer(id, unmerged);
        Ok(())
    }
}

/// The state before records are read.
fn empty_state(meta: &MetaRecord, named: Option<Runs>) -> IndexState {
    let mut state = IndexState {
        runs: named.filter(|_| !meta.runs.is_empty()).unwrap_or_default(),
        ..IndexState::default()
    };
    let ladder = shared::ladder(&meta.parameters, meta.sampling);
    state
        .awaiting_signature
        .begin(ladder, RoaringTreemap::new());
    state
}

fn refuse_missing(store: &dyn Store, texts: &TextStore) -> Result<(), IndexError> {
    match missing_texts(store, texts)? {
        0 => Ok(()),
        missing => Err(IndexError::UnreadTexts(missing)),
    }
}

/// The meta record, in the present format; `None` in a new store.
fn read_meta(store: &dyn Store) -> Result<Option<MetaRecord>, IndexError> {
    let Some(bytes) = store.records().get(&key::meta())? else {
        return Ok(None);
    };
    let mut meta = MetaRecord::decode(&bytes).map_err(|source| decode_error("meta", source))?;
    if meta.store.is_none() {
        // Before format 3 every edge was kept. This is repeated if it is interrupted anywhere.
        drop_edges(store)?;
        meta.store = Some(StoreId(random_id()?));
    }
    // A store of an older format is converted to the present one before anything is added to it.
    if bytes != meta.encode() {
        put_meta(store, &meta)?;
    }
    Ok(Some(meta))
}

/// Makes the meta record of a new store. What is in `text_dir` belongs to the store that was here before, wherever that
/// is now: for this one every text of it would be dead.
fn begin(
    store: &dyn Store,
    text_dir: &Path,
    parameters: &Parameters,
) -> Result<MetaRecord, IndexError> {
    if let Some(set_aside) = text::set_aside(text_dir)? {
        let set_aside = set_aside.display();
        tracing::warn!(%set_aside, "the texts of another store were set aside: this one is new");
    }
    let mut meta = MetaRecord::new(parameters.clone());
    meta.store = Some(StoreId(random_id()?));
    put_meta(store, &meta)?;
    // Before it has texts of its own.
    store.commit()?;
    Ok(meta)
}
