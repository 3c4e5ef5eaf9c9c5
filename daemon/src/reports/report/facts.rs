//! What the parts of a report that write its files pass to the pages in HTML.

use std::collections::BTreeMap;
use std::io;

use simdex_proto::changes::{Caveat, Totals};
use simdex_proto::lines as json;
use simdex_proto::text::{ChangedLines, is_shown_by_words};
use simdex_schema::DocumentHash;

use super::ReportMember;
use crate::read_side::difference::Extent;
use crate::read_side::difference::words::WordExtent;
use crate::read_side::findings::{FindingsSummary, TakeFinding};

/// Files on disk by kind and state.
pub(super) type StatesByKind = BTreeMap<String, BTreeMap<&'static str, u64>>;

/// The result of a comparison with an earlier report.
pub(super) struct ChangeSummary {
    pub(super) totals: Totals,
    /// Reasons why part of it may not be due to changes of the files.
    pub(super) caveats: Vec<Caveat>,
}

/// The result of a compliance question.
pub struct Findings<'a> {
    /// Its name, such as `leak`.
    pub kind: &'static str,
    /// What was asked.
    pub question: json::Question,
    /// Calls its argument for each finding, in order, and returns what was found in all.
    pub visit: &'a VisitFindings<'a>,
}

/// Visits findings, and returns what was found in all.
pub type VisitFindings<'a> = dyn Fn(&mut TakeFinding<'_>) -> io::Result<FindingsSummary> + 'a;

/// A document of a group compared with the principal's.
pub(super) struct ComparedDocument<'a> {
    pub(super) document: &'a DocumentHash,
    pub(super) files: Vec<&'a ReportMember>,
    pub(super) facts: Result<DiffFacts, NoDiff>,
    /// The difference as HTML, as long as there is room.
    pub(super) side_by_side: Option<String>,
}

/// One diff in the report.
pub(super) struct DiffFacts {
    /// Path of its file below the report.
    pub(super) diff: String,
    pub(super) extent: Extent,
    /// Whether the search for common lines was cut short somewhere: the diff may be longer than necessary.
    pub(super) cut_short: bool,
    /// The difference by words; `None` if there is no memory to align them.
    pub(super) words: Option<WordFacts>,
}

impl DiffFacts {
    /// Whether the page shows it by words, by the rule of `simctl compare --diff auto`.
    pub(super) fn is_shown_by_words(&self) -> bool {
        let lines = ChangedLines {
            removed: self.extent.removed as u64,
            added: self.extent.added as u64,
            blank: self.extent.blank as u64,
        };
        self.words.as_ref().is_some_and(|words| {
            let WordExtent {
                removed,
                added,
                moved,
                ..
            } = words.extent;
            is_shown_by_words(lines, removed + added + moved, moved)
        })
    }
}

/// A difference by words in the report.
pub(super) struct WordFacts {
    /// Path of its operations below the report.
    pub(super) operations: String,
    pub(super) extent: WordExtent,
    /// Whether the search for common words was cut short somewhere: fewer may differ.
    pub(super) cut_short: bool,
}

/// Why a document has no diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoDiff {
    /// Its text or the principal's is not kept.
    TextNotKept,
    /// There is no memory to align this many lines.
    TooManyLines,
}

impl NoDiff {
    /// Its name in `diffs.jsonl`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::TextNotKept => "text-not-kept",
            Self::TooManyLines => "too-many-lines",
        }
    }
}
