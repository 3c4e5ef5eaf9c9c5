//! Compares two lists of one kind line by line.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write as _};

use simdex_proto::changes::findings::{FindingComparer, ReserveBytes};
use simdex_proto::changes::{ChangeTotals, Comparer, FindingTotals, GroupReader, Totals};
use simdex_proto::lines::{Body, Change, Line};

/// Longest line that is read, in bytes.
const LONGEST: usize = 256 << 20;

/// A list that is hashed as it is read.
pub(super) struct Hashed<'a> {
    file: &'a File,
    hasher: &'a RefCell<blake3::Hasher>,
}

impl<'a> Hashed<'a> {
    pub(super) fn of(file: &'a File, hasher: &'a RefCell<blake3::Hasher>) -> Self {
        Self { file, hasher }
    }
}

impl Read for Hashed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.hasher.borrow_mut().update(&buffer[..read]);
        Ok(read)
    }
}

/// An earlier list, and the writer of its changes.
pub(super) struct Lists<'a> {
    earlier: Hashed<'a>,
    changes: ChangeLines,
}

/// Lines of changes, and the error that stopped writing them, if any.
struct ChangeLines {
    lines: BufWriter<File>,
    failed: Option<io::Error>,
}

impl ChangeLines {
    fn write(&mut self, change: &impl Body) -> io::Result<()> {
        let written = serde_json::to_writer(&mut self.lines, &Line::of(change));
        let written = written.map_err(io::Error::from);
        let written = written.and_then(|()| self.lines.write_all(b"\n"));
        written.map_err(|error| {
            let kind = error.kind();
            self.failed = Some(error);
            kind.into()
        })
    }
}

impl<'a> Lists<'a> {
    pub(super) fn new(earlier: Hashed<'a>, lines: BufWriter<File>) -> Self {
        let failed = None;
        Self {
            earlier,
            changes: ChangeLines { lines, failed },
        }
    }

    /// Writes each change to a later list.
    pub(super) fn compare(&mut self, kind: &str, later: File) -> io::Result<Totals> {
        match kind {
            "groups" => self.groups(later).map(Totals::Groups),
            _ => self.findings(later).map(Totals::Findings),
        }
    }

    /// What was written, and why it is incomplete, if it is.
    pub(super) fn into_written(self) -> (BufWriter<File>, Option<io::Error>) {
        (self.changes.lines, self.changes.failed)
    }

    fn groups(&mut self, later: File) -> io::Result<ChangeTotals> {
        let (earlier, changes) = (BufReader::new(&mut self.earlier), &mut self.changes);
        let mut comparer = Comparer::new(GroupReader::new(earlier, LONGEST))?;
        let mut later = GroupReader::new(BufReader::new(later), LONGEST);
        let mut take = |change: &Change| changes.write(change);
        while let Some(group) = later.next_group()? {
            comparer.group(&group, &mut take)?;
        }
        comparer.finish(&mut take)
    }

    fn findings(&mut self, later: File) -> io::Result<FindingTotals> {
        let again = self.earlier.file;
        let (earlier, changes) = (BufReader::new(&mut self.earlier), &mut self.changes);
        // The process runs for one caller, so memory is not limited here.
        let hold: &mut ReserveBytes<'_> = &mut |_| Ok(());
        let mut comparer = FindingComparer::new(earlier, LONGEST, again, hold)?;
        let (mut later, mut line) = (BufReader::new(later), Vec::new());
        loop {
            line.clear();
            let read = (&mut later)
                .take(LONGEST as u64)
                .read_until(b'\n', &mut line)?;
            if read == 0 {
                return comparer.finish(hold, &mut |change| changes.write(change));
            }
            comparer.line(&line, hold)?;
        }
    }
}
