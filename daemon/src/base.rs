//! What every side is made with: an error in one line, a visit that may fail, locks and runs that are shared out fairly.

pub mod causes;
pub(crate) mod echo;
pub mod shared_run;
pub mod turns;
pub mod visit;
pub mod wakeup;
