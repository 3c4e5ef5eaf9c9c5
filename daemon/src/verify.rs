//! `simdexd verify`: every checksum of a data directory or of a report, without changing either.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use simdex_index::store::{Options, SledStore, StoreError};

use crate::engine::EngineError;

/// Verifies a data directory or a report.
#[expect(clippy::print_stdout, reason = "the command's answer")]
pub fn run(dir: &Path) -> anyhow::Result<ExitCode> {
    if std::fs::symlink_metadata(dir.join("manifest.json")).is_ok() {
        let verified = crate::report::verify(dir)?;
        println!(
            "the report {} is whole: {} files match their checksums and nothing else is there, {} \
             differences apply; its manifest is {}",
            dir.display(),
            verified.files,
            verified.diffs,
            verified.manifest
        );
        return Ok(ExitCode::SUCCESS);
    }
    let store = dir.join("store");
    if !store.is_dir() {
        anyhow::bail!(
            "{} is neither a data directory (no store/) nor a report (no manifest.json); name one",
            dir.display()
        );
    }
    let opened = SledStore::open(&store, Options::DAEMON).map_err(|error| match error {
        StoreError::Locked { .. } => EngineError::Locked(dir.to_owned()),
        other => EngineError::Index(other.into()),
    })?;
    let verified = opened.verify().with_context(|| {
        format!(
            "the store {} is damaged; move it away and start the daemon, which builds it anew",
            store.display()
        )
    });
    let (records, postings) = verified?;
    opened.close()?;
    println!(
        "the store {} is whole: {records} records, {postings} posting blocks; extracted texts are checked when they are read",
        store.display()
    );
    Ok(ExitCode::SUCCESS)
}
