//! Simdex beside what a user would pick instead, on the same postings in one run: a self-join in DuckDB for
//! all pairs, sourmash's index on disk and the LSH of datasketch, rensa and gaoya for queries. These run in Python,
//! where installed.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use simdex_index::{
    Cancel, CandidateKind, Fingerprints, IndexReader, Opened, QueryFingerprints, VisibleRoots,
};
use simdex_schema::DocId;
use simdex_signature::{CanonicalText, Fingerprint, ModN, Ratio, Rung, SchemeKind};

use super::Settings;
use super::answers::{fill, open};
use super::process::{allocated, load, peak_memory_mb, processor_seconds};
use crate::corpus::Prose;
use crate::figure::{Figures, percentile};
use crate::sandbox::Sandbox;

const DOCUMENTS: u64 = 100_000;
const QUERIES: u64 = 500;
const THRESHOLD: f64 = 0.8;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS).max(Prose::FAMILY);
    let corpus = Prose { seed: 20_260_103 };
    figures.put("load of this machine at start", load()?, "processes")?;
    let sandbox = Sandbox::new()?;
    let opened = open(&sandbox)?;
    let stored = |number| corpus.text(number, 0);
    fill(&opened, &sandbox, &stored, documents, figures)?;
    let folder = tempfile::tempdir()?;
    let rung = coarsest(&opened, corpus, documents);
    let postings = write_postings(folder.path(), &opened, corpus, documents, rung)?;
    figures.put("postings for all", postings as f64, "")?;
    all_pairs(opened.index.reader(), figures)?;
    let queries = queries(opened.index.reader(), corpus, documents, rung);
    write_queries(folder.path(), &queries)?;
    ask(opened.index.reader(), &queries, figures)?;
    figures.put("Simdex: memory at most", peak_memory_mb()?, "MB")?;
    opened.index.close(opened.writer)?;
    let bytes = allocated(&sandbox.data_dir().join("store"))? as f64;
    // Both schemes that are on by default, and the records of files: the others hold Mod_n alone.
    let name = "Simdex: disk, all of its store";
    figures.put(name, bytes / postings as f64, "bytes/posting")?;
    of_python("peers.py", folder.path(), figures)
}

/// The rung that all documents can be compared at.
fn coarsest(opened: &Opened, corpus: Prose, documents: u64) -> Rung {
    let ladder = opened.index.reader().ladder();
    let rung = |number| {
        let canonical = CanonicalText::from_extracted(&corpus.text(number, 0));
        ladder.rung_of_text(canonical.as_bytes().len() as u64)
    };
    // Lengths differ by a few words: some families show all rungs there are.
    let some = documents.min(40 * Prose::FAMILY);
    (0..some).map(rung).max().unwrap_or(Rung::MAX_DOCUMENT)
}

/// The fingerprints of a text at a rung, sorted.
fn signed(index: &IndexReader, text: &str, rung: Rung) -> Vec<Fingerprint> {
    let canonical = CanonicalText::from_extracted(text);
    let mod_n = ModN::sign(&canonical, index.window(), rung);
    mod_n.fingerprints().to_vec()
}

/// Writes the postings of all documents, by document; returns how many they are.
fn write_postings(
    folder: &Path,
    opened: &Opened,
    corpus: Prose,
    documents: u64,
    rung: Rung,
) -> anyhow::Result<u64> {
    let file = |name| std::fs::File::create(folder.join(name)).map(BufWriter::new);
    let (mut fingerprints, mut ids) = (file("fingerprints.u64")?, file("documents.u32")?);
    let mut postings = 0;
    for number in 0..documents {
        for fingerprint in signed(opened.index.reader(), &corpus.text(number, 0), rung) {
            fingerprints.write_all(&fingerprint.0.to_le_bytes())?;
            ids.write_all(&u32::try_from(number)?.to_le_bytes())?;
            postings += 1;
        }
    }
    fingerprints.flush()?;
    ids.flush()?;
    Ok(postings)
}

/// Every pair at the threshold, each counted exactly on all shingles, as `pairs` lists them.
fn all_pairs(index: &IndexReader, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let threshold = Ratio::new(THRESHOLD).context("no threshold")?;
    let account = index.memory().requests.account(&Cancel::never());
    let (begin, processor) = (Instant::now(), processor_seconds()?);
    let search = index.pair_search(&VisibleRoots::All, threshold);
    let mut pairs = 0;
    for id in search.documents() {
        let is_later = |other: DocId| Ok(other > id);
        let next = |most| Ok(search.documents_from(id, most));
        search.look_ahead(id, &next, &account)?;
        let partners = match search.partners_ahead(id, &account)? {
            Some(partners) => partners,
            None => search.filtered_partners_of(id, &is_later, &account)?,
        };
        pairs += partners.iter().filter(|(other, _)| *other > id).count();
    }
    figures.put(
        "Simdex: all pairs, verified",
        begin.elapsed().as_secs_f64(),
        "s",
    )?;
    let processor = processor_seconds()? - processor;
    figures.put("Simdex: all pairs, processor time", processor, "s")?;
    figures.put("Simdex: pairs", pairs as f64, "pairs")?;
    Ok(())
}

/// A query, and the documents whose signatures resemble it at the threshold.
struct Query {
    rung: Rung,
    fingerprints: Vec<Fingerprint>,
    truth: BTreeSet<u64>,
}

/// Edited copies of documents. What resembles them is in their families: others share no text but letterheads.
fn queries(index: &IndexReader, corpus: Prose, documents: u64, rung: Rung) -> Vec<Query> {
    let query = |number: u64| {
        let source = number * 7_919 % documents;
        let fingerprints = signed(index, &corpus.text(source, 1 + number), rung);
        let first = source / Prose::FAMILY * Prose::FAMILY;
        let resembles = |other: &u64| {
            let theirs = signed(index, &corpus.text(*other, 0), rung);
            let shared = theirs
                .iter()
                .filter(|f| fingerprints.binary_search(f).is_ok());
            let shared = shared.count() as f64;
            shared >= THRESHOLD * ((fingerprints.len() + theirs.len()) as f64 - shared)
        };
        let family = first..documents.min(first + Prose::FAMILY);
        let truth = family.filter(resembles).collect();
        Query {
            rung,
            fingerprints,
            truth,
        }
    };
    (0..QUERIES).map(query).collect()
}

fn write_queries(folder: &Path, queries: &[Query]) -> anyhow::Result<()> {
    let (mut fingerprints, mut ends) = (Vec::new(), Vec::new());
    let (mut truth, mut truth_ends) = (Vec::new(), Vec::new());
    for query in queries {
        fingerprints.extend(query.fingerprints.iter().flat_map(|f| f.0.to_le_bytes()));
        ends.extend((fingerprints.len() as u64 / 8).to_le_bytes());
        for document in &query.truth {
            truth.extend(u32::try_from(*document)?.to_le_bytes());
        }
        truth_ends.extend((truth.len() as u64 / 4).to_le_bytes());
    }
    std::fs::write(folder.join("queries.u64"), fingerprints)?;
    std::fs::write(folder.join("query_ends.u64"), ends)?;
    std::fs::write(folder.join("truth.u32"), truth)?;
    Ok(std::fs::write(folder.join("truth_ends.u64"), truth_ends)?)
}

/// Asks for candidates twice; times and recall are those of the second round.
fn ask(index: &IndexReader, queries: &[Query], figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let (mut times, mut right, mut all) = (Vec::new(), 0, 0);
    for _ in 0..2 {
        (times, right, all) = (Vec::new(), 0, 0);
        for query in queries {
            let (found, took) = candidates(index, query)?;
            times.push(took);
            // Documents are numbered as they come.
            let is_found = |number: &&u64| found.contains(&DocId::local(**number));
            right += query.truth.iter().filter(is_found).count();
            all += query.truth.len();
        }
    }
    figures.put("Simdex: warm query, p50", percentile(&mut times, 0.5), "ms")?;
    figures.put(
        "Simdex: warm query, p99",
        percentile(&mut times, 0.99),
        "ms",
    )?;
    let recall = right as f64 / all.max(1) as f64;
    figures.against(
        "Simdex: recall at 0.8",
        recall,
        "",
        "must be 0.999 at least",
    )?;
    ensure!(
        recall >= 0.999,
        "of {all} documents that resemble queries {right} were found"
    );
    Ok(())
}

/// The documents that a query finds, and how long that took.
fn candidates(index: &IndexReader, query: &Query) -> anyhow::Result<(BTreeSet<DocId>, Duration)> {
    let asked = QueryFingerprints {
        scheme: SchemeKind::ModN,
        fingerprints: Fingerprints::Listed(&query.fingerprints),
        rung: query.rung,
    };
    let account = index.memory().requests.account(&Cancel::never());
    let begin = Instant::now();
    let found = index.candidates(asked, CandidateKind::Similar, &VisibleRoots::All, &account)?;
    let took = begin.elapsed();
    let found = found.found.iter().map(|candidate| candidate.document);
    Ok((found.collect(), took))
}

/// Measures other programs.
pub(super) fn of_python(
    script: &str,
    given: &Path,
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    let scripts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("python");
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let mut running = Command::new(&python)
        .arg(scripts.join(script))
        .arg(given)
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", python.display()))?;
    let lines = running.stdout.take().context("no standard output")?;
    for line in BufReader::new(lines).lines() {
        let line: serde_json::Value = serde_json::from_str(&line?)?;
        match (line["name"].as_str(), line["note"].as_str()) {
            (Some(name), _) => {
                let value = line["value"].as_f64().context("a figure without a value")?;
                figures.put(name, value, line["unit"].as_str().unwrap_or_default())?;
            }
            (None, note) => figures.note(note.unwrap_or_default())?,
        }
    }
    ensure!(
        running.wait()?.success(),
        "{} failed; PYTHON names a Python with numpy",
        python.display()
    );
    Ok(())
}
