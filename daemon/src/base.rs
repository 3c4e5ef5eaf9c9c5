//! What every side uses and that itself knows none of the sides:
//!
//! * Errors and messages: [`causes`] prints an error with its causes in one line, [`printable`] prints paths, `echo`
//!   repeats text that somebody sent, [`visit`] keeps the first error of a visit.
//! * Threads: `lock` and [`turns`] are locks, [`wakeup`] wakes a thread that waits for work, [`shared_run`] serves
//!   several callers by one run, [`two_threads`] divides work between two threads.
//! * Shares and waits: `user_budget` shares out bytes by user, `account_waits` says how long a document may wait by
//!   its caller's account, [`rate`] measures how fast something was done.
//! * Files: `hashed_file` writes small files that end with their hash, `symlinks` finds links on the path to a root,
//!   [`report_files`] has the names of the files of a report, [`report_key`] the key that authenticates them.
//! * What sides tell each other: [`events`] numbers changes for subscribers, [`schedule_status`] is what the status
//!   says of a schedule, [`unread`] decides which files count as not read.

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
