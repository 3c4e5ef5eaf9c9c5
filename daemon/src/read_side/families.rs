//! Families: the versions of one document, in the order in which they were derived from one another.
//!
//! The input is only what is known of each version (its length, a date, the latest date written in its
//! text) and how alike they are; no file and no index is read here.
//!
//! * [`samples`] holds shingles of all versions in bounded memory and counts how alike one is to all others.
//! * [`arrange()`] gives each version the earlier one that it resembles most.
//! * [`second_parents()`] finds versions that were made from two others.
//! * [`gaps`] decides whether two parts of a history with a gap between them are joined.
//! * [`renaming`] finds names that were replaced between two texts.
//! * [`written_dates`] finds the dates written in a text.

pub mod arrange;
pub mod gaps;
mod grow;
pub mod merges;
pub mod renaming;
pub mod samples;
#[cfg(test)]
mod tests;
mod times;
pub mod written_dates;

pub use arrange::{DateKind, Direction, Likeness, PlacedVersion, Version, VersionDate, arrange};
pub use gaps::{GapReason, Piece};
pub use merges::{MIN_APART, Origins, SecondParent, ShingleOverlap, second_parents};
pub use renaming::Renaming;
pub use samples::{CountedSamples, LinkRule, Samples};
