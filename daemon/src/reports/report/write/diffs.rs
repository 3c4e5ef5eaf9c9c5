//! What a document of a group is beside the principal's: its diff, and the operations by words.

use simdex_schema::DocumentHash;

use super::{Writer, json_line};
use crate::read_side::difference::operations::operations;
use crate::read_side::difference::words::{WordDifference, WordExtent};
use crate::read_side::difference::{
    Difference, Extent, lines, permit_to_align, permit_to_align_words,
};
use crate::reports::report::{ReportError, operations_path, text_path};

/// One diff in the report.
pub(in crate::reports::report) struct DiffFacts {
    /// Path of its file below the report.
    pub(in crate::reports::report) diff: String,
    pub(in crate::reports::report) extent: Extent,
    /// The search for common lines was ended in some place: it is longer than need be.
    pub(in crate::reports::report) cut_short: bool,
    /// Path of its operations below the report, and words that differ; none where there is no memory to align them.
    pub(in crate::reports::report) words: Option<(String, WordExtent)>,
}

/// Why a document has no diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::reports::report) enum NoDiff {
    /// Its text or the principal's is not kept.
    TextNotKept,
    /// There is no memory to align so many lines.
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

impl Writer<'_> {
    /// Writes the diff of two texts, where there is memory to align them.
    pub(super) fn diff(
        &mut self,
        name: &str,
        documents: [&DocumentHash; 2],
        texts: [&str; 2],
    ) -> Result<Result<DiffFacts, NoDiff>, ReportError> {
        let [a, b] = texts;
        let written = a.len() + b.len();
        let Ok(_held) = permit_to_align(texts, written as u64, self.account)? else {
            return Ok(Err(NoDiff::TooManyLines));
        };
        let difference = Difference::between(lines(a), lines(b));
        let [from, to] = documents.map(text_path);
        let patch = difference.unified(&from, &to);
        self.sink.write_file(name, patch.as_bytes())?;
        self.diff_count += 1;
        Ok(Ok(DiffFacts {
            diff: name.to_owned(),
            extent: difference.extent(),
            cut_short: difference.cut_short,
            words: self.operations(operations_path(name), texts)?,
        }))
    }

    /// Writes the operations between two texts, where there is memory to align their words.
    fn operations(
        &mut self,
        name: String,
        texts: [&str; 2],
    ) -> Result<Option<(String, WordExtent)>, ReportError> {
        let [a, b] = texts;
        let written = 2 * (a.len() + b.len()) as u64;
        let Ok(_held) = permit_to_align_words(texts, written, self.account)? else {
            return Ok(None);
        };
        let difference = WordDifference::between(a, b);
        let mut out = Vec::new();
        for operation in operations(&difference) {
            let line = json_line(&mut out, &operation);
            line.map_err(|source| ReportError::writing(&name, source))?;
        }
        self.sink.write_file(&name, &out)?;
        Ok(Some((name, difference.extent)))
    }
}
