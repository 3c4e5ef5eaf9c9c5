//! Text for people, shared by both programs: escaped names, counts.

use std::fmt::Write as _;

use crate::STATES_WITH_TEXT;

/// Whether XML 1.0 has this character (production 2).
pub fn is_xml(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// A name as text that cannot move the cursor, colour the screen, reverse the line or hide a part of itself: characters
/// for which [`is_hidden`] holds and bytes that are not UTF-8 are escaped. A backslash is doubled, so that no two names
/// look alike.
pub fn escaped(name: &[u8]) -> String {
    let mut text = String::new();
    for piece in name.utf8_chunks() {
        let plain = piece.valid().replace('\\', "\\\\");
        text.push_str(&harmless(&plain, |_| false));
        for byte in piece.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// `text` with hidden characters ([`is_hidden`]) escaped, except those to `keep`.
pub fn harmless(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hidden(letter) && !keep(letter) {
            safe.extend(letter.escape_default());
        } else {
            safe.push(letter);
        }
    }
    safe
}

/// Whether a character is invisible or changes how its neighbours are displayed: controls, line and paragraph
/// separators, direction marks, zero-width spaces, tags. The joiners U+200C and U+200D are needed in many scripts and
/// are kept.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
            | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// A line as an entry of a list of template lines: without the hidden characters that its canonical form does not have
/// either. U+2061 to U+2064 and U+FFF9 to U+FFFB are kept, which neither move the cursor nor reverse a line. Overrides of
/// direction are not, though the canonical form has them: a line with one is not that of the list. A line that would be
/// read as a comment gets a backslash in front.
pub fn template_line(line: &str) -> String {
    let shown = |c: char| match is_hidden(c) {
        true if c.is_control() || c.is_whitespace() => Some(' '),
        true => matches!(c, '\u{2061}'..='\u{2064}' | '\u{FFF9}'..='\u{FFFB}').then_some(c),
        false => Some(c),
    };
    let shown: String = line.chars().filter_map(shown).collect();
    match shown.trim_start_matches('\\').starts_with('#') {
        true => format!("\\{shown}"),
        false => shown,
    }
}

/// A state of a file, with the reason that refines it if there is one: `failed (read-error)`.
pub fn state_with_reason(state: &str, reason: &str) -> String {
    match reason {
        "" => state.to_owned(),
        reason => format!("{state} ({reason})"),
    }
}

/// Why the text of a file with this state was not compared, as a sentence without its full stop.
pub fn why_not_compared(state: &str, reason: &str) -> String {
    let why = match state {
        "container" => "the file holds others, which are compared",
        "no-text" => "the file holds none",
        "too-short" => "it is shorter than the least that is compared",
        "encrypted" => "the file needs a password",
        "unsupported" => "files of its kind are not read",
        "too-large" => "the file exceeds a limit",
        "failed" => "the file could not be read",
        "timed-out" => "reading the file took longer than is allowed",
        "crashed" => "the program that read the file crashed",
        "unreadable" => "the file system refused to read the file",
        "skipped" => "the file is skipped by a rule",
        "unstable" => "the file changed while it was read",
        "quarantined" => "reading the file failed three times",
        with_text if STATES_WITH_TEXT.contains(&with_text) => {
            return "it is damaged in the index, or consists of template lines only".to_owned();
        }
        // Of a newer daemon.
        other => {
            return format!(
                "the state of the file is {}",
                state_with_reason(other, reason)
            );
        }
    };
    state_with_reason(why, reason)
}

/// A count with its noun: `1 file`, `2 files`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", plural(count))
}

/// The ending of a counted noun.
pub fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A count with separators: `1,234,567`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Up to this many changed lines are shown as they are, whatever changed in them.
const FEW_LINES: u64 = 6;
/// From this many changed lines on each has a changed word of its own on average, unless lines break differently.
const MANY_LINES: u64 = 20;
/// So many changed lines may be blank, if more of them are blank than not.
const FEW_BLANK_LINES: u64 = 4;

/// How many lines a difference by lines removes and adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines {
    /// Those that it removes.
    pub removed: u64,
    /// Those that it adds.
    pub added: u64,
    /// Of all of them, those with nothing but white space.
    pub blank: u64,
}

/// Whether a difference is shown by words if no form was requested: if words moved, which lines cannot express, or if
/// the two texts break their lines differently. The latter shows in the numbers of lines and words that differ, moved
/// words included: a changed word changes a line in each text, and no more, unless lines break differently. If few lines
/// differ, the reason may be white space or case, which words do not show; then lines count as broken differently only if
/// one text has more changed lines than the other. It shows in blank lines too, if most lines that differ are blank: one
/// text has them between its paragraphs and the other has none.
pub fn is_shown_by_words(lines: ChangedLines, changed_words: u64, moved_words: u64) -> bool {
    let all = lines.removed + lines.added;
    let with_text = all.saturating_sub(lines.blank);
    let has_more = lines.removed != lines.added;
    moved_words > 0
        || (has_more && all > changed_words.saturating_mul(2).max(FEW_LINES))
        || all > changed_words.max(MANY_LINES)
        || lines.blank > with_text.max(FEW_BLANK_LINES)
}

/// A hash in lower-case hexadecimal; `None` for an empty one.
pub fn hex(hash: &[u8]) -> Option<String> {
    let digits = || hash.iter().map(|byte| format!("{byte:02x}")).collect();
    (!hash.is_empty()).then(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_command_the_terminal() {
        assert_eq!(escaped("/ü/日本.txt".as_bytes()), "/ü/日本.txt");
        assert_eq!(
            escaped(b"/a\x1b[31m\nb\xff\x9b"),
            "/a\\u{1b}[31m\\nb\\xff\\x9b"
        );
        assert_eq!(escaped("/\u{202e}fdp.exe".as_bytes()), "/\\u{202e}fdp.exe");
        assert_eq!(escaped("/a\u{2028}b".as_bytes()), "/a\\u{2028}b");
        assert_eq!(escaped(b"/a\tb"), "/a\\tb");
        for hidden in ["\u{61c}", "\u{200b}", "\u{2060}", "\u{feff}", "\u{e0041}"] {
            let shown = escaped(format!("/a{hidden}b").as_bytes());
            assert!(shown.starts_with("/a\\u{") && shown.is_ascii(), "{shown}");
        }
        assert_eq!(escaped("/a\u{200d}b".as_bytes()), "/a\u{200d}b");
        assert_eq!(escaped(b"/a\\tb"), "/a\\\\tb");
    }

    #[test]
    fn a_text_that_is_there_was_not_compared_for_another_reason_than_its_state() {
        let said = [
            (
                "too-short",
                "",
                "it is shorter than the least that is compared",
            ),
            (
                "failed",
                "read-error",
                "the file could not be read (read-error)",
            ),
            ("later", "", "the state of the file is later"),
            ("later", "why", "the state of the file is later (why)"),
        ];
        for (state, reason, why) in said {
            assert_eq!(why_not_compared(state, reason), why);
        }
        for state in crate::STATES {
            let why = why_not_compared(state, "");
            assert!(!why.contains("the state"), "{state} is unknown: {why}");
        }
        for (state, reason) in [("indexed", ""), ("partial", "text-cut")] {
            let why = why_not_compared(state, reason);
            assert!(
                why.starts_with("it is damaged") && !why.contains(state),
                "{why}"
            );
        }
    }

    fn by_words([removed, added]: [u64; 2], blank: u64, words: u64) -> bool {
        let lines = ChangedLines {
            removed,
            added,
            blank,
        };
        is_shown_by_words(lines, words, 0)
    }

    #[test]
    fn texts_that_differ_in_blank_lines_are_shown_by_words() {
        let by_words = |added, blank, words| by_words([0, added], blank, words);
        // A number changed in one of many paragraphs, with blank lines between them in one text alone.
        assert!(by_words(18, 16, 2));
        // A paragraph more, with the blank line before it; and a few blank lines.
        assert!(!by_words(2, 1, 40) && !by_words(3, 3, 0));
        assert!(!by_words(20, 2, 10) && !by_words(21, 10, 30));
        assert!(is_shown_by_words(ChangedLines::default(), 0, 1));
    }

    #[test]
    fn texts_that_break_their_lines_differently_are_shown_by_words() {
        let by_words = |removed, added, words| by_words([removed, added], 0, words);
        // One word was replaced by another, and all seven lines are ten.
        assert!(by_words(7, 10, 2));
        // As many lines as words that are replaced change at most, and twice as many where words were only taken out.
        assert!(!by_words(5, 3, 4) && !by_words(4, 2, 1));
        assert!(!by_words(10, 8, 9) && by_words(10, 9, 9));
        // Four lines were indented and one word was replaced.
        assert!(!by_words(5, 5, 2));
        // Among many lines not every word was only taken out.
        assert!(by_words(11, 11, 21) && !by_words(11, 11, 22));
    }

    #[test]
    fn counts_are_said_with_their_noun_and_grouped_by_thousands() {
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(0, "file"), "0 files");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
