//! The test bed: a store in a temporary directory, filled with a synthetic corpus along the way
//! that real documents take, and queries whose right answers are known.

use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::ensure;
use simdex_index::store::{Hooked, Hooks, SledStore, Store as _, StoreOptions};
use simdex_index::{
    Cancel, CandidateKind, FileChange, Fingerprints, FoundCandidates, Index, IndexReader,
    NewContent, NewDocument, Opened, Options, QueryFingerprints, SeenFile, VisibleRoots,
};
use simdex_schema::file::FileOutcome;
use simdex_schema::meta::Parameters;
use simdex_schema::{
    ContentHash, ContentRecord, DocId, DocumentHash, DocumentKind, FileKey, FileRecord, FileStat,
    RootId, Schemes, State, StoredReason,
};
use simdex_signature::{CANONICAL_VERSION, Fingerprint, SchemeKind, Signature};
use simdexd::config::{Mebibytes, StoreConfig};
use tempfile::TempDir;

use super::Settings;
use super::process::{allocated, processor_seconds, thread_processor_time};
use crate::corpus::{Random, Synthetic};

/// Documents applied at once: more than the daemon applies, so that less of the time is spent on batches.
const BATCH: u64 = 256;
/// `store.memory_mib` of the small mode, by which a million documents are to take 768 MiB.
const SMALL: Mebibytes = Mebibytes(256);
/// Documents after which everything so far is made power-safe.
pub(super) const COMMIT_EVERY: u64 = 1024;

/// Where the index lies while it is measured.
pub(super) struct Bed {
    home: PathBuf,
    /// Removes it, unless it is to be kept.
    _temporary: Option<TempDir>,
    memory: Memory,
    pub(super) corpus: Synthetic,
}

/// How much memory the index is configured to take.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    pub(super) cache_bytes: u64,
    pub(super) options: Options,
}

impl Memory {
    /// As the daemon's config divides its `store.memory_mib`: the default, or [`SMALL`].
    pub(super) fn of(settings: &Settings) -> Self {
        let mut store = StoreConfig::default();
        if settings.small {
            store.memory_mib = SMALL;
        }
        let parts = store.memory();
        Self {
            cache_bytes: parts.cache_bytes,
            options: parts.options(),
        }
    }
}

/// How filling an index went.
#[derive(Default)]
pub(super) struct Filled {
    pub(super) postings: u64,
    /// Applying, committing and merging; making the documents is not counted.
    pub(super) busy: Duration,
    pub(super) commits: u64,
    /// The part of `busy` that went to making all power-safe.
    pub(super) committing: Duration,
    /// Seconds of processor time that went to all of `busy`.
    pub(super) processor: f64,
    /// Processor time of the thread that did it: what the engine does in others is not counted.
    pub(super) of_thread: Duration,
    /// Runs there were at once, at most.
    pub(super) most_runs: usize,
}

impl Bed {
    pub(super) fn new(seed: u64, settings: &Settings) -> anyhow::Result<Self> {
        let (home, temporary) = match &settings.store {
            Some(dir) => {
                std::fs::create_dir_all(dir)?;
                (dir.clone(), None)
            }
            None => {
                let temporary = tempfile::tempdir()?;
                (temporary.path().to_owned(), Some(temporary))
            }
        };
        Ok(Self {
            home,
            _temporary: temporary,
            memory: Memory::of(settings),
            corpus: Synthetic { seed },
        })
    }

    /// A bed in a folder beside this one's store.
    pub(super) fn beside(&self, name: &str) -> Self {
        Self {
            home: self.home.join(name),
            _temporary: None,
            memory: self.memory,
            corpus: self.corpus,
        }
    }

    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    pub(super) fn store_dir(&self) -> PathBuf {
        self.home.join("store")
    }

    /// Opens the index, Mod_n alone; says how long that took.
    pub(super) fn open(&self) -> anyhow::Result<(Opened, Duration)> {
        let parameters = Parameters {
            canonical: CANONICAL_VERSION,
            window: 20,
            target: 512,
            schemes: Schemes::default(),
            threshold: 0.8,
            template_lines: None,
        };
        let begin = Instant::now();
        let cache_bytes = self.memory.cache_bytes;
        let store = SledStore::open(&self.store_dir(), StoreOptions { cache_bytes })?;
        // As the daemon wraps it.
        let store = Box::new(Hooked::new(Box::new(store), Hooks::default()));
        let texts = self.home.join("texts");
        let opened = Index::open(store, &texts, parameters, self.memory.options)?;
        let report = opened.report;
        ensure!(
            report.signed_again == 0 && !report.rebuilt,
            "the index was not closed whole"
        );
        Ok((opened, begin.elapsed()))
    }

    /// Bytes of disk allocated to the records.
    pub(super) fn allocated_to_records(&self) -> anyhow::Result<u64> {
        let store = self.store_dir();
        Ok(allocated(&store)? - allocated(&store.join("runs"))?)
    }

    /// Bytes of all records, keys and values: what lives of the records.
    pub(super) fn live_records(&self) -> anyhow::Result<u64> {
        let store = SledStore::open(&self.store_dir(), StoreOptions::DAEMON)?;
        let mut bytes = 0;
        store.records().scan(b"", None, &mut |key, value| {
            bytes += (key.len() + value.len()) as u64;
            ControlFlow::Continue(())
        })?;
        store.close()?;
        Ok(bytes)
    }

    /// Indexes these documents of the corpus, everything merged and committed at the end.
    pub(super) fn fill(&self, opened: &Opened, documents: Range<u64>) -> anyhow::Result<Filled> {
        let mut filled = Filled::default();
        for first in documents.clone().step_by(BATCH as usize) {
            let end = documents.end.min(first + BATCH);
            let signatures: Vec<Signature> = (first..end)
                .map(|document| self.corpus.signature(document))
                .collect();
            filled.postings += signatures.iter().map(|s| s.len() as u64).sum::<u64>();
            let changes: Vec<_> = (first..end)
                .zip(signatures)
                .flat_map(|(d, s)| changes(d, s))
                .collect();
            let watch = Watch::start()?;
            let applied = opened.writer.apply(&changes)?;
            if end.is_multiple_of(COMMIT_EVERY) {
                let begin = Instant::now();
                opened.writer.commit()?;
                filled.commits += 1;
                filled.committing += begin.elapsed();
            }
            watch.stop(&mut filled)?;
            filled.most_runs = filled.most_runs.max(opened.index.merges().runs);
            ensure!(
                applied.new_documents == end - first,
                "documents of the corpus are not distinct"
            );
        }
        let watch = Watch::start()?;
        opened.writer.merge()?;
        watch.stop(&mut filled)?;
        Ok(filled)
    }

    /// Deletes the files of these documents, everything merged and committed at the end.
    pub(super) fn delete(&self, opened: &Opened, documents: Range<u64>) -> anyhow::Result<()> {
        for first in documents.clone().step_by(BATCH as usize) {
            let end = documents.end.min(first + BATCH);
            let gone: Vec<_> = (first..end)
                .flat_map(|d| (0..files_of(d)).map(move |copy| file_key(d, copy)))
                .map(FileChange::removal)
                .collect();
            opened.writer.apply(&gone)?;
            if end.is_multiple_of(COMMIT_EVERY) {
                opened.writer.commit()?;
            }
        }
        // Documents are forgotten once the settler has seen that no file carries them.
        opened.writer.settle_step(&Cancel::never())?;
        Ok(opened.writer.merge()?)
    }
}

/// What filling takes, from its start.
struct Watch {
    begin: Instant,
    processor: f64,
    of_thread: Duration,
}

impl Watch {
    fn start() -> anyhow::Result<Self> {
        Ok(Self {
            begin: Instant::now(),
            processor: processor_seconds()?,
            of_thread: thread_processor_time(),
        })
    }

    fn stop(self, filled: &mut Filled) -> anyhow::Result<()> {
        filled.busy += self.begin.elapsed();
        filled.processor += processor_seconds()? - self.processor;
        filled.of_thread += thread_processor_time() - self.of_thread;
        Ok(())
    }
}

/// The number of files that carry a document: one in ten is in three, each with a content of its own.
fn files_of(document: u64) -> u64 {
    if document.is_multiple_of(10) { 3 } else { 1 }
}

/// A file that carries a document.
fn file_key(document: u64, copy: u64) -> FileKey {
    let place = (document + copy) % 10;
    let path = format!(
        "department {place}/folder {}/{document}.txt",
        document / 1000
    );
    FileKey {
        root: RootId(1),
        path: path.into_bytes(),
    }
}

/// The files of a document, seen for the first time.
fn changes(document: u64, signature: Signature) -> impl Iterator<Item = FileChange> {
    (0..files_of(document)).map(move |copy| change(document, copy, signature.clone()))
}

/// A file seen for the first time, with its content and document.
fn change(document: u64, copy: u64, signature: Signature) -> FileChange {
    let name = |of: &str| *blake3::hash(format!("{of} {document}").as_bytes()).as_bytes();
    let length = (signature.len() as u64) << signature.rung().get();
    let content = ContentHash(name(&format!("content {copy} of")));
    let record = ContentRecord {
        state: State::Indexed,
        reason: StoredReason::None,
        document: None,
        media_type: "text/plain".to_owned(),
        parser: "plain 1".to_owned(),
        extractor: 1,
        strikes: 0,
        bytes: length,
        warnings: Vec::new(),
        facts: Vec::new(),
        reader: None,
    };
    let new = NewDocument {
        permit: None,
        hash: DocumentHash(name("document")),
        kind: DocumentKind::Text,
        length,
        chars: length,
        text: None,
        signatures: vec![signature],
    };
    FileChange::file(SeenFile {
        key: file_key(document, copy),
        record: FileRecord::new(
            FileStat {
                inode: document,
                length,
                ..FileStat::default()
            },
            FileOutcome::Content(content),
        ),
        content: Some(Box::new(NewContent {
            record,
            document: Some(new),
        })),
    })
}

/// A query and the document it was made from.
pub(super) struct Query {
    source: DocId,
    /// The source's own fingerprints.
    original: Signature,
    pub(super) signature: Signature,
}

/// Queries of which every second is an edited copy of a stored document, the others stored ones.
pub(super) fn queries(corpus: Synthetic, documents: u64, count: u64) -> Vec<Query> {
    let mut random = Random::new(corpus.seed, u64::MAX - 1);
    let query = |number: u64| {
        let source = random.below(documents);
        let original = corpus.signature(source);
        let signature = match number % 2 {
            0 => corpus.edited_copy(source, &mut random),
            _ => original.clone(),
        };
        // Documents are numbered as they come.
        Query {
            source: DocId::local(source),
            original,
            signature,
        }
    };
    (0..count).map(query).collect()
}

impl Query {
    /// Asks the index; says how long that took.
    pub(super) fn ask(
        &self,
        index: &IndexReader,
        kind: CandidateKind,
    ) -> anyhow::Result<(FoundCandidates, Duration)> {
        let asked = QueryFingerprints {
            scheme: SchemeKind::ModN,
            fingerprints: Fingerprints::Listed(self.signature.fingerprints()),
            rung: self.signature.rung(),
        };
        let account = index.memory().requests.account(&Cancel::never());
        let begin = Instant::now();
        let candidates =
            index
                .candidates()
                .by_samples(asked, kind, &VisibleRoots::All, &account)?;
        Ok((candidates, begin.elapsed()))
    }

    /// Whether the source is among the candidates, with all three counts right.
    pub(super) fn is_answered_by(&self, candidates: &FoundCandidates) -> bool {
        let Some(found) = candidates.found.iter().find(|c| c.document == self.source) else {
            return false;
        };
        let at_rung = |f: &&Fingerprint| f.divisible_by(found.rung);
        let (query, original) = (self.signature.fingerprints(), self.original.fingerprints());
        let both = |f: &&Fingerprint| at_rung(f) && original.binary_search(f).is_ok();
        found.query_fingerprints == query.iter().filter(at_rung).count() as u64
            && found.document_fingerprints == original.iter().filter(at_rung).count() as u64
            && found.shared == query.iter().filter(both).count() as u64
    }
}
