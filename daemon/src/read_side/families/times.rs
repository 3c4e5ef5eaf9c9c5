//! When each version was made, as far as dates tell.

use super::{DateKind, Version, VersionDate};

/// Modification times closer than this order nothing, in seconds: who copies or unpacks a folder writes all of its files
/// in minutes, in any order.
const MIN_SECONDS_APART: i64 = 3_600;

impl VersionDate {
    /// Whether this date shows that a version was made before one of the other date.
    pub fn is_before(self, other: Self) -> bool {
        let apart = other.seconds.saturating_sub(self.seconds);
        match self.kind.max(other.kind) {
            DateKind::File => apart >= MIN_SECONDS_APART,
            DateKind::Stated | DateKind::Mail => apart > 0,
        }
    }
}

/// The time of each version; `None` if it has no date. Versions that only modification times distinguish, each modified
/// less than an hour after the one before, may have been copied or unpacked together: such times give no order, so all
/// of them get the first.
pub(super) fn times(versions: &[Version]) -> Vec<Option<i64>> {
    let mut times: Vec<_> = versions
        .iter()
        .map(|version| version.date.map(|date| date.seconds))
        .collect();
    let of_file = |(at, version): (usize, &Version)| {
        let date = version.date.filter(|date| date.kind == DateKind::File)?;
        Some((date.seconds, at))
    };
    let mut of_files: Vec<_> = versions.iter().enumerate().filter_map(of_file).collect();
    of_files.sort_unstable();
    for together in of_files.chunk_by(|a, b| b.0.saturating_sub(a.0) < MIN_SECONDS_APART) {
        for (_, at) in together {
            times[*at] = Some(together[0].0);
        }
    }
    times
}
