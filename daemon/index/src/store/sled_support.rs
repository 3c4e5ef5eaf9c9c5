//! What sled lacks: values sealed by a checksum (`seal`, `tree`), leaves filled in order (`fill`), files that survive a
//! power cut (`durable`), a check that the log is readable (`readable`), repair of its settings (`conf`), conversion of
//! its errors and panics into ours (`recovery`, `refusal`), a bound on what waits to be written and a note of writes that
//! failed halfway (`writes`), and detection of calls that hang (`under_way`).

pub(super) mod conf;
pub(super) mod durable;
pub(super) mod fill;
pub(super) mod readable;
pub(super) mod recovery;
pub(super) mod refusal;
pub(super) mod seal;
pub(super) mod tree;
pub(super) mod under_way;
pub(super) mod writes;
