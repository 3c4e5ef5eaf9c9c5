//! Text for people: ratios and judgements.

use std::time::Duration;

use indicatif::HumanDuration;
use simdex_client::lines::judged_class;
use simdex_client::text::escaped;
use simdex_client::wire::{Judgement, Pace, Ratio};
use unicode_width::UnicodeWidthStr;

/// Shown instead of a number that was not measured.
pub(crate) const UNKNOWN: &str = "-";

/// A ratio to three places. Rounding never yields 0 or 1 for other values.
pub(crate) fn ratio(value: f64) -> String {
    let shown = (value * 1000.0).round() / 1000.0;
    let shown = if shown >= 1.0 && value < 1.0 {
        0.999
    } else if shown <= 0.0 && value > 0.0 {
        0.001
    } else {
        shown
    };
    format!("{shown:.3}")
}

/// A ratio that may not have been measured.
pub(crate) fn measured(value: Option<f64>) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), ratio)
}

/// An exact ratio alone, or an estimated one with its interval.
pub(crate) fn estimated(value: Option<&Ratio>, verified: bool) -> String {
    let Some(Ratio {
        value: Some(value),
        low,
        high,
    }) = value
    else {
        return UNKNOWN.to_owned();
    };
    match (low, high) {
        (Some(low), Some(high)) if !verified => {
            format!("{} [{}, {}]", ratio(*value), ratio(*low), ratio(*high))
        }
        _ => ratio(*value),
    }
}

/// The basis of numbers that were counted on whole texts.
pub(crate) const VERIFIED: &str = "verified";

/// The basis of a number.
pub(crate) fn basis(verified: bool) -> String {
    if verified { VERIFIED } else { "estimate" }.to_owned()
}

/// A name as one word of a shell's command line.
pub(crate) fn shell_word(name: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+=:,@%".contains(byte);
    let shown = escaped(name);
    if !name.is_empty() && name.iter().all(is_plain) {
        return shown;
    }
    match shown.as_bytes() == name {
        true => format!("'{}'", shown.replace('\'', r"'\''")),
        // Only bytes are escaped, so that the word names the same file whatever it holds.
        false => {
            let bytes = name.iter().map(|byte| match byte {
                byte if is_plain(byte) || *byte == b' ' => char::from(*byte).to_string(),
                byte => format!("\\x{byte:02x}"),
            });
            format!("$'{}'", bytes.collect::<String>())
        }
    }
}

/// The speed of `what`, and how long the rest takes.
pub(crate) fn pace_sentence(what: &str, pace: &Pace) -> String {
    let rate = (pace.per_second * 10.0).round() / 10.0;
    let left = pace.seconds_left.map(Duration::try_from_secs_f64);
    match left {
        Some(Ok(left)) => {
            let about = match pace.takes_longer {
                true => "more than",
                false => "about",
            };
            format!(
                "{rate} {what} a second, {about} {} left",
                HumanDuration(left)
            )
        }
        _ => format!("{rate} {what} a second, time left not known"),
    }
}

/// A class with its probability.
pub(crate) fn class_and_probability(judgement: &Judgement) -> String {
    let class = judged_class(judgement.class).unwrap_or(UNKNOWN);
    format!("{class} {}", ratio(judgement.probability))
}

/// Wraps a text at spaces into lines of `width` cells; a longer word gets a line of its own.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The last `width` cells of a text, with `…` before them if something was cut off.
pub(crate) fn ending(text: &str, width: usize) -> String {
    let starts = text.char_indices().map(|(at, _)| &text[at..]);
    cut(text, starts, width, |kept| format!("…{kept}"))
}

/// The first `width` cells of a text, with `…` after them if something was cut off.
pub(crate) fn beginning(text: &str, width: usize) -> String {
    let ends = text.char_indices().rev().map(|(at, _)| &text[..at]);
    cut(text, ends, width, |kept| format!("{kept}…"))
}

/// The first of the given parts, each shorter than the one before, that fits with its ellipsis.
fn cut<'t>(
    text: &'t str,
    parts: impl Iterator<Item = &'t str>,
    width: usize,
    marked: impl Fn(&str) -> String,
) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    // Parts that are too long in bytes are skipped first. The width is measured on the whole part, since it is not the
    // sum of its letters' widths.
    let parts = parts.filter(|part| part.len() <= width.saturating_mul(MAX_BYTES));
    let mut fitting = parts.map(marked).filter(|part| part.width() <= width);
    fitting.next().unwrap_or_else(|| "…".to_owned())
}

/// Approximate upper bound of the bytes per cell of text: a letter with some marks.
pub(crate) const MAX_BYTES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_says_what_is_left_only_as_far_as_that_is_known() {
        let said = |seconds_left, takes_longer| {
            let pace = Pace {
                per_second: 2.5,
                seconds_left,
                takes_longer,
            };
            pace_sentence("files", &pace)
        };
        assert_eq!(said(None, true), "2.5 files a second, time left not known");
        assert!(said(Some(9.0), false).ends_with("about 9 seconds left"));
        assert!(said(Some(9.0), true).ends_with("more than 9 seconds left"));
    }

    #[test]
    fn rounding_never_claims_all_or_nothing() {
        assert_eq!(ratio(0.9999), "0.999");
        assert_eq!(ratio(1.0), "1.000");
        assert_eq!(ratio(0.0001), "0.001");
        assert_eq!(ratio(0.0), "0.000");
        assert_eq!(ratio(0.5), "0.500");
    }

    #[test]
    fn a_text_is_broken_at_spaces_and_its_words_stay_whole() {
        assert_eq!(wrapped("a bc def ghij", 6), ["a bc", "def", "ghij"]);
        assert_eq!(wrapped("to /a/long/path x", 5), ["to", "/a/long/path", "x"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("a  b", usize::MAX), ["a  b"]);
    }

    #[test]
    fn an_estimate_shows_its_interval_and_a_verified_number_stands_alone() {
        let ratio = Ratio {
            value: Some(0.5),
            low: Some(0.4),
            high: Some(0.6),
        };
        assert_eq!(estimated(Some(&ratio), false), "0.500 [0.400, 0.600]");
        assert_eq!(estimated(Some(&ratio), true), "0.500");
        assert_eq!(estimated(Some(&Ratio::default()), false), "-");
        assert_eq!(estimated(None, true), "-");
    }
}
