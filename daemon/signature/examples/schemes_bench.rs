//! Megabytes of text that one core signs in a second of its own time, by each method of the laboratory and by
//! each scheme of the product, at several widths, on one long text and on short ones; beside the plain rolling
//! loop, which does nothing but slide the window, and beside what memory gives, in the same run. The text is made of
//! random letters, or what is ASCII of FILE, which should have 256 KB at least: prose repeats its short windows, random
//! letters do not.
//!
//! `cargo run --release -p simdex-signature --example schemes_bench [METHOD [FILE]]`

use std::hint::black_box;
use std::io::Write;

use rustix::time::{ClockId, clock_gettime};
use simdex_signature::laboratory::{Family, Method, Recipe, ShingleUnit, Shingling, Signer};
use simdex_signature::{
    BswN, CanonicalText, Ladder, MinN, ModN, RabinTables, Rung, SketchN, Window,
};

/// Signs a text by one of the product's schemes.
type Sign = fn(&CanonicalText, Window, Rung);

const METHODS: [Method; 15] = [
    Method::mod_n(10),
    Method::mod_n(25),
    Method::mod_n(64),
    Method::mod_n(100),
    Method::BswN { n: 10 },
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
const WIDTHS: [u16; 3] = [5, 20, 100];
const SHORT: usize = 4 << 10;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let only = std::env::args().nth(1).unwrap_or_default();
    let long = match std::env::args().nth(2) {
        Some(file) => real(&file)?,
        None => generated(8 << 20),
    };
    memory(&mut out)?;
    writeln!(
        out,
        "{:<42} {:>8} {:>8} {:>8} {:>8}",
        "MB/s, times the plain loop", "whole", "", "4 KB", ""
    )?;
    for width in WIDTHS {
        let tables = RabinTables::new(width.into());
        let plain = rates(&long, |text| {
            let mut sum = 0;
            tables.for_each_plainly(text.as_bytes(), |fingerprint| sum ^= fingerprint.0);
            black_box(sum);
        });
        row(
            &mut out,
            &format!("plain loop over {width} bytes"),
            plain,
            plain,
        )?;
        for method in METHODS {
            let shingling = Shingling::new(ShingleUnit::Bytes, width, 1)?;
            let signer = Signer::new(Recipe { method, shingling })?;
            let name = signer.recipe().to_string();
            if name.contains(&only) {
                let found = rates(&long, |text| {
                    black_box(signer.sign(text));
                });
                row(&mut out, &name, found, plain)?;
            }
        }
        if "product".contains(&only) || only.is_empty() {
            product(&mut out, &long, width, plain)?;
        }
    }
    Ok(())
}

/// The schemes as the index uses them, on text that is canonical already.
fn product(out: &mut impl Write, long: &str, width: u16, plain: [f64; 2]) -> Result<(), Failure> {
    let window = Window::bytes(width).ok_or("no window")?;
    let canonical = CanonicalText::from_extracted(long);
    let pieces: Vec<CanonicalText> = (0..canonical.as_str().len() - SHORT)
        .step_by(SHORT)
        .map(|at| CanonicalText::from_extracted(&canonical.as_str()[at..at + SHORT]))
        .collect();
    let (rung, size) = (Rung::MAX_DOCUMENT, Ladder::default().fixed_size());
    let schemes: [(&str, Rung, Sign); 5] = [
        ("Mod_n", rung, |text, window, rung| {
            black_box(ModN::sign(text, window, rung));
        }),
        ("BSW_n", rung, |text, window, rung| {
            black_box(BswN::sign(text, window, rung));
        }),
        ("Min_n", rung, |text, window, rung| {
            black_box(MinN::sign(text, window, rung));
        }),
        ("Min_n", size, |text, window, rung| {
            black_box(MinN::sign(text, window, rung));
        }),
        ("Sketch_n", size, |text, window, rung| {
            black_box(SketchN::sign(text, window, rung));
        }),
    ];
    for (name, rung, sign) in schemes {
        let found = [
            rate(canonical.as_bytes().len(), || {
                sign(&canonical, window, rung)
            }),
            rate(pieces.len() * SHORT, || {
                pieces.iter().for_each(|piece| sign(piece, window, rung));
            }),
        ];
        let n = rung.modulus();
        let name = format!("product's {name}, n = {n} over {width} bytes");
        row(out, &name, found, plain)?;
    }
    Ok(())
}

fn row(out: &mut impl Write, name: &str, found: [f64; 2], plain: [f64; 2]) -> std::io::Result<()> {
    let [long, short] = found;
    let [by_long, by_short] = [long / plain[0], short / plain[1]];
    writeln!(
        out,
        "{name:<42} {long:8.0} {by_long:8.2} {short:8.0} {by_short:8.2}"
    )
}

/// What memory gives one core: a buffer far beyond the caches, read and copied.
fn memory(out: &mut impl Write) -> std::io::Result<()> {
    let from = vec![1u64; 32 << 20];
    let mut to = vec![0u64; from.len()];
    let read = rate(from.len() * 8, || {
        black_box(from.iter().fold(0, |sum, value| sum ^ value));
    });
    let copied = rate(from.len() * 8, || {
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
    });
    writeln!(out, "{:<42} {read:8.0}", "memory read")?;
    writeln!(out, "{:<42} {copied:8.0}", "memory copied")
}

/// Of one long text, and of short ones; slow methods are measured on less.
fn rates(long: &str, sign: impl Fn(&str)) -> [f64; 2] {
    let mut text = &long[..256 << 10];
    if rate(text.len(), || sign(text)) > 100.0 {
        text = long;
    }
    let whole = rate(text.len(), || sign(text));
    let text = &long[..256 << 10];
    let pieces = rate(text.len(), || {
        for at in (0..text.len()).step_by(SHORT) {
            sign(&text[at..at + SHORT]);
        }
    });
    [whole, pieces]
}

/// Megabytes a second of processor time, the best of several measurements: others on the machine can only
/// slow one down.
fn rate(bytes: usize, work: impl FnMut()) -> f64 {
    let mut work = work;
    let mut best = f64::MAX;
    let mut spent = 0.0;
    for _ in 0..60 {
        let begin = seconds();
        work();
        let took = seconds() - begin;
        best = best.min(took);
        spent += took;
        if spent > 0.5 {
            break;
        }
    }
    bytes as f64 / 1e6 / best
}

/// Of processor time, of this thread.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The ASCII letters of a file, of which a piece of any length is text.
fn real(file: &str) -> Result<String, Failure> {
    let mut text = std::fs::read_to_string(file)?;
    text.retain(|letter| letter.is_ascii());
    match text.len() < 256 << 10 {
        true => Err(format!("{file} has less than 256 KB of ASCII").into()),
        false => Ok(text),
    }
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
