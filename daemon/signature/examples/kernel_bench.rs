//! Megabytes of canonical text a second that one core turns into unsorted Mod_64 fingerprints:
//! the interleaved kernel beside the plain rolling loop, alternating in one run.
//!
//! `cargo run --release -p simdex-signature --example kernel_bench`

use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use simdex_signature::{CanonicalText, RabinTables, Rung, ShingleSet, Window, reference, select};

const BYTES: usize = 32 << 20;
const RUNS: usize = 11;

fn main() -> std::io::Result<()> {
    let extracted = generated(BYTES);
    let begin = Instant::now();
    let text = CanonicalText::from_extracted(&extracted);
    let canonical = rate(text.as_bytes().len(), begin);

    let tables = RabinTables::new(Window::DEFAULT.width().into());
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
    let (sets, sorts) = shingle_sets(&text);
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "canonical text   {canonical:7.0} MB/s (ASCII, one run)"
    )?;
    writeln!(out, "plain loop       {plain:7.0} MB/s")?;
    writeln!(out, "interleaved      {fast:7.0} MB/s")?;
    writeln!(out, "ratio            {:7.2}", fast / plain)?;
    writeln!(out, "shingle sets     {sets:7.1} MB/s (texts of 64 KB)")?;
    writeln!(out, "by plain sort    {sorts:7.1} MB/s")
}

/// Shingle sets of 64 KB pieces, beside the same with the standard library's sort.
fn shingle_sets(text: &CanonicalText) -> (f64, f64) {
    let piece = CanonicalText::from_extracted(&text.as_str()[..64 << 10]);
    let tables = RabinTables::new(Window::DEFAULT.width().into());
    let (mut sets, mut sorts) = (Vec::new(), Vec::new());
    for _ in 0..20 * RUNS {
        sets.push(measured(&piece, || {
            ShingleSet::new(&piece, Window::DEFAULT).len()
        }));
        sorts.push(measured(&piece, || {
            let mut all = Vec::with_capacity(piece.as_bytes().len());
            tables.for_each_run(piece.as_bytes(), |run| all.extend_from_slice(run));
            all.sort_unstable();
            all.dedup();
            all.len()
        }));
    }
    (median(sets), median(sorts))
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
