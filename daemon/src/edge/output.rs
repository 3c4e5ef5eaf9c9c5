//! What `scan` prints: the documented JSON lines, and text for people.
//!
//! JSON lines are those of `simctl --json`, made by the same types ([`simdex_proto::lines`]);
//! `tests/src/acceptance/contract` checks the fields of both.

mod json;
mod text;

pub use json::{file_line, group_line, pair_line, summary_line};
pub use text::{GROUP_LEGEND, UNREAD_LEGEND, group_text, pair_text, summary_text, unread_text};

#[cfg(test)]
mod tests;
