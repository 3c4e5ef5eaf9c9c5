//! Numbers as they are typed.

/// Parses how many of something are wanted, at least one.
pub(in crate::cli) fn count(typed: &str) -> Result<u64, String> {
    let count = typed.parse().ok().filter(|count| *count >= 1);
    count.ok_or_else(|| "it must be a whole number, at least 1".to_owned())
}

/// Parses the share of files that two folders have in common.
pub(in crate::cli) fn share(typed: &str) -> Result<f64, String> {
    let share = typed.parse().ok().filter(|it| (0.1..=1.0).contains(it));
    share.ok_or_else(|| "it must be a number from 0.1 to 1, such as 0.5".to_owned())
}

/// Parses a ratio from 0 to 1.
pub(super) fn ratio(typed: &str) -> Result<f64, String> {
    let ratio = typed.parse().ok().filter(|it| (0.0..=1.0).contains(it));
    ratio.ok_or_else(|| "it must be a number from 0 to 1, such as 0.8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_at_least_one() {
        assert_eq!(count("1"), Ok(1));
        assert_eq!(count("4000000000000"), Ok(4_000_000_000_000));
        for wrong in ["0", "-1", "1.5", "many", ""] {
            assert!(count(wrong).is_err(), "{wrong}");
        }
    }
}
