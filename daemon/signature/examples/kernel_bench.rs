//! Megabytes of canonical text a second that one core turns into unsorted Mod_64 fingerprints:
//! the interleaved kernel beside the plain rolling loop, alternating in one run.
//!
//! `cargo run --release -p simdex-signature --example kernel_bench`

use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use simdex_signature::{CanonicalText, RabinWindow, Rung, Window, reference, select};

const BYTES: usize = 32 << 20;
const RUNS: usize = 11;

fn main() -> std::io::Result<()> {
    let extracted = generated(BYTES);
    let begin = Instant::now();
    let text = CanonicalText::from_extracted(&extracted);
    let canonical = rate(text.as_bytes().len(), begin);

    let tables = RabinWindow::new(Window::DEFAULT.width().into());
    let (mut fast, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        fast.push(measured(&text, || {
            let mut selected = Vec::new();
            select(&text, Window::DEFAULT, Rung::MAX_DOCUMENT, &mut selected);
            selected.len()
        }));
        plain.push(measured(&text, || {
            reference::select_plainly(text.as_bytes(), &tables, Rung::MAX_DOCUMENT).len()
        }));
    }
    let (fast, plain) = (median(fast), median(plain));
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "canonical text   {canonical:7.0} MB/s (ASCII, one run)"
    )?;
    writeln!(out, "plain loop       {plain:7.0} MB/s")?;
    writeln!(out, "interleaved      {fast:7.0} MB/s")?;
    writeln!(out, "ratio            {:7.2}", fast / plain)
}

fn measured(text: &CanonicalText, run: impl Fn() -> usize) -> f64 {
    let begin = Instant::now();
    black_box(run());
    rate(text.as_bytes().len(), begin)
}

fn rate(bytes: usize, begin: Instant) -> f64 {
    bytes as f64 / 1e6 / begin.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Words of 1 to 12 letters drawn by a fixed linear congruence.
fn generated(bytes: usize) -> String {
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        for _ in 0..=draw(12) {
            text.push(char::from(b'a' + draw(26) as u8));
        }
        text.push(' ');
    }
    text
}
