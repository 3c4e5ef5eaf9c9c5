//! From a question to its answer; nothing here writes to the index.
//!
//! * [`answering`] has one function for each request of the edge, on top of all others.
//! * One document: [`query`] takes a question from its subject to verified hits; [`families`] puts the versions of a
//!   document in order; [`compare`] and [`difference`] set two side by side.
//! * Lists: [`catalogue`] reads files, pairs and groups; [`clusters`], [`templates`], [`folders`] and [`findings`] are
//!   found for the call; [`lists`] closes them with counts and with what they rest on.
//! * Judgements: [`judging`] judges pairs by many signals ([`judging_outcome`] is what comes of it), [`labels`] holds that against what people say;
//!   [`calibrating`] measures how coarsely documents may be sampled.

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
