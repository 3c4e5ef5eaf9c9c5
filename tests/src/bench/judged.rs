//! What judgements cost: the same questions with and without, in turn, so that a busy machine delays both alike.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use simdex_client::{Client, FindKind, FindOptions, Subject as Asked};

use super::Settings;
use super::answers::{fill, open};
use super::process::load;
use crate::corpus::Prose;
use crate::figure::{Figures, percentile};
use crate::sandbox::Sandbox;

const DOCUMENTS: u64 = 100_000;
/// Words of a text of 10 KB.
const WORDS: usize = 1_500;
const QUERIES: u64 = 200;
/// What a question shows where nothing else is asked.
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
        ask(&client, &questions).await
    });
    let [mut plain, mut judged] = asked.context("asking the daemon")?;
    daemon.stop()?;
    let [without, with] = [&mut plain, &mut judged].map(|times| percentile(times, 0.5));
    figures.put("20 verified hits, p50", without, "ms")?;
    figures.put("with judgements, p50", with, "ms")?;
    let added = 100.0 * (with / without - 1.0);
    figures.against(
        "judgements add to the median",
        added,
        "%",
        "goal: at most 30",
    )?;
    figures.put("20 verified hits, p99", percentile(&mut plain, 0.99), "ms")?;
    figures.put("with judgements, p99", percentile(&mut judged, 0.99), "ms")?;
    let worst = percentile(&mut judged, 1.0);
    Ok(figures.put("with judgements, the slowest", worst, "ms")?)
}

/// Times without and with judgements. The first pass only warms.
async fn ask(client: &Client, questions: &[String]) -> anyhow::Result<[Vec<Duration>; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for pass in 0..2 {
        for (at, text) in questions.iter().enumerate() {
            // Each way comes first half of the time: what the first reads the other has in memory.
            for with in [at % 2, 1 - at % 2] {
                let begin = Instant::now();
                one(client, text, with == 1).await?;
                if pass > 0 {
                    times[with].push(begin.elapsed());
                }
            }
        }
    }
    Ok(times)
}

async fn one(client: &Client, text: &str, with_judgement: bool) -> anyhow::Result<()> {
    let options = FindOptions {
        with_judgement,
        ..FindOptions::default()
    };
    let subject = Asked::Text(text.to_owned());
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
