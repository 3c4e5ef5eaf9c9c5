//! The commands of `simdexd`: [`cli`] parses the command line, and each other module is one command.

mod advice;
pub mod cli;
pub mod rebuild;
pub mod scan;
pub mod serve;
pub mod verify;
