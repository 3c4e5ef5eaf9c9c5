//! What sled lacks: values sealed by a checksum (`seal`, `tree`), leaves filled in order (`fill`), files that survive
//! a power cut (`durable`), a log that is known to be readable (`readable`), settings put right (`conf`), how its
//! errors, panics and half-done writes become ours (`recovery`, `failed`), and whether its calls return (`under_way`).

pub(super) mod conf;
pub(super) mod durable;
pub(super) mod failed;
pub(super) mod fill;
pub(super) mod readable;
pub(super) mod recovery;
pub(super) mod seal;
pub(super) mod tree;
pub(super) mod under_way;
