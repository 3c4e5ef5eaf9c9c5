//! Text for people: escaped names, ratios, counts.

use std::fmt::Write;

use simdex_client::wire::Ratio;

/// What stands where a number was not measured.
pub(crate) const UNKNOWN: &str = "-";

/// A name as text that cannot move the cursor, colour the screen or turn the line around:
/// control and direction characters are escaped, and so are bytes that are not UTF-8. A backslash is
/// doubled, so that no two names look alike.
pub(crate) fn escaped(name: &[u8]) -> String {
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

/// `text` with its control and direction characters escaped, but for those to `keep`.
pub(crate) fn harmless(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hostile(letter) && !keep(letter) {
            safe.extend(letter.escape_default());
        } else {
            safe.push(letter);
        }
    }
    safe
}

fn is_hostile(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A ratio to three places. Rounding never makes it 0 or 1 where it is not.
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

/// An exact ratio alone, an estimated one with the interval it lies in.
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

/// What a number rests on.
pub(crate) fn basis(verified: bool) -> String {
    if verified { "verified" } else { "estimate" }.to_owned()
}

/// A count with its noun: `1 file`, `2 files`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
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
        assert_eq!(escaped(b"/a\tb"), "/a\\tb");
        assert_eq!(escaped(b"/a\\tb"), "/a\\\\tb");
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
