//! Cherkasova et al. 2009, Fig. 11: time to sign a file of 500 KB, by scheme, n and window. Sketch_n
//! stands there as the paper has it, n hashes a window, and as bins; beside them the plain rolling loop, which only
//! slides the window. Times are of the processor, the median of five.

use std::hint::black_box;

use anyhow::{Context, Result};
use simdex_signature::RabinTables;
use simdex_signature::laboratory::{Family, Method};

use super::{draw_to_scale, series, signer, texts};
use crate::figure::{Figures, median, thread_seconds};
use crate::plot::Scale;
use crate::study::Settings;

const WINDOWS: [u16; 5] = [5, 20, 40, 60, 100];

/// A line a scheme.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let texts = texts(settings, "long", "txt")?;
    let longest = texts.last().context("a text")?;
    let text: String = longest
        .text
        .repeat(500_000usize.div_ceil(longest.text.len()));
    let text: String = text.chars().take(500_000).collect();
    let jenkins = |n| Method::SketchN {
        n,
        family: Family::Jenkins { seed: 1 },
    };
    let mut methods = Vec::new();
    for n in [10, 25, 100, 500] {
        methods.extend([
            Method::mod_n(n),
            Method::BswN { n },
            Method::min_n(n as u32),
            Method::sketch_n(n as u32),
        ]);
    }
    // n functions a window take a minute at 500.
    methods.extend([10, 25, 100].map(jenkins));
    let mut lines = vec![("plain loop".to_owned(), plain_loop(&text))];
    for method in methods {
        let mut points = Vec::new();
        for window in WINDOWS {
            let signer = signer(method, window)?;
            let time = milliseconds(|| {
                black_box(signer.sign(&text));
            });
            points.push((f64::from(window), time));
        }
        lines.push((method.to_string(), points));
    }
    for (name, points) in &lines {
        show(name, points, figures)?;
    }
    let lines = lines.into_iter();
    let lines = lines.map(|(name, points)| series(name, points)).collect();
    draw_to_scale(
        settings,
        "cherkasova-fig11",
        "Time to sign 500 KB",
        ("w, bytes", "milliseconds"),
        (Scale::Logarithmic, lines),
    )
}

fn show(name: &str, points: &[(f64, f64)], figures: &mut Figures<'_>) -> Result<()> {
    let columns: Vec<(String, f64)> = points
        .iter()
        .map(|(w, time)| (format!("w = {w}"), *time))
        .collect();
    let columns: Vec<_> = columns
        .iter()
        .map(|(w, time)| (w.as_str(), *time, "ms"))
        .collect();
    Ok(figures.row(name, &columns)?)
}

/// What the plain rolling loop takes, by window.
fn plain_loop(text: &str) -> Vec<(f64, f64)> {
    let times = WINDOWS.map(|window| {
        let tables = RabinTables::new(window.into());
        let time = milliseconds(|| {
            let mut all = 0;
            tables.for_each_plainly(text.as_bytes(), |fingerprint| all ^= fingerprint.0);
            black_box(all);
        });
        (f64::from(window), time)
    });
    times.to_vec()
}

fn milliseconds(mut work: impl FnMut()) -> f64 {
    let times = (0..5).map(|_| {
        let begin = thread_seconds();
        work();
        (thread_seconds() - begin) * 1e3
    });
    median(times.collect())
}
