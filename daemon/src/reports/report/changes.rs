//! Changes since an earlier report: one line per change in `changes.jsonl`, and a section on the page.

mod findings;

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use simdex_index::{GrowingPermit, IndexError};
use simdex_proto::changes::{
    ChangeTotals, Comparer, GroupFiles, GroupReader, ReportTerms, TakeChange, Totals, list_of,
};
use simdex_proto::lines::{Body, JsonPath};

use super::facts::{ChangeSummary, Findings};
use super::json_lines::json_line;
use super::sink::{HashedFile, HashingSink};
use super::sorted_group::SortedGroup;
use super::table_rows::TableRows;
use super::{ReportError, ReportInput, RequestedFiles, html};
use crate::read_side::findings::Sums;

pub(super) use findings::FoundChanges;

const CHANGES: &str = "changes.jsonl";

/// Bytes of a group that is read, per byte of its line: the line, and what is parsed from it.
const OF_LINE: u64 = 4;

/// An earlier report; its list was checked against its manifest.
#[derive(Debug)]
pub struct EarlierReport {
    /// Folder of the report.
    pub path: PathBuf,
    /// BLAKE3 at the end of its manifest, in hexadecimal.
    pub manifest: String,
    terms: ReportTerms,
    /// Its groups, or its findings.
    list: File,
    /// Bytes of its longest line.
    longest: usize,
}

impl EarlierReport {
    /// A report whose list is this file, which must have this hash.
    ///
    /// # Errors
    /// I/O errors of reading; [`io::ErrorKind::InvalidData`] if the file was changed.
    pub(super) fn of(
        path: PathBuf,
        (manifest, terms): (String, ReportTerms),
        list: File,
        hash: &[u8; 32],
    ) -> io::Result<Self> {
        let (found, longest) = examined(&list)?;
        if found != *hash {
            let list = list_of(&terms.kind);
            let changed = format!("its {list} was changed after it was written");
            return Err(io::Error::new(io::ErrorKind::InvalidData, changed));
        }
        Ok(Self {
            path,
            manifest,
            terms,
            list,
            longest,
        })
    }

    /// Refuses a report of another kind: its list has other contents.
    fn check_kind(&self, kind: &str) -> Result<(), ReportError> {
        match self.terms.kind == kind {
            true => Ok(()),
            false => Err(unreadable(io::Error::other(format!(
                "it is of kind {}",
                self.terms.kind
            )))),
        }
    }

    /// The result of a comparison with a report of these terms, once its section of the page is written.
    fn summarise(
        &self,
        totals: Totals,
        terms: &ReportTerms,
        rows: &TableRows,
        page: &mut HashedFile<'_>,
    ) -> Result<ChangeSummary, ReportError> {
        let caveats = self.terms.caveats(terms);
        let summary = ChangeSummary { totals, caveats };
        page.write_with(|out| html::changes(out, &self.path, &summary, rows))?;
        Ok(summary)
    }
}

/// The hash of a file, and the length of its longest line.
fn examined(mut file: &File) -> io::Result<([u8; 32], usize)> {
    let (mut hasher, mut buffer) = (blake3::Hasher::new(), vec![0; 64 << 10]);
    let (mut longest, mut length) = (0_usize, 0_usize);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        for (nth, part) in buffer[..read].split(|byte| *byte == b'\n').enumerate() {
            // Each part but the first begins a new line; the line end counts as a byte of the line before it.
            length = match nth {
                0 => length + part.len(),
                _ => part.len(),
            };
            longest = longest.max(length + 1);
        }
    }
    file.rewind()?;
    Ok((*hasher.finalize().as_bytes(), longest))
}

/// A comparison in progress, while the groups are written.
pub(super) struct Changes<'a> {
    earlier: &'a EarlierReport,
    comparer: Comparer<BufReader<&'a File>>,
    file: HashedFile<'a>,
    /// Rows of the page.
    rows: TableRows,
    held: GrowingPermit,
}

impl<'a> Changes<'a> {
    /// Begins, if the report is to be compared with an earlier one.
    pub(super) fn begin(
        sink: &mut HashingSink<'a>,
        input: &ReportInput<'a>,
    ) -> Result<Option<Self>, ReportError> {
        let Some(earlier) = input.since else {
            return Ok(None);
        };
        earlier.check_kind("groups")?;
        let mut held = GrowingPermit::of(input.account);
        not_held(held.add(OF_LINE * earlier.longest as u64))?;
        let mut groups = &earlier.list;
        let comparer = groups.rewind().and_then(|()| {
            let lines = BufReader::new(groups);
            Comparer::new(GroupReader::new(lines, earlier.longest))
        });
        Ok(Some(Self {
            comparer: comparer.map_err(unreadable)?,
            file: sink.create_file(CHANGES)?,
            earlier,
            rows: TableRows::new(html::CHANGES_SHOWN, input.account),
            held,
        }))
    }

    /// Compares the next group.
    pub(super) fn group(&mut self, sorted: &SortedGroup<'_>) -> Result<(), ReportError> {
        let files = sorted.members.iter();
        let mut files: Vec<_> = files
            .map(|it| (it.path.clone(), it.document.to_string()))
            .collect();
        let of_file = |(path, hash): &(Vec<u8>, String)| (path.len() + hash.len() + 64) as u64;
        let mut of_group = GrowingPermit::of(self.held.account());
        not_held(of_group.add(files.iter().map(of_file).sum()))?;
        files.sort();
        let later = GroupFiles {
            id: sorted.group.id,
            principal: sorted.group.principal.clone(),
            files,
        };
        self.compare(|comparer, take| comparer.group(&later, take))
    }

    fn compare(
        &mut self,
        compare: impl FnOnce(&mut Comparer<BufReader<&'a File>>, &mut TakeChange<'_>) -> io::Result<()>,
    ) -> Result<(), ReportError> {
        let (comparer, rows) = (&mut self.comparer, &mut self.rows);
        written(&mut self.file, rows, html::change_row, |take| {
            compare(comparer, take)
        })
    }

    /// Ends the comparison and writes its section of the page.
    pub(super) fn finish(
        self,
        input: &ReportInput<'_>,
        sink: &mut HashingSink<'a>,
        page: &mut HashedFile<'a>,
    ) -> Result<ChangeSummary, ReportError> {
        let Self {
            earlier,
            comparer,
            mut file,
            mut rows,
            held: _held,
        } = self;
        let mut totals = ChangeTotals::default();
        written(&mut file, &mut rows, html::change_row, |take| {
            totals = comparer.finish(take)?;
            Ok(())
        })?;
        sink.finish(file)?;
        let terms = terms_of(input, None);
        earlier.summarise(Totals::Groups(totals), &terms, &rows, page)
    }
}

/// The terms of this report: the groups, or the question and its result.
fn terms_of(input: &ReportInput<'_>, findings: Option<(&Findings<'_>, &Sums)>) -> ReportTerms {
    let roots = input.roots.iter().map(|root| root.as_os_str().as_bytes());
    let (found, sums) = findings.unzip();
    let sums = sums.into_iter().flatten();
    let completeness = (input.completeness)();
    let of_groups = input.requested_files.as_ref().map(RequestedFiles::question);
    let question = found.map(|found| &found.question).or(of_groups.as_ref());
    ReportTerms {
        kind: found.map_or("groups", |found| found.kind).to_owned(),
        roots: roots.map(JsonPath::new).collect(),
        threshold: Some(input.threshold),
        scheme: (&input.scheme).into(),
        complete: completeness.complete,
        template_list: completeness.template_list,
        question: question.and_then(|question| serde_json::to_value(question).ok()),
        findings: sums.map(|(name, sum)| ((*name).to_owned(), *sum)).collect(),
    }
}

/// Writes each change that `compare` passes on, and rows for those that the page shows.
fn written<C: Body>(
    file: &mut HashedFile<'_>,
    rows: &mut TableRows,
    show: fn(&mut Vec<u8>, &C) -> io::Result<()>,
    compare: impl FnOnce(&mut dyn FnMut(&C) -> io::Result<()>) -> io::Result<()>,
) -> Result<(), ReportError> {
    // Distinguishes errors of writing from errors of reading.
    let not_written = Cell::new(false);
    let mut compared = Ok(());
    file.write_with(|out| {
        let mut take = |change: &C| -> io::Result<()> {
            rows.push(|row| show(row, change))?;
            let done = json_line(out, change);
            not_written.set(done.is_err());
            done
        };
        compared = compare(&mut take);
        match not_written.get() {
            true => std::mem::replace(&mut compared, Ok(())),
            false => Ok(()),
        }
    })?;
    compared.map_err(unreadable)
}

/// A comparison that needs too much memory fails by itself: the report can be made without it.
fn not_held(counted: Result<(), IndexError>) -> Result<(), ReportError> {
    counted.map_err(|error| unreadable(io::Error::other(error)))
}

/// The error of a comparison that cannot be made, or that was cancelled while it waited for memory.
fn unreadable(source: io::Error) -> ReportError {
    let cause = source.get_ref().and_then(|it| it.downcast_ref());
    match cause {
        Some(IndexError::Cancelled) => ReportError::Cancelled,
        _ => ReportError::Earlier { source },
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_list_is_hashed_and_its_longest_line_bounded_wherever_reads_end() {
        for lines in [&[3, 0, 5][..], &[100_000, 7], &[(64 << 10) - 1, 70_000, 1]] {
            let text: String = lines.iter().map(|line| "x".repeat(*line) + "\n").collect();
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.rewind().unwrap();
            let (hash, longest) = examined(&file).unwrap();
            assert_eq!(hash, *blake3::hash(text.as_bytes()).as_bytes());
            assert_eq!(longest, lines.iter().max().unwrap() + 1);
        }
    }

    #[test]
    fn a_cancelled_comparison_is_not_an_unreadable_report() {
        let cancelled = || io::Error::other(IndexError::Cancelled);
        assert!(matches!(unreadable(cancelled()), ReportError::Cancelled));
        let cancelled = not_held(Err(IndexError::Cancelled));
        assert!(matches!(cancelled, Err(ReportError::Cancelled)));
        let failed = unreadable(io::ErrorKind::InvalidData.into());
        assert!(matches!(failed, ReportError::Earlier { .. }));
    }
}
