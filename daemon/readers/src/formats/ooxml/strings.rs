//! Strings of cells: text in runs, some with a style of their own. It is the same for sheets in XML and in binary.

use std::borrow::Cow;

use crate::formats::text_style::TextStyle;

/// Text in runs; one without a style has that of its cell.
#[derive(Debug, Default)]
pub(in crate::formats) struct RichText {
    text: String,
    /// The end of each run.
    runs: Vec<(usize, Option<TextStyle>)>,
}

impl RichText {
    /// Appends to the last run, if that has the same style, or as another.
    pub(in crate::formats) fn push(&mut self, text: &str, style: Option<TextStyle>) {
        self.push_since(0, text, style);
    }

    /// Appends to the last run, unless that is one of those before `first`.
    fn push_since(&mut self, first: usize, text: &str, style: Option<TextStyle>) {
        self.text.push_str(text);
        let end = self.text.len();
        let own = self.runs.get_mut(first..).unwrap_or_default();
        match own.last_mut() {
            Some((last, of)) if *of == style => *last = end,
            _ => self.runs.push((end, style)),
        }
    }

    /// Appends text of which `style` returns the styles, by the number of the run and where that begins, in units of 16
    /// bits.
    pub(in crate::formats) fn push_runs(
        &mut self,
        text: &str,
        starts: &[(usize, Option<TextStyle>)],
    ) {
        self.push_runs_since(0, text, starts);
    }

    fn push_runs_since(&mut self, first: usize, text: &str, starts: &[(usize, Option<TextStyle>)]) {
        let (mut rest, mut at, mut style) = (text, 0, None);
        for (start, next) in starts {
            let (before, behind) = rest.split_at(units(rest, start.saturating_sub(at)));
            if !before.is_empty() {
                self.push_since(first, before, style);
            }
            (rest, at, style) = (behind, *start.max(&at), *next);
        }
        if !rest.is_empty() {
            self.push_since(first, rest, style);
        }
    }

    pub(in crate::formats) fn clear(&mut self) {
        self.text.clear();
        self.runs.clear();
    }

    /// The text without its styles.
    pub(in crate::formats) fn text(&self) -> &str {
        &self.text
    }

    /// The text as a cell of a style shows it.
    pub(in crate::formats) fn shown(&self, cell: TextStyle) -> Cow<'_, str> {
        shown(&self.text, 0, &self.runs, cell)
    }
}

/// The text of runs, the first of which begins at `start`.
fn shown<'a>(
    text: &'a str,
    start: usize,
    runs: &[(usize, Option<TextStyle>)],
    cell: TextStyle,
) -> Cow<'a, str> {
    let style = |own: Option<TextStyle>| own.unwrap_or(cell);
    let end = runs.last().map_or(start, |(end, _)| *end);
    if runs.iter().all(|(_, own)| style(*own).is_plain()) {
        return Cow::Borrowed(text.get(start..end).unwrap_or_default());
    }
    let mut whole = String::new();
    let mut from = start;
    for (end, own) in runs {
        let run = text.get(from..*end).unwrap_or_default();
        whole.push_str(&shown_run(run, style(*own)));
        from = *end;
    }
    Cow::Owned(whole)
}

/// Text of one style as a cell shows it.
pub(in crate::formats) fn shown_run(run: &str, style: TextStyle) -> Cow<'_, str> {
    match style.symbols {
        Some(font) => Cow::Owned(style.apply(&font.signs_of_letters(run)).into_owned()),
        None => style.apply(run),
    }
}

/// Where runs begin, with the styles of their fonts, which they name by number.
pub(in crate::formats) fn styled(
    runs: &[(u16, u16)],
    fonts: &[TextStyle],
) -> Vec<(usize, Option<TextStyle>)> {
    let style = |font: u16| fonts.get(usize::from(font)).copied();
    let runs = runs.iter();
    runs.map(|(start, font)| (usize::from(*start), style(*font)))
        .collect()
}

/// Bytes of the first `count` units of 16 bits.
fn units(text: &str, count: usize) -> usize {
    let mut left = count;
    let counted = text.chars().take_while(|c| {
        let fits = left > 0;
        left = left.saturating_sub(c.len_utf16());
        fits
    });
    counted.map(char::len_utf8).sum()
}

/// Strings that cells refer to by number, stored in one piece.
#[derive(Debug, Default)]
pub(in crate::formats) struct Strings {
    all: RichText,
    /// Number of runs up to the end of each string.
    ends: Vec<usize>,
}

impl Strings {
    /// Appends to the string that is not ended yet.
    pub(in crate::formats) fn push(&mut self, text: &str, style: Option<TextStyle>) {
        let first = self.ends.last().copied().unwrap_or(0);
        self.all.push_since(first, text, style);
    }

    /// Appends runs to the string that is not ended yet.
    pub(in crate::formats) fn push_runs(
        &mut self,
        text: &str,
        starts: &[(usize, Option<TextStyle>)],
    ) {
        let first = self.ends.last().copied().unwrap_or(0);
        self.all.push_runs_since(first, text, starts);
    }

    pub(in crate::formats) fn end(&mut self) {
        self.ends.push(self.all.runs.len());
    }

    /// The text of a string as a cell of a style shows it.
    pub(super) fn shown(&self, index: usize, cell: TextStyle) -> Cow<'_, str> {
        let first = match index.checked_sub(1) {
            Some(before) => self.ends.get(before).copied(),
            None => Some(0),
        };
        let runs = first
            .zip(self.ends.get(index))
            .and_then(|(first, end)| self.all.runs.get(first..*end));
        let before = first.and_then(|first| self.all.runs.get(first.checked_sub(1)?));
        let start = before.map_or(0, |(end, _)| *end);
        shown(&self.all.text, start, runs.unwrap_or_default(), cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::script::Script;
    use crate::formats::symbol_font::SymbolFont;
    use crate::struck;

    const PLAIN: TextStyle = TextStyle {
        script: None,
        is_struck: false,
        symbols: None,
    };
    const STRUCK: TextStyle = TextStyle {
        is_struck: true,
        ..PLAIN
    };
    const RAISED: TextStyle = TextStyle {
        script: Some(Script::Raised),
        ..PLAIN
    };

    #[test]
    fn strings_are_found_by_number_and_none_beyond() {
        let mut strings = Strings::default();
        for text in ["a", "", "bc"] {
            strings.push(text, None);
            strings.end();
        }
        strings.end();
        let found: Vec<_> = (0..5).map(|index| strings.shown(index, PLAIN)).collect();
        assert_eq!(found, ["a", "", "bc", "", ""]);
        assert_eq!(strings.shown(usize::MAX, PLAIN), "");
    }

    #[test]
    fn runs_have_their_style_or_that_of_the_cell() {
        let mut strings = Strings::default();
        strings.push("10", None);
        strings.end();
        strings.push("10", None);
        strings.push("3", Some(RAISED));
        strings.push(" gone", Some(STRUCK));
        strings.end();
        let shown = |index, cell| struck::settle(strings.shown(index, cell).into_owned());
        assert_eq!(shown(0, STRUCK), "~~10~~");
        assert_eq!(shown(1, PLAIN), "10³ ~~gone~~");
        assert_eq!(shown(1, STRUCK), "~~10~~³ ~~gone~~");
    }

    #[test]
    fn letters_are_signs_of_the_font_of_their_run_or_cell() {
        let symbols = |name| TextStyle {
            symbols: SymbolFont::named(name),
            ..PLAIN
        };
        let mut text = RichText::default();
        text.push("ü", None);
        text.push("\u{f0d8}a ", Some(symbols("Symbol")));
        text.push("ü", Some(PLAIN));
        assert_eq!(text.shown(symbols("Wingdings")), "✓¬α ü");
        assert_eq!(text.shown(PLAIN), "ü¬α ü");
    }

    #[test]
    fn runs_begin_at_units_of_16_bits() {
        let starts = [(3, Some(RAISED)), (4, Some(PLAIN)), (99, Some(STRUCK))];
        let mut text = RichText::default();
        text.push_runs("😀a3b", &starts);
        assert_eq!(text.shown(PLAIN), "😀a³b");
        text.clear();
        text.push_runs("12", &[(1, Some(RAISED)), (0, Some(PLAIN))]);
        assert_eq!((text.text(), text.shown(PLAIN)), ("12", "12".into()));
    }
}
