//! Chooses the form of a difference between two texts: by lines or by words.

use clap::ValueEnum;
use simdex_client::text::{ChangedLines, is_shown_by_words};
use simdex_client::wire::{CompareReply, WordDifference};

/// Forms of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DifferenceForm {
    /// By words where lines are broken otherwise or a block moved, else by lines; with --json by lines
    Auto,
    /// By lines, as patch applies it
    Lines,
    /// By words, whatever the line breaks: [-removed-], {+added+}, {>line N: moved<}; with --json as operations with
    /// offsets in both texts
    Words,
}

/// Shown instead of a difference if comparing words finds none.
const SAME_WORDS: &str = "No word differs but in its case, in bullets before a line or in forms of characters that are \
                          compared as one; white space and line breaks do";

/// The difference of an answer in the requested form; empty if there is none.
pub(crate) fn difference(reply: &CompareReply, form: DifferenceForm) -> String {
    let by_words = reply.words.as_ref();
    let words = by_words.filter(|words| !words.not_aligned && words.text_left_out.is_empty());
    let lines = reply.difference_left_out.is_empty().then_some(&reply.diff);
    match (form, lines, words) {
        (DifferenceForm::Words, _, Some(words)) => words.text.clone(),
        (DifferenceForm::Auto, None, Some(words)) => words.text.clone(),
        (DifferenceForm::Auto, Some(lines), Some(words)) => match is_shown_better(lines, words) {
            true if words.text.is_empty() => {
                format!("{SAME_WORDS} (--diff lines shows where).\n")
            }
            true => words.text.clone(),
            false => lines.clone(),
        },
        (_, Some(lines), _) => lines.clone(),
        (_, None, _) => String::new(),
    }
}

/// The difference by words, or why there is none.
pub(crate) fn by_words(reply: &CompareReply) -> Result<String, &str> {
    if let Some(why) = left_out(reply, DifferenceForm::Words, false) {
        return Err(why);
    }
    match reply.words.as_ref().filter(|words| !words.not_aligned) {
        Some(words) if words.text.is_empty() => Ok(format!("{SAME_WORDS}.\n")),
        Some(words) => Ok(words.text.clone()),
        None => Err("the daemon sent none"),
    }
}

/// Whether both forms are there, and the one by words is easier to read.
pub(crate) fn is_shown_better_by_words(reply: &CompareReply) -> bool {
    let words = reply.words.as_ref();
    let words = words.filter(|words| !words.not_aligned && words.text_left_out.is_empty());
    let is_whole = reply.difference_left_out.is_empty();
    words.is_some_and(|words| is_whole && is_shown_better(&reply.diff, words))
}

/// Whether a difference is easier to read by words than by these lines.
fn is_shown_better(lines: &str, words: &WordDifference) -> bool {
    let moved = words.words_moved;
    let changed = words.words_removed + words.words_added + moved;
    is_shown_by_words(changed_lines(lines), changed, moved)
}

/// Why the requested form is missing or, if nothing is left to show, one of the forms that `auto` chooses from.
pub(crate) fn left_out(reply: &CompareReply, form: DifferenceForm, is_json: bool) -> Option<&str> {
    let words = reply.words.as_ref();
    let by_words = words.map(|words| match is_json {
        true => words.operations_left_out.as_str(),
        false => words.text_left_out.as_str(),
    });
    let by_words = by_words.filter(|why| !why.is_empty());
    let by_lines = Some(reply.difference_left_out.as_str()).filter(|why| !why.is_empty());
    match form {
        DifferenceForm::Lines => by_lines,
        DifferenceForm::Words => by_words,
        DifferenceForm::Auto => {
            by_lines.filter(|_| is_json || by_words.is_some() || words.is_none())
        }
    }
}

/// How many lines a unified difference removes and adds.
fn changed_lines(diff: &str) -> ChangedLines {
    let body = diff.lines().skip(2);
    let mut changed = ChangedLines::default();
    for line in body {
        let (sum, rest) = match (line.strip_prefix('-'), line.strip_prefix('+')) {
            (Some(rest), _) => (&mut changed.removed, rest),
            (_, Some(rest)) => (&mut changed.added, rest),
            _ => continue,
        };
        *sum += 1;
        changed.blank += u64::from(rest.trim().is_empty());
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(lines: u64, words_added: u64) -> CompareReply {
        let changed: String = (0..lines).map(|at| format!("+line {at}\n")).collect();
        let words = WordDifference {
            words_added,
            text: match words_added {
                0 => String::new(),
                _ => "by words".to_owned(),
            },
            ..WordDifference::default()
        };
        CompareReply {
            diff: format!("--- a\n+++ b\n@@ -0,0 +1,{lines} @@\n{changed}"),
            words: Some(words),
            ..CompareReply::default()
        }
    }

    #[test]
    fn words_are_shown_where_more_lines_than_words_changed() {
        let auto = |lines, words| difference(&reply(lines, words), DifferenceForm::Auto);
        assert_eq!(auto(21, 20), "by words");
        assert!(auto(21, 0).starts_with(SAME_WORDS));
        // A text of few lines that are broken otherwise, with a word replaced.
        assert_eq!(auto(17, 2), "by words");
        for (lines, words) in [(21, 21), (20, 10), (6, 0), (1, 500)] {
            assert!(auto(lines, words).starts_with("--- a\n"), "{lines} {words}");
        }
    }

    #[test]
    fn words_are_shown_where_the_lines_that_changed_are_blank() {
        let mut reply = reply(2, 1);
        reply.diff.push_str(&" text\n-\n".repeat(16));
        assert_eq!(difference(&reply, DifferenceForm::Auto), "by words");
    }

    #[test]
    fn words_are_shown_where_a_block_moved_however_few_lines_changed() {
        let mut reply = reply(2, 1);
        assert!(difference(&reply, DifferenceForm::Auto).starts_with("--- a\n"));
        if let Some(words) = &mut reply.words {
            words.words_moved = 200;
        }
        assert_eq!(difference(&reply, DifferenceForm::Auto), "by words");
        assert!(difference(&reply, DifferenceForm::Lines).starts_with("--- a\n"));
    }

    #[test]
    fn words_are_there_unless_they_are_left_out() {
        assert_eq!(by_words(&reply(1, 1)).as_deref(), Ok("by words"));
        assert_eq!(by_words(&reply(1, 0)), Ok(format!("{SAME_WORDS}.\n")));
        let mut reply = reply(21, 20);
        assert!(is_shown_better_by_words(&reply));
        if let Some(words) = &mut reply.words {
            words.text_left_out = "it is too long".to_owned();
        }
        assert_eq!(by_words(&reply), Err("it is too long"));
        assert!(!is_shown_better_by_words(&reply));
        reply.words = None;
        assert_eq!(by_words(&reply), Err("the daemon sent none"));
    }

    #[test]
    fn what_is_left_is_shown_and_what_is_missing_told() {
        let mut reply = reply(500, 1);
        reply.diff.clear();
        reply.difference_left_out = "it is too long".to_owned();
        assert_eq!(difference(&reply, DifferenceForm::Auto), "by words");
        assert_eq!(left_out(&reply, DifferenceForm::Auto, false), None);
        assert_eq!(
            left_out(&reply, DifferenceForm::Lines, true),
            Some("it is too long")
        );
        reply.words = None;
        assert_eq!(difference(&reply, DifferenceForm::Auto), "");
        assert_eq!(
            left_out(&reply, DifferenceForm::Auto, false),
            Some("it is too long")
        );
    }
}
