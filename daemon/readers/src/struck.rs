//! Struck-through text, marked as Markdown writes it: `~~never~~`. A clause that is struck reads otherwise.
//!
//! Readers mark each piece of struck text as they find it, with two characters that no text has. When the text is
//! complete, [`settle`] makes one pair of marks of pieces that are only white space apart. A pair never spans lines or
//! cells, and stands at words, not at white space.

#[cfg(feature = "web")]
use std::borrow::Cow;

/// The marks in the text of readers: noncharacters, as long as the two pairs of tildes that take their place.
const BEGIN: char = '\u{1fffe}';
const END: char = '\u{1ffff}';

/// What stands on both sides of struck text.
const MARK: &str = "~~";

/// Marks a piece of struck text, each line and cell by itself.
#[cfg(feature = "web")]
pub(crate) fn mark(text: &str) -> Cow<'_, str> {
    if text.trim().is_empty() {
        return Cow::Borrowed(text);
    }
    let mut marked = String::with_capacity(text.len() + 2 * BEGIN.len_utf8());
    for piece in text.split_inclusive(ends_mark) {
        let words = piece.trim();
        let (before, after) = piece.split_once(words).unwrap_or((piece, ""));
        marked.push_str(before);
        if !words.is_empty() {
            marked.extend([BEGIN]);
            marked.push_str(words);
            marked.extend([END]);
        }
        marked.push_str(after);
    }
    Cow::Owned(marked)
}

/// Writes the marks of struck text; the text is not longer than before.
pub(crate) fn settle(text: String) -> String {
    if !text.contains([BEGIN, END]) {
        return text;
    }
    let mut settled = String::with_capacity(text.len());
    // Pieces may be within others.
    let mut depth = 0_usize;
    // Where the struck text ends that has a mark before it and none behind.
    let mut open = None;
    for c in text.chars() {
        match c {
            BEGIN => depth += 1,
            END => depth = depth.saturating_sub(1),
            _ if ends_mark(c) || !c.is_whitespace() && depth == 0 => {
                close(&mut settled, open.take());
                settled.push(c);
            }
            _ if c.is_whitespace() => settled.push(c),
            _ => {
                if open.is_none() {
                    settled.push_str(MARK);
                }
                settled.push(c);
                open = Some(settled.len());
            }
        }
    }
    close(&mut settled, open);
    settled
}

/// Puts the mark behind struck text that ends at `open`.
fn close(text: &mut String, open: Option<usize>) {
    if let Some(at) = open {
        text.insert_str(at, MARK);
    }
}

fn ends_mark(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t')
}

#[cfg(test)]
#[cfg(feature = "web")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn settled(pieces: &[(&str, bool)]) -> String {
        let marked = pieces.iter().map(|(text, is_struck)| match is_struck {
            true => mark(text),
            false => Cow::Borrowed(*text),
        });
        settle(marked.collect())
    }

    #[test]
    fn adjacent_pieces_have_one_pair_of_marks() {
        assert_eq!(settled(&[("a", true), ("b", true)]), "~~ab~~");
        assert_eq!(
            settled(&[("a", true), (" ", false), ("b c", true)]),
            "~~a b c~~"
        );
        assert_eq!(
            settled(&[("a ", true), ("b", false), (" c", true)]),
            "~~a~~ b ~~c~~"
        );
        assert_eq!(
            settled(&[("a", false), ("b", true), ("c", false)]),
            "a~~b~~c"
        );
    }

    #[test]
    fn marks_stand_at_words_and_within_lines_and_cells() {
        assert_eq!(settled(&[(" a ", true)]), " ~~a~~ ");
        assert_eq!(settled(&[("a\n\n b\tc", true)]), "~~a~~\n\n ~~b~~\t~~c~~");
        assert_eq!(
            settled(&[("a", true), ("\n", false), ("b", true)]),
            "~~a~~\n~~b~~"
        );
        assert_eq!(settled(&[(" \n", true), ("", true)]), " \n");
        assert_eq!(settled(&[("plain", false)]), "plain");
    }

    #[test]
    fn text_that_was_cut_within_a_mark_ends_with_one() {
        let marked = mark("abc");
        let cut = &marked[..marked.len() - 5];
        assert_eq!(settle(cut.to_owned()), "~~ab~~");
    }

    proptest! {
        #[test]
        fn marks_take_no_room_and_change_no_text(
            pieces in proptest::collection::vec(("[ab \\n\\t\u{a0}]{0,4}", any::<bool>()), 0..12),
            cut in any::<prop::sample::Index>(),
        ) {
            let marked = pieces.iter().map(|(text, is_struck)| match is_struck {
                true => mark(text),
                false => Cow::Borrowed(&**text),
            });
            let marked: String = marked.collect();
            let cut = marked.floor_char_boundary(cut.index(marked.len() + 1));
            let settled = settle(marked[..cut].to_owned());
            prop_assert!(settled.len() <= cut);
            let plain: String = marked[..cut].chars().filter(|c| ![BEGIN, END].contains(c)).collect();
            prop_assert_eq!(settled.replace('~', ""), plain);
        }
    }
}
