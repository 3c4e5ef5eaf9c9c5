//! The versions of a file, as people see them.

use anyhow::{Result, ensure};
use simdex_tests::sandbox::Sandbox;

#[test]
fn a_file_without_other_versions_is_shown_alone() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let text = "A text that is long enough to be a document and resembles no other.";
    let lone = sandbox.write("lone.txt", text)?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let asked = ["versions".as_ref(), lone.as_os_str()];
    let answer = daemon.simctl_in_words(asked)?.ended_with(&[1])?;
    let said = String::from_utf8_lossy(&answer.stdout);
    let row = said.lines().last().unwrap_or_default();
    let words: Vec<&str> = row.split_whitespace().collect();
    ensure!(words[..2] == ["◉", "1"], "{said}");
    ensure!(words[3..] == ["file", "-", "-", "lone.txt"], "{said}");
    ensure!(answer.stderr.contains("no other file"), "{answer:?}");
    Ok(())
}
