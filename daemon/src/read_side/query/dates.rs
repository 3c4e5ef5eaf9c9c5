//! When a version was made, as well as that is known: what the document says of itself comes before
//! what the file system says of its file, which copying and unpacking change.

use simdex_extract::Fact;
use simdex_index::FileView;

/// What a date was taken from, the best first.
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
}

/// What a document may state of its date, best first, with the fact that holds it.
const STATED: [(DateSource, Fact); 3] = [
    (DateSource::Sent, Fact::Sent),
    (DateSource::Modified, Fact::Modified),
    (DateSource::Created, Fact::Created),
];

impl DateSource {
    /// The name in JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Modified => "modified",
            Self::Created => "created",
            Self::File => "file",
        }
    }
}

/// A date with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownDate {
    /// Seconds since 1970; may be negative.
    pub seconds: i64,
    /// What it was taken from.
    pub source: DateSource,
}

/// The best date that is known of a file; none where nothing says one.
pub fn best_date(file: &FileView) -> Option<KnownDate> {
    let stated = STATED.into_iter().find_map(|(source, fact)| {
        let facts = &file.content.as_ref()?.facts;
        let (_, value) = facts.iter().find(|(code, _)| code == fact.code())?;
        let seconds = seconds(value)?;
        Some(KnownDate { seconds, source })
    });
    stated.or_else(|| {
        let (seconds, source) = (file.record.modified()?, DateSource::File);
        Some(KnownDate { seconds, source })
    })
}

/// A date as facts have it (RFC 3339); where only the day is known, its beginning in UTC.
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
    use super::*;

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
