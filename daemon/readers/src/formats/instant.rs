//! Instants as documents state them, in the form of facts.

/// An instant (W3CDTF: a day, or with a time) in the form of RFC 3339; without an offset the offset is unknown (§4.3).
pub(super) fn instant(value: &str) -> Option<String> {
    let (date, time) = value.split_once('T').unwrap_or((value, "00:00:00"));
    let (clock, offset) = time.split_at(time.find(['Z', '+', '-']).unwrap_or(time.len()));
    let seconds = if clock.len() == 5 { ":00" } else { "" };
    let offset = if offset.is_empty() { "-00:00" } else { offset };
    let looks = |text: &str, like: &str| {
        text.len() >= like.len()
            && text
                .bytes()
                .zip(like.bytes())
                .all(|(byte, like)| match like {
                    b'0' => byte.is_ascii_digit(),
                    _ => byte == like,
                })
    };
    let fraction = clock.get(8..).unwrap_or_default();
    let is_sound = looks(date, "0000-00-00")
        && date.len() == 10
        && looks(clock, "00:00")
        && (clock.len() == 5 || looks(clock, "00:00:00"))
        && fraction
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
        && (offset == "Z" || offset.len() == 6 && looks(&offset[1..], "00:00"));
    is_sound.then(|| format!("{date}T{clock}{seconds}{offset}"))
}

/// A date of a protocol (RFC 9110 §5.6.7), such as `Tue, 15 Nov 1994 12:45:26 GMT`, in the form of RFC 3339.
pub(super) fn http_date(value: &str) -> Option<String> {
    let zoned = jiff::fmt::rfc2822::parse(value).ok()?;
    Some(zoned.timestamp().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_as_rfc_3339_or_not_at_all() {
        let cases = [
            ("2011-01-02T03:04:05Z", Some("2011-01-02T03:04:05Z")),
            ("2011-01-02T03:04:05", Some("2011-01-02T03:04:05-00:00")),
            ("2011-01-02T03:04+02:00", Some("2011-01-02T03:04:00+02:00")),
            ("2011-01-02T03:04:05.6Z", Some("2011-01-02T03:04:05.6Z")),
            ("2011-01-02T03:04:05+ü2:0", None),
            ("2011-01-02", Some("2011-01-02T00:00:00-00:00")),
            ("yesterday", None),
            ("2011-01-02Tnoon and later", None),
        ];
        for (value, expected) in cases {
            assert_eq!(instant(value).as_deref(), expected, "{value}");
        }
    }
}
