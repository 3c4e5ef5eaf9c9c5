//! Fuzzing without a sanitizer: mutated documents go to the real pool with real, confined workers,
//! and mutated answers come back from a worker that lies.
//!
//! A worker may die of a document, that is what it is for: such deaths are counted by reason and the
//! documents kept for study. A *finding* is what the daemon's side must never do: a panic, an answer
//! beyond the limits, text with a NUL, a wait beyond the wall clock, a worker or descriptor left
//! behind, memory that grows; and a reader of ours that breaks the protocol.

mod answer;
mod campaign;
pub mod lying;
mod mutate;
mod resources;
mod target;
mod words;

pub use campaign::{Campaign, Order};
pub use mutate::Mutator;
pub use target::{TARGETS, Target, find};
