//! Exit codes of the commands, as documented.

/// What was verified is damaged.
pub const DAMAGED: u8 = 1;
/// Something failed; standard error says what.
pub const ERROR: u8 = 2;
/// Another daemon holds the data directory.
pub const LOCKED: u8 = 75;
