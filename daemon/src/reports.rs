//! Reports: [`reporting`] gathers their contents from the read side, [`report`] writes them, and [`schedule`] decides
//! when.

pub mod report;
pub mod reporting;
pub mod schedule;
