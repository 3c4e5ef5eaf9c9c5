//! The client library and the real `simctl` against a fake daemon with canned answers.
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

mod answers;
mod fake;
mod library;
mod seen;
mod simctl;
