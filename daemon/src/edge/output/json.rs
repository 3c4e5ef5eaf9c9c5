//! The JSON lines of `scan`: what would go over the wire, printed as `simctl --json` prints it.

use serde::Serialize;
use simdex_index::FileInfo;
use simdex_proto::lines::{self, Body, Line};

use crate::encode;
use crate::read_side::catalogue::{Group, Pair};
use crate::read_side::lists::ListSummary;

fn line<T: Body + Serialize>(body: &T) -> String {
    // Bodies hold strings, numbers and maps with string keys: they always serialize.
    serde_json::to_string(&Line::of(body)).unwrap_or_default()
}

/// A line `{"type":"file",…}`.
pub fn file_line(file: &FileInfo) -> String {
    line(&lines::File::from(&encode::file(file)))
}

/// A line `{"type":"pair",…}`.
pub fn pair_line(pair: &Pair) -> String {
    line(&lines::Pair::from(&encode::pair(pair)))
}

/// A line `{"type":"group",…}`.
pub fn group_line(group: &Group) -> String {
    line(&lines::Group::from(&encode::group(group)))
}

/// The line `{"type":"summary",…}`, which comes last.
pub fn summary_line(summary: &ListSummary) -> String {
    line(&lines::Summary::from(&encode::summary(summary)))
}
