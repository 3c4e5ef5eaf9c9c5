//! How names, texts and numbers are shown in HTML.
use std::fmt::{Display, Formatter, Result, Write as _};

use jiff::Timestamp;
use simdex_proto::text::{grouped, is_hidden, plural};

/// Text for HTML: markup is escaped; characters that are invisible, or that change how others are
/// displayed, are shown by their code.
pub(super) struct Text<'a>(pub(super) &'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\t' => f.write_char('\t')?,
                c if is_hidden(c) => write!(f, "<i class=\"u\">U+{:04X}</i>", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Bytes of a path that a page shows; of a longer one it shows both ends, and the lists beside the page have all.
const PATH_SHOWN: usize = 1 << 10;
/// The part of these at the end, which contains the name.
const END_SHOWN: usize = PATH_SHOWN / 4;

/// A path for HTML: like [`Text`], with bytes that are not UTF-8 shown as `\xNN`, and isolated from
/// the surrounding writing direction. The middle of a very long one is left out.
pub(super) struct PathText<'a>(pub(super) &'a [u8]);

impl Display for PathText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("<bdi class=\"path\">")?;
        let path = self.0;
        if path.len() <= PATH_SHOWN {
            path_part(f, path)?;
        } else {
            let first = boundary(path, PATH_SHOWN - END_SHOWN);
            let last = boundary(path, path.len() - END_SHOWN);
            path_part(f, &path[..first])?;
            let hidden = Count((last - first) as u64);
            write!(f, "<i class=\"u\">\u{2026} {hidden} bytes \u{2026}</i>")?;
            path_part(f, &path[last..])?;
        }
        f.write_str("</bdi>")
    }
}

/// The place where a character begins, here or shortly before.
fn boundary(path: &[u8], at: usize) -> usize {
    let begins = |at: &usize| path[*at] & 0xc0 != 0x80;
    (at - 3..=at).rev().find(begins).unwrap_or(at)
}

fn path_part(f: &mut Formatter<'_>, part: &[u8]) -> Result {
    for chunk in part.utf8_chunks() {
        write!(f, "{}", Text(chunk.valid()))?;
        for byte in chunk.invalid() {
            write!(f, "<i class=\"u\">\\x{byte:02X}</i>")?;
        }
    }
    Ok(())
}

/// A path as plain text, with what [`PathText`] shows by code written as `\u{202e}` and `\xNN`.
pub(super) fn plain_path(path: &[u8]) -> String {
    let mut plain = String::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        for c in chunk.valid().chars() {
            match is_hidden(c) {
                true => plain.extend(c.escape_unicode()),
                false => plain.push(c),
            }
        }
        for byte in chunk.invalid() {
            // Writing to a string does not fail.
            let _ = write!(plain, "\\x{byte:02X}");
        }
    }
    plain
}

/// A count with separators: 1,234,567.
pub(super) struct Count(pub(super) u64);

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&grouped(self.0))
    }
}

/// `1 file`, `1,200 files`.
pub(super) fn counted(count: usize, one: &str) -> String {
    let count = count as u64;
    format!("{} {one}{}", grouped(count), plural(count))
}

/// A resemblance or containment. Rounding never turns a part into the whole, or something into nothing.
pub(super) fn share(value: Option<f64>) -> String {
    match value {
        None => "not measured".to_owned(),
        Some(v) if v < 1.0 && v > 0.9995 => "0.999".to_owned(),
        Some(v) if v > 0.0 && v < 0.0005 => "&lt;0.001".to_owned(),
        Some(v) => format!("{v:.3}"),
    }
}

/// Seconds since 1970 as date and time in UTC.
pub(super) fn date(seconds: Option<i64>) -> String {
    let time = seconds.and_then(|s| Timestamp::from_second(s).ok());
    time.map_or_else(|| "unknown".to_owned(), minute)
}

/// A time in UTC, to the minute.
pub(super) fn minute(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_very_long_path_both_ends_are_shown() {
        let whole = "\u{1}".repeat(PATH_SHOWN);
        assert_eq!(
            PathText(whole.as_bytes())
                .to_string()
                .matches("U+0001")
                .count(),
            PATH_SHOWN
        );
        let long = format!("/share/{}/contract.pdf", "\u{65e5}".repeat(1_400));
        let shown = PathText(long.as_bytes()).to_string();
        assert!(
            shown.starts_with("<bdi class=\"path\">/share/\u{65e5}"),
            "{shown}"
        );
        assert!(shown.ends_with("\u{65e5}/contract.pdf</bdi>"), "{shown}");
        assert!(
            shown.contains("bytes \u{2026}</i>") && !shown.contains("\\x"),
            "{shown}"
        );
        assert!(shown.len() < PATH_SHOWN + 100);
    }
}
