//! The client library and the real `simctl` against a fake daemon with canned answers.

mod answers;
mod fake;
mod library;
mod simctl;
