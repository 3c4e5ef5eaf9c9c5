//! The Simdex daemon.
//!
//! * [`config`] is read first; [`engine`] builds index, worker pool and roots from it, spawns the
//!   threads, and drains them at the end.
//! * Write side: [`watch`] hints, [`identity`] proves that a root is the one on record, [`rescan`]
//!   walks it, [`ingest`] takes one file from its path to the change that the index applies;
//!   [`pipeline`] runs many of them at once; [`events`] tells of it;
//!   [`disk`] and [`descriptors`] keep room for commits.
//! * Failures: [`lifecycle`] is the end of one engine, [`alarms`] say what cannot go on, [`supervisor`]
//!   closes an engine that failed and opens the next one on the same [`host`]; requests find it in
//!   [`slot`].
//! * Read side: [`query`] takes one question from its subject to verified hits, [`answering`] folds and judges them; [`families`] puts the
//!   versions of a document in order; [`compare`] and
//!   [`difference`] set two documents side by side; [`catalogue`] lists files, pairs and groups;
//!   [`judging`] judges pairs of documents by many signals, [`labels`] holds that against what people say;
//!   [`lists`] closes them with counts and with what they rest on; [`report`] writes them down.
//! * Edges: [`grpc`] adapts all of it to the wire, [`scan`] and [`output`] to a terminal; both print
//!   or send what [`encode`] makes of it.

pub mod alarms;
pub mod answering;
pub mod calibrating;
pub mod catalogue;
pub mod causes;
pub mod cli;
pub mod clusters;
pub mod compare;
pub mod config;
pub mod descriptors;
pub mod difference;
pub mod disk;
mod echo;
pub mod encode;
pub mod engine;
pub mod error;
pub mod events;
pub mod families;
pub mod findings;
pub mod folders;
pub mod grpc;
pub mod host;
pub mod identity;
pub mod ingest;
pub mod judging;
pub mod labels;
pub mod lifecycle;
pub mod lists;
pub mod output;
pub mod overlap;
pub mod owners;
pub mod pipeline;
pub mod progress;
pub mod query;
pub mod rebuild;
pub mod recheck;
pub mod report;
pub mod reporting;
pub mod rescan;
pub mod roots;
pub mod scan;
pub mod schedule;
pub mod serve;
pub mod shared_run;
pub mod slot;
pub mod storage;
pub mod supervisor;
pub mod templates;
pub mod turns;
pub mod verify;
pub mod visit;
pub mod wakeup;
pub mod walk_queue;
pub mod watch;
