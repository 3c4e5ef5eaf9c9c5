//! When a version was made, as far as that is known: what the document itself states has priority over what the
//! file system reports of its file, which copying and unpacking change. A file without either date existed when the
//! mail that it is attached to was sent.

use std::ops::ControlFlow;

use simdex_extract::Fact;
use simdex_index::{FileInfo, Files, IndexError};
use simdex_schema::ContentRecord;

/// The source of a date, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateSource {
    /// When the message was sent, as it states.
    Sent,
    /// When the document was saved last, as it states.
    Modified,
    /// When the document was made, as it states.
    Created,
    /// When the file was modified, by the file system or the container that holds it.
    File,
    /// When the message that contains it was sent, as that states: it existed before.
    MailSent,
}

impl DateSource {
    /// The name in JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Modified => "modified",
            Self::Created => "created",
            Self::File => "file",
            Self::MailSent => "mail-sent",
        }
    }
}

/// The earliest modification time that is believed, 1980-01-02, seconds since 1970: archives that have no time write
/// the beginning of 1970, or 1980-01-01 in any time zone.
const FIRST_BELIEVED: i64 = 315_532_800 + DAY;
/// How far the clock of a share may be ahead of this machine's, seconds.
const AHEAD: i64 = DAY;
const DAY: i64 = 86_400;

/// A date with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownDate {
    /// Seconds since 1970; may be negative.
    pub seconds: i64,
    /// What it was taken from.
    pub source: DateSource,
}

/// The best date known of a file; `None` if there is none.
///
/// # Errors
/// That of the index, which is asked for the container of a file that has no date of its own.
pub fn best_date(files: Files<'_>, file: &FileInfo) -> Result<Option<KnownDate>, IndexError> {
    if let Some(own) = own_date(file) {
        return Ok(Some(own));
    }
    let mut sent = None;
    files.visit_containers(&file.key, &mut |holder| {
        let seconds = holder.and_then(|holder| stated(holder, Fact::Sent));
        sent = seconds.map(|seconds| KnownDate {
            seconds,
            source: DateSource::MailSent,
        });
        match sent {
            None => ControlFlow::Continue(()),
            Some(_) => ControlFlow::Break(()),
        }
    })?;
    Ok(sent)
}

/// The date that a document states, or that of its file.
fn own_date(file: &FileInfo) -> Option<KnownDate> {
    let now = jiff::Timestamp::now().as_second();
    let content = file.content.as_ref();
    let by_document = content.and_then(|content| stated_date(content, now));
    by_document.or_else(|| {
        let seconds = believed(file.record.modified()?, now)?;
        let source = DateSource::File;
        Some(KnownDate { seconds, source })
    })
}

/// The best date that a document states. It cannot have been saved before it was made: where it states so, its clock was
/// not set when it was saved, or its time is that of a template, and it is dated by when it was made.
fn stated_date(content: &ContentRecord, now: i64) -> Option<KnownDate> {
    let date = |source, fact| {
        let seconds = stated(content, fact)?;
        Some(KnownDate { seconds, source })
    };
    let sent = date(DateSource::Sent, Fact::Sent);
    let modified = date(DateSource::Modified, Fact::Modified);
    let created = date(DateSource::Created, Fact::Created);
    let contradicts = |saved: &KnownDate| {
        created.is_some_and(|made| {
            // Less may be the time zone, which not every format states, or a date without its time.
            made.seconds.saturating_sub(saved.seconds) > DAY
                && believed(made.seconds, now).is_some()
        })
    };
    let modified = modified.filter(|saved| !contradicts(saved));
    sent.or(modified).or(created)
}

/// A modification time that may be true: one of 1980-01-01 or before is a placeholder or from a clock that was not set,
/// and one in the future is wrong.
fn believed(seconds: i64, now: i64) -> Option<i64> {
    (FIRST_BELIEVED..=now.saturating_add(AHEAD))
        .contains(&seconds)
        .then_some(seconds)
}

/// A date that a content states.
fn stated(content: &ContentRecord, fact: Fact) -> Option<i64> {
    let mut facts = content.facts.iter();
    let (_, value) = facts.find(|(code, _)| code == fact.code())?;
    seconds(value)
}

/// Parses a date in the form of facts (RFC 3339); if only the day is known, its beginning in UTC.
fn seconds(value: &str) -> Option<i64> {
    let time = value.parse::<jiff::Timestamp>().ok();
    let day = || {
        let day = value.parse::<jiff::civil::Date>().ok()?;
        let start = day.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(start.timestamp())
    };
    Some(time.or_else(day)?.as_second())
}

#[cfg(test)]
mod tests {
    use simdex_schema::{State, StoredReason};

    use super::*;

    #[test]
    fn modification_times_that_cannot_be_are_not_believed() {
        let now = 1_700_000_000;
        // The last one is 1980-01-01 as written by a machine 14 hours west of Greenwich.
        for placeholder in [i64::MIN, -1, 0, 315_532_800, 315_532_800 + 14 * 3_600] {
            assert_eq!(believed(placeholder, now), None, "{placeholder}");
        }
        for wrong in [now + 2 * DAY, 2_208_988_800, i64::MAX] {
            assert_eq!(believed(wrong, now), None, "{wrong}");
        }
        for time in [FIRST_BELIEVED, 1_000_000_000, now, now + 3_600] {
            assert_eq!(believed(time, now), Some(time));
        }
    }

    /// The day and the source of the date of a document that states these.
    fn dated(facts: &[(Fact, &str)]) -> Option<(String, DateSource)> {
        let facts = facts.iter();
        let facts = facts.map(|(fact, value)| (fact.code().to_owned(), (*value).to_owned()));
        let content = ContentRecord {
            state: State::Indexed,
            reason: StoredReason::None,
            document: None,
            media_type: String::new(),
            parser: String::new(),
            extractor: 1,
            strikes: 0,
            bytes: 1,
            warnings: Vec::new(),
            facts: facts.collect(),
            reader: None,
        };
        let date = stated_date(&content, seconds("2024-01-01").unwrap())?;
        let day = jiff::Timestamp::from_second(date.seconds).unwrap();
        Some((day.strftime("%F").to_string(), date.source))
    }

    #[test]
    fn a_document_that_was_saved_before_it_was_made_is_dated_by_when_it_was_made() {
        let modified = |day| (Fact::Modified, day);
        let created = |day| (Fact::Created, day);
        let by = |day: &str, source| Some((day.to_owned(), source));
        let saved = "2001-05-01";
        let later = [modified(saved), created("2023-05-01")];
        assert_eq!(dated(&later), by("2023-05-01", DateSource::Created));
        let sent = [&later[..], &[(Fact::Sent, "2002-01-01")]].concat();
        assert_eq!(dated(&sent), by("2002-01-01", DateSource::Sent));
        // Not later, as near as a time zone or a date without its time, later than today, and no date.
        for made in ["1999-05-01", saved, "2001-05-02", "2098-01-01", "then"] {
            let facts = [modified(saved), created(made)];
            assert_eq!(dated(&facts), by(saved, DateSource::Modified), "{made}");
        }
        assert_eq!(dated(&[created(saved)]), by(saved, DateSource::Created));
        assert_eq!(dated(&[]), None);
    }

    #[test]
    fn dates_are_read_as_facts_have_them() {
        assert_eq!(seconds("1970-01-01T00:01:00Z"), Some(60));
        assert_eq!(seconds("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(seconds("1970-01-01T00:01:00-00:00"), Some(60));
        assert_eq!(seconds("1970-01-02"), Some(86_400));
        for noise in ["", "yesterday", "2026-13-01", "2026-02-30T00:00:00Z"] {
            assert_eq!(seconds(noise), None, "{noise}");
        }
    }
}
