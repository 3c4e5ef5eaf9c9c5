//! Huffman et al. 2007, Fig. 3 and §5.3: F1 as signals of increasing cost are added, and what each costs.

use std::time::Instant;

use anyhow::Result;
use simdex_judge::measure::{Together, of_texts as value_of};
use simdex_judge::signal::KnownSignals;
use simdex_judge::{Cost, JudgedText, Signal};

use super::{labelled, of_texts, put, rendering, sourced, validated};
use crate::figure::Figures;
use crate::labelled::{Body, LabelledPair, Prose};
use crate::plot::{Plot, Series};
use crate::study::Settings;

/// Bytes of the texts that signals are timed on.
const LENGTH: usize = 10_000;
/// Pairs that each signal is timed on.
const TIMED: u64 = 40;

/// F1 by cumulative cost, the ablations of the paper, then times.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let pairs: Vec<LabelledPair> = labelled(settings, figures)?;
    rendering::worth(&pairs, figures)?;
    let pairs = sourced(&pairs, Body::Shown);
    let times = times(figures)?;
    let (mut signals, mut points, mut so_far) = (Vec::new(), Vec::new(), 0.0);
    for signal in of_texts() {
        signals.push(signal);
        let runs = validated(&pairs, &signals)?;
        let median = runs.first().map_or(0.0, |run| run.quality.f1());
        so_far += times[signal.index()];
        points.push((so_far, 100.0 * median));
        put(figures, &format!("+ {}", signal.name()), &runs)?;
        let name = format!("+ {}: all so far, a pair of 10 KB", signal.name());
        figures.put(&name, so_far, "µs")?;
    }
    for (without, name) in [
        (&[Signal::Mcd, Signal::Ncd][..], "without mcd and ncd"),
        (
            &[Signal::Mcd, Signal::Ncd, Signal::SnippetMcd],
            "without any compression",
        ),
        (&[Signal::LengthDistance], "without body length"),
    ] {
        let left = of_texts()
            .into_iter()
            .filter(|signal| !without.contains(signal));
        put(
            figures,
            name,
            &validated(&pairs, &left.collect::<Vec<_>>())?,
        )?;
    }
    draw(settings, points)
}

fn draw(settings: &Settings, points: Vec<(f64, f64)>) -> Result<()> {
    let plot = Plot {
        title: "F1 as dearer signals are added".to_owned(),
        across: "µs for a pair of 10 KB of which nothing was kept".to_owned(),
        up: "F1, %".to_owned(),
        series: vec![Series {
            name: "median of nine seeds".to_owned(),
            points,
        }],
        ..Plot::default()
    };
    std::fs::create_dir_all(&settings.figures)?;
    Ok(std::fs::write(
        settings.figures.join("huffman-cost.svg"),
        plot.svg(),
    )?)
}

/// Microseconds of each signal for a pair of texts of which nothing was kept.
fn times(figures: &mut Figures<'_>) -> Result<Vec<f64>> {
    let text = |number: u64| {
        let mut text = Prose::new(1, number).paragraphs(60).join("\n\n");
        text.truncate(text.floor_char_boundary(LENGTH));
        text
    };
    let mut times = Vec::new();
    for signal in Signal::ALL {
        let mut seconds = 0.0;
        for number in 0..TIMED {
            let [a, b] = [number, number + 1].map(|number| JudgedText::new(&text(number)));
            let started = Instant::now();
            let value = match signal.cost() {
                Cost::Known => KnownSignals::default().value(signal),
                _ => value_of(signal, &a, &b, &Together::default()),
            };
            std::hint::black_box(value);
            seconds += started.elapsed().as_secs_f64();
        }
        let name = format!("{}: a pair of 10 KB", signal.name());
        times.push(1e6 * seconds / TIMED as f64);
        figures.put(&name, times[signal.index()], "µs")?;
    }
    Ok(times)
}
