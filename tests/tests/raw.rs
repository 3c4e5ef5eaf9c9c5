//! Files without text, compared by their raw bytes, with the real programs.

use anyhow::{Result, ensure};
use simdex_tests::sandbox::Sandbox;

/// Bytes of no format that follow from a seed.
fn noise(seed: u32) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..100_000).map(|_| next()).collect()
}

#[test]
fn a_raw_file_that_resembles_nothing_is_an_answer_and_ends_with_1() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let mut longer = noise(1);
    longer.extend(noise(3).iter().take(5_000));
    for (name, bytes) in [("a.bin", noise(1)), ("a2.bin", longer), ("b.bin", noise(2))] {
        sandbox.write(name, bytes)?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let asked = |name: &str| {
        let path = sandbox.share().join(name).display().to_string();
        daemon.simctl(["find-similar", &path])
    };
    let kin = asked("a.bin")?;
    ensure!(kin.code()? == 0, "{}", kin.stderr);
    ensure!(kin.lines_of("match")?.len() == 1, "{}", kin.stderr);
    let alone = asked("b.bin")?;
    ensure!(alone.code()? == 1, "{}", alone.stderr);
    ensure!(alone.lines_of("match")?.is_empty(), "{}", alone.stderr);
    let query = alone.lines_of("query")?.remove(0);
    ensure!(query["compared_by"] == "raw-bytes", "{query}");
    ensure!(
        !alone.stderr.contains("cannot be compared"),
        "{}",
        alone.stderr
    );
    Ok(())
}

#[test]
fn copies_of_what_is_too_short_or_too_large_to_compare_are_found_by_their_bytes() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let mut large = noise(4);
    large.resize(2 << 20, 7);
    for (name, bytes) in [
        ("short.txt", b"abc\n".to_vec()),
        ("short-too.txt", b"abc\n".to_vec()),
        ("other.txt", b"abd\n".to_vec()),
        ("large.bin", large.clone()),
        ("large-too.bin", large),
    ] {
        sandbox.write(name, bytes)?;
    }
    let daemon = sandbox.serve().config("[extract]\nraw_mib = 1\n").start()?;
    daemon.sync()?;
    for (name, copies) in [("short.txt", 1), ("large.bin", 1), ("other.txt", 0)] {
        let path = sandbox.share().join(name).display().to_string();
        let found = daemon.simctl(["find-similar", &path])?;
        ensure!(found.code()? == i32::from(copies == 0), "{}", found.stderr);
        let matches = found.lines_of("match")?;
        ensure!(matches.len() == copies, "{name}: {matches:?}");
        let is_exact = |found: &serde_json::Value| {
            found["relation"] == "identical-bytes" && found["verified"] == true
        };
        ensure!(matches.iter().all(is_exact), "{matches:?}");
        let query = found.lines_of("query")?.remove(0);
        ensure!(query["compared_by"] == "whole-bytes", "{query}");
        let promise = &query["promise"];
        let is_by_hash = promise["scheme"] == "" && promise["none"] == "nothing-compared";
        ensure!(is_by_hash, "{promise}");
    }
    // Of a file that lies on no share the chunks are compared, which the index has of neither copy.
    let sent = sandbox.beside("sent.bin");
    std::fs::copy(sandbox.share().join("large.bin"), &sent)?;
    let found = daemon.simctl(["find-similar", &sent.display().to_string()])?;
    let matches = found.lines_of("match")?;
    ensure!(matches.len() == 2, "{matches:?}");
    ensure!(
        matches
            .iter()
            .all(|found| found["relation"] == "identical-bytes"),
        "{matches:?}"
    );
    Ok(())
}
