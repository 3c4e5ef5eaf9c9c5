//! The Simdex daemon.
//!
//! * [`config`] is read first; [`engine`] builds index, worker pool and roots from it, spawns the threads, and drains
//!   them at the end. It runs on a [`host`], which stays while an engine that failed is replaced.
//! * [`write_side`]: from a hint that something changed to the change that the index applies.
//! * [`read_side`]: from a question to what is found, compared, listed and judged.
//! * [`reports`]: what the read side finds, written down, asked for or on schedule.
//! * [`edge`]: gRPC and the terminal; both send what [`encode`] makes of it.
//! * [`commands`]: what `simdexd` is told to do; [`commands::serve`] is the daemon.
//! * [`base`]: small things that all of these are made with; [`error`]: errors that stop the daemon from starting.

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
