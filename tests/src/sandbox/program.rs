//! The programs under test: built from this tree, in the profile the tests were built in.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, ensure};

/// Names a directory whose `simdexd` and `simctl` are tested instead of those of this tree.
const INSTEAD: &str = "SIMDEX_BIN_DIR";

/// Path of `simdexd`.
pub fn simdexd() -> Result<PathBuf> {
    Ok(directory()?.join("simdexd"))
}

/// Path of `simctl`.
pub fn simctl() -> Result<PathBuf> {
    Ok(directory()?.join("simctl"))
}

/// Where both lie; the first call of a process builds them.
fn directory() -> Result<&'static Path> {
    static DIRECTORY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let found = DIRECTORY.get_or_init(|| match std::env::var_os(INSTEAD) {
        Some(instead) => Ok(instead.into()),
        None => build().map_err(|error| format!("{error:#}")),
    });
    found.as_deref().map_err(|error| anyhow!("{error}"))
}

/// Builds the programs into the directory this very executable was built into, which alone would
/// not build the programs of other packages.
///
/// A test asks for the whole workspace with its tests, as `cargo test --workspace` does: any other
/// selection of packages unifies features differently and builds most dependencies once more.
fn build() -> Result<PathBuf> {
    let own = std::env::current_exe().context("the path of the test itself is not known")?;
    let is_profile = |dir: &&Path| dir.file_name().is_some_and(|name| name != "deps");
    let profile_dir = own
        .ancestors()
        .skip(1)
        .find(is_profile)
        .context("a test in /")?;
    let (Some(target), Some(name)) = (profile_dir.parent(), profile_dir.file_name()) else {
        anyhow::bail!("{} is not in a target directory", own.display());
    };
    // A copy elsewhere, with no target directory to build in.
    if !profile_dir.join("deps").is_dir() {
        return beside(profile_dir);
    }
    let profile = if name == "debug" {
        "dev".as_ref()
    } else {
        name
    };
    let is_test = own.parent() != Some(profile_dir);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["build", "--quiet", "--workspace", "--bins"])
        .args(is_test.then_some("--tests"))
        .arg("--profile")
        .arg(profile)
        .arg("--target-dir")
        .arg(target)
        .output()
        .context("cargo does not run")?;
    let said = String::from_utf8_lossy(&built.stderr);
    ensure!(
        built.status.success(),
        "simdexd and simctl do not build:\n{said}"
    );
    Ok(profile_dir.to_owned())
}

/// A directory with both programs, copied there together with this executable.
fn beside(directory: &Path) -> Result<PathBuf> {
    let is_there = |name| directory.join(name).is_file();
    ensure!(
        is_there("simdexd") && is_there("simctl"),
        "simdexd and simctl are not in {}; name their directory in {INSTEAD}",
        directory.display()
    );
    Ok(directory.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_beside_a_copied_executable_are_taken_if_both_are_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        std::fs::write(path.join("simdexd"), "").unwrap();
        let missing = beside(path).unwrap_err().to_string();
        assert!(missing.contains("SIMDEX_BIN_DIR"), "{missing}");
        std::fs::write(path.join("simctl"), "").unwrap();
        assert_eq!(beside(path).unwrap(), path);
    }
}
