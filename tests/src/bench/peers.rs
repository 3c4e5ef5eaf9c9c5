//! Simdex beside what a user would pick instead, on the same documents in one run: a self-join in DuckDB, sourmash's
//! index on disk, and the LSH of datasketch, rensa and gaoya. These run in Python, where installed, on the fingerprints
//! of the documents; Simdex signs and stores their texts as well.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use simdex_index::{
    Cancel, Candidate, CandidateKind, Fingerprints, IndexReader, Opened, QueryFingerprints,
    VisibleRoots,
};
use simdex_schema::DocId;
use simdex_signature::{Ratio, Rung, SchemeKind};
use simdexd::read_side::query::{self, QueryParams, Subject, find};

use super::Settings;
use super::answers::{Indexed, index_texts, open_with, settle};
use super::bed::Memory;
use super::process::{allocated, load, processor_seconds};
use crate::corpus::Planted;
use crate::figure::Figures;
use crate::sandbox::Sandbox;

mod adapters;
mod by_samples;
mod deletion;
mod given;
mod measured;
mod questions;
mod stages;

pub(super) use adapters::python;
use by_samples::simdex_by_samples;
use deletion::delete;
use given::{Size, signed, write_postings, write_questions};
use measured::{Answers, Found, IndexCost, Measured, Pairs, Score, put_table};
use questions::{Question, Questions, Relation, THRESHOLD};
use stages::Stages;

const SEED: u64 = 20_260_103;
const DOCUMENTS: u64 = 10_000;
/// Questions of each relation, at most.
const QUESTIONS: usize = 300;
/// More than any question finds.
const MOST_HITS: usize = 1 << 20;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS);
    let planted = match settings.families_of {
        Some(size) => Planted::with_families_of(SEED, documents, size),
        None => Planted::new(SEED, documents),
    };
    figures.put("load of this machine at start", load()?, "processes")?;
    let drawn = |relation| Questions::draw(&planted, relation, QUESTIONS);
    let mut questions = [Relation::Similar, Relation::Containing].map(drawn);
    let folder = tempfile::tempdir()?;
    let (memory, dir) = (Memory::of(&settings), folder.path());
    let (simdex, size) = simdex(memory, &planted, &questions, dir, figures)?;
    let by_samples = simdex_by_samples(memory, &planted, &questions, (&size, dir))?;
    let mut measured = vec![simdex, by_samples];
    figures.put("postings for other programs", size.postings as f64, "")?;
    figures.put(
        "postings of Simdex, by Mod_n and BSW_n",
        size.own_postings as f64,
        "",
    )?;
    Questions::find_answers(&mut questions, &planted);
    write_questions(dir, &planted, &questions)?;
    for name in adapters::PEERS {
        match adapters::measure(name, dir, size.postings)? {
            Ok(peer) => measured.push(peer),
            Err(reason) => figures.note(&reason)?,
        }
    }
    put_table(&measured, &questions, size.text, figures)?;
    check(&questions, &measured[0])
}

/// What answers of Simdex must be.
fn check(questions: &[Questions; 2], simdex: &Measured) -> anyhow::Result<()> {
    for (questions, answers) in questions.iter().zip(&simdex.answers) {
        let score = Score::of(questions, &answers.found);
        let is_good = score.recall() >= 0.999 && score.precision() == 1.0;
        ensure!(is_good, "{}: {score:?}", questions.relation.name());
    }
    Ok(())
}

/// Measures Simdex with texts, by answers that are verified. Writes the postings of all documents for other programs
/// into `folder`.
fn simdex(
    memory: Memory,
    planted: &Planted,
    questions: &[Questions; 2],
    folder: &Path,
    figures: &mut Figures<'_>,
) -> anyhow::Result<(Measured, Size)> {
    let sandbox = Sandbox::new()?;
    let opened = open_with(&sandbox, memory)?;
    let mut stages = Stages::begin()?;
    let (indexed, grouping) = fill(&opened, &sandbox, planted, &mut stages, figures)?;
    let index = opened.index.reader();
    // Others sample all documents alike: as Simdex samples one of average length.
    let rung = index
        .ladder()
        .rung_of_text(indexed.bytes / planted.documents());
    let size = write_postings(folder, index, planted, rung)?;
    let pairs = all_pairs(index, &questions[0], figures)?;
    stages.end("all pairs", &opened.index)?;
    let [similar, containing] = questions;
    let answers = [
        ask_verified(index, similar)?,
        ask_verified(index, containing)?,
    ];
    stages.end("asked", &opened.index)?;
    stages.show(figures)?;
    opened.index.close(opened.writer)?;
    let disk = allocated(&sandbox.data_dir().join("store"))? as f64;
    let opened = open_with(&sandbox, memory)?;
    let deletion = delete(opened, indexed.root, planted, &questions[0])?;
    deletion.show(indexed.busy + grouping, figures)?;
    let measured = Measured {
        name: "Simdex".to_owned(),
        index: IndexCost {
            build: [indexed.busy.as_secs_f64(), indexed.processor],
            postings: size.own_postings as f64,
            disk: Some(disk),
            memory: Some(stages.most()),
            delete: Some(deletion.seconds()),
        },
        answers,
        pairs: Some(pairs),
        pairs_of_families: None,
    };
    Ok((measured, size))
}

/// Indexes all documents and finds their groups; returns how long the latter took.
fn fill(
    opened: &Opened,
    sandbox: &Sandbox,
    planted: &Planted,
    stages: &mut Stages,
    figures: &mut Figures<'_>,
) -> anyhow::Result<(Indexed, Duration)> {
    let documents = planted.documents();
    let indexed = index_texts(opened, sandbox, &|number| planted.text(number), documents)?;
    stages.end("indexed", &opened.index)?;
    figures.put("documents", documents as f64, "")?;
    figures.put("text", indexed.bytes as f64 / 1e6, "MB")?;
    let begin = Instant::now();
    settle(opened, documents, figures)?;
    let grouping = begin.elapsed();
    stages.end("grouped", &opened.index)?;
    Ok((indexed, grouping))
}

/// Every pair at the threshold, each counted exactly on all shingles, as `pairs` lists them. Prints which part of the
/// time passes before a text is read: in the join of all postings, which is all that other programs do.
fn all_pairs(
    index: &IndexReader,
    questions: &Questions,
    figures: &mut Figures<'_>,
) -> anyhow::Result<Pairs> {
    let threshold = Ratio::new(THRESHOLD).context("no threshold")?;
    let account = index.memory().requests.account(&Cancel::never());
    let mut found: Found = vec![BTreeSet::new(); questions.all.len()];
    let places = questions.all.iter().enumerate();
    let places: HashMap<u64, usize> = places.map(|(at, each)| (each.number, at)).collect();
    let (begin, processor) = (Instant::now(), processor_seconds()?);
    let search = index.pairs().search(&VisibleRoots::All, threshold);
    let (mut pairs, mut joining) = (0_u32, Duration::ZERO);
    let documents: Vec<DocId> = search.documents().collect();
    for (at, &id) in documents.iter().enumerate() {
        let is_later = |other: DocId| Ok(other > id);
        let next = |most| Ok(documents[at..].iter().copied().take(most).collect());
        let begin_join = Instant::now();
        search.look_ahead(id, &next, &account)?;
        joining += begin_join.elapsed();
        let partners = match search.partners_ahead(id, &account)? {
            Some(partners) => partners,
            None => search.filtered_partners_of(id, &is_later, &account)?,
        };
        for (other, _) in partners.iter().filter(|(other, _)| *other > id) {
            pairs += 1;
            for (one, other) in [(id, *other), (*other, id)] {
                if let Some(place) = places.get(&one.serial()) {
                    found[*place].insert(other.serial());
                }
            }
        }
    }
    let seconds = [
        begin.elapsed().as_secs_f64(),
        processor_seconds()? - processor,
    ];
    let columns = [
        ("of the time", joining.as_secs_f64(), "s"),
        ("pairs counted", search.counted() as f64, ""),
        ("at the threshold", f64::from(pairs), ""),
    ];
    figures.row("all pairs: joining postings", &columns)?;
    Ok(Pairs {
        seconds,
        count: f64::from(pairs),
        found,
    })
}

/// What a question finds: documents are numbered as they come.
type Answer = anyhow::Result<BTreeSet<u64>>;

/// Asks all questions twice; the times are those of the second round.
fn ask(
    questions: &Questions,
    answer: &dyn Fn(usize, &Question) -> Answer,
) -> anyhow::Result<Answers> {
    let mut answers = Answers::default();
    for _ in 0..2 {
        answers = Answers::default();
        let processor = processor_seconds()?;
        for (at, question) in questions.all.iter().enumerate() {
            let begin = Instant::now();
            let found = answer(at, question)?;
            answers.times.push(begin.elapsed());
            answers.found.push(found);
        }
        answers.processor = processor_seconds()? - processor;
    }
    Ok(answers)
}

/// Asks as a client does who has the text: every document found is counted on all shingles.
fn ask_verified(index: &IndexReader, questions: &Questions) -> anyhow::Result<Answers> {
    let kind = match questions.relation {
        Relation::Similar => query::FindKind::Similar,
        Relation::Containing => query::FindKind::Containing,
    };
    let params = QueryParams {
        kind,
        scheme: SchemeKind::ModN,
        threshold: THRESHOLD,
        relation_threshold: THRESHOLD,
        containment_threshold: THRESHOLD,
        limit: MOST_HITS,
        view: VisibleRoots::All,
        judged_by: None,
    };
    ask(questions, &|_, question| {
        let account = index.memory().requests.account(&Cancel::never());
        let subject = Subject::from_text(index, question.text.clone(), &account)?;
        let answer = find(index, &subject, &params, &Cancel::never())?;
        let documents = answer.hits.iter().filter_map(|hit| hit.file.document);
        Ok(documents.map(|(id, _)| id.serial()).collect())
    })
}

/// Asks with fingerprints, as other programs are asked: a document is found if the estimate from samples reaches the
/// threshold.
fn ask_samples(index: &IndexReader, questions: &Questions, rung: Rung) -> anyhow::Result<Answers> {
    let signed = |question: &Question| signed(index, &question.text, rung);
    let signed: Vec<_> = questions.all.iter().map(signed).collect();
    let threshold = Ratio::new(THRESHOLD).context("no threshold")?;
    let kind = match questions.relation {
        Relation::Similar => CandidateKind::Similar(threshold),
        Relation::Containing => CandidateKind::Containing(threshold),
    };
    let is_found = |found: &&Candidate| {
        let [shared, query, document] = [
            found.shared,
            found.query_fingerprints,
            found.document_fingerprints,
        ]
        .map(|n| n as f64);
        match questions.relation {
            Relation::Similar => shared >= THRESHOLD * (query + document - shared),
            Relation::Containing => shared >= THRESHOLD * query,
        }
    };
    ask(questions, &|at, _| {
        let asked = QueryFingerprints {
            scheme: SchemeKind::ModN,
            fingerprints: Fingerprints::Listed(&signed[at]),
            rung,
        };
        let account = index.memory().requests.account(&Cancel::never());
        let found = index
            .candidates()
            .by_samples(asked, kind, &VisibleRoots::All, &account)?;
        let found = found.found.iter().filter(is_found);
        Ok(found.map(|candidate| candidate.document.serial()).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All figures of a run on so few documents.
    fn run_on(documents: u64) -> Vec<serde_json::Value> {
        let mut out = Vec::new();
        let settings = Settings {
            documents: Some(documents),
            ..Settings::default()
        };
        run(settings, &mut Figures::new(&mut out, true)).unwrap();
        crate::jsonl::parse(&out).unwrap()
    }

    fn figure(figures: &[serde_json::Value], name: &str) -> Option<f64> {
        let line = figures.iter().find(|line| line["name"] == name)?;
        line["value"].as_f64()
    }

    #[test]
    fn it_runs_on_few_documents() {
        let figures = run_on(200);
        let of = |name: &str| figure(&figures, &format!("Simdex: {name}")).unwrap();
        for relation in ["similar", "containing"] {
            assert_eq!(of(&format!("{relation}: precision")), 1.0);
            assert_eq!(of(&format!("{relation}: recall")), 1.0);
        }
        assert_eq!(of("all pairs: recall"), 1.0);
        assert_eq!(of("containing to excerpt 5%: recall"), 1.0);
        assert!(of("delete a tenth, ms") > 0.0);
        // A program is measured or said not to be installed.
        for name in adapters::PEERS {
            let is_of = |line: &&serde_json::Value| {
                let text = line["name"].as_str().or(line["text"].as_str());
                text.is_some_and(|text| text.starts_with(name))
            };
            assert!(figures.iter().any(|line| is_of(&line)), "{name}");
        }
    }
}
