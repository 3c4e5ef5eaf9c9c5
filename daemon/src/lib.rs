//! Placeholder.
pub mod difference;
pub mod report;

pub mod watch;
