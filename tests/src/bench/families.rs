//! Families: many versions of one document, whatever order they come in, and documents that nearly
//! resemble one another. Prints what placing them in groups takes beside reading and indexing them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;
use simdex_index::{Cancel, Opened, VisibleRoots, Work};
use simdex_signature::Ratio;

use super::Settings;
use super::answers::{change, open};
use super::process::{load, peak_memory_mb};
use crate::corpus::{Random, Versions};
use crate::figure::Figures;
use crate::sandbox::Sandbox;

/// Documents of each part; each benchmark of one size fits as many families in.
const DOCUMENTS: u64 = 5_000;
const SIZES: [u64; 4] = [10, 100, 1_000, 5_000];
/// Documents applied at once, as the daemon does.
const BATCH: usize = 64;
const SEED: u64 = 20_260_103;

/// The order in which versions arrive, and whether placing continues meanwhile.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Bulk,
    Random,
    Growing,
    Shrinking,
}

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS);
    figures.put("load of this machine at start", load()?, "processes")?;
    let versions = Versions::new(SEED, 3_600);
    for size in SIZES.into_iter().filter(|size| *size <= documents) {
        for order in [Order::Bulk, Order::Random, Order::Growing, Order::Shrinking] {
            let numbers = numbers(documents, size, order);
            let text = |number| versions.text(number / size, number % size, size);
            let name = format!("versions, {size} each, {order:?}").to_lowercase();
            measure(&name, &numbers, &text, order == Order::Bulk, figures)?;
        }
    }
    for (name, words) in [("short", 50), ("long", 3_600)] {
        let versions = Versions::new(SEED, words);
        for documents in [documents / 4, documents / 2] {
            let numbers: Vec<u64> = (0..documents).collect();
            let text = |number| versions.near_miss(number);
            let name = format!("near misses, {name}, {documents}");
            measure(&name, &numbers, &text, true, figures)?;
        }
    }
    figures.put("memory at most", peak_memory_mb()?, "MB")?;
    Ok(())
}

/// The numbers of all documents as they come: version v of family f is f × size + v, and later versions
/// are longer.
fn numbers(documents: u64, size: u64, order: Order) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..documents / size * size).collect();
    let mut random = Random::new(SEED, size);
    match order {
        Order::Growing => numbers.sort_by_key(|number| number % size),
        Order::Shrinking => numbers.sort_by_key(|number| std::cmp::Reverse(number % size)),
        Order::Bulk | Order::Random => numbers.sort_by_cached_key(|_| random.next()),
    }
    numbers
}

/// Indexes documents and places them; with `bulk` one after the other, otherwise both at once.
fn measure(
    name: &str,
    numbers: &[u64],
    text: &dyn Fn(u64) -> String,
    bulk: bool,
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    let sandbox = Sandbox::new()?;
    let opened = open(&sandbox)?;
    let writer = &opened.writer;
    let begin = Instant::now();
    let mut indexing = Duration::ZERO;
    if bulk {
        indexing = fill(&opened, &sandbox, numbers, text)?;
        writer.settle(&Cancel::never())?;
    } else {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let settler = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) || !writer.is_settled() {
                    writer.settle_step(&Cancel::never())?;
                    std::thread::yield_now();
                }
                anyhow::Ok(())
            });
            let filled = fill(&opened, &sandbox, numbers, text);
            done.store(true, Ordering::Relaxed);
            let settled = settler.join();
            filled?;
            settled.unwrap_or_else(|_| anyhow::bail!("the settler panicked"))
        })?;
    }
    let all = begin.elapsed();
    let begin = Instant::now();
    let reader = opened.index.reader();
    let account = reader.memory().requests.account(&Cancel::never());
    let groups = reader
        .groups()
        .of_view(&VisibleRoots::All, threshold()?, &account)?;
    let shown = begin.elapsed();
    ensure!(!groups.groups.is_empty() || text(0).len() < 1_000 || name.contains("near"));
    put(
        name,
        numbers.len() as f64,
        indexing,
        all,
        opened.index.work(),
        figures,
    )?;
    if shown.as_millis() > 100 {
        figures.put("  listing the groups", shown.as_secs_f64(), "s")?;
    }
    Ok(())
}

fn threshold() -> anyhow::Result<Ratio> {
    let threshold = simdexd::config::Config::default().parameters().threshold;
    Ratio::new(threshold).ok_or_else(|| anyhow::anyhow!("a threshold above 1"))
}

fn put(
    name: &str,
    documents: f64,
    indexing: Duration,
    all: Duration,
    work: Work,
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    let ms = |time: Duration| time.as_secs_f64() * 1e3 / documents;
    let each = |count: u64| count as f64 / documents;
    let columns = [
        ("indexing", ms(indexing), "ms"),
        ("all", ms(all), "ms"),
        ("texts", each(work.texts_read), ""),
        ("comparisons", each(work.comparisons), ""),
        ("shingles", each(work.shingles_counted), ""),
        ("lists", each(work.lists_read), ""),
        ("postings", each(work.postings_read), ""),
        ("blocks", each(work.blocks_read), ""),
    ];
    Ok(figures.row(name, &columns)?)
}

fn fill(
    opened: &Opened,
    sandbox: &Sandbox,
    numbers: &[u64],
    text: &dyn Fn(u64) -> String,
) -> anyhow::Result<Duration> {
    let root = opened
        .writer
        .add_root(&std::fs::canonicalize(sandbox.share())?)?;
    let mut busy = Duration::ZERO;
    for some in numbers.chunks(BATCH) {
        let texts: Vec<String> = some.iter().map(|number| text(*number)).collect();
        let begin = Instant::now();
        let changes = some.iter().zip(texts);
        let changes =
            changes.map(|(number, text)| change(opened.index.reader(), root, *number, text));
        opened.writer.apply(&changes.collect::<Vec<_>>())?;
        busy += begin.elapsed();
    }
    let begin = Instant::now();
    opened.writer.merge()?;
    Ok(busy + begin.elapsed())
}
