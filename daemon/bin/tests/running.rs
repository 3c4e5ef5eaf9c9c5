//! A running daemon with real workers: what it answers while files come, change and go. One program, as all
//! of them would link the whole daemon; what counts a process's descriptors, or uses them up, has its own.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

mod completeness;
mod containers;
#[allow(dead_code, reason = "other programs use the rest")]
mod daemon;
mod findings;
mod frames;
mod parts;
mod reports;
mod schedules;
mod schemes;
mod thresholds;
mod watching;
