//! Megabytes of text a second that one core signs by each method of the laboratory, at several
//! widths, on one long text and on short ones; and Sketch_n beside a straight loop of n hashes.
//!
//! `cargo run --release -p simdex-signature --example schemes_bench`

use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use simdex_signature::laboratory::{Family, Method, Recipe, ShingleUnit, Shingling, Signer};

const METHODS: [Method; 12] = [
    Method::mod_n(64),
    Method::mod_n(100),
    Method::BswN { n: 100 },
    Method::min_n(100),
    Method::min_n(400),
    Method::sketch_n(10),
    Method::sketch_n(100),
    Method::Winnowing { window: 100 },
    Method::WholeChunks { n: 100 },
    Method::SuperShingles,
    Method::SketchN {
        n: 100,
        family: Family::Scrambles { seed: 1 },
    },
    Method::SketchN {
        n: 100,
        family: Family::Jenkins { seed: 1 },
    },
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    let long = generated(8 << 20);
    writeln!(out, "{:<42} {:>8} {:>8}", "MB/s", "8 MB", "4 KB")?;
    for width in [5, 20, 100] {
        for method in METHODS {
            let shingling = Shingling::new(ShingleUnit::Bytes, width, 1)?;
            let signer = Signer::new(Recipe { method, shingling })?;
            // Slow methods are measured on less.
            let mut text = &long[..256 << 10];
            if rate(&signer, text, text.len()) > 100.0 {
                text = &long;
            }
            let whole = median(|| rate(&signer, text, text.len()));
            let pieces = median(|| rate(&signer, &text[..256 << 10], 4 << 10));
            writeln!(
                out,
                "{:<42} {whole:8.0} {pieces:8.0}",
                signer.recipe().to_string()
            )?;
        }
    }
    Ok(())
}

/// Of a text signed in pieces of a length.
fn rate(signer: &Signer, text: &str, length: usize) -> f64 {
    let begin = Instant::now();
    for at in (0..text.len()).step_by(length) {
        black_box(signer.sign(&text[at..text.len().min(at + length)]));
    }
    text.len() as f64 / 1e6 / begin.elapsed().as_secs_f64()
}

fn median(measure: impl Fn() -> f64) -> f64 {
    let mut values: Vec<f64> = (0..5).map(|_| measure()).collect();
    values.sort_by(f64::total_cmp);
    values[2]
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
