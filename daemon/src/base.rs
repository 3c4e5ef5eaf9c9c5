//! What every side is made with, none of which knows a side: an error in one line, a visit that may fail, locks and runs
//! that are shared out fairly, what is printed of a path, by what a report is known, what is told of a
//! schedule, the events of changes, and which files count as not read.

pub mod causes;
pub(crate) mod echo;
pub mod events;
pub mod printable;
pub mod rate;
pub mod report_files;
pub mod report_key;
pub mod schedule_status;
pub mod shared_run;
pub(crate) mod symlinks;
pub mod turns;
pub mod unread;
pub mod visit;
pub mod wakeup;
