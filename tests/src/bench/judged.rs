//! The cost of judgements: the same queries with and without, in turn, so that a busy machine delays both alike.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use simdex_client::{Client, FindKind, FindOptions, Subject};

use super::Settings;
use super::answers::{fill, open};
use super::process::{load, processor_seconds_of};
use crate::corpus::Prose;
use crate::figure::{Figures, percentile};
use crate::sandbox::Sandbox;

const DOCUMENTS: u64 = 100_000;
/// Words of a text of 10 KB.
const WORDS: usize = 1_500;
const QUERIES: u64 = 200;
/// Questions that are asked one way, one after another.
const BLOCK: usize = 10;
/// What a query shows by default.
const HITS: usize = 20;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS).max(Prose::FAMILY);
    figures.put("load of this machine at start", load()?, "processes")?;
    let sandbox = Sandbox::new()?;
    let corpus = Prose { seed: 20_260_104 };
    let opened = open(&sandbox)?;
    let stored = |number| corpus.text_of(number, 0, WORDS);
    fill(&opened, &sandbox, &stored, documents, figures)?;
    opened.index.close(opened.writer)?;
    let question = |q: u64| corpus.text_of(q * 7_919 % documents, 1 + q, WORDS);
    let questions: Vec<String> = (0..QUERIES).map(question).collect();
    let daemon = sandbox.serve().start()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let asked = runtime.block_on(async {
        let client = Client::connect(daemon.socket()).await?;
        let process = daemon.id();
        anyhow::Ok([
            ask(&client, process, &questions, false).await?,
            ask(&client, process, &questions, true).await?,
        ])
    });
    let [first, again] = asked.context("asking the daemon")?;
    daemon.stop()?;
    first.put("asked once", "goal: at most 30", figures)?;
    again.put(
        "asked again, all sets in memory",
        "beside the goal",
        figures,
    )
}

/// What questions took, without and with judgements.
#[derive(Default)]
struct Asked {
    times: [Vec<Duration>; 2],
    /// Of processor time of the daemon.
    seconds: [f64; 2],
}

impl Asked {
    fn put(mut self, name: &str, goal: &str, figures: &mut Figures<'_>) -> anyhow::Result<()> {
        let questions = self.times.each_ref().map(|times| times.len() as f64);
        let [without, with] = self.times.each_mut().map(|times| percentile(times, 0.5));
        figures.put(&format!("{name}: 20 verified hits, p50"), without, "ms")?;
        figures.put(&format!("{name}: with judgements, p50"), with, "ms")?;
        let added = 100.0 * (with / without - 1.0);
        figures.against(
            &format!("{name}: judgements add to the median"),
            added,
            "%",
            goal,
        )?;
        let [plain, judged] = [0, 1].map(|way| 1e3 * self.seconds[way] / questions[way]);
        figures.put(&format!("{name}: processor without"), plain, "ms")?;
        figures.put(&format!("{name}: processor with"), judged, "ms")?;
        let added = 100.0 * (judged / plain - 1.0);
        figures.put(
            &format!("{name}: judgements add to the processor"),
            added,
            "%",
        )?;
        let [without, with] = self.times.each_mut().map(|times| percentile(times, 0.99));
        figures.put(&format!("{name}: 20 verified hits, p99"), without, "ms")?;
        figures.put(&format!("{name}: with judgements, p99"), with, "ms")?;
        let worst = percentile(&mut self.times[1], 1.0);
        Ok(figures.put(
            &format!("{name}: with judgements, the slowest"),
            worst,
            "ms",
        )?)
    }
}

/// Asks every question both ways. The first pass only warms. What one way reads the other would have in memory: so
/// questions are asked in one way in one pass and in the other in the next, block by block; or, where that is what is
/// `in_memory`, each is asked once more before.
async fn ask(
    client: &Client,
    process: u32,
    questions: &[String],
    in_memory: bool,
) -> anyhow::Result<Asked> {
    let mut asked = Asked::default();
    for pass in 0..3 {
        for (at, block) in questions.chunks(BLOCK).enumerate() {
            let way = (pass + at) % 2;
            for text in block.iter().filter(|_| in_memory) {
                one(client, text, false).await?;
            }
            let before = processor_seconds_of(process)?;
            for text in block {
                let begin = Instant::now();
                one(client, text, way == 1).await?;
                if pass > 0 {
                    asked.times[way].push(begin.elapsed());
                }
            }
            if pass > 0 {
                asked.seconds[way] += processor_seconds_of(process)? - before;
            }
        }
    }
    Ok(asked)
}

async fn one(client: &Client, text: &str, with_judgement: bool) -> anyhow::Result<()> {
    let options = FindOptions {
        with_judgement,
        ..FindOptions::default()
    };
    let subject = Subject::Text(text.to_owned());
    let mut listing = client
        .clone()
        .find(FindKind::Similar, subject, &options)
        .await?;
    let (mut verified, mut judged) = (0, 0);
    while let Some(hit) = listing.next().await? {
        verified += usize::from(hit.verified);
        judged += usize::from(hit.judgement.is_some());
    }
    ensure!(verified == HITS, "{verified} verified hits of {HITS}");
    ensure!(
        with_judgement == (judged > 0),
        "{judged} judgements, asked for: {with_judgement}"
    );
    Ok(())
}
