//! The cost of judgements: the same queries with and without, in turn, so that a busy machine delays both alike.

mod english;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use simdex_client::{Client, FindKind, FindOptions, Subject};
use simdex_judge::Class;
use simdex_proto::lines;

use super::Settings;
use super::answers::{fill, open};
use super::process::{load, processor_seconds_of};
use crate::figure::{Figures, percentile};
use crate::sandbox::Sandbox;
use english::English;

const DOCUMENTS: u64 = 100_000;
/// No more than documents.
const QUERIES: u64 = 200;
/// Questions that are asked one way, one after another.
const BLOCK: usize = 10;
/// Processor time of a second in which the daemon rests.
const RESTING: f64 = 0.02;
const MAX_WAIT: Duration = Duration::from_secs(120);
/// What a query shows by default.
const HITS: usize = 20;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS).max(English::FAMILY);
    figures.put("load of this machine at start", load()?, "processes")?;
    let sandbox = Sandbox::new()?;
    let corpus = English { seed: 20_260_104 };
    let opened = open(&sandbox)?;
    let stored = |number| corpus.text(number, 0);
    fill(&opened, &sandbox, &stored, documents, figures)?;
    opened.index.close(opened.writer)?;
    let question = |q: u64| corpus.text(q * 7_919 % documents, 1 + q);
    let questions: Vec<String> = (0..QUERIES.min(documents)).map(question).collect();
    let daemon = sandbox.serve().start()?;
    wait_until_it_rests(daemon.id())?;
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

/// Waits until the daemon does nothing: what it does after a start would take the processor that judgements use.
fn wait_until_it_rests(process: u32) -> anyhow::Result<()> {
    for _ in 0..MAX_WAIT.as_secs() {
        let before = processor_seconds_of(process)?;
        std::thread::sleep(Duration::from_secs(1));
        if processor_seconds_of(process)? - before < RESTING {
            return Ok(());
        }
    }
    bail!("the daemon is still busy after {MAX_WAIT:?}")
}

/// What questions took, without and with judgements.
#[derive(Default)]
struct Asked {
    /// Hits by what their judgement says, or why there is none.
    outcomes: BTreeMap<&'static str, usize>,
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
        figures.put(
            &format!("{name}: with judgements, the slowest"),
            worst,
            "ms",
        )?;
        self.put_outcomes(name, figures)
    }

    /// Most hits must have a judgement: what is withheld is not what the figures are about.
    fn put_outcomes(&self, name: &str, figures: &mut Figures<'_>) -> anyhow::Result<()> {
        let all: usize = self.outcomes.values().sum();
        let of_class = |class: Class| self.outcomes.get(class.name());
        let judged: usize = Class::ALL.into_iter().filter_map(of_class).sum();
        for (outcome, hits) in &self.outcomes {
            let share = 100.0 * *hits as f64 / all as f64;
            figures.put(&format!("{name}: hits, {outcome}"), share, "%")?;
        }
        ensure!(2 * judged > all, "{judged} hits of {all} are judged");
        Ok(())
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
                let outcomes = one(client, text, way == 1).await?;
                if pass > 0 {
                    asked.times[way].push(begin.elapsed());
                    for outcome in outcomes {
                        *asked.outcomes.entry(outcome).or_default() += 1;
                    }
                }
            }
            if pass > 0 {
                asked.seconds[way] += processor_seconds_of(process)? - before;
            }
        }
    }
    Ok(asked)
}

/// Asks one question; returns the outcome of each judgement.
async fn one(
    client: &Client,
    text: &str,
    with_judgement: bool,
) -> anyhow::Result<Vec<&'static str>> {
    let options = FindOptions {
        with_judgement,
        ..FindOptions::default()
    };
    let subject = Subject::Text(text.to_owned());
    let mut listing = client
        .clone()
        .find(FindKind::Similar, subject, &options)
        .await?;
    let (mut verified, mut outcomes) = (0, Vec::with_capacity(HITS));
    while let Some(hit) = listing.next().await? {
        verified += usize::from(hit.verified);
        let class = hit.judgement.as_ref().map(|judged| judged.class);
        let class = class.and_then(lines::judged_class);
        outcomes.extend(class.or_else(|| lines::not_judged(hit.not_judged)));
    }
    ensure!(verified == HITS, "{verified} verified hits of {HITS}");
    let asked = if with_judgement { HITS } else { 0 };
    ensure!(
        outcomes.len() == asked,
        "{} outcomes of {asked}",
        outcomes.len()
    );
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use simdex_judge::signal::idf;
    use simdex_judge::signal::terms::{self, Term};

    use super::*;

    #[test]
    fn versions_of_a_text_are_about_ten_kilobytes_of_words_that_the_table_mostly_holds() {
        let text = English { seed: 1 }.text(3, 0);
        assert!((9_000..11_500).contains(&text.len()), "{}", text.len());
        assert_eq!(text, English { seed: 1 }.text(3, 0));
        let lower = text.to_lowercase();
        let words = terms::words(&lower);
        let listed = words.clone().filter(|word| idf::is_listed(Term::of(word)));
        let (listed, all) = (listed.count(), words.count());
        assert!(
            (84..92).contains(&(100 * listed / all)),
            "{listed} of {all}"
        );
    }
}
