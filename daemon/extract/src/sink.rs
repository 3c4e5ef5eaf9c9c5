//! Where the formats write their text: bounded, without NUL, with remarks beside it.

/// Most remarks kept for one document.
const MAX_WARNINGS: usize = 16;
/// Longest remark, in characters.
const MAX_WARNING_CHARS: usize = 200;

/// Text of one document up to a limit; what goes beyond is dropped and remembered as dropped.
#[derive(Debug, Default)]
pub(crate) struct TextSink {
    text: String,
    limit: usize,
    full: bool,
    warnings: Vec<String>,
}

impl TextSink {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Appends `piece` without its NULs, up to the limit and never splitting a character.
    pub(crate) fn push(&mut self, piece: &str) {
        for run in piece.split('\0').filter(|run| !run.is_empty()) {
            if self.full {
                return;
            }
            let room = self.limit - self.text.len();
            let cut = run.floor_char_boundary(room.min(run.len()));
            self.full = cut < run.len();
            self.text.push_str(&run[..cut]);
        }
    }

    /// Ends the line, unless one has just ended or nothing was written yet.
    pub(crate) fn newline(&mut self) {
        self.separate('\n');
    }

    /// Puts `separator` between words, unless white space already stands there.
    pub(crate) fn separate(&mut self, separator: char) {
        let last = self.text.chars().next_back();
        let ends = match separator {
            '\n' => last.is_none_or(|c| c == '\n'),
            _ => last.is_none_or(char::is_whitespace),
        };
        if !ends {
            self.push(separator.encode_utf8(&mut [0; 4]));
        }
    }

    /// Notes a remark for people; control characters are dropped, the rest is bounded.
    pub(crate) fn warn(&mut self, warning: &str) {
        if self.warnings.len() < MAX_WARNINGS {
            let clean = warning.chars().filter(|c| !c.is_control());
            self.warnings.push(clean.take(MAX_WARNING_CHARS).collect());
        }
    }

    /// Whether text was dropped for want of room; formats may stop early then.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// Bytes still free.
    pub(crate) fn room(&self) -> usize {
        self.limit - self.text.len()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim_ascii().is_empty() && self.text.trim().is_empty()
    }

    /// Whether one character in five is a replacement, of private use, or a control character.
    pub(crate) fn is_garbled(&self) -> bool {
        let odd = |&c: &char| {
            matches!(c, '\u{fffd}' | '\u{e000}'..='\u{f8ff}')
                || c.is_control() && !c.is_whitespace()
        };
        let count = self.text.chars().filter(odd).count();
        count > 0 && count * 5 >= self.text.chars().count()
    }

    #[cfg(test)]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Takes the text out.
    pub(crate) fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    pub(crate) fn into_warnings(self) -> Vec<String> {
        self.warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_cuts_between_characters() {
        let mut sink = TextSink::new(4);
        sink.push("abcß and more");
        assert_eq!(sink.text(), "abc");
        assert!(sink.is_full());
        sink.push("d");
        assert_eq!(sink.text(), "abc", "nothing follows a cut");
    }

    #[test]
    fn text_that_just_fits_is_whole() {
        let mut sink = TextSink::new(3);
        sink.push("a\0b\0c\0");
        assert_eq!((sink.text(), sink.is_full()), ("abc", false));
    }

    #[test]
    fn separators_do_not_pile_up() {
        let mut sink = TextSink::new(100);
        sink.newline();
        sink.push("one");
        sink.newline();
        sink.newline();
        sink.push("two");
        sink.separate(' ');
        sink.separate('\t');
        sink.push("three");
        assert_eq!(sink.text(), "one\ntwo three");
    }

    #[test]
    fn warnings_are_bounded_in_number_length_and_characters() {
        let mut sink = TextSink::new(0);
        for _ in 0..100 {
            sink.warn(&format!("\u{1b}[31m{}", "x".repeat(1000)));
        }
        let warnings = sink.into_warnings();
        assert_eq!(warnings.len(), MAX_WARNINGS);
        assert_eq!(warnings[0].chars().count(), MAX_WARNING_CHARS);
        assert!(warnings[0].starts_with("[31m"));
    }
}
