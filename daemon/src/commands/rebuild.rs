//! `simdexd rebuild`: recomputes signatures, postings, edges and groups from records and texts.
//!
//! For use when derived data is in doubt: nothing is read from the shares, and no extraction is run again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use simdex_index::store::Hooks;
use simdex_index::{Cancel, IndexError, Opened, VisibleRoots};
use simdex_proto::text::counted;

use crate::commands::answer::answer;
use crate::commands::exit;
use crate::commands::verify;
use crate::config::Config;
use crate::error::EngineError;
use crate::host::storage::{self, Opening};

/// Rebuilds the derived data in a data directory that no daemon holds; `is_configured` says whether a config
/// was given.
pub fn run(
    data_dir: PathBuf,
    config: Config,
    is_configured: bool,
    program: &Path,
) -> anyhow::Result<ExitCode> {
    if !data_dir.join("store").is_dir() {
        anyhow::bail!(
            "{} is not a data directory (no store/); name one with --data-dir",
            data_dir.display()
        );
    }
    let started = Instant::now();
    let hooks = Hooks::default();
    let opened = storage::open_index(
        &config,
        &data_dir,
        program,
        Opening::Rebuild { is_configured },
        hooks,
        &Cancel::never(),
    );
    let opened = match opened {
        Err(EngineError::Index(IndexError::UnreadTexts(missing))) => {
            return Err(without_texts(&data_dir, missing));
        }
        Err(error) => match error.store_damage() {
            Some(reason) => return damaged(&data_dir, reason),
            None => return Err(error.into()),
        },
        Ok(opened) => opened,
    };
    let Opened { index, writer, .. } = opened;
    let unread = writer.release_damaged_texts()?.len();
    writer.settle(&Cancel::never())?;
    let documents = index.live_documents(&VisibleRoots::All);
    let postings: u64 = index.usage().iter().map(|usage| usage.postings).sum();
    index.close(writer)?;
    answer(format_args!(
        "{} is rebuilt: {}, {}, {:.1} s",
        data_dir.display(),
        counted(documents, "document"),
        counted(postings, "posting"),
        started.elapsed().as_secs_f64()
    ))?;
    if unread > 0 {
        answer(format_args!(
            "the text of {} was damaged; it is extracted again when the daemon next starts",
            counted(unread as u64, "file")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses if texts are missing: a rebuild would drop their documents.
fn without_texts(data_dir: &Path, missing: u64) -> anyhow::Error {
    anyhow::anyhow!(
        "{} missing in {}; put the files of texts back, or start the daemon, which reads their documents \
         again",
        counted(missing, "text"),
        data_dir.join("text").display()
    )
}

/// Reports that the records themselves are damaged, so that nothing can be rebuilt from them.
fn damaged(data_dir: &Path, reason: &str) -> anyhow::Result<ExitCode> {
    answer(format_args!(
        "{} is damaged and was left unchanged: {reason}",
        data_dir.display()
    ))?;
    answer(verify::WAY_OUT)?;
    Ok(ExitCode::from(exit::DAMAGED))
}
