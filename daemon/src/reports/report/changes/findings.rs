//! Changes since an earlier report of the same compliance question.

use std::fs::File;
use std::io::{self, BufReader, Seek as _};

use simdex_index::{GrowingPermit, IndexError};
use simdex_proto::changes::findings::FindingComparer;
use simdex_proto::changes::{FindingTotals, Totals};

use super::{CHANGES, EarlierReport, OF_LINE, not_held, terms_of, unreadable, written};
use crate::read_side::findings::Sums;
use crate::reports::report::facts::{ChangeSummary, Findings};
use crate::reports::report::sink::{HashedFile, HashingSink};
use crate::reports::report::table_rows::TableRows;
use crate::reports::report::{ReportError, ReportInput, html};

/// A comparison in progress, while the findings are written.
pub(in crate::reports::report) struct FoundChanges<'a> {
    earlier: &'a EarlierReport,
    comparer: FindingComparer<&'a File>,
    file: HashedFile<'a>,
    held: GrowingPermit,
    /// Why it ended early.
    failed: Option<io::Error>,
}

impl<'a> FoundChanges<'a> {
    /// Begins, if the report is to be compared with an earlier one.
    pub(in crate::reports::report) fn begin(
        sink: &mut HashingSink<'a>,
        input: &ReportInput<'a>,
        kind: &str,
    ) -> Result<Option<Self>, ReportError> {
        let Some(earlier) = input.since else {
            return Ok(None);
        };
        earlier.check_kind(kind)?;
        let mut held = GrowingPermit::of(input.account);
        not_held(held.add(OF_LINE * earlier.longest as u64))?;
        let mut list = &earlier.list;
        let comparer = list.rewind().and_then(|()| {
            let lines = BufReader::new(list);
            FindingComparer::new(lines, earlier.longest, list, &mut hold(&mut held))
        });
        Ok(Some(Self {
            comparer: comparer.map_err(unreadable)?,
            file: sink.create_file(CHANGES)?,
            earlier,
            held,
            failed: None,
        }))
    }

    /// Compares the next line of the later list.
    ///
    /// # Errors
    /// If the comparison cannot continue; [`FoundChanges::check`] says why.
    pub(in crate::reports::report) fn line(&mut self, line: &[u8]) -> io::Result<()> {
        let compared = self.comparer.line(line, &mut hold(&mut self.held));
        compared.map_err(|error| {
            let kind = error.kind();
            self.failed = Some(error);
            kind.into()
        })
    }

    /// Returns why the comparison could not continue, if it could not.
    pub(in crate::reports::report) fn check(&mut self) -> Result<(), ReportError> {
        self.failed.take().map_or(Ok(()), |it| Err(unreadable(it)))
    }

    /// Ends the comparison and writes its section of the page.
    pub(in crate::reports::report) fn finish(
        self,
        input: &ReportInput<'_>,
        findings: (&Findings<'_>, &Sums),
        sink: &mut HashingSink<'a>,
        page: &mut HashedFile<'a>,
    ) -> Result<ChangeSummary, ReportError> {
        let Self {
            earlier,
            comparer,
            mut file,
            mut held,
            ..
        } = self;
        let mut rows = TableRows::new(html::CHANGES_SHOWN, input.account);
        let mut totals = FindingTotals::default();
        written(&mut file, &mut rows, html::finding_change_row, |take| {
            totals = comparer.finish(&mut hold(&mut held), take)?;
            Ok(())
        })?;
        sink.finish(file)?;
        let terms = terms_of(input, Some(findings));
        earlier.summarise(Totals::Findings(totals), &terms, &rows, page)
    }
}

/// Counts the memory that a comparison holds.
fn hold(held: &mut GrowingPermit) -> impl FnMut(u64) -> io::Result<()> {
    move |bytes| {
        let counted: Result<(), IndexError> = held.add(bytes);
        counted.map_err(io::Error::other)
    }
}
