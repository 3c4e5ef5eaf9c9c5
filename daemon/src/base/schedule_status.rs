//! What the status says of a schedule, for those who run it and those who tell of it.

use std::path::PathBuf;

use jiff::Timestamp;

/// What is told of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleStatus {
    /// The configured name of the schedule.
    pub name: String,
    /// When it runs next.
    pub next: Option<Timestamp>,
    /// When its last report was due.
    pub last: Option<Timestamp>,
    /// Where that is.
    pub report: Option<PathBuf>,
    /// What went wrong the last time; empty if nothing did.
    pub error: String,
}
