//! From a hint that something changed to the change that the index applies.
//!
//! In the order in which a change passes through them: [`watch`] turns events of the file system into hints;
//! [`dispatch`] submits each hint to the pipeline, or requests a walk; [`walk_queue`] orders the requested walks, and
//! [`root_walker`] does them, once [`identity`] has proved that a root of [`roots`] is the one on record. [`pipeline`]
//! reads what may have changed, many files at once, each through [`ingest`], applies the changes and commits;
//! [`progress`] tracks what is still under way. [`recheck`] rehashes files in the background to find changes that left
//! no trace in their metadata. [`events`](crate::base::events) publishes file and group changes to subscribers.

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
