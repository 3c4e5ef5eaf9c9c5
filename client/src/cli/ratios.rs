//! Ratios as they are typed.

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
