//! Lists of changes of properties [MS-DOC] §2.2.5: each has a number, and an operand whose length the
//! number tells.

use super::super::compound::word;

/// A change of a row, with an operand whose length has two bytes.
const ROW: u16 = 0xd608;

/// Numbers and operands.
pub(super) fn modifiers(mut list: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let number = word(list, 0)?;
        let operand = list.get(2..).unwrap_or_default();
        let length = match number >> 13 {
            0 | 1 => 1,
            2 | 4 | 5 => 2,
            3 => 4,
            7 => 3,
            _ if number == ROW => 1 + usize::from(word(operand, 0).unwrap_or(0)),
            _ => 1 + operand.first().map_or(0, |&length| usize::from(length)),
        };
        list = operand.get(length..).unwrap_or_default();
        Some((number, operand))
    })
}
