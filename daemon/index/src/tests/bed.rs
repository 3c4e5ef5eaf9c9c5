//! Test beds: an index is opened in one, filled and opened again.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Weak};

use simdex_schema::meta::Parameters;
use simdex_schema::posting::{Posting, scheme_number};
use simdex_schema::{
    ContentHash, ContentRecord, DocId, DocumentHash, DocumentKind, EdgeRecord, FileKey, FileRecord,
    FileStat, RootId, Schemes, State, StoredReason, file::FileOutcome, key,
};
use simdex_signature::{
    CANONICAL_VERSION, CanonicalText, Chunks, Ladder, Ratio, SchemeKind, Signature, TemplateLines,
};

use super::frail::Frail;
use crate::buckets::{Buckets, Cursor};
use crate::integrity::{VerifyDepth, verify};
use crate::store::{MemoryStore, SledStore, Store};
use crate::{
    Cancel, FileChange, Index, IndexError, IndexReader, IndexSettings, IndexWriter, MemoryAccount,
    NewContent, NewDocument, OpenReport, Options, Registry, SeenFile, UnreadTexts, VisibleRoots,
};

pub(super) const PARAMETERS: Parameters = Parameters {
    canonical: CANONICAL_VERSION,
    window: 20,
    target: 512,
    schemes: Schemes::of(&[SchemeKind::BswN]),
    threshold: 0.7,
    template_lines: None,
};

/// Sets a flag that other threads wait for, however its own thread ends.
pub(super) struct Finish<'a>(pub(super) &'a AtomicBool);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Where an index is stored.
enum Place {
    /// Outlives the index, and fails after this many writes.
    Memory(Arc<MemoryStore>, Arc<AtomicI64>),
    Disk(PathBuf),
}

/// An open index with all of its clients.
pub(super) struct Clients {
    pub(super) index: Index,
    pub(super) writer: IndexWriter,
}

impl Clients {
    pub(super) fn reader(&self) -> &IndexReader {
        self.index.reader()
    }

    pub(super) fn registry(&self) -> &Registry {
        self.index.registry()
    }
}

pub(super) struct Bed {
    place: Place,
    pub(super) parameters: Parameters,
    pub(super) template_lines: TemplateLines,
    pub(super) options: Options,
    dir: tempfile::TempDir,
    index: Option<Arc<Clients>>,
}

impl Bed {
    pub(super) fn memory() -> Self {
        let place = Place::Memory(Arc::default(), Arc::new(AtomicI64::new(i64::MAX)));
        Self::new(|_| place)
    }

    pub(super) fn disk() -> Self {
        Self::new(|dir| Place::Disk(dir.join("store")))
    }

    fn new(place: impl FnOnce(&Path) -> Place) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let options = Options {
            buffer_postings: 20_000,
            cached_shingles: 100_000,
            principal_list_bytes: 32 << 20,
            text_block_bytes: 16 << 20,
            resting_bytes: 1 << 20,
            working_bytes: 64 << 20,
            records_bytes: 64 << 20,
            second_settler: true,
            // Short texts have fewer, all others more: most sets are counted in parts.
            listed_shingles: 500,
            rebuild: false,
            unread: UnreadTexts::Release,
        };
        let place = place(dir.path());
        let mut bed = Self {
            place,
            parameters: PARAMETERS,
            template_lines: TemplateLines::default(),
            options,
            dir,
            index: None,
        };
        bed.open();
        for root in ["/data/a", "/data/b"] {
            bed.index().writer.add_root(Path::new(root)).unwrap();
        }
        bed
    }

    pub(super) fn index(&self) -> &Clients {
        self.index.as_ref().unwrap()
    }

    pub(super) fn reader(&self) -> &IndexReader {
        self.index().reader()
    }

    /// The index for a hook, which must not keep it open.
    pub(super) fn weak(&self) -> Weak<Clients> {
        Arc::downgrade(self.index.as_ref().unwrap())
    }

    /// Drops the index as a crash would and opens it again.
    pub(super) fn open(&mut self) -> OpenReport {
        self.try_open().unwrap()
    }

    pub(super) fn try_open(&mut self) -> Result<OpenReport, IndexError> {
        self.open_unless(&Cancel::never())
    }

    pub(super) fn open_unless(&mut self, stop: &Cancel) -> Result<OpenReport, IndexError> {
        self.index = None;
        let store: Box<dyn Store> = match &self.place {
            Place::Memory(store, left) => Box::new(Frail(Arc::clone(store), Arc::clone(left))),
            Place::Disk(dir) => {
                let options = crate::store::StoreOptions {
                    cache_bytes: 8 << 20,
                };
                Box::new(SledStore::open(dir, options)?)
            }
        };
        let settings = IndexSettings::new(self.parameters.clone(), self.template_lines.clone());
        let opened = Index::open_unless(store, &self.texts(), settings, self.options, stop)?;
        self.index = Some(Arc::new(Clients {
            index: opened.index,
            writer: opened.writer,
        }));
        Ok(opened.report)
    }

    /// How many edges the store holds.
    pub(super) fn stored_edges(&self) -> usize {
        let mut edges = 0;
        crate::stored_records::visit(
            &*self.index().index.shared.store,
            key::prefix::EDGE,
            |_, _| {
                edges += 1;
                Ok(())
            },
        )
        .unwrap();
        edges
    }

    /// Where the texts are.
    pub(super) fn texts(&self) -> PathBuf {
        self.dir.path().join("texts")
    }

    /// Where the store is, if it is on disk.
    pub(super) fn store(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    /// Closes the index properly.
    pub(super) fn close(&mut self) {
        let Clients { index, writer } = Arc::into_inner(self.index.take().unwrap()).unwrap();
        index.close(writer).unwrap();
    }

    /// Closes the index properly and opens it again.
    pub(super) fn close_and_open(&mut self) -> OpenReport {
        self.close();
        let report = self.open();
        self.verify();
        report
    }

    /// Asserts that nothing stored contradicts itself.
    pub(super) fn verify(&self) {
        let store = self.index().index.shared.store.as_ref();
        let found = verify(store, &self.texts(), VerifyDepth::Everything).unwrap();
        assert_eq!(found.faults.messages, [""; 0]);
    }

    /// Takes the ids of all runs away, for a store of format 5 or 6.
    pub(super) fn forget_run_ids(&self) {
        match &self.place {
            Place::Memory(store, _) => store.forget_run_ids(),
            Place::Disk(_) => unreachable!("the runs of a store on disk keep their ids"),
        }
    }

    /// The writes after which the store fails, for a hook.
    pub(super) fn writes_left(&self) -> Arc<AtomicI64> {
        match &self.place {
            Place::Memory(_, left) => Arc::clone(left),
            Place::Disk(_) => unreachable!("a store on disk does not fail on demand"),
        }
    }

    /// Makes the store fail after this many writes.
    pub(super) fn fail_after(&self, writes: i64) {
        if let Place::Memory(_, left) = &self.place {
            left.store(writes, Ordering::SeqCst);
        }
    }

    /// Whether the store failed.
    pub(super) fn failed(&self) -> bool {
        matches!(&self.place, Place::Memory(_, left) if left.load(Ordering::SeqCst) < 0)
    }

    pub(super) fn settle(&self) {
        self.index().writer.settle(&Cancel::never()).unwrap();
    }

    pub(super) fn put(&self, path: &str, text: &str) {
        self.index()
            .writer
            .apply(&[put(self.index(), path, text, 0)])
            .unwrap();
    }

    pub(super) fn remove(&self, path: &str) {
        self.index()
            .writer
            .apply(&[FileChange::removal(file(path))])
            .unwrap();
    }

    /// The document of a text.
    pub(super) fn id(&self, text: &str) -> Option<DocId> {
        self.reader().documents().with_hash(document(text)).unwrap()
    }
}

/// `a/x.txt` under the roots of a bed.
pub(super) fn file(path: &str) -> FileKey {
    let (root, below) = path.split_once('/').unwrap();
    let root = RootId(if root == "a" { 1 } else { 2 });
    FileKey {
        root,
        path: below.as_bytes().to_vec(),
    }
}

/// The bytes that carry a text in one of many formats.
pub(super) fn content(text: &str, format: u8) -> ContentHash {
    ContentHash(*blake3::hash(format!("{format}|{text}").as_bytes()).as_bytes())
}

pub(super) fn document(text: &str) -> DocumentHash {
    DocumentHash(CanonicalText::from_extracted(text).hash())
}

/// The change that adds a file with this text.
pub(super) fn put(index: &Clients, path: &str, text: &str, format: u8) -> FileChange {
    let canonical = CanonicalText::from_extracted(text);
    let length = canonical.as_bytes().len() as u64;
    let document = NewDocument {
        permit: None,
        hash: document(text),
        kind: DocumentKind::Text,
        length,
        chars: canonical.chars(),
        text: Some(text.to_owned()),
        signatures: sign(index.reader(), &canonical),
    };
    let hash = content(text, format);
    put_content(path, hash, State::Indexed, Some(document))
}

/// Signs a text as ingestion does.
pub(super) fn sign(index: &IndexReader, canonical: &CanonicalText) -> Vec<Signature> {
    let account = index.memory().backlog.account(&Cancel::never());
    let (signed, _permit) = index.signer().signed_text(canonical, &account).unwrap();
    index
        .signer()
        .sign(&signed, canonical.as_bytes().len() as u64)
}

/// A file without text, compared by its bytes.
pub(super) fn put_raw(path: &str, bytes: &[u8]) -> FileChange {
    let hash = *blake3::hash(bytes).as_bytes();
    let document = NewDocument {
        permit: None,
        hash: DocumentHash(*blake3::keyed_hash(&[7; 32], bytes).as_bytes()),
        kind: DocumentKind::Raw,
        length: bytes.len() as u64,
        chars: 0,
        text: None,
        signatures: vec![Chunks::sign_by(bytes, Ladder::default())],
    };
    put_content(path, ContentHash(hash), State::NoText, Some(document))
}

pub(super) fn put_content(
    path: &str,
    hash: ContentHash,
    state: State,
    document: Option<NewDocument>,
) -> FileChange {
    let record = ContentRecord {
        state,
        reason: StoredReason::None,
        document: None,
        media_type: "text/plain".to_owned(),
        parser: String::new(),
        extractor: 1,
        strikes: 0,
        bytes: 1,
        warnings: Vec::new(),
        facts: Vec::new(),
        reader: None,
    };
    let content = Some(Box::new(NewContent { record, document }));
    FileChange::file(SeenFile {
        key: file(path),
        record: record_of(hash),
        content,
    })
}

/// The file of a change of one file.
pub(super) fn seen_file(change: FileChange) -> SeenFile {
    change.into_file().expect("a change of one file")
}

/// A file seen with a content that is claimed to be known.
pub(super) fn seen(path: &str, hash: ContentHash) -> FileChange {
    FileChange::file(SeenFile::without_content(file(path), record_of(hash)))
}

fn record_of(hash: ContentHash) -> FileRecord {
    let outcome = FileOutcome::Content(hash);
    FileRecord::new(FileStat::default(), outcome)
}

/// Every posting of a scheme as stored in the runs, and the bytes of their blocks; no other run is left.
pub(super) fn postings_in_runs(index: &Clients, scheme: SchemeKind) -> (Vec<Posting>, u64) {
    let runs = Arc::clone(&index.index.shared.state().runs);
    let numbers: Vec<u32> = runs.iter().map(|run| run.record.number).collect();
    assert_eq!(index.index.shared.store.postings().runs().unwrap(), numbers);
    let (mut postings, mut bytes) = (Vec::new(), 0);
    for run in runs.iter() {
        let mut count = |key: &[u8]| {
            if key[0] == scheme_number(scheme) {
                bytes += run.blocks.get(key).unwrap().unwrap().len() as u64;
            }
            ControlFlow::Continue(())
        };
        run.blocks.keys(&mut count).unwrap();
        let mut cursor = Cursor::new(Buckets::of(run, scheme));
        cursor.take_below(u64::MAX, &mut postings).unwrap();
    }
    (postings, bytes)
}

/// An account for a request that competes with no other.
pub(super) fn account(index: &Clients) -> MemoryAccount {
    index.reader().memory().requests.account(&Cancel::never())
}

/// Every near-duplicate of every document, from its side.
pub(super) fn pairs(
    index: &Clients,
    view: &VisibleRoots,
    threshold: Ratio,
) -> Vec<(DocId, DocId, EdgeRecord)> {
    let search = index.reader().pairs().search(view, threshold);
    let mut pairs = Vec::new();
    for a in search.documents() {
        let partners = search.partners_of(a, &account(index)).unwrap();
        pairs.extend(partners.into_iter().map(|(b, edge)| (a, b, edge)));
    }
    pairs
}
