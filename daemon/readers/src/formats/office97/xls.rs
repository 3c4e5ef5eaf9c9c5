//! Workbooks [MS-XLS] of Excel 97 to 2003, and of Excel 5 and 95, which lack Unicode.
//!
//! The stream is read once, from its beginning: first the shared data of the workbook, then sheet by sheet in the order
//! of the tabs. Cells are rendered as for the sheets of OOXML.

mod globals;
mod records;
mod sheet;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use globals::Globals;
use records::{Records, kind};
use sheet::Sheet;
use simdex_extract::{Fact, Outcome, Reason};

use super::super::ooxml::cells::Rows;
use super::super::ooxml::sheet_asides::write_running;
use super::{Compound, Reading, beside, compound, stream};
use crate::input::Input;
use crate::sink::Sink;

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let file = Compound::open(input)?;
    let has_new = file.child(compound::ROOT, "Workbook").is_some();
    let name = if has_new { "Workbook" } else { "Book" };
    let (bytes, cut) = stream(&file, name, sink)?;
    let mut records = Records::new(&bytes);
    let globals = Globals::read(&mut records, sink)?;
    let reason = write(&globals, &mut records, sink);
    Ok(cut.or(reason).or(beside(&file, sink)))
}

/// Writes all sheets.
fn write(globals: &Globals, records: &mut Records<'_>, sink: &mut Sink) -> Option<Reason> {
    let mut running = BTreeSet::new();
    let mut left = sink.budgets().cells;
    while let Some(record) = records.next() {
        if record.kind != kind::BOF {
            continue;
        }
        let mut sheet = Sheet::new(globals, Rows::new(&globals.book, left, sink));
        sheet.read(records);
        let is_spent = sheet.rows.is_spent();
        sink.count(Fact::Cells, sheet.rows.cells);
        sink.count(Fact::Comments, sheet.comments.len() as u64);
        sink.count(Fact::TextBoxes, sheet.boxes.len() as u64);
        left = sheet.rows.write(sink);
        write_running(&sheet.running, &mut running, sink);
        for text in sheet
            .charts
            .iter()
            .chain(&sheet.boxes)
            .chain(&sheet.comments)
        {
            sink.push(text);
            sink.newline();
        }
        if is_spent {
            return Some(Reason::CellsLimit);
        }
        if sink.is_full() {
            break;
        }
    }
    records.is_cut().then_some(Reason::Damaged)
}

/// The outcome of a workbook that cannot be read.
fn malformed() -> Outcome {
    Outcome::Failed(Reason::Malformed)
}
