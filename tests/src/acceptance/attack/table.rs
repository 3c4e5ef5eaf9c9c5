//! The lines of the attack, each with the tests that show that it is fixed.

mod answers;
mod open_doors;
mod users;

use std::fmt;

use anyhow::Result;

use crate::acceptance::Verdict;

/// A weakness that an attack found, with the proofs that it is mended.
pub(super) struct Line {
    pub(super) number: u32,
    pub(super) weakness: &'static str,
    pub(super) proofs: &'static [Proof],
}

/// What shows that a weakness is mended.
pub(super) enum Proof {
    /// A test: its file and its name.
    Test(&'static str, &'static str),
    /// A trial against the real programs.
    Trial(&'static str, fn() -> Result<Verdict>),
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Test(file, name) => write!(f, "{file}::{name}"),
            Self::Trial(name, _) => write!(f, "trial: {name}"),
        }
    }
}

/// All lines, in order.
pub(super) fn lines() -> impl Iterator<Item = &'static Line> {
    let lines = [answers::LINES, users::LINES, open_doors::LINES];
    lines.into_iter().flatten()
}
