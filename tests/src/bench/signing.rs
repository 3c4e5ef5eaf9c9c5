//! Megabytes of canonical text that one core signs in a second: the interleaved kernel beside the
//! plain rolling loop, alternating in one run, and both schemes whole (sorted and distinct).

use std::hint::black_box;
use std::time::Instant;

use simdex_signature::{BswN, CanonicalText, ModN, RabinTables, Rung, Window, reference, select};

use super::Settings;
use crate::corpus::Random;
use crate::figure::{Figures, median};

const BYTES: usize = 32 << 20;
const RUNS: usize = 11;
const RUNG: Rung = Rung::MAX_DOCUMENT;

pub(super) fn run(_: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let extracted = words(BYTES);
    let begin = Instant::now();
    let text = CanonicalText::from_extracted(&extracted);
    let canonical = text.as_bytes().len() as f64 / 1e6 / begin.elapsed().as_secs_f64();
    let tables = RabinTables::new(Window::DEFAULT.width().into());
    let (mut fast, mut plain, mut mod_n, mut bsw_n) = (vec![], vec![], vec![], vec![]);
    for _ in 0..RUNS {
        fast.push(rate(&text, || {
            let mut selected = Vec::new();
            select(&text, Window::DEFAULT, RUNG, &mut selected);
            selected.len()
        }));
        plain.push(rate(&text, || {
            reference::select_plainly(text.as_bytes(), &tables, RUNG).len()
        }));
        mod_n.push(rate(&text, || {
            ModN::sign(&text, Window::DEFAULT, RUNG).len()
        }));
        bsw_n.push(rate(&text, || {
            BswN::sign(&text, Window::DEFAULT, RUNG).len()
        }));
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
    figures.put("Mod_n signature", median(mod_n), "MB/s")?;
    figures.put("BSW_n signature", median(bsw_n), "MB/s")?;
    Ok(())
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
