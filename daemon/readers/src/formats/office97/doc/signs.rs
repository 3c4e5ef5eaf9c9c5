//! Characters that stand for something else: signs of symbol fonts, and the data of form fields [MS-DOC] §2.6.1.
//!
//! Word 6 and 95 have them in another form, which is not read.

use std::ops::Range;

use crate::compound::{double_word, word};
use crate::formats::field::{Form, FormKind, MAX_ITEMS};
use crate::formats::symbol_font::SymbolFont;

/// The character that is shown as a sign.
const SIGN: u16 = 0x28;
/// Where the name of a font begins in its description, after length, family, weight, character set and the like.
const FONT_NAME: usize = 40;
/// Names and texts between the default of a list and its items.
const TEXTS: usize = 5;

/// What the characters of a run stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// A character of a font: number of the font, and code.
    Symbol(u16, u16),
    /// Data of a form field, at this offset of the stream `Data`.
    Form(u32),
}

/// A piece of a run of characters.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stretch {
    Text(Range<usize>),
    Character(char),
    Form(u32),
}

/// Signs by where their characters are in the main stream, and the fonts.
pub(super) struct Signs {
    /// Sorted and disjoint.
    runs: Vec<(Range<usize>, Sign)>,
    fonts: Vec<Option<SymbolFont>>,
}

impl Signs {
    pub(super) fn new(mut runs: Vec<(Range<usize>, Sign)>, fonts: Vec<Option<SymbolFont>>) -> Self {
        disjoint(&mut runs);
        Self { runs, fonts }
    }

    pub(super) fn has_forms(&self) -> bool {
        let mut runs = self.runs.iter();
        runs.any(|(_, sign)| matches!(sign, Sign::Form(_)))
    }

    /// The characters at `range`, each `width` bytes wide, and what some of them stand for.
    pub(super) fn stretches(
        &self,
        document: &[u8],
        range: Range<usize>,
        width: usize,
    ) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let mut from = range.start;
        let first = self.runs.partition_point(|(run, _)| run.end <= range.start);
        for (run, sign) in &self.runs[first..] {
            if run.start >= range.end {
                break;
            }
            let shown = match *sign {
                Sign::Form(at) => Stretch::Form(at),
                Sign::Symbol(font, code) => match self.character(font, code) {
                    Some(character) => Stretch::Character(character),
                    None => continue,
                },
            };
            // The data of a form do not take the place of their character, which is dropped anyhow.
            if let Stretch::Form(_) = shown {
                stretches.extend([Stretch::Text(from..run.start.max(from)), shown]);
                from = run.start.max(from);
                continue;
            }
            for at in (run.start.max(from)..run.end.min(range.end)).step_by(width) {
                let character = match width {
                    1 => document.get(at).copied().map(u16::from),
                    _ => word(document, at),
                };
                if character == Some(SIGN) {
                    let Stretch::Character(sign) = shown else {
                        break;
                    };
                    stretches.extend([Stretch::Text(from..at), Stretch::Character(sign)]);
                    from = at + width;
                }
            }
        }
        stretches.push(Stretch::Text(from..range.end.max(from)));
        stretches
    }

    fn character(&self, font: u16, code: u16) -> Option<char> {
        let font = self.fonts.get(usize::from(font)).copied().flatten();
        match (font, u8::try_from(code)) {
            (Some(font), Ok(code)) => Some(font.character(code)),
            (font, _) => {
                let character = char::from_u32(code.into()).filter(|sign| !sign.is_control())?;
                Some(font.map_or(character, |font| font.of_private(character)))
            }
        }
    }
}

/// Sorts runs of characters, and drops those that begin within another.
pub(super) fn disjoint<T>(runs: &mut Vec<(Range<usize>, T)>) {
    runs.sort_by_key(|(range, _)| range.start);
    let mut end = 0;
    runs.retain(|(range, _)| {
        let is_apart = range.start >= end;
        end = end.max(range.end);
        is_apart
    });
}

/// Which fonts of the document's list are symbol fonts (§2.9.286).
pub(super) fn fonts(list: &[u8]) -> Vec<Option<SymbolFont>> {
    let (mut fonts, mut rest) = (Vec::new(), list.get(4..).unwrap_or_default());
    while let Some((&length, _)) = rest.split_first() {
        let Some((font, after)) = rest.split_at_checked(1 + usize::from(length)) else {
            break;
        };
        let name = font.get(FONT_NAME..).unwrap_or_default();
        let units = name
            .chunks_exact(2)
            .map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        let name: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
        fonts.push(SymbolFont::named(&String::from_utf16_lossy(&name)));
        rest = after;
    }
    fonts
}

/// The form field at an offset of the stream `Data` (§2.9.78, after a header of the length it states).
pub(super) fn form(data: &[u8], at: u32) -> Option<Form> {
    let data = data.get(at as usize..)?;
    let data = data.get(usize::from(word(data, 4)?)..)?;
    double_word(data, 0).filter(|version| *version == u32::MAX)?;
    let bits = word(data, 4)?;
    let kind = match bits & 3 {
        1 => FormKind::CheckBox,
        2 => FormKind::Choice,
        _ => return None,
    };
    let mut form = Form::of(kind);
    form.result = Some(bits >> 2 & 0x1f);
    let (_, mut rest) = text(data.get(10..)?)?;
    form.default = word(rest, 0)?;
    if kind == FormKind::Choice {
        rest = rest.get(2..)?;
        for _ in 0..TEXTS {
            rest = text(rest)?.1;
        }
        // Mark, number of items, and the length of what follows each, which is 0.
        let count = word(rest, 2)?;
        rest = rest.get(6..)?;
        for _ in 0..usize::from(count).min(MAX_ITEMS) {
            let (item, after) = counted(rest)?;
            form.add_item(&item);
            rest = after;
        }
    }
    Some(form)
}

/// A text after its length, ended by a zero besides.
fn text(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (text, rest) = counted(bytes)?;
    Some((text, rest.get(2..)?))
}

fn counted(bytes: &[u8]) -> Option<(String, &[u8])> {
    let length = 2 * usize::from(word(bytes, 0)?);
    let (text, rest) = bytes.get(2..)?.split_at_checked(length)?;
    let (text, _) = encoding_rs::UTF_16LE.decode_without_bom_handling(text);
    Some((text.into_owned(), rest))
}
