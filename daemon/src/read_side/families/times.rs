//! When each version was made, as far as dates tell.

use super::{DateKind, Version};

/// So many files, each within a second of the one before, were written by a program.
const COPIED_TOGETHER: usize = 8;

/// The time of each version; none where it has no date. Versions that only modification times tell apart,
/// eight or more of them each within a second of the one before, were copied or unpacked together: such
/// times order nothing, so that all of these get the first.
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
