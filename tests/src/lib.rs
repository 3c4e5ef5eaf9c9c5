//! What the tests, benchmarks and studies of Simdex share.
//!
//! * [`corpus`]: documents made from a seed;
//! * [`figure`]: how figures are printed;
//! * [`bench`]: one module for each benchmark, run by `--bin bench`.

pub mod bench;
pub mod corpus;
pub mod figure;
