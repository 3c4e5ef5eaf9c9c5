//! Labels of list items that programs number themselves: `3.2`, `(a)`, `iv.`
//!
//! In some copies of a contract the clause numbers are text (PDF, plain text), in others they are numbering
//! instructions (DOCX, OpenDocument, HTML). So they are counted here, and become text. Bullets do not: they mean
//! nothing.

use std::ops::Range;
use std::rc::Rc;

/// Maximum number of nested levels: Word has nine, OpenDocument ten.
pub(super) const LEVELS: usize = 10;

/// Numbers above this are written in digits, not in letters or Roman numerals.
const MAX_LETTERS: u32 = 780;
const MAX_ROMAN: u32 = 3_999;

const ROMAN: [(u32, &str); 13] = [
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
];

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Numeral {
    #[default]
    Decimal,
    /// 01, 02, … 10
    DecimalZero,
    /// a … z, aa, ab (WHATWG HTML, CSS Counter Styles §6.2)
    LowerLetter,
    UpperLetter,
    /// a … z, aa, bb (ECMA-376 Part 1 §17.18.59)
    LowerRepeated,
    UpperRepeated,
    LowerRoman,
    UpperRoman,
    /// 1st, 2nd, 3rd
    Ordinal,
}

impl Numeral {
    pub(super) fn write(self, number: u32) -> String {
        match self {
            Self::Decimal => number.to_string(),
            Self::DecimalZero => format!("{number:02}"),
            Self::LowerLetter => letters(number),
            Self::LowerRepeated => repeated(number),
            Self::LowerRoman => roman(number),
            Self::UpperLetter => letters(number).to_uppercase(),
            Self::UpperRepeated => repeated(number).to_uppercase(),
            Self::UpperRoman => roman(number).to_uppercase(),
            Self::Ordinal => ordinal(number),
        }
    }
}

fn letter(place: u32) -> char {
    char::from(b'a' + (place % 26) as u8)
}

fn letters(number: u32) -> String {
    if !(1..=MAX_LETTERS).contains(&number) {
        return number.to_string();
    }
    let (mut rest, mut written) = (number, Vec::new());
    while rest > 0 {
        rest -= 1;
        written.push(letter(rest));
        rest /= 26;
    }
    written.iter().rev().collect()
}

fn repeated(number: u32) -> String {
    if !(1..=MAX_LETTERS).contains(&number) {
        return number.to_string();
    }
    let times = (number - 1) / 26 + 1;
    (0..times).map(|_| letter(number - 1)).collect()
}

fn roman(number: u32) -> String {
    if !(1..=MAX_ROMAN).contains(&number) {
        return number.to_string();
    }
    let (mut rest, mut written) = (number, String::new());
    for (value, sign) in ROMAN {
        while rest >= value {
            written.push_str(sign);
            rest -= value;
        }
    }
    written
}

fn ordinal(number: u32) -> String {
    let end = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

/// A piece of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// The numbers of these levels, as far as they have one, separated by full stops.
    Numbers(Range<usize>),
}

/// How items of one level are counted and labelled. The default has no label: a bullet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) start: u32,
    /// `None` if the number is not shown.
    pub(super) numeral: Option<Numeral>,
    /// Shared, since a few bytes of a document make a copy of a level.
    pub(super) label: Rc<[Piece]>,
    /// Whether the label is a symbol that counts as text, such as a dash or a ticked box, and not a mere bullet.
    pub(super) is_sign: bool,
    /// Whether the numbers of all levels are written in digits here.
    pub(super) is_legal: bool,
    /// This level restarts when an item of one of the first so many levels is counted; `None` means all above it.
    pub(super) restarted_by: Option<usize>,
    /// What separates the label from the text.
    pub(super) gap: &'static str,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            start: 1,
            numeral: None,
            label: Rc::default(),
            is_sign: false,
            is_legal: false,
            restarted_by: None,
            gap: " ",
        }
    }
}

/// How far a list has counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counters([Option<u32>; LEVELS]);

impl Counters {
    /// Counts an item of the level `at`, as `number` if that is given, and returns its label with the separator; `None`
    /// if the label is empty.
    pub(super) fn next(
        &mut self,
        levels: &[Level],
        at: usize,
        number: Option<u32>,
    ) -> Option<String> {
        let own = levels.get(at)?;
        // A level that the item skips is counted with it: `2.a.I` is followed by `2.b`, in Word and in LibreOffice.
        for (count, above) in self.0.iter_mut().zip(&levels[..at]) {
            count.get_or_insert(above.start);
        }
        let count = self.0.get_mut(at)?;
        let counted = count.map_or(own.start, |count| count.saturating_add(1));
        *count = Some(number.unwrap_or(counted));
        for (deeper, level) in levels.iter().enumerate().skip(at + 1) {
            if level.restarted_by.is_none_or(|above| at < above) {
                self.forget(deeper);
            }
        }
        let label = self.label(levels, own);
        let is_text = own.is_sign || label.contains(|c: char| c.is_alphanumeric());
        is_text.then(|| label.trim().to_owned() + own.gap)
    }

    /// Restarts a level.
    pub(super) fn forget(&mut self, at: usize) {
        if let Some(count) = self.0.get_mut(at) {
            *count = None;
        }
    }

    /// Whether the level has a number: it was counted since it last restarted.
    pub(super) fn has(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(Option::is_some)
    }

    fn label(&self, levels: &[Level], own: &Level) -> String {
        let mut label = String::new();
        for piece in own.label.iter() {
            match piece {
                Piece::Text(text) => label.push_str(text),
                Piece::Numbers(range) => {
                    let shown = levels.iter().enumerate().skip(range.start);
                    let numbers = shown
                        .take(range.len())
                        .filter_map(|(at, level)| self.number(at, level, own.is_legal));
                    label.push_str(&numbers.collect::<Vec<_>>().join("."));
                }
            }
        }
        label
    }

    fn number(&self, at: usize, level: &Level, is_legal: bool) -> Option<String> {
        let numeral = if is_legal {
            Numeral::Decimal
        } else {
            level.numeral?
        };
        let count = self.0.get(at).copied().flatten();
        Some(numeral.write(count.unwrap_or(level.start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(numeral: Numeral, label: Vec<Piece>) -> Level {
        Level {
            numeral: Some(numeral),
            label: label.into(),
            ..Level::default()
        }
    }

    fn text(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }

    #[test]
    fn numbers_are_written_as_programs_write_them() {
        let cases = [
            (Numeral::Decimal, 0, "0"),
            (Numeral::DecimalZero, 7, "07"),
            (Numeral::LowerLetter, 26, "z"),
            (Numeral::UpperLetter, 28, "AB"),
            (Numeral::LowerRepeated, 28, "bb"),
            (Numeral::UpperRepeated, 53, "AAA"),
            (Numeral::LowerRoman, 1994, "mcmxciv"),
            (Numeral::UpperRoman, 49, "XLIX"),
            (Numeral::Ordinal, 112, "112th"),
            (Numeral::Ordinal, 23, "23rd"),
            (Numeral::LowerLetter, 0, "0"),
            (Numeral::LowerRepeated, u32::MAX, "4294967295"),
            (Numeral::UpperRoman, u32::MAX, "4294967295"),
        ];
        for (numeral, number, written) in cases {
            assert_eq!(numeral.write(number), written);
        }
    }

    #[test]
    fn deeper_levels_begin_again_unless_they_shall_not() {
        let mut levels = [
            level(Numeral::UpperRoman, vec![Piece::Numbers(0..1), text(".")]),
            level(Numeral::Decimal, vec![Piece::Numbers(0..2)]),
            level(
                Numeral::LowerLetter,
                vec![text("("), Piece::Numbers(2..3), text(")")],
            ),
        ];
        levels[1].is_legal = true;
        levels[2].restarted_by = Some(1);
        let mut counters = Counters::default();
        let labels = [0, 1, 1, 2, 1, 2, 0, 1, 2]
            .map(|at| counters.next(&levels, at, None).unwrap_or_default());
        let expected = ["I.", "1.1", "1.2", "(a)", "1.3", "(b)", "II.", "2.1", "(a)"];
        assert_eq!(labels.each_ref().map(|label| label.trim_end()), expected);
        assert_eq!(counters.next(&levels, 0, Some(9)).as_deref(), Some("IX. "));
        assert_eq!(counters.next(&levels, 3, None), None, "no such level");
    }

    #[test]
    fn a_level_that_was_skipped_is_counted() {
        let all = |at: usize| vec![Piece::Numbers(0..at + 1)];
        let levels = [
            level(Numeral::Decimal, all(0)),
            level(Numeral::LowerLetter, all(1)),
            level(Numeral::UpperRoman, all(2)),
        ];
        let mut counters = Counters::default();
        let labels =
            [2, 1, 0, 2, 2, 1, 0, 1].map(|at| counters.next(&levels, at, None).unwrap_or_default());
        let expected = ["1.a.I", "1.b", "2", "2.a.I", "2.a.II", "2.b", "3", "3.a"];
        assert_eq!(labels.each_ref().map(|label| label.trim_end()), expected);
    }

    #[test]
    fn what_says_nothing_is_no_label() {
        let bullet = Level {
            label: [text("•")].into(),
            ..Level::default()
        };
        let mut counters = Counters::default();
        assert_eq!(counters.next(&[bullet], 0, None), None);
        let unnumbered = level(Numeral::Decimal, vec![text("Note:")]);
        assert_eq!(
            counters.next(&[unnumbered], 0, None).as_deref(),
            Some("Note: ")
        );
    }
}
