//! Reads the records into memory when an index opens.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use simdex_schema::{
    ContentHash, ContentRecord, DocId, DocumentRecord, EdgeRecord, FileRecord, GroupId, RootId,
    State, key,
};

use crate::IndexError;
use crate::counts::{CountedFile, KeptCounts};
use crate::document_text::text_reference;
use crate::error::decode_error;
use crate::groups::{Stars, rank};
use crate::runs::{Run, Runs};
use crate::shared::IndexState;
use crate::store::Store;
use crate::stored_records::visit;
use crate::table::{DocumentStats, Table};
use crate::text::{TextRef, TextStore};

/// What the records say about texts.
#[derive(Default)]
pub(crate) struct TextReferences {
    /// Documents whose text is in no file or beyond the end of one.
    pub(crate) nowhere: Vec<DocId>,
    /// The first and the last text of each segment that documents refer to, by position.
    pub(crate) ends: BTreeMap<u32, [(TextRef, DocId); 2]>,
}

impl TextReferences {
    fn note(&mut self, lengths: &BTreeMap<u32, u64>, at: TextRef, id: DocId) {
        let len = lengths.get(&at.segment).copied().unwrap_or(0);
        if at.block_end().is_none_or(|end| end > len) {
            self.nowhere.push(id);
            return;
        }
        let [first, last] = self.ends.entry(at.segment).or_insert([(at, id); 2]);
        *first = (at, id).min(*first);
        *last = (at, id).max(*last);
    }
}

/// Number of documents whose text is in no file or beyond the end of one. Changes nothing.
pub(crate) fn missing_texts(store: &dyn Store, texts: &TextStore) -> Result<u64, IndexError> {
    let mut pointed = TextReferences::default();
    let lengths = texts.lengths()?;
    visit_documents(store, |id, record| {
        if let Some(text) = text_reference(record)? {
            pointed.note(&lengths, text, id);
        }
        Ok(())
    })?;
    Ok(pointed.nowhere.len() as u64)
}

fn visit_documents(
    store: &dyn Store,
    mut each: impl FnMut(DocId, &DocumentRecord) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    visit(store, key::prefix::DOCUMENT, |bytes, value| {
        let record = DocumentRecord::decode(value).map_err(|e| decode_error("of a document", e))?;
        let id = key::parse_document(bytes, 1)
            .ok_or_else(|| IndexError::Damaged("the key of a document".to_owned()))?;
        each(id, &record)
    })
}

/// Reads all documents and counts their texts as live; the runs must be open. Returns the documents whose postings are
/// in none of them, by id, and where texts are. No record is kept: if all documents are to be signed again, the records
/// of those without text would take gigabytes.
pub(crate) fn load_documents(
    store: &dyn Store,
    state: &mut IndexState,
    texts: &TextStore,
    watermark: u64,
) -> Result<(Vec<DocId>, TextReferences), IndexError> {
    let (mut unmerged, mut pointed) = (Vec::new(), TextReferences::default());
    let lengths = texts.lengths()?;
    let newest = state.runs.last().map_or(0, |run| run.record.number);
    let mut stale = Vec::new();
    visit_documents(store, |id, record| {
        state.insert_document(id, DocumentStats::from(record));
        let is_unmerged = id.serial() >= watermark || record.first_run > newest;
        if record.first_run > 0 {
            stale.push((id, record.first_run));
        }
        if let Some(text) = text_reference(record)? {
            texts.count_live(&text);
            pointed.note(&lengths, text, id);
        }
        if is_unmerged {
            unmerged.push(id);
        }
        Ok(())
    })?;
    state.runs = without_stale(&state.runs, &stale);
    load_unsettled(store, state)?;
    Ok((unmerged, pointed))
}

/// The runs without the postings of documents that were signed again after them.
fn without_stale(runs: &Runs, signed_anew: &[(DocId, u32)]) -> Runs {
    let without = |run: &Run| {
        let number = run.record.number;
        let stale = signed_anew.iter().filter(|(_, first)| number < *first);
        Run {
            stale: Arc::new(stale.map(|(id, _)| id.0).collect()),
            ..run.clone()
        }
    };
    runs.iter().map(without).collect()
}

fn load_unsettled(store: &dyn Store, state: &mut IndexState) -> Result<(), IndexError> {
    visit(store, key::prefix::UNSETTLED, |bytes, _| {
        let id = key::parse_document(bytes, 1);
        let id = id.filter(|id| state.table.is_text(*id));
        id.into_iter()
            .for_each(|id| state.unsettled.queue_placement(id));
        Ok(())
    })
}

/// A content while files are counted; for a million files there are as many at once.
struct LoadedContent {
    hash: ContentHash,
    /// How its extraction ended, and which document it carries.
    found: (State, Option<DocId>),
    /// The first file that carries its document, if that has text.
    sole: Option<(RootId, bool)>,
    is_held: bool,
}

/// Counts all files, by root and by document; returns also the contents that no file has.
pub(crate) fn load_files(
    store: &dyn Store,
    table: &mut Table,
) -> Result<(KeptCounts, BTreeSet<ContentHash>), IndexError> {
    let (mut counts, mut contents) = (KeptCounts::default(), load_contents(store)?);
    let place = |contents: &[LoadedContent], hash: ContentHash| {
        contents.binary_search_by_key(&hash, |of| of.hash).ok()
    };
    visit(store, key::prefix::FILE, |bytes, value| {
        let record = FileRecord::decode(value).map_err(|e| decode_error("of a file", e))?;
        let Some(key) = key::file_in_key(bytes) else {
            return Ok(());
        };
        let at = record.content().and_then(|hash| place(&contents, hash));
        let content = at.and_then(|at| contents.get_mut(at));
        let found = content.as_ref().map(|content| content.found);
        let file = CountedFile::new(&key, &record, |_| Ok(found))?;
        let is_counted = counts.load(table, &file);
        if let Some(content) = content {
            content.is_held = true;
            if !is_counted {
                content.sole = Some((file.root, file.is_member));
            }
        }
        Ok(())
    })?;
    for content in &contents {
        if let Some((root, is_member)) = content.sole {
            let (state, document) = content.found;
            let carried = document.map(|id| (id, content.hash));
            counts.load_sole(
                table,
                &CountedFile {
                    root,
                    is_member,
                    state,
                    is_damaged: false,
                    carried,
                },
            );
        }
    }
    counts.finish_load();
    let orphans = contents.iter().filter(|content| !content.is_held);
    let orphans = orphans.map(|content| content.hash).collect();
    Ok((counts, orphans))
}

/// All contents by hash: a scan returns them in the order of their keys, which are their hashes.
fn load_contents(store: &dyn Store) -> Result<Vec<LoadedContent>, IndexError> {
    let mut contents: Vec<LoadedContent> = Vec::new();
    visit(store, key::prefix::CONTENT, |bytes, value| {
        let record = ContentRecord::decode(value).map_err(|e| decode_error("of a content", e))?;
        if let Some(hash) = ContentHash::from_slice(&bytes[1..]) {
            contents.push(LoadedContent {
                hash,
                found: (record.state, record.document),
                sole: None,
                is_held: false,
            });
        }
        Ok(())
    })?;
    Ok(contents)
}

/// Reads the stars: every edge joins a member to its principal, the earlier of the two, and a settled document that is
/// no member is a principal. Returns false if the edges contradict that.
pub(crate) fn load_stars(store: &dyn Store, state: &mut IndexState) -> Result<bool, IndexError> {
    let mut members = Vec::new();
    visit(store, key::prefix::EDGE, |bytes, value| {
        let edge = EdgeRecord::decode(value).map_err(|e| decode_error("of an edge", e))?;
        let ends = key::parse_document(bytes, 1).zip(key::parse_document(bytes, 9));
        let Some((a, b)) = ends else {
            return Ok(());
        };
        let (principal, member, edge) = match rank(&state.table, a) < rank(&state.table, b) {
            true => (a, b, edge),
            false => (b, a, edge.swapped()),
        };
        state.stars.join(member, principal, edge);
        members.push((member, principal));
        Ok(())
    })?;
    for id in state.table.known().clone().iter().map(DocId) {
        let settled = state.table.is_text(id) && !state.unsettled.needs_placement(id);
        if settled && state.stars.principal(id) == id {
            state.stars.lead(id);
            state.note_principal(id);
        }
    }
    load_group_ids(store, state)?;
    Ok(members.iter().all(|(member, principal)| {
        state.stars.leads(*principal)
            && state.stars.principal(*member) == *principal
            && !state.unsettled.needs_placement(*member)
    }))
}

fn load_group_ids(store: &dyn Store, state: &mut IndexState) -> Result<(), IndexError> {
    visit(store, key::prefix::GROUP, |bytes, value| {
        let group = value.try_into().map(u64::from_be_bytes).map(GroupId);
        if let (Some(id), Ok(group)) = (key::parse_document(bytes, 1), group) {
            state.group_ids.assign(id, group);
        }
        Ok(())
    })
}

impl IndexState {
    /// Queues every document with text to be placed.
    pub(crate) fn queue_all_placements(&mut self) {
        self.stars = Stars::default();
        for id in self.table.known().iter().map(DocId) {
            if self.table.is_text(id) {
                self.unsettled.queue_placement(id);
            }
        }
    }

    /// Queues every document to be checked: its files may have come and gone.
    pub(crate) fn queue_all_file_checks(&mut self) {
        let IndexState {
            table, unsettled, ..
        } = self;
        unsettled.queue_file_checks(table.known());
    }
}
