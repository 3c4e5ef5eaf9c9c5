//! The workers of an engine, confined as the config asks, and the external tools that may help them.

use std::path::Path;
use std::sync::Arc;

use simdex_extract::{CrashJournal, ExternalTools, Pool, SpoolBudget, WorkerCommand};

use crate::config::Config;
use crate::error::EngineError;
use crate::host::Host;

/// The workers, confined as the config asks.
pub(super) fn pool(host: &Host) -> Result<Pool, EngineError> {
    let config = &host.config;
    let command = WorkerCommand {
        program: host.program.clone(),
        args: vec!["extract-worker".into()],
    };
    let pool = Pool::new(command, config.workers(), config.limits())
        .with_spool(spool(host))
        .with_crash_journal(journal(&host.data_dir)?)
        .with_external_tools(external_tools(config, &host.program)?);
    let sandbox = pool.sandbox();
    if config.extract.require_sandbox && sandbox.is_degraded() {
        return Err(EngineError::Unconfined(sandbox.missing.join(", ")));
    }
    if sandbox.is_degraded() {
        tracing::warn!("the sandbox of the workers is {sandbox}");
    }
    Ok(pool)
}

/// Where documents are kept while they are read: never in the room that commits need.
fn spool(host: &Host) -> SpoolBudget {
    let disk = Arc::clone(&host.disk);
    let limit = host.config.extract.spool_mib.bytes();
    SpoolBudget::with_admission(host.data_dir.clone(), limit, move |bytes| {
        Ok(disk.take(bytes)?)
    })
}

/// The documents that the last run was working on, in case it crashed.
fn journal(data_dir: &Path) -> Result<CrashJournal, EngineError> {
    CrashJournal::open(data_dir).map_err(|source| EngineError::DataDir {
        path: data_dir.to_owned(),
        source,
    })
}

/// The external tools that the config asks for.
fn external_tools(config: &Config, program: &Path) -> Result<ExternalTools, EngineError> {
    let shim = WorkerCommand {
        program: program.to_owned(),
        args: vec!["outside-worker".into()],
    };
    let mut external_tools = ExternalTools::none(shim, config.external_tool_limits());
    if config.outside.pdftotext && !external_tools.use_pdftotext() {
        return Err(EngineError::NotInstalled("pdftotext", "poppler-utils"));
    }
    if config.outside.ocr && !external_tools.use_tesseract(&config.outside.ocr_languages) {
        return Err(EngineError::NotInstalled("tesseract", "tesseract-ocr"));
    }
    Ok(external_tools)
}
