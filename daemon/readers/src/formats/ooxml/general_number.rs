//! Numbers without a format.

/// A number with the 15 digits that spreadsheets keep.
pub(in crate::formats) fn general(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    let scientific = format!("{value:.14e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |digits: &str| match digits.contains('.') {
        true => digits
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
        false => digits.to_owned(),
    };
    match usize::try_from(14 - exponent) {
        Ok(decimals) if exponent >= -5 => trimmed(&format!("{value:.decimals$}")),
        _ => format!("{}E{exponent:+03}", trimmed(digits)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_of_spreadsheets() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-1200.50, "-1200.5"),
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.333333333333333"),
            (123_456_789_012_345.0, "123456789012345"),
            (999_999_999_999_999.9, "1E+15"),
            (1e21, "1E+21"),
            (0.00001, "0.00001"),
            (1.5e-7, "1.5E-07"),
            (f64::NAN, ""),
        ];
        for (value, expected) in cases {
            assert_eq!(general(value), expected);
        }
    }
}
