//! Megabytes of canonical text that one core signs in a second: the interleaved kernel beside the
//! plain rolling loop, alternating in one run, and the schemes whole (sorted and distinct); beside what memory gives
//! one core and what sourmash, rensa and gaoya take for the same text, where installed.

use std::hint::black_box;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use simdex_signature::{
    BswN, CanonicalText, MinN, ModN, RabinTables, Rung, SketchN, Window, reference, select,
};

use super::Settings;
use super::peers::python;
use crate::corpus::Random;
use crate::figure::{Figures, median};

const BYTES: usize = 32 << 20;
const RUNS: usize = 11;
const RUNG: Rung = Rung::MAX_DOCUMENT;
/// How much of the text other programs sign.
const PEERS: usize = 4 << 20;

/// Signs a text by a scheme; returns the number of entries.
type Sign = fn(&CanonicalText) -> usize;

const SCHEMES: [(&str, Sign); 4] = [
    ("Mod_n signature", |text| {
        ModN::sign(text, Window::DEFAULT, RUNG).len()
    }),
    ("BSW_n signature", |text| {
        BswN::sign(text, Window::DEFAULT, RUNG).len()
    }),
    ("Min_n signature", |text| {
        MinN::sign(text, Window::DEFAULT, RUNG).len()
    }),
    ("Sketch_n signature", |text| {
        SketchN::sign(text, Window::DEFAULT, RUNG).len()
    }),
];

pub(super) fn run(_: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let extracted = words(BYTES);
    let begin = Instant::now();
    let text = CanonicalText::from_extracted(&extracted);
    let canonical = text.as_bytes().len() as f64 / 1e6 / begin.elapsed().as_secs_f64();
    let tables = RabinTables::new(Window::DEFAULT.width().into());
    let (mut fast, mut plain) = (vec![], vec![]);
    let mut schemes = SCHEMES.map(|(name, sign)| (name, sign, vec![]));
    for _ in 0..RUNS {
        fast.push(rate(&text, || {
            let mut selected = Vec::new();
            select(&text, Window::DEFAULT, RUNG, &mut selected);
            selected.len()
        }));
        plain.push(rate(&text, || {
            reference::select_plainly(text.as_bytes(), &tables, RUNG).len()
        }));
        for (_, sign, rates) in &mut schemes {
            rates.push(rate(&text, || sign(&text)));
        }
    }
    let (fast, plain) = (median(fast), median(plain));
    figures.put("canonical text from ASCII", canonical, "MB/s")?;
    figures.put("plain loop", plain, "MB/s")?;
    figures.against("kernel", fast, "MB/s", "target: at least 700")?;
    figures.against(
        "kernel over plain loop",
        fast / plain,
        "times",
        "target: at least 1.7",
    )?;
    for (name, _, rates) in schemes {
        figures.put(name, median(rates), "MB/s")?;
    }
    memory(figures)?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("text.txt");
    std::fs::write(&file, &extracted[..PEERS])?;
    others(&file, figures)
}

/// Measures other programs.
fn others(text: &Path, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let mut running = python("signing.py")
        .arg(text)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start Python")?;
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
    ensure!(running.wait()?.success(), "signing.py failed");
    Ok(())
}

/// What memory gives one core: a buffer far beyond the caches, read and copied.
fn memory(figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let from = vec![1u64; 32 << 20];
    let mut to = vec![0u64; from.len()];
    let megabytes = from.len() as f64 * 8.0 / 1e6;
    let (mut read, mut copied) = (vec![], vec![]);
    for _ in 0..RUNS {
        let begin = Instant::now();
        black_box(from.iter().fold(0, |sum, value| sum ^ value));
        read.push(megabytes / begin.elapsed().as_secs_f64());
        let begin = Instant::now();
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
        copied.push(megabytes / begin.elapsed().as_secs_f64());
    }
    figures.put("memory read", median(read), "MB/s")?;
    Ok(figures.put("memory copied", median(copied), "MB/s")?)
}

/// Megabytes a second of one run over the text.
fn rate(text: &CanonicalText, run: impl Fn() -> usize) -> f64 {
    let begin = Instant::now();
    black_box(run());
    text.as_bytes().len() as f64 / 1e6 / begin.elapsed().as_secs_f64()
}

/// Words of 1 to 12 letters.
fn words(bytes: usize) -> String {
    let mut random = Random::new(1, 0);
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        for _ in 0..=random.below(12) {
            text.push(char::from(b'a' + random.below(26) as u8));
        }
        text.push(' ');
    }
    text
}
