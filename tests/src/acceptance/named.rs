//! Tests that a check relies on: whether they exist, and their runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::Verdict;
use crate::sandbox::Run;

/// The top of the workspace.
fn top() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// Holds that `file` of the workspace has a test of this name that is run.
pub(super) fn exists(file: &str, name: &str) -> Result<()> {
    let source = fs::read_to_string(top().join(file)).with_context(|| file.to_owned())?;
    let declared = source.find(&format!("fn {name}("));
    let before = declared.map(|at| source[..at].trim_end());
    let is_test = before.is_some_and(|before| {
        let head = before.rsplit("\n\n").next().unwrap_or_default();
        // Of a line of its own; tokio's and others end alike.
        let is_test = head.contains("test]") || head.contains("::test(");
        is_test && !head.contains("#[ignore")
    });
    ensure!(is_test, "{file} has no test {name}");
    Ok(())
}

/// The test programs of the workspace, by the folder of their package.
pub(super) struct Programs(BTreeMap<PathBuf, Vec<PathBuf>>);

impl Programs {
    /// Builds them all, as `cargo test` does.
    pub(super) fn build() -> Result<Self> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let args = ["test", "--workspace", "--no-run", "--locked", "--quiet"];
        let built = Command::new(cargo)
            .args(args)
            .arg("--message-format=json")
            .current_dir(top())
            .output()
            .context("cargo does not run")?;
        let said = String::from_utf8_lossy(&built.stderr);
        ensure!(built.status.success(), "the tests do not build:\n{said}");
        let mut programs: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for line in String::from_utf8_lossy(&built.stdout).lines() {
            let message: Value = serde_json::from_str(line)?;
            let (program, manifest) = (&message["executable"], &message["manifest_path"]);
            let is_test = message["profile"]["test"] == true;
            if let (true, Some(program), Some(manifest)) =
                (is_test, program.as_str(), manifest.as_str())
            {
                let folder = Path::new(manifest).parent().unwrap_or(Path::new("/"));
                let folder = folder.to_owned();
                programs.entry(folder).or_default().push(program.into());
            }
        }
        Ok(Self(programs))
    }

    /// Runs the test of this name in the package that `file` belongs to.
    pub(super) fn run(&self, file: &str, name: &str) -> Result<Verdict> {
        let path = top().canonicalize()?.join(file);
        // The innermost package: that of the daemon holds others in its folder.
        let folders = path.ancestors();
        let programs = folders.filter_map(|folder| self.0.get(folder)).next();
        let programs = programs.with_context(|| format!("no package holds {file}"))?;
        let (mut ran, mut skipped) = (false, None);
        for program in programs {
            let listed = Run::of(program)
                .args(["--list", "--format", "terse"])
                .wait()?
                .success()?;
            let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
            let names = listed
                .lines()
                .filter_map(|line| line.strip_suffix(": test"));
            for full in names.filter(|full| full.rsplit("::").next() == Some(name)) {
                skipped = one(program, full)?.or(skipped);
                ran = true;
            }
        }
        match (ran, skipped) {
            (false, _) => bail!("no test program has {name}"),
            (true, Some(reason)) => Ok(Verdict::Skipped(reason)),
            (true, None) => Ok(Verdict::Holds),
        }
    }
}

/// Runs one test; why it skipped what it is for, if it did.
fn one(program: &Path, name: &str) -> Result<Option<String>> {
    let run = Run::of(program).args(["--exact", name, "--nocapture"]);
    let run = run.wait()?;
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + &run.stderr;
    ensure!(run.status.success(), "{name} fails:\n{}", said.trim_end());
    let skipped = said.lines().find(|line| line.contains("skipped"));
    // The harness ends with "0 filtered out", never with this word.
    Ok(skipped.map(|line| line.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_vanished_or_is_ignored_is_told() {
        let own = "tests/src/acceptance/named.rs";
        exists(own, "a_test_that_vanished_or_is_ignored_is_told").unwrap();
        assert!(exists(own, "top").is_err(), "a function that is no test");
        assert!(exists(own, "a_test_nobody_wrote").is_err());
        assert!(exists("tests/src/nowhere.rs", "x").is_err());
    }
}
