//! The index: what it holds, and the locks around it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use simdex_schema::meta::Parameters;
use simdex_schema::posting::scheme_number;
use simdex_schema::{
    ContentHash, ContentRecord, DecodeError, DocId, DocumentHash, DocumentKind, DocumentRecord,
    FileKey, FileRecord, MetaRecord, ReportRecord, RootId, RootRecord, key,
};
use simdex_signature::{CanonicalText, Rung, SchemeKind, ShingleSet, Window};

use crate::buckets::Buckets;
use crate::buffer::Buffer;
use crate::groups::Stars;
use crate::handles::Handles;
use crate::shingles::{HeldSet, SetCache};
use crate::store::Store;
use crate::table::{DocumentStats, Table};
use crate::text::{TextError, TextRef, TextStore};
use crate::unsettled::Unsettled;
use crate::{IndexError, Memory, MemoryAccount, MemoryPermit, View};

/// All schemes that have postings.
pub(crate) const SCHEMES: [SchemeKind; 3] =
    [SchemeKind::ModN, SchemeKind::BswN, SchemeKind::Chunks];

/// How an index is kept; none of it changes what is stored.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Postings gathered in memory before they are merged into buckets (16 bytes each).
    pub buffer_postings: usize,
    /// Shingles of documents kept in memory for verification (8 bytes each).
    pub cached_shingles: usize,
    /// Shingles of one text that are listed; larger sets are counted in parts. It changes no answer.
    pub listed_shingles: usize,
    /// Memory for documents under way, in bytes: see [`Memory`].
    pub working_bytes: u64,
    /// Drop signatures, postings and edges when opening, and make them again from the texts.
    pub rebuild: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            buffer_postings: 12_000_000,
            cached_shingles: 24_000_000,
            listed_shingles: ShingleSet::LISTED,
            working_bytes: 1 << 30,
            rebuild: false,
        }
    }
}

/// What the index takes, by scheme.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The scheme.
    pub scheme: SchemeKind,
    /// Postings in buckets and buffer.
    pub postings: u64,
    /// Those of them that are held in memory until they are merged into buckets.
    pub unmerged: u64,
    /// Bytes of posting values in buckets.
    pub bytes: u64,
    /// The finest and the coarsest rung that documents were sampled at; none without documents.
    pub rungs: Option<(Rung, Rung)>,
}

/// The index.
pub struct Index {
    pub(crate) store: Box<dyn Store>,
    pub(crate) texts: TextStore,
    pub(crate) options: Options,
    pub(crate) parameters: Parameters,
    shared: RwLock<Shared>,
    /// Held by whoever writes; one at a time.
    writer: Mutex<Writer>,
    sets: Mutex<SetCache>,
    memory: Memory,
    /// Nanoseconds spent signing, by scheme.
    signing: [AtomicU64; 3],
    /// Documents whose extracted text was found damaged: let go at the next rescan.
    pub(crate) lost: Mutex<BTreeSet<DocId>>,
    /// Text segments in which a text was found damaged: the next rescan reads all of theirs.
    pub(crate) suspects: Mutex<BTreeSet<u32>>,
    /// Serial from which documents are named by the present canonical text.
    pub(crate) named_from: u64,
}

/// What queries read.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) table: Table,
    /// Postings since the last merge, by scheme.
    pub(crate) buffers: [Buffer; 3],
    /// Postings being merged right now: in buckets or not, so they are read here as well.
    pub(crate) merging: [Arc<Buffer>; 3],
    pub(crate) bucket_bits: [u8; 3],
    /// Postings in buckets and their bytes, by scheme, as of the last merge.
    pub(crate) merged: ([u64; 3], [u64; 3]),
    /// Roots whose files are grouped.
    pub(crate) served: View,
    pub(crate) stars: Stars,
    /// Handles of the groups shown.
    pub(crate) handles: Handles,
    /// Documents that wait for their place in a group, or whose files changed.
    pub(crate) unsettled: Unsettled,
    /// Documents whose star or files changed since groups last got their handles.
    pub(crate) touched: BTreeSet<DocId>,
}

/// What only the writer touches.
pub(crate) struct Writer {
    pub(crate) meta: MetaRecord,
    /// Contents that lost a file: purged at the next merge if they still have none.
    pub(crate) orphans: BTreeSet<ContentHash>,
}

impl Index {
    pub(crate) fn assemble(
        store: Box<dyn Store>,
        texts: TextStore,
        options: Options,
        shared: Shared,
        writer: Writer,
    ) -> Self {
        Self {
            store,
            texts,
            options,
            parameters: writer.meta.parameters.clone(),
            named_from: writer.meta.named_from,
            shared: RwLock::new(shared),
            writer: Mutex::new(writer),
            sets: Mutex::new(SetCache::new(8 * options.cached_shingles as u64)),
            memory: Memory::new(options.working_bytes),
            signing: Default::default(),
            lost: Mutex::default(),
            suspects: Mutex::default(),
        }
    }

    // A poisoned lock means a panic elsewhere; what it guards is replaced whole, so go on.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Shared> {
        self.shared.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Shared> {
        self.shared.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The budgets of what is held at once for documents under way.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Windows of every text signature.
    pub fn window(&self) -> Window {
        Window::bytes(self.parameters.window).unwrap_or(Window::DEFAULT)
    }

    /// What the signatures and edges were made with.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    pub(crate) fn buckets(&self, shared: &Shared, scheme: SchemeKind) -> Buckets<'_> {
        let bits = shared.bucket_bits[usize::from(scheme_number(scheme))];
        Buckets {
            store: self.store.postings(),
            scheme,
            bits,
        }
    }

    /// Returns once everything applied before is power-safe.
    pub fn commit(&self) -> Result<(), IndexError> {
        self.texts.sync()?;
        self.store.commit()?;
        if self.texts.has_vanished() {
            self.note_vanished()?;
        }
        Ok(())
    }

    /// Merges what is buffered, commits and closes the store.
    pub fn close(self) -> Result<(), IndexError> {
        // What is known only in memory must not be lost with it.
        self.release_lost()?;
        self.merge()?;
        self.compact_texts()?;
        // The texts that could not be copied.
        self.release_lost()?;
        self.commit()?;
        Ok(self.store.close()?)
    }

    /// What a file's record says.
    pub fn file(&self, file: &FileKey) -> Result<Option<FileRecord>, IndexError> {
        self.record(&key::file(file), "of a file", FileRecord::decode)
    }

    /// What a content's record says.
    pub fn content(&self, hash: ContentHash) -> Result<Option<ContentRecord>, IndexError> {
        self.record(&key::content(hash), "of a content", ContentRecord::decode)
    }

    /// What a document's record says.
    pub fn document(&self, id: DocId) -> Result<Option<DocumentRecord>, IndexError> {
        self.record(&key::document(id), "of a document", DocumentRecord::decode)
    }

    /// The document with this canonical text, if any.
    pub fn document_by_hash(&self, hash: DocumentHash) -> Result<Option<DocId>, IndexError> {
        let found = self.store.records().get(&key::document_by_hash(hash))?;
        Ok(found.and_then(|bytes| key::parse_document(&bytes, 0)))
    }

    fn record<T>(
        &self,
        key: &[u8],
        what: &str,
        decode: impl Fn(&[u8]) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, IndexError> {
        let bytes = self.store.records().get(key)?;
        let decoded = bytes.map(|bytes| decode(&bytes)).transpose();
        decoded.map_err(|source| IndexError::Record {
            what: what.to_owned(),
            source,
        })
    }

    /// The figures of a document that is known.
    pub fn stats(&self, id: DocId) -> Option<DocumentStats> {
        self.read().table.get(id).copied()
    }

    /// Extracted text of a document; none for raw bytes.
    pub fn text(&self, id: DocId) -> Result<Option<String>, IndexError> {
        self.read_text(id, |record| self.text_of(id, record))
    }

    /// Reads what a document's record points to; notes the document where that is damaged.
    fn read_text<T>(
        &self,
        id: DocId,
        read: impl Fn(&DocumentRecord) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let text = || {
            let record = self.document(id)?.ok_or(IndexError::UnknownDocument(id))?;
            read(&record)
        };
        let read = match text() {
            // A compaction moved it between the two reads; the record now says where to.
            Err(IndexError::Text(TextError::NoSegment { .. })) => text(),
            read => read,
        };
        read.inspect_err(|error| self.note_lost(id, error))
    }

    /// Length of a document's extracted text, in bytes; none for raw bytes.
    fn text_length(&self, id: DocId) -> Result<Option<u64>, IndexError> {
        let record = self.document(id)?.ok_or(IndexError::UnknownDocument(id))?;
        Ok(text_reference(&record)?.map(|reference| u64::from(reference.len)))
    }

    /// Extracted text of a document, with a permit for it; none for raw bytes.
    pub fn held_text(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<(String, Option<MemoryPermit>)>, IndexError> {
        let Some(length) = self.text_length(id)? else {
            return Ok(None);
        };
        // The block it lies in, and the text itself.
        let mut permit = account.take_large(2 * length)?;
        let text = self.text(id)?;
        if let Some(permit) = &mut permit {
            permit.shrink_to(length);
        }
        Ok(text.map(|text| (text, permit)))
    }

    /// All shingles of a document's text, for exact counts; none for raw bytes.
    pub fn shingles(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<HeldSet>, IndexError> {
        let lock = || self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = lock().get(id);
        if let Some(set) = cached {
            let permit = account.take_large(set.counting_bytes())?;
            return Ok(Some(HeldSet { set, permit }));
        }
        let read = self.read_text(id, |record| self.canonical_of(id, record, account))?;
        let Some((canonical, _of_canonical)) = read else {
            return Ok(None);
        };
        let held = self.shingles_of(&canonical, account)?;
        lock().insert(id, Arc::clone(&held.set));
        Ok(Some(held))
    }

    /// All shingles of a text that need not be in the index.
    pub fn shingles_of(
        &self,
        canonical: &CanonicalText,
        account: &MemoryAccount,
    ) -> Result<HeldSet, IndexError> {
        let length = canonical.as_bytes().len() as u64;
        let mut permit = account.take_large(ShingleSet::peak_bytes(length))?;
        let most = self.options.listed_shingles;
        let set = Arc::new(ShingleSet::listing(canonical, self.window(), most));
        if let Some(permit) = &mut permit {
            permit.shrink_to(set.counting_bytes());
        }
        Ok(HeldSet { set, permit })
    }

    /// Postings and bytes by scheme.
    pub fn usage(&self) -> Vec<Usage> {
        let shared = self.read();
        let (postings, bytes) = shared.merged;
        let usage = SCHEMES.iter().map(|&scheme| {
            let at = usize::from(scheme_number(scheme));
            let unmerged = (shared.buffers[at].len() + shared.merging[at].len()) as u64;
            let kind = match scheme {
                SchemeKind::Chunks => DocumentKind::Raw,
                SchemeKind::ModN | SchemeKind::BswN => DocumentKind::Text,
            };
            let mut rungs = shared.table.rungs(kind);
            let finest = rungs.next();
            Usage {
                scheme,
                postings: postings[at] + unmerged,
                unmerged,
                bytes: bytes[at],
                rungs: finest.map(|finest| (finest, rungs.last().unwrap_or(finest))),
            }
        });
        usage.collect()
    }

    /// Documents that some file of the view carries.
    pub fn live_documents(&self, view: &View) -> u64 {
        self.read().table.visible(view).len()
    }

    /// Remembers a report: when it was finished (microseconds since 1970), where, groups in it.
    pub fn put_report(&self, at: u64, out: &Path, groups: u64) -> Result<(), IndexError> {
        use std::os::unix::ffi::OsStrExt;
        let mut batch = crate::batch::Batch::new(self.store.records());
        let record = ReportRecord {
            out: out.as_os_str().as_bytes().to_vec(),
            groups,
        };
        batch.put(key::report(at), record.encode());
        Ok(batch.apply()?)
    }

    /// Reports remembered, oldest first: when, and what.
    pub fn reports(&self) -> Result<Vec<(u64, ReportRecord)>, IndexError> {
        let mut reports = Vec::new();
        crate::open::visit(&*self.store, key::prefix::REPORT, |bytes, value| {
            let record = ReportRecord::decode(value);
            let record = record.map_err(|source| IndexError::Record {
                what: "of a report".to_owned(),
                source,
            })?;
            let at = key::parse_document(bytes, 1).map_or(0, |id| id.0);
            reports.push((at, record));
            Ok(())
        })?;
        Ok(reports)
    }

    /// Counts time spent signing.
    pub(crate) fn spent_signing(&self, scheme: SchemeKind, time: std::time::Duration) {
        let at = usize::from(scheme_number(scheme));
        self.signing[at].fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Seconds spent signing with a scheme since the index was opened.
    pub fn sign_seconds(&self, scheme: SchemeKind) -> f64 {
        let nanos = self.signing[usize::from(scheme_number(scheme))].load(Ordering::Relaxed);
        nanos as f64 / 1e9
    }

    /// Bytes on disk: store, extracted text.
    pub fn bytes_on_disk(&self) -> Result<(u64, u64), IndexError> {
        let segments = self.texts.segments()?;
        let texts = segments.iter().map(|segment| segment.file_bytes).sum();
        Ok((self.store.bytes_on_disk(), texts))
    }

    /// The root at this path, recorded under a new id if it is not known.
    pub fn root(&self, path: &Path) -> Result<RootId, IndexError> {
        use std::os::unix::ffi::OsStrExt;
        let path = path.as_os_str().as_bytes();
        // Held throughout: two callers must not record one path twice.
        let mut writer = self.writer();
        let known = self
            .roots()?
            .into_iter()
            .find(|(_, record)| record.path == path);
        if let Some((id, _)) = known {
            return Ok(id);
        }
        let id = RootId(writer.meta.next_root);
        writer.meta.next_root += 1;
        let mut batch = crate::batch::Batch::new(self.store.records());
        let record = RootRecord {
            path: path.to_vec(),
            pending_loss: 0,
            identity: None,
        };
        batch.put(key::root(id), record.encode());
        batch.put(key::meta(), writer.meta.encode());
        batch.apply()?;
        Ok(id)
    }

    /// Writes a root's record.
    pub fn put_root(&self, id: RootId, record: &RootRecord) -> Result<(), IndexError> {
        let mut batch = crate::batch::Batch::new(self.store.records());
        batch.put(key::root(id), record.encode());
        Ok(batch.apply()?)
    }
}

/// Where a document's extracted text lies; none for raw bytes.
pub(crate) fn text_reference(record: &DocumentRecord) -> Result<Option<TextRef>, IndexError> {
    let damaged = || IndexError::Damaged(format!("text reference of document {}", record.hash));
    let Some(bytes) = &record.text else {
        return Ok(None);
    };
    Ok(Some(TextRef::from_bytes(bytes).ok_or_else(damaged)?))
}
