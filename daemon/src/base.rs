//! What every side uses and that itself knows none of the sides: errors printed in one line, visits that may fail,
//! locks and runs that are shared fairly, work on two threads, printable paths, the key that authenticates reports,
//! small files that end with their hash, waits by the account of a caller, the status of a schedule, the events of
//! changes, bytes shared out by user, and which files count as not read.

pub(crate) mod account_waits;
pub mod causes;
pub(crate) mod echo;
pub mod events;
pub(crate) mod hashed_file;
pub(crate) mod lock;
pub mod printable;
pub mod rate;
pub mod report_files;
pub mod report_key;
pub mod schedule_status;
pub mod shared_run;
pub(crate) mod symlinks;
pub mod turns;
pub mod two_threads;
pub mod unread;
pub(crate) mod user_budget;
pub mod visit;
pub mod wakeup;
