//! What every side is made with, none of which knows a side: an error in one line, a visit that may fail, locks and runs
//! that are shared out fairly, what is printed of a path, by what a report is known, and which files count as not read.

pub mod causes;
pub(crate) mod echo;
pub mod printable;
pub mod report_files;
pub mod report_key;
pub mod shared_run;
pub mod turns;
pub mod unread;
pub mod visit;
pub mod wakeup;
