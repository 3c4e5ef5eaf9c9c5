//! Tests of the whole index: a bed that turns texts into files, and models to hold it against.

mod bed;
mod candidates;
mod compact;
mod containers;
mod crash;
mod faults;
mod foreign;
mod life;
mod lookup;
mod model;
mod parameters;
mod texts;
mod verification;
mod views;
