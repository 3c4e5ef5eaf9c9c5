//! Ages in the form that people write: `90d`.

/// Seconds of an age such as `12h`, `90d`, `6w` or `2y` (a year has 365 days); `None` for anything else.
pub fn parse_age(text: &str) -> Option<u64> {
    let unit = text.chars().last()?;
    let seconds: u64 = match unit {
        'h' => 3_600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        'y' => 365 * 86_400,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = is_number.then(|| digits.parse().ok()).flatten()?;
    number.checked_mul(seconds)
}

#[cfg(test)]
mod tests {
    use super::parse_age;

    #[test]
    fn an_age_is_a_number_with_its_unit() {
        assert_eq!(parse_age("90d"), Some(7_776_000));
        assert_eq!(parse_age("0h"), Some(0));
        assert_eq!(parse_age("2y"), Some(63_072_000));
        for wrong in [
            "",
            "d",
            "90",
            "-1d",
            "+1d",
            "1.5d",
            "90 d",
            "1é",
            "99999999999999999999y",
        ] {
            assert_eq!(parse_age(wrong), None, "{wrong}");
        }
        assert_eq!(parse_age("999999999999999999y"), None);
    }
}
