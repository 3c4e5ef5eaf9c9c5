//! The test bed: a store in a temporary directory, filled with a synthetic corpus along the way
//! that real documents take, and queries whose right answers are known.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::ensure;
use simdex_index::store::{Options as StoreOptions, SledStore, Store as _};
use simdex_index::{
    Cancel, CandidateKind, Candidates, Change, Fingerprints, Index, NewContent, NewDocument,
    Options, QueryFingerprints, SeenFile, View,
};
use simdex_schema::file::FileOutcome;
use simdex_schema::meta::Parameters;
use simdex_schema::{
    ContentHash, ContentRecord, DocId, DocumentHash, DocumentKind, FileKey, FileRecord, FileStat,
    RootId, State, StoredReason,
};
use simdex_signature::{CANONICAL_VERSION, Fingerprint, SchemeKind, Signature};
use tempfile::TempDir;

use super::process::{allocated, processor_seconds};
use crate::corpus::{Random, Synthetic};

/// Documents applied at once, as the daemon does.
const BATCH: u64 = 256;
/// Documents after which everything so far is made power-safe.
const COMMIT_EVERY: u64 = 1024;

/// Where the index lies while it is measured.
pub(super) struct Bed {
    home: TempDir,
    pub(super) corpus: Synthetic,
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
    /// Runs there were at once, at most.
    pub(super) most_runs: usize,
}

impl Bed {
    pub(super) fn new(seed: u64) -> anyhow::Result<Self> {
        Ok(Self {
            home: tempfile::tempdir()?,
            corpus: Synthetic { seed },
        })
    }

    pub(super) fn store_dir(&self) -> PathBuf {
        self.home.path().join("store")
    }

    /// Opens the index, Mod_n alone; says how long that took.
    pub(super) fn open(&self) -> anyhow::Result<(Index, Duration)> {
        let parameters = Parameters {
            canonical: CANONICAL_VERSION,
            window: 20,
            target: 512,
            bsw_n: false,
            threshold: 0.8,
        };
        let begin = Instant::now();
        let store = Box::new(SledStore::open(&self.store_dir(), StoreOptions::DAEMON)?);
        let texts = self.home.path().join("texts");
        let opened = Index::open(store, &texts, parameters, Options::default())?;
        let report = opened.report;
        ensure!(
            report.signed_again == 0 && !report.rebuilt,
            "the index was not closed whole"
        );
        Ok((opened.index, begin.elapsed()))
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

    /// Indexes the first `documents` of the corpus, everything merged and committed at the end.
    pub(super) fn fill(&self, index: &Index, documents: u64) -> anyhow::Result<Filled> {
        let mut filled = Filled::default();
        for first in (0..documents).step_by(BATCH as usize) {
            let end = documents.min(first + BATCH);
            let signatures: Vec<Signature> = (first..end)
                .map(|document| self.corpus.signature(document))
                .collect();
            filled.postings += signatures.iter().map(|s| s.len() as u64).sum::<u64>();
            let changes: Vec<_> = (first..end)
                .zip(signatures)
                .map(|(d, s)| change(d, s))
                .collect();
            let (begin, processor) = (Instant::now(), processor_seconds()?);
            let applied = index.apply(&changes)?;
            if end.is_multiple_of(COMMIT_EVERY) {
                let begin = Instant::now();
                index.commit()?;
                filled.commits += 1;
                filled.committing += begin.elapsed();
            }
            filled.busy += begin.elapsed();
            filled.processor += processor_seconds()? - processor;
            filled.most_runs = filled.most_runs.max(index.merges().runs);
            ensure!(
                applied.new_documents == end - first,
                "documents of the corpus are not distinct"
            );
        }
        let (begin, processor) = (Instant::now(), processor_seconds()?);
        index.merge()?;
        filled.busy += begin.elapsed();
        filled.processor += processor_seconds()? - processor;
        Ok(filled)
    }
}

/// A file seen for the first time, with its content and document.
fn change(document: u64, signature: Signature) -> Change {
    let name = |of: &str| *blake3::hash(format!("{of} {document}").as_bytes()).as_bytes();
    let length = (signature.len() as u64) << signature.rung().get();
    let content = ContentHash(name("content"));
    let record = ContentRecord {
        state: State::Indexed,
        reason: StoredReason::None,
        document: None,
        media_type: "text/plain".to_owned(),
        engine: "plain 1".to_owned(),
        extractor: 1,
        strikes: 0,
        bytes: length,
        warnings: Vec::new(),
        facts: Vec::new(),
        reader: None,
    };
    let new = NewDocument {
        held: None,
        hash: DocumentHash(name("document")),
        kind: DocumentKind::Text,
        length,
        chars: length,
        text: None,
        signatures: vec![signature],
    };
    let path = format!(
        "department {}/folder {}/{document}.txt",
        document % 10,
        document / 1000
    );
    Change::file(SeenFile {
        key: FileKey {
            root: RootId(1),
            path: path.into_bytes(),
        },
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
        index: &Index,
        kind: CandidateKind,
    ) -> anyhow::Result<(Candidates, Duration)> {
        let asked = QueryFingerprints {
            scheme: SchemeKind::ModN,
            fingerprints: Fingerprints::Listed(self.signature.fingerprints()),
            rung: self.signature.rung(),
        };
        let begin = Instant::now();
        let candidates = index.candidates(asked, kind, &View::All, &Cancel::default())?;
        Ok((candidates, begin.elapsed()))
    }

    /// Whether the source is among the candidates, with all three counts right.
    pub(super) fn is_answered_by(&self, candidates: &Candidates) -> bool {
        let Some(found) = candidates.found.iter().find(|c| c.document == self.source) else {
            return false;
        };
        let at_rung = |f: &&Fingerprint| f.divisible_by(found.rung);
        let (query, original) = (self.signature.fingerprints(), self.original.fingerprints());
        let both = |f: &&Fingerprint| at_rung(f) && original.binary_search(f).is_ok();
        found.query == query.iter().filter(at_rung).count() as u64
            && found.of_document == original.iter().filter(at_rung).count() as u64
            && found.shared == query.iter().filter(both).count() as u64
    }
}
