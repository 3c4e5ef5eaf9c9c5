//! How fast one core signs a text by Mod_n, BSW_n, Min_n and Sketch_n, on a long text and on short ones, beside a plain
//! rolling loop and a copy of memory: with criterion, which compares a run with the one before.
//!
//! `cargo bench -p simdex-speed [-- FILTER]`
//!
//! Words of random letters; megabytes a second of wall-clock time. `--example schemes_bench` of simdex-signature
//! measures the laboratory's methods, too, by processor time, and `bench signing` of simdex-tests other programs.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use simdex_signature::{
    BswN, CanonicalText, Fingerprint, Ladder, MinN, ModN, RabinTables, Rung, Signature, SketchN,
    Window,
};

const WIDTHS: [u16; 3] = [5, 20, 100];
const LONG: usize = 8 << 20;
const SHORT: usize = 4 << 10;
/// How many short texts are signed one after another, so that none is known by heart.
const SHORT_TEXTS: usize = 64;
/// More than the caches hold.
const COPIED: usize = 128 << 20;

/// Signs a text by a scheme, at the n that the index signs long texts at.
type Sign = fn(&CanonicalText, Window) -> Signature;

const SCHEMES: [(&str, Sign); 4] = [
    ("mod_n", |text, window| {
        ModN::sign(text, window, Rung::MAX_DOCUMENT)
    }),
    ("bsw_n", |text, window| {
        BswN::sign(text, window, Rung::MAX_DOCUMENT)
    }),
    ("min_n", |text, window| {
        MinN::sign(text, window, Ladder::default().fixed_size())
    }),
    ("sketch_n", |text, window| {
        SketchN::sign(text, window, Ladder::default().fixed_size())
    }),
];

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    memory(&mut criterion);
    let text = words(LONG);
    let short: Vec<&str> = (0..SHORT_TEXTS)
        .map(|at| &text[at * SHORT..(at + 1) * SHORT])
        .collect();
    for width in WIDTHS {
        signing(&mut criterion, "8 MB", width, &[&text]);
        signing(&mut criterion, "4 KB", width, &short);
    }
    criterion.final_summary();
}

/// Signs these texts, one after another, with windows of this many bytes.
fn signing(criterion: &mut Criterion, length: &str, width: u16, texts: &[&str]) {
    let texts = texts.iter().map(|text| CanonicalText::from_extracted(text));
    let texts: Vec<CanonicalText> = texts.collect();
    let bytes = texts.iter().map(|text| text.as_bytes().len() as u64).sum();
    let mut group = criterion.benchmark_group(format!("{length}, w = {width}"));
    group.throughput(Throughput::BytesDecimal(bytes));
    let tables = RabinTables::new(width.into());
    group.bench_function("plain loop", |bencher| {
        bencher.iter(|| {
            let mut sum = 0;
            for text in &texts {
                tables.for_each_plainly(text.as_bytes(), |fingerprint| sum ^= fingerprint.0);
            }
            sum
        });
    });
    let Some(window) = Window::bytes(width) else {
        return;
    };
    for (name, sign) in SCHEMES {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for text in &texts {
                    black_box(sign(text, window));
                }
            });
        });
    }
    group.finish();
}

/// What memory gives one core.
fn memory(criterion: &mut Criterion) {
    let from = vec![1_u8; COPIED];
    let mut to = vec![0; COPIED];
    let mut group = criterion.benchmark_group("memory");
    group.throughput(Throughput::BytesDecimal(COPIED as u64));
    group.bench_function("copy", |bencher| {
        bencher.iter(|| {
            to.copy_from_slice(black_box(&from));
            black_box(&mut to);
        });
    });
    group.finish();
}

/// Words of 1 to 12 random letters.
fn words(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    for at in 0.. {
        let mut rest = Fingerprint(at).mixed();
        for _ in 0..=rest % 12 {
            text.push(char::from(b'a' + (rest / 12 % 26) as u8));
            rest /= 26;
        }
        text.push(' ');
        if text.len() >= bytes {
            break;
        }
    }
    text.truncate(bytes);
    text
}
