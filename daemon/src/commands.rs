//! The commands of `simdexd`: [`cli`] parses the command line, and [`exit`] has the codes they end with, and each other
//! module is one command.

mod advice;
mod answer;
pub mod cli;
pub mod exit;
pub mod rebuild;
pub mod scan;
pub mod serve;
pub mod verify;
