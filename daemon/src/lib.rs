//! The Simdex daemon.
//!
//! * [`config`] is read first; [`engine`] builds index, worker pool and roots from it, spawns the threads, and drains
//!   them at the end. It runs on a [`host`], which stays while an engine that failed is replaced.
//! * [`write_side`]: from a hint that something changed to the change that the index applies.
//! * [`read_side`]: from a request to its answer: finds, compares, lists and judges.
//! * [`reports`]: what the read side finds, written to files, on request or on schedule.
//! * [`edge`]: gRPC and the terminal; both send what [`encode`] makes of the results.
//! * [`commands`]: the subcommands of `simdexd`; [`commands::serve`] is the daemon.
//! * [`base`]: small utilities that all of these use; [`error`]: errors that stop the daemon from starting.

pub mod base;
pub mod commands;
pub mod config;
pub mod edge;
pub mod encode;
pub mod engine;
pub mod error;
pub mod host;
pub mod read_side;
pub mod reports;
pub mod write_side;
