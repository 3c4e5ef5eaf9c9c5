//! Compound files of Office 97 to 2003: documents, workbooks, presentations. Shared here are property sets, embedded
//! objects, macros and code pages.

mod codepage;
pub(crate) mod doc;
mod embedded;
pub(crate) mod ppt;
mod properties;
#[cfg(test)]
mod tests;
pub(crate) mod xls;

use simdex_extract::{Outcome, Reason};

use super::Reading;
use crate::compound::{self, Compound};
use crate::sink::Sink;

pub(super) const DOC_ENGINE: &str = "doc 1";
pub(super) const XLS_ENGINE: &str = "xls 1";
pub(super) const PPT_ENGINE: &str = "ppt 1";

/// The stream at `path`, cut if it is too long.
fn stream(
    file: &Compound<'_>,
    path: &str,
    sink: &Sink,
) -> Result<(Vec<u8>, Option<Reason>), Outcome> {
    let number = file.find(path).ok_or(Outcome::Failed(Reason::Malformed))?;
    Ok(file.read(number, sink.budgets().entry_bytes))
}

/// Facts and members besides the text; returns why they are incomplete.
fn beside(file: &Compound<'_>, sink: &mut Sink) -> Option<Reason> {
    properties::state(file, sink);
    embedded::members(file, sink)
}
