//! Exit codes, a contract: 0 answered, 1 nothing found, 2 error.

use std::process::ExitCode;

use crate::failure::Failure;

/// How a verb ended that was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// There is an answer.
    Answered,
    /// The answer is that there is nothing.
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

/// The exit code of a run. A reader that closes the pipe early has had what it wanted.
pub(crate) fn to_exit_code(outcome: Result<Outcome, Failure>) -> ExitCode {
    match outcome {
        Ok(Outcome::Answered) => ExitCode::SUCCESS,
        Ok(Outcome::NothingFound) => ExitCode::from(1),
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}
