//! Characters above and below the line: the runs of a text [MS-PPT] §2.9.44.

use crate::compound::{double_word, word};
use crate::formats::ooxml::strings::RichText;
use crate::formats::script::Script;
use crate::formats::text_style::TextStyle;

/// The sizes of the properties of a paragraph, each by the bits of the mask that say that it is there, in their order.
const OF_PARAGRAPHS: &[(u32, usize)] = &[
    (0xf, 2),
    (0x80, 2),
    (0x10, 2),
    (0x40, 2),
    (0x20, 4),
    (0x800, 2),
    (0x1000, 2),
    (0x2000, 2),
    (0x4000, 2),
    (0x100, 2),
    (0x400, 2),
    (0x8000, 2),
    (TAB_STOPS, 0),
    (0x1_0000, 2),
    (0xe_0000, 2),
    (0x20_0000, 2),
];
/// Tab stops have a number of their own.
const TAB_STOPS: u32 = 0x10_0000;
/// The sizes of the properties of characters that are before their position.
const OF_CHARACTERS: &[(u32, usize)] = &[
    (0xffff, 2),
    (0x1_0000, 2),
    (0x20_0000, 2),
    (0x40_0000, 2),
    (0x80_0000, 2),
    (0x2_0000, 2),
    (0x4_0000, 4),
];
const POSITION: u32 = 0x8_0000;

/// A text whose characters stand where a record of its runs says.
pub(super) fn scripted(text: &str, runs: &[u8]) -> String {
    let mut scripted = RichText::default();
    scripted.push_runs(text, &starts(text, runs).unwrap_or_default());
    scripted.shown(TextStyle::default()).into_owned()
}

/// Where runs of characters begin, in units of 16 bits, and their styles.
fn starts(text: &str, runs: &[u8]) -> Option<Vec<(usize, Option<TextStyle>)>> {
    // The mark that ends the last paragraph counts too.
    let units = text.encode_utf16().count() + 1;
    let (mut rest, mut at) = (runs, 0);
    while at < units {
        at = at.saturating_add(double_word(rest, 0)? as usize);
        // The number of characters, the level, the mask.
        let mask = double_word(rest, 6)?;
        rest = behind(rest.get(10..)?, mask, OF_PARAGRAPHS)?;
    }
    let (mut starts, mut at) = (Vec::new(), 0);
    while let Some(mask) = double_word(rest, 4).filter(|_| at < units) {
        let count = double_word(rest, 0)? as usize;
        rest = behind(rest.get(8..)?, mask, OF_CHARACTERS)?;
        let mut position = 0;
        if mask & POSITION != 0 {
            position = word(rest, 0)?.cast_signed();
            rest = rest.get(2..)?;
        }
        let style = TextStyle {
            script: match position {
                0 => None,
                1.. => Some(Script::Raised),
                _ => Some(Script::Lowered),
            },
            ..TextStyle::default()
        };
        starts.push((at, Some(style)));
        at = at.saturating_add(count);
    }
    Some(starts)
}

/// What follows the properties that a mask names.
fn behind<'a>(mut bytes: &'a [u8], mask: u32, sizes: &[(u32, usize)]) -> Option<&'a [u8]> {
    for (bits, size) in sizes.iter().filter(|(bits, _)| mask & bits != 0) {
        let size = match *bits {
            TAB_STOPS => 2 + 4 * usize::from(word(bytes, 0)?),
            _ => *size,
        };
        bytes = bytes.get(size..)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paragraphs(count: u32, mask: u32, properties: &[u8]) -> Vec<u8> {
        let head = [&count.to_le_bytes()[..], &[0, 0], &mask.to_le_bytes()].concat();
        [&head, properties].concat()
    }

    fn characters(count: u32, mask: u32, properties: &[u8]) -> Vec<u8> {
        [&count.to_le_bytes()[..], &mask.to_le_bytes(), properties].concat()
    }

    #[test]
    fn characters_stand_where_their_run_says() {
        let runs = [
            // A bullet, two tab stops.
            paragraphs(
                3,
                0x1 | TAB_STOPS,
                &[[1, 0, 2, 0].as_slice(), &[0; 8]].concat(),
            ),
            paragraphs(5, 0, &[]),
            characters(2, 0x1 | 0x2_0000, &[1, 0, 24, 0]),
            characters(1, POSITION, &[30, 0]),
            characters(1, POSITION | 0x4_0000, &[0, 0, 0, 0, 0xe7, 0xff]),
            characters(4, 0, &[]),
        ]
        .concat();
        assert_eq!(scripted("10345 m", &runs), "10³₄5 m");
        assert_eq!(scripted("10345 m", &runs[..20]), "10345 m");
        assert_eq!(
            scripted(
                "1st",
                &[
                    paragraphs(4, 0, &[]),
                    characters(1, 0, &[]),
                    characters(2, POSITION, &[30, 0])
                ]
                .concat()
            ),
            "1st"
        );
    }
}
