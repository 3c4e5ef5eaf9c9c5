//! The readers: from the bytes of a document to its text, facts and members, one reader per format.
//!
//! They run only in the sandboxed workers of [`simdex_extract`]: the program uses [`worker_main`] for its hidden
//! subcommand, and the daemon's library does not depend on this crate.
//!
//! A document goes through [`read`]: `kind` detects its format from its bytes; `formats` has the reader of that format,
//! which takes an `Input` and writes to a `Sink`. `formats` depends on `kind`, not the other way round; what both parse
//! is in `compound`, `zip_header` and `charset`.
//!
//! Families of formats are features, all of them on by default. If a document's family is not built in, `kind` still
//! detects it, and it ends as unsupported for that reason.

#![cfg_attr(
    not(feature = "all"),
    allow(
        dead_code,
        unused_imports,
        reason = "what families share is not all used by each"
    )
)]

mod charset;
mod compound;
mod formats;
mod input;
mod kind;
mod sink;
mod struck;
mod zip_header;

use std::process::ExitCode;

use simdex_extract::{Extraction, ReadJob, Readers, Task};

use input::Input;
use sink::Sink;

/// Serves documents from stdin as a worker of a [`Pool`](simdex_extract::Pool) until it closes.
#[must_use]
pub fn worker_main() -> ExitCode {
    simdex_extract::worker_main(Readers {
        built_in: formats::built_in(),
        read,
    })
}

/// Reads one document. Members are sent while it is read; panics of parsers are caught here.
#[must_use]
pub fn read(job: ReadJob) -> Extraction {
    let input = Input::new(job.document, job.length);
    let sink = Sink::new(job.output_bytes, job.budgets, job.members);
    match job.task {
        Task::Read => formats::sniff_and_read(&input, job.name.as_deref(), sink),
        Task::JoinPages => formats::join_pages(&input, sink),
    }
}

#[cfg(test)]
#[cfg(feature = "all")]
mod tests;
