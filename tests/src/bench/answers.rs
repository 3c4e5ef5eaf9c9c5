//! Whole answers at 100,000 documents of text: the time to 20 verified hits, in process and over
//! gRPC, and what settling the graph of near-duplicates costs.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use simdex_client::{Client, FindKind, FindOptions, Subject as Asked};
use simdex_index::store::{SledStore, StoreOptions};
use simdex_index::{
    Cancel, FileChange, Index, IndexReader, NewContent, NewDocument, Opened, SeenFile, VisibleRoots,
};
use simdex_schema::file::FileOutcome;
use simdex_schema::meta::Parameters;
use simdex_schema::{
    ContentHash, ContentRecord, DocumentHash, DocumentKind, FileKey, FileRecord, FileStat, RootId,
    State, StoredReason,
};
use simdex_signature::{CanonicalText, SchemeKind, SignedText};
use simdexd::config::Config;
use simdexd::read_side::query::{self, QueryParams, Subject, find};

use super::Settings;
use super::bed::Memory;
use super::process::{load, processor_seconds};
use crate::corpus::Prose;
use crate::figure::{Figures, percentile};
use crate::sandbox::Sandbox;

const DOCUMENTS: u64 = 100_000;
const QUERIES: u64 = 200;
const HITS: usize = 20;
/// Documents applied at once.
pub(super) const BATCH: u64 = 256;
/// Texts that are made before the time that they take is measured.
const MADE_AT_ONCE: u64 = 8 * BATCH;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS).max(Prose::FAMILY);
    figures.put("load of this machine at start", load()?, "processes")?;
    let sandbox = Sandbox::new()?;
    let corpus = Prose { seed: 20_260_102 };
    let opened = open(&sandbox)?;
    let stored = |number| corpus.text(number, 0);
    fill(&opened, &sandbox, &stored, documents, figures)?;
    let queries: Vec<String> = (0..QUERIES)
        .map(|q| corpus.text(q * 7_919 % documents, 1 + q))
        .collect();
    in_process(opened.index.reader(), &queries, figures)?;
    opened.index.close(opened.writer)?;
    over_grpc(&sandbox, &queries, figures)
}

pub(super) fn open(sandbox: &Sandbox) -> anyhow::Result<Opened> {
    open_with(sandbox, Memory::of(&Settings::default()))
}

/// Opens the index of a sandbox; what else it is run by are the defaults of the config.
pub(super) fn open_with(sandbox: &Sandbox, memory: Memory) -> anyhow::Result<Opened> {
    open_as(sandbox, memory, Config::default().parameters())
}

/// Opens the index of a sandbox with these parameters.
pub(super) fn open_as(
    sandbox: &Sandbox,
    memory: Memory,
    parameters: Parameters,
) -> anyhow::Result<Opened> {
    let Memory {
        cache_bytes,
        options,
    } = memory;
    let dir = sandbox.data_dir();
    std::fs::create_dir_all(&dir)?;
    let store = SledStore::open(&dir.join("store"), StoreOptions { cache_bytes })?;
    Ok(Index::open(
        Box::new(store),
        &dir.join("text"),
        parameters,
        options,
    )?)
}

/// What indexing texts took.
pub(super) struct Indexed {
    /// The root that the files are in.
    pub(super) root: RootId,
    /// Bytes of the texts.
    pub(super) bytes: u64,
    pub(super) busy: Duration,
    /// Seconds of processor time.
    pub(super) processor: f64,
}

/// Indexes texts as the daemon does, without files and workers, and settles them.
pub(super) fn fill(
    opened: &Opened,
    sandbox: &Sandbox,
    text: &dyn Fn(u64) -> String,
    documents: u64,
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    let indexed = index_texts(opened, sandbox, text, documents)?;
    figures.put("documents", documents as f64, "")?;
    figures.put("text", indexed.bytes as f64 / 1e6, "MB")?;
    figures.put(
        "signing, storing, indexing",
        documents as f64 / indexed.busy.as_secs_f64(),
        "documents/s",
    )?;
    settle(opened, documents, figures)
}

/// Indexes texts; until they are settled, they are in no group.
pub(super) fn index_texts(
    opened: &Opened,
    sandbox: &Sandbox,
    text: &dyn Fn(u64) -> String,
    documents: u64,
) -> anyhow::Result<Indexed> {
    let share = std::fs::canonicalize(sandbox.share())?;
    let mut indexed = Indexed {
        root: opened.writer.add_root(&share)?,
        bytes: 0,
        busy: Duration::ZERO,
        processor: 0.0,
    };
    for first in (0..documents).step_by(MADE_AT_ONCE as usize) {
        let texts: Vec<String> = (first..documents.min(first + MADE_AT_ONCE))
            .map(text)
            .collect();
        indexed.bytes += texts.iter().map(String::len).sum::<usize>() as u64;
        let (begin, processor) = (Instant::now(), processor_seconds()?);
        sign_and_apply(opened, indexed.root, first, texts)?;
        indexed.busy += begin.elapsed();
        indexed.processor += processor_seconds()? - processor;
    }
    let (begin, processor) = (Instant::now(), processor_seconds()?);
    opened.writer.merge()?;
    indexed.busy += begin.elapsed();
    indexed.processor += processor_seconds()? - processor;
    Ok(indexed)
}

/// Signs texts on a second thread, as the daemon's ingesters do, while the batch before is applied.
fn sign_and_apply(
    opened: &Opened,
    root: RootId,
    first: u64,
    texts: Vec<String>,
) -> anyhow::Result<()> {
    let index = opened.index.reader();
    let (sender, batches) = mpsc::sync_channel(1);
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut changes = (first..)
                .zip(texts)
                .map(|(number, text)| change(index, root, number, text));
            loop {
                let batch: Vec<FileChange> = changes.by_ref().take(BATCH as usize).collect();
                if batch.is_empty() || sender.send(batch).is_err() {
                    break;
                }
            }
        });
        for batch in batches {
            opened.writer.apply(&batch)?;
        }
        Ok(())
    })
}

/// Finds the groups of documents.
pub(super) fn settle(
    opened: &Opened,
    documents: u64,
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    let (begin, processor) = (Instant::now(), processor_seconds()?);
    opened.writer.settle(&Cancel::never())?;
    let settled = documents as f64 / begin.elapsed().as_secs_f64();
    figures.put("finding edges and groups", settled, "documents/s")?;
    put_settling(documents, processor_seconds()? - processor, opened, figures)
}

/// The file that a text was indexed as.
pub(super) fn key(root: RootId, number: u64) -> FileKey {
    FileKey {
        root,
        path: format!("{}/{number}.txt", number / 1000).into_bytes(),
    }
}

/// What finding the place of a document took.
fn put_settling(
    documents: u64,
    processor: f64,
    opened: &Opened,
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    let work = opened.index.work();
    let each = |count: u64| count as f64 / documents as f64;
    let columns = [
        ("processor", processor * 1e3 / documents as f64, "ms"),
        ("texts", each(work.texts_read), ""),
        ("comparisons", each(work.comparisons), ""),
        ("lists", each(work.lists_read), ""),
        ("postings", each(work.postings_read), ""),
    ];
    Ok(figures.row("of each document", &columns)?)
}

pub(super) fn change(index: &IndexReader, root: RootId, number: u64, text: String) -> FileChange {
    let canonical = CanonicalText::from_extracted(&text);
    let length = canonical.as_bytes().len() as u64;
    let document = NewDocument {
        permit: None,
        hash: DocumentHash(canonical.hash()),
        kind: DocumentKind::Text,
        length,
        chars: canonical.chars(),
        signatures: index
            .signer()
            .sign(&SignedText::whole(canonical.clone()), length),
        text: Some(text),
    };
    new_file(root, number, document)
}

/// A file seen for the first time, with its document.
pub(super) fn new_file(root: RootId, number: u64, document: NewDocument) -> FileChange {
    let content = ContentHash(document.hash.0);
    let length = document.length;
    let record = ContentRecord {
        state: State::Indexed,
        reason: StoredReason::None,
        document: None,
        media_type: "text/plain".to_owned(),
        parser: "plain 1".to_owned(),
        extractor: simdex_extract::EXTRACTOR_VERSION,
        strikes: 0,
        bytes: length,
        warnings: Vec::new(),
        facts: Vec::new(),
        reader: None,
    };
    let stat = FileStat {
        inode: number + 1,
        length,
        ..FileStat::default()
    };
    FileChange::file(SeenFile {
        key: key(root, number),
        record: FileRecord::new(stat, FileOutcome::Content(content)),
        content: Some(Box::new(NewContent {
            record,
            document: Some(document),
        })),
    })
}

fn in_process(
    index: &IndexReader,
    queries: &[String],
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    let request = QueryParams {
        kind: query::FindKind::Similar,
        scheme: SchemeKind::ModN,
        threshold: query::FindKind::Similar.default_threshold(),
        relation_threshold: 0.8,
        containment_threshold: 0.8,
        limit: HITS,
        view: VisibleRoots::All,
        judged_by: None,
    };
    for pass in ["first", "warm"] {
        let mut times = Vec::with_capacity(queries.len());
        for text in queries {
            let begin = Instant::now();
            let account = index.memory().requests.account(&Cancel::never());
            let subject = Subject::from_text(index, text.clone(), &account)?;
            let answer = find(index, &subject, &request, &Cancel::never())?;
            times.push(begin.elapsed());
            let verified = answer
                .hits
                .iter()
                .filter(|hit| hit.overlap.verified)
                .count();
            ensure!(
                verified == HITS,
                "a query found {verified} verified hits of {HITS}"
            );
        }
        put_times(
            figures,
            &format!("20 verified hits, in process, {pass}"),
            times,
        )?;
    }
    Ok(())
}

fn over_grpc(
    sandbox: &Sandbox,
    queries: &[String],
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    // The share is empty: the files on record are missed all at once, held, and still answered for.
    let daemon = sandbox.serve().start()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let times = runtime.block_on(async {
        let client = Client::connect(daemon.socket()).await?;
        let mut times = Vec::new();
        for pass in 0..2 {
            for text in queries {
                let begin = Instant::now();
                let subject = Asked::Text(text.clone());
                let mut listing = client
                    .clone()
                    .find(FindKind::Similar, subject, &FindOptions::default())
                    .await?;
                let mut verified = 0;
                while let Some(hit) = listing.next().await? {
                    verified += usize::from(hit.verified);
                }
                ensure!(
                    verified == HITS,
                    "a query found {verified} verified hits of {HITS}"
                );
                if pass > 0 {
                    times.push(begin.elapsed());
                }
            }
        }
        anyhow::Ok(times)
    });
    let times = times.context("asking the daemon")?;
    daemon.stop()?;
    put_times(figures, "20 verified hits, over gRPC, warm", times)
}

fn put_times(
    figures: &mut Figures<'_>,
    name: &str,
    mut times: Vec<Duration>,
) -> anyhow::Result<()> {
    figures.put(&format!("{name}, p50"), percentile(&mut times, 0.5), "ms")?;
    figures.put(&format!("{name}, p99"), percentile(&mut times, 0.99), "ms")?;
    Ok(())
}
