//! Cherkasova et al. 2009, Fig. 11: time to sign a file of 500 KB, by scheme, n and window. Sketch_n
//! stands there as the paper has it, n hashes a window, and as bins.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result};
use simdex_signature::laboratory::{Family, Method, Signer};

use super::{draw, series, signer, texts};
use crate::figure::{Figures, median};
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
    let mut lines = Vec::new();
    for method in methods {
        let mut points = Vec::new();
        for window in WINDOWS {
            let signer = signer(method, window)?;
            points.push((f64::from(window), milliseconds(&signer, &text)));
        }
        let columns: Vec<(String, f64)> = points
            .iter()
            .map(|(w, time)| (format!("w = {w}"), *time))
            .collect();
        let columns: Vec<_> = columns
            .iter()
            .map(|(w, time)| (w.as_str(), *time, "ms"))
            .collect();
        figures.row(&method.to_string(), &columns)?;
        lines.push(series(method.to_string(), points));
    }
    let axes = ("w, bytes", "milliseconds");
    draw(
        settings,
        "cherkasova-fig11",
        "Time to sign 500 KB",
        axes,
        lines,
    )
}

fn milliseconds(signer: &Signer, text: &str) -> f64 {
    let times = (0..5).map(|_| {
        let begin = Instant::now();
        black_box(signer.sign(text));
        begin.elapsed().as_secs_f64() * 1e3
    });
    median(times.collect())
}
