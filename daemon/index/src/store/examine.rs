//! Whether a store is damaged: a child process reads all of it (`probe`), its end is judged (`examination`), and a
//! damaged store is set aside before another is opened (`checked`); `copy` copies a store to examine the copy.

pub(super) mod checked;
pub(super) mod copy;
pub(super) mod examination;
pub(super) mod probe;
