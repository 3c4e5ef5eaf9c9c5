//! Tests of the whole index: a bed that turns texts into files, and models to hold it against.

mod aside;
mod bed;
mod candidates;
mod compact;
mod containers;
mod cost;
mod counts;
mod crash;
mod faults;
mod fixed_size;
mod foreign;
mod frail;
mod life;
mod lookup;
mod model;
mod moves;
mod opening;
mod pairs;
mod parameters;
mod parts;
mod permits;
mod readers;
mod regrouped;
mod texts;
mod verification;
mod views;
