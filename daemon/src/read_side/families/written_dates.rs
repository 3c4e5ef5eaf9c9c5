//! The dates written in a text, read from its canonical form, where case is folded.
//!
//! Only full dates, in three forms: `2018-05-24` (or with `/`), `may 24, 2018` and `24 may 2018` (or
//! `24-may-2018`), the month in English, whole or its first three letters. `05/24/2018` is ignored, since it
//! is unknown whether the month or the day comes first. One pass over the text.

use jiff::civil::Date;

/// Numbers that are accepted as years.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2100;

/// Months as they are written.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The latest date written in a canonical text, as the beginning of that day in UTC, seconds since 1970.
pub fn latest(text: &str) -> Option<i64> {
    let mut last: [Option<Token<'_>>; 3] = [None; 3];
    let mut latest: Option<Date> = None;
    for token in (Tokens { rest: text }) {
        if token.is_ordinal_ending() {
            continue;
        }
        last = [last[1], last[2], Some(token)];
        if let [Some(a), Some(b), Some(c)] = last {
            latest = latest.max(date(a, b, c));
        }
    }
    let day = latest?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(day.timestamp().as_second())
}

/// A run of letters or of digits, and what precedes it.
#[derive(Clone, Copy)]
struct Token<'a> {
    gap: &'a str,
    run: &'a str,
}

impl Token<'_> {
    /// Its value, if it is a number with a permitted count of digits.
    fn number(&self, digits: std::ops::RangeInclusive<usize>) -> Option<i16> {
        let is_number = self.run.as_bytes().iter().all(u8::is_ascii_digit);
        (is_number && digits.contains(&self.run.len())).then(|| self.run.parse().ok())?
    }

    fn month(&self) -> Option<i8> {
        let mut months = MONTHS.iter();
        let found = months.position(|month| *month == self.run || month[..3] == *self.run);
        let found = found.or_else(|| (self.run == "sept").then_some(8));
        found.map(|at| at as i8 + 1)
    }

    /// Whether it is `th` of `24th`, with nothing between.
    fn is_ordinal_ending(&self) -> bool {
        self.gap.is_empty() && ["st", "nd", "rd", "th"].contains(&self.run)
    }

    fn follows_by(&self, gaps: &[&str]) -> bool {
        gaps.contains(&self.gap)
    }
}

/// The date that three runs form, if they do.
fn date(a: Token<'_>, b: Token<'_>, c: Token<'_>) -> Option<Date> {
    let in_words = || b.follows_by(&[" ", "-", ". "]) && c.follows_by(&[" ", ", ", ",", "-", ". "]);
    let (year, month, day) = if let (Some(year), Some(day)) = (a.number(4..=4), c.number(1..=2)) {
        let apart = b.gap == c.gap && b.follows_by(&["-", "/"]);
        let month = b.number(1..=2).filter(|_| apart)?;
        (year, i8::try_from(month).ok()?, day)
    } else {
        let year = c.number(4..=4).filter(|_| in_words())?;
        match (a.month(), b.month()) {
            (Some(month), None) => (year, month, b.number(1..=2)?),
            (None, Some(month)) => (year, month, a.number(1..=2)?),
            _ => return None,
        }
    };
    let is_year = YEARS.contains(&year);
    Date::new(year, month, i8::try_from(day).ok()?)
        .ok()
        .filter(|_| is_year)
}

/// Splits a text into runs of letters and of digits.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let start = self.rest.find(char::is_alphanumeric)?;
        let (gap, rest) = self.rest.split_at(start);
        let is_digit = |c: char| c.is_ascii_digit();
        let digits = rest.starts_with(is_digit);
        let is_over = |c: char| !c.is_alphanumeric() || is_digit(c) != digits;
        let (run, rest) = rest.split_at(rest.find(is_over).unwrap_or(rest.len()));
        self.rest = rest;
        Some(Token { gap, run })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Option<String> {
        let time = jiff::Timestamp::from_second(latest(text)?).unwrap();
        Some(time.to_string()[..10].to_owned())
    }

    #[test]
    fn full_dates_are_read_in_each_form_and_the_latest_wins() {
        for (text, expected) in [
            ("effective 2018-05-24.", "2018-05-24"),
            ("effective 2018/5/4.", "2018-05-04"),
            ("last updated: may 24, 2018", "2018-05-24"),
            ("on the 3rd sept. 2019 we", "2019-09-03"),
            ("post-history: 13-jul-2000, 20-jul-2000", "2000-07-20"),
            ("2020-01-01 and december 31st, 2019", "2020-01-01"),
        ] {
            assert_eq!(day(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_may_be_no_date_is_none() {
        for text in [
            "",
            "may 2018",
            "05/24/2018",
            "2018-13-01",
            "2018-02-30",
            "version 3 may 12 users",
            "8000-01-01",
            "12018-01-01",
            "2018-05-245",
            "v1.2018.05",
        ] {
            assert_eq!(day(text), None, "{text}");
        }
    }
}
