//! The real programs, tried in one test program, as each would link all of them once more.

mod calibrate;
mod churn;
mod cores;
mod damage;
mod data_dir;
mod degraded;
mod directories;
mod fold;
mod folders;
mod judge;
mod judge_labels;
mod loss;
mod memory;
mod page;
mod python;
mod raw;
mod reports;
mod roots;
mod sampling;
mod scan;
mod schemes;
mod templates;
