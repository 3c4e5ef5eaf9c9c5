//! From a request to its answer; nothing here writes to the index.
//!
//! * [`answering`] has one function for each request of the edge, on top of all others.
//! * One document: [`query`] goes from the subject of a query to verified hits; [`families`] puts the versions of a
//!   document in order; [`compare`] and [`difference`] compare two documents.
//! * Lists: [`catalogue`] reads files, pairs and groups; [`clusters`], [`templates`], [`folders`] and [`findings`] are
//!   computed for each request; [`lists`] adds counts and the completeness of the index.
//! * Judgements: [`judging`] judges pairs by many signals, with a [`judging_outcome`] for each; [`labels`] compares
//!   judgements with labels given by people; [`calibrating`] measures how coarsely documents may be sampled.

pub mod answering;
pub mod calibrating;
pub mod catalogue;
pub mod clusters;
pub mod compare;
pub mod difference;
pub mod families;
pub mod findings;
pub mod folders;
pub mod judging;
pub mod judging_outcome;
pub mod labels;
pub mod lists;
pub mod query;
pub mod templates;
