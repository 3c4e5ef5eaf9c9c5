//! Files without text: a changed copy is found by the chunks of raw bytes it shares.

use anyhow::{Context, Result, ensure};

use crate::corpus::Random;
use crate::figure::Figures;
use crate::jsonl::text;
use crate::sandbox::{Daemon, Sandbox};

const LENGTH: usize = 200_000;

pub(super) fn run(figures: &mut Figures<'_>) -> Result<()> {
    let sandbox = Sandbox::new()?;
    for (name, make) in [
        ("photo.png", png as fn(u64) -> Vec<u8>),
        ("firmware.bin", records),
    ] {
        let original = make(1);
        sandbox.write(format!("{name}/original"), &original)?;
        sandbox.write(format!("{name}/changed"), changed(original))?;
        sandbox.write(format!("{name}/another"), make(2))?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    for name in ["photo.png", "firmware.bin"] {
        for (asked, found) in [("original", "changed"), ("changed", "original")] {
            let resemblance = finds(&sandbox, &daemon, &format!("{name}/{asked}"), found)?;
            figures.put(
                &format!("{name}: resemblance found from {asked}"),
                resemblance,
                "",
            )?;
        }
    }
    Ok(())
}

/// Asks for one file; the first and only answer must be its other state.
fn finds(sandbox: &Sandbox, daemon: &Daemon, asked: &str, found: &str) -> Result<f64> {
    let asked = sandbox.share().join(asked);
    let answer = daemon
        .simctl(["find-similar".as_ref(), asked.as_os_str()])?
        .ended_with(&[0, 1])?;
    let matches = answer.lines_of("match")?;
    let [only] = &matches[..] else {
        anyhow::bail!(
            "{} has {} answers: {}",
            asked.display(),
            matches.len(),
            answer.stderr
        );
    };
    let path = asked.with_file_name(found);
    ensure!(
        text(only, "path")? == path.to_string_lossy(),
        "another file is found: {only}"
    );
    ensure!(
        only["scheme"]["name"] == "chunks",
        "not found by chunks: {only}"
    );
    only["resemblance"]
        .as_f64()
        .with_context(|| format!("no resemblance in {only}"))
}

/// The beginning of an image, then bytes as compressed data has them.
fn png(seed: u64) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\0\0\0\x02\0\x08\x02\0\0\0".to_vec();
    let mut random = Random::new(seed, 0);
    while bytes.len() < LENGTH {
        bytes.extend(random.next().to_le_bytes());
    }
    bytes
}

/// Records of one layout: constant tags and zeroes between numbers.
fn records(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed, 1);
    let mut bytes = b"\x7fFW\x01\0\0\0\0".to_vec();
    while bytes.len() < LENGTH {
        bytes.extend(b"\0\x01TAG\0\0\0");
        bytes.extend(random.next().to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(random.below(1 << 20).to_be_bytes());
    }
    bytes
}

/// A few bytes edited, a block inserted.
fn changed(mut bytes: Vec<u8>) -> Vec<u8> {
    for at in [1_000, 60_000, 60_001, 150_000] {
        bytes[at] ^= 0xFF;
    }
    let block: Vec<u8> = (0..3_000u32).map(|at| (at * 7 % 251) as u8).collect();
    bytes.splice(100_000..100_000, block);
    bytes
}
