//! What is found, written down: [`reporting`] gathers it from the read side, [`report`] writes it, and [`schedule`] says
//! when.

pub mod report;
pub mod reporting;
pub mod schedule;
