//! Helpers shared by the churn and fault tests.
//!
//! * [`tree`]: a directory tree that changes at random, and what must be in it;
//! * [`texts`]: what its files hold;
//! * [`ledger`]: what a daemon acknowledged, held against what it still knows;
//! * [`answers`]: what a running daemon says, and what a fresh scan says of the same tree;
//! * [`crash`]: a daemon struck down at random moments;
//! * [`disk`]: file systems that lose power or run full.

pub mod answers;
pub mod crash;
pub mod disk;
pub mod ledger;
pub mod texts;
pub mod tree;

/// Rounds of a fault test: `few`, or what the environment variable `SIMDEX_FAULT_ROUNDS` says.
pub fn rounds(few: u32) -> u32 {
    let asked = std::env::var("SIMDEX_FAULT_ROUNDS").ok();
    asked.and_then(|rounds| rounds.parse().ok()).unwrap_or(few)
}
