//! When each version was made, as far as dates tell.

use super::{DateKind, Version};

/// This many files, each written within a second of the one before, were written by a program.
const COPIED_TOGETHER: usize = 8;

/// The time of each version; `None` if it has no date. If eight or more versions that only modification
/// times distinguish were each modified within a second of the one before, they were copied or unpacked
/// together: such times give no order, so all of them get the first.
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
    for together in of_files.chunk_by(|a, b| b.0.saturating_sub(a.0) <= 1) {
        if together.len() >= COPIED_TOGETHER {
            together
                .iter()
                .for_each(|(_, at)| times[*at] = Some(together[0].0));
        }
    }
    times
}
