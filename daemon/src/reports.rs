//! Reports: [`maker`] gathers their contents from the read side, [`report`] writes them, and [`schedule`] decides
//! when.

pub mod maker;
pub mod report;
pub mod schedule;
