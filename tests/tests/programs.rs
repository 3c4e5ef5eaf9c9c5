//! Tests of the real programs, in one test program, since each further one would link everything again.

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
mod outside;
mod page;
mod python;
mod raw;
mod reports;
mod roots;
mod sampling;
mod scan;
mod schemes;
mod summaries;
mod templates;
mod tour;
mod versions;
