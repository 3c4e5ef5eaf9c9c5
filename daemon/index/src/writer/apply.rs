//! Applies changes of files: they become atomic batches of records, and postings in the buffer.
//!
//! A document lives as long as some file carries it. A document that lost its last file stays recorded until the next
//! merge, so that a move (removed here, created there) finds its content again and costs no second extraction. A
//! container whose old path was removed first is unpacked once more, since its members went with it; those that hold no
//! files are not read again.

mod arrivals;
mod builder;
mod storable;

use std::sync::atomic::Ordering;

use simdex_schema::posting::{PostingKey, scheme_number};
use simdex_schema::{DocId, DocumentKind, DocumentRecord, key};
use simdex_signature::{Rung, SchemeKind, Signature};

use self::arrivals::ChangedCarriers;
use self::builder::BatchBuilder;
use crate::batch::{Batch, LONG_BATCH};
use crate::change::{Applied, FileChange, GroupArrival, NewDocument};
use crate::counts::CountChanges;
use crate::known_unchanged::Holders;
use crate::shared::IndexState;
use crate::table::DocumentStats;
use crate::{Fault, IndexError, IndexWriter};

impl IndexWriter {
    /// Applies changes in order, each of them completely or not at all. Queries see them as soon as it returns; they
    /// are power-safe only after [`IndexWriter::commit`]. After an error the caller may apply the same changes again:
    /// applying a change twice has the effect of applying it once. May merge, if the buffer is full.
    ///
    /// While merges fail, nothing is applied that adds postings to a full buffer: of postings that are in no run, memory
    /// holds [`Options::buffer_postings`](crate::Options::buffer_postings) and those of one call.
    pub fn apply(&self, changes: &[FileChange]) -> Result<Applied, IndexError> {
        let mut applied = Applied::default();
        self.apply_into(changes, &mut applied)?;
        Ok(applied)
    }

    /// Applies changes as [`IndexWriter::apply`] does. After an error `applied` has what was applied before it: who
    /// applies the same changes again passes it again.
    pub fn apply_into(
        &self,
        changes: &[FileChange],
        applied: &mut Applied,
    ) -> Result<(), IndexError> {
        self.merge_what_is_left_over(changes)?;
        let mut writer = self.lock();
        let mut changes = changes.iter().peekable();
        while changes.peek().is_some() {
            let mut builder = BatchBuilder::new(self.shared.store.records(), &mut writer);
            while let Some(change) = changes.next_if(|_| builder.len() < LONG_BATCH) {
                builder.stage(change)?;
            }
            self.write_batch(builder, applied)?;
        }
        drop(writer);
        if self.shared.buffered() > 0 && self.shared.is_buffer_full() {
            match self.merge() {
                // What was applied is acknowledged all the same. The next call that adds postings merges first.
                Err(error) if error.is_disk_full() && error.fault() == Fault::Transient => {}
                merged => merged?,
            }
        }
        Ok(())
    }

    /// Merges what a merge that failed left in memory, if it fills the buffer and these changes add to it. Others, such
    /// as removals, do not wait for a disk that has no room for a run.
    fn merge_what_is_left_over(&self, changes: &[FileChange]) -> Result<(), IndexError> {
        match self.shared.is_buffer_full() && changes.iter().any(FileChange::has_postings) {
            true => self.merge(),
            false => Ok(()),
        }
    }

    fn write_batch(
        &self,
        builder: BatchBuilder<'_, '_>,
        applied: &mut Applied,
    ) -> Result<(), IndexError> {
        let BatchBuilder {
            mut batch,
            counted,
            renamed,
            links,
            replaces_known_content,
            fresh,
            unknown_content,
            changed,
            carriers,
            writer,
        } = builder;
        // Before it is known whether they are: an event too many does no harm.
        applied.note_changed(changed);
        let stats = self.append_texts_and_stage_records(&mut batch, &fresh)?;
        if !fresh.is_empty() {
            // With the first record that points into a segment, so that its number is used up.
            writer.meta.next_segment = self.shared.texts.next_segment();
            batch.put(key::meta(), writer.meta.encode());
        }
        let counted = self.count_changes(counted)?;
        self.shared.kept_counts().moves.begin(renamed);
        // Incremented before and after the write: a walk that read a page of records meanwhile sees another number and
        // discards the page. What was cached as unchanged is forgotten only after the write, so that nothing read
        // before it stays cached.
        self.shared.file_changes.fetch_add(1, Ordering::SeqCst);
        let invalidated = self.shared.known_unchanged.invalidated_by(&batch);
        let written = batch.write();
        self.shared.file_changes.fetch_add(1, Ordering::SeqCst);
        let holders = match replaces_known_content {
            true => Holders::OnRecord(self.shared.store.records()),
            false => Holders::Written,
        };
        self.shared.known_unchanged.forget(&invalidated, holders);
        self.shared.kept_counts().moves.end();
        written?;
        for (hash, holds) in links {
            if holds {
                writer.orphans.remove(&hash);
            } else {
                writer.orphans.insert(hash);
            }
        }
        let arrivals = self.publish_batch(&counted, &fresh, stats, carriers);
        applied.note_arrivals(arrivals);
        applied.new_documents += fresh.len() as u64;
        applied.unknown_content.extend(unknown_content);
        Ok(())
    }

    /// Appends the texts of new documents to their segment, and adds their records to the batch. Neither is power-safe
    /// yet: a text that is lost in a power cut before [`IndexWriter::commit`] is found missing when the store opens,
    /// and read again.
    fn append_texts_and_stage_records(
        &self,
        batch: &mut Batch<'_>,
        fresh: &[(DocId, &NewDocument)],
    ) -> Result<Vec<DocumentStats>, IndexError> {
        let texts: Vec<&str> = fresh
            .iter()
            .filter_map(|(_, new)| new.text.as_deref())
            .collect();
        let mut references = self.shared.texts.append(&texts)?.into_iter();
        let mut stats = Vec::with_capacity(fresh.len());
        for (id, new) in fresh {
            let reference = new.text.as_ref().and_then(|_| references.next());
            let record = record_of(new, reference.map(|r| r.to_bytes()));
            batch.put(key::document(*id), record.encode());
            if new.kind == DocumentKind::Text {
                batch.put(key::unsettled(*id), Vec::new());
            }
            stats.push(DocumentStats::from(&record));
        }
        Ok(stats)
    }

    /// Makes a batch visible to queries; returns which documents of groups came to a root with it, or left one.
    fn publish_batch(
        &self,
        counted: &CountChanges,
        fresh: &[(DocId, &NewDocument)],
        stats: Vec<DocumentStats>,
        carriers: ChangedCarriers,
    ) -> Vec<GroupArrival> {
        let (mut counts, mut state) = (self.shared.kept_counts(), self.shared.state_mut());
        for ((id, new), stats) in fresh.iter().zip(stats) {
            state.insert_document(*id, stats);
            state.buffer(*id, new.signatures.iter());
            if new.kind == DocumentKind::Text {
                state.unsettled.queue_placement(*id);
            }
        }
        let carriers = carriers.note_presence(&state);
        state.count(&mut counts, counted);
        state.queue_changed_documents(counted);
        carriers.arrivals(&state)
    }
}

fn record_of(new: &NewDocument, text: Option<Vec<u8>>) -> DocumentRecord {
    let forward = match (new.kind, new.signatures.first()) {
        (DocumentKind::Raw, Some(chunks)) => chunks.fingerprints().iter().map(|f| f.0).collect(),
        _ => Vec::new(),
    };
    let record = DocumentRecord {
        hash: new.hash,
        kind: new.kind,
        length: new.length,
        chars: new.chars,
        rung: Rung::ZERO,
        counts: Default::default(),
        bsw_count: 0,
        min_count: 0,
        sketch_count: 0,
        first_run: 0,
        text,
        forward,
    };
    with_signatures(record, &new.signatures)
}

/// The record with the counts of its signatures, Mod_n (or chunks) first.
pub(crate) fn with_signatures(record: DocumentRecord, signatures: &[Signature]) -> DocumentRecord {
    let primary = signatures.first();
    let entries = |kind| {
        let signature = signatures.iter().find(|s| s.scheme().kind == kind);
        signature.map_or(0, |signature| signature.len() as u32)
    };
    DocumentRecord {
        rung: primary.map_or(Rung::ZERO, Signature::rung),
        counts: primary.map(Signature::counts_by_rung).unwrap_or_default(),
        bsw_count: entries(SchemeKind::BswN),
        min_count: entries(SchemeKind::MinN),
        sketch_count: entries(SchemeKind::SketchN),
        ..record
    }
}

impl IndexState {
    /// Adds the postings of a document.
    pub(crate) fn buffer<'a>(
        &mut self,
        id: DocId,
        signatures: impl Iterator<Item = &'a Signature>,
    ) {
        for signature in signatures {
            let at = usize::from(scheme_number(signature.scheme().kind));
            let keys = signature.fingerprints().iter().map(|f| PostingKey::of(*f));
            self.buffers[at].push(id, keys);
        }
    }
}
