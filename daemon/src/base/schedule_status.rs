//! What the status reports about a schedule; shared by the scheduler and the edge.

use std::path::PathBuf;

use jiff::Timestamp;

/// The status of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleStatus {
    /// The configured name of the schedule.
    pub name: String,
    /// When it runs next.
    pub next: Option<Timestamp>,
    /// When its last report was due.
    pub last: Option<Timestamp>,
    /// Where that report is.
    pub report: Option<PathBuf>,
    /// What went wrong the last time; empty if nothing did.
    pub error: String,
}
