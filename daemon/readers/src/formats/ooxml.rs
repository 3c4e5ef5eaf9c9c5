//! Office Open XML (ECMA-376): word processing, slides, sheets.
//!
//! | what | module |
//! |---|---|
//! | parts, by the relationships between them | `parts` |
//! | properties, embedded objects, macros, references outside | `beside` |
//! | paragraphs and cells into lines | `flow` |
//! | text of shapes, charts, diagrams | `drawing` |
//! | formulas in either | `math` |
//! | numbers without a format; the signs that formats add | `general_number`, `number_format` |
//! | text of a cell, its runs and their fonts | `cells`, `strings`, `cell_font` |
//! | text on a sheet outside its cells | `sheet_asides` |
//! | what both kinds of workbook have in common | `workbook` |
//! | the bodies | [`word`], [`slides`], [`sheets`], [`binary_sheets`] |

mod beside;
pub(crate) mod binary_sheets;
mod cell_font;
pub(super) mod cells;
mod drawing;
mod flow;
pub(super) mod general_number;
mod list_style;
mod math;
pub(super) mod number_format;
mod parts;
pub(super) mod sheet_asides;
pub(crate) mod sheets;
pub(crate) mod slides;
pub(super) mod strings;
pub(crate) mod word;
mod workbook;

use simdex_extract::Outcome;

use self::parts::Parts;
use super::Reading;
use crate::input::Input;
use crate::sink::Sink;

pub(super) const PARSER: &str = "ooxml 1";

/// Reads what all documents of the family have in common; `body` reads the text.
fn read(
    input: &Input,
    sink: &mut Sink,
    body: impl FnOnce(&mut Parts<'_>, &mut Sink) -> Result<(), Outcome>,
) -> Reading {
    let mut parts = Parts::open(input, sink.budgets())?;
    beside::state_properties(&mut parts, sink);
    body(&mut parts, sink)?;
    beside::hand_over(&mut parts, sink);
    parts.remarks().for_each(|remark| sink.warn(remark));
    Ok(parts.partial())
}

/// Documents made by the tests of this folder.
#[cfg(test)]
mod tests;
