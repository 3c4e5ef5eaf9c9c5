//! Exit codes, which are a contract: 0 answered, 1 nothing found, 2 error.

use std::process::ExitCode;

use crate::failure::Failure;

/// The outcome of a verb that got an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Something was found.
    Answered,
    /// Nothing was found.
    NothingFound,
}

impl Outcome {
    /// The outcome of a search that found `count` items.
    pub(crate) fn of_search(count: u64) -> Self {
        match count {
            0 => Self::NothingFound,
            _ => Self::Answered,
        }
    }
}

/// The exit code of a run. A reader that closes the pipe early has read all it wanted.
pub(crate) fn to_exit_code(outcome: Result<Outcome, Failure>) -> ExitCode {
    match outcome {
        Ok(Outcome::Answered) => ExitCode::SUCCESS,
        Ok(Outcome::NothingFound) => ExitCode::from(1),
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}
