//! From a hint that something changed to the change that the index applies.
//!
//! For one file: [`watch`] hints; [`dispatch`] connects each root's watcher to the pipeline and the walk queue;
//! [`identity`] proves that a root of [`roots`] is the one on record; [`walk_queue`] orders the requested walks, and
//! [`root_walker`] does them. [`pipeline`] reads what may have changed, many files at once, each
//! through [`ingest`], applies the changes and commits; [`progress`] tracks what is still under way. [`recheck`]
//! rehashes files in the background to find changes that left no trace in their metadata.
//! [`events`](crate::base::events) publishes file and group changes to subscribers.

pub mod dispatch;
pub mod identity;
pub mod ingest;
pub mod pipeline;
pub mod progress;
pub mod recheck;
pub mod root_walker;
pub mod roots;
pub mod walk_queue;
pub mod watch;
