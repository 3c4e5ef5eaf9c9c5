//! The difference of a group's document to the principal's: its diff, and the operations by words.

use simdex_schema::DocumentHash;

use super::Writer;
use crate::read_side::difference::operations::operations;
use crate::read_side::difference::words::WordDifference;
use crate::read_side::difference::{Difference, lines, permit_to_align, permit_to_align_words};
use crate::reports::report::facts::{DiffFacts, NoDiff, WordFacts};
use crate::reports::report::json_lines::json_line;
use crate::reports::report::{ReportError, operations_path, text_path};

impl Writer<'_> {
    /// Writes the diff of two texts, if there is memory to align them.
    pub(super) fn diff(
        &mut self,
        name: &str,
        documents: [&DocumentHash; 2],
        texts: [&str; 2],
    ) -> Result<Result<DiffFacts, NoDiff>, ReportError> {
        let [a, b] = texts;
        let written = a.len() + b.len();
        let Ok(held) = permit_to_align(texts, written as u64, self.account)? else {
            return Ok(Err(NoDiff::TooManyLines));
        };
        let cancel = self.account.cancel();
        let difference = Difference::between(lines(a), lines(b), &mut || cancel.check())?;
        let [from, to] = documents.map(text_path);
        let patch = difference.unified(&from, &to);
        self.sink.write_file(name, patch.as_bytes())?;
        self.diff_count += 1;
        let (extent, cut_short) = (difference.extent(), difference.cut_short);
        // Its lines are not held while its words are aligned.
        drop((difference, patch, held));
        Ok(Ok(DiffFacts {
            diff: name.to_owned(),
            extent,
            cut_short,
            words: self.operations(operations_path(name), texts)?,
        }))
    }

    /// Writes the operations between two texts, if there is memory to align their words.
    fn operations(
        &mut self,
        name: String,
        texts: [&str; 2],
    ) -> Result<Option<WordFacts>, ReportError> {
        let [a, b] = texts;
        let Ok(_held) = permit_to_align_words(texts, 0, self.account)? else {
            return Ok(None);
        };
        let cancel = self.account.cancel();
        let difference = WordDifference::between_while(a, b, &mut || cancel.check())?;
        let mut file = self.sink.create_file(&name)?;
        for operation in operations(&difference) {
            file.write_with(|out| json_line(out, &operation))?;
        }
        self.sink.finish(file)?;
        Ok(Some(WordFacts {
            operations: name,
            extent: difference.extent,
            cut_short: difference.cut_short,
        }))
    }
}
