//! Documents made here.
