//! From a hint that something changed to the change that the index applies.
//!
//! One file: [`watch`] hints; [`identity`] proves that a root of [`roots`] is the one on record; [`walk_queue`] orders
//! the walks that are wanted, and [`rescan`] does them: the truth about a root. [`pipeline`] takes what may have
//! changed, many files at once, each by [`ingest`], applies and commits; [`progress`] says what is still under way.
//! [`recheck`] reads again of what nothing tells that it changed. [`events`] tells of all of it.

pub mod events;
pub mod identity;
pub mod ingest;
pub mod pipeline;
pub mod progress;
pub mod recheck;
pub mod rescan;
pub mod roots;
pub mod walk_queue;
pub mod watch;
