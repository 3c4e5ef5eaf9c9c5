//! Archives and packed files: their entries become members.

pub(crate) mod packed;
pub(crate) mod seven_zip;
pub(crate) mod tar;
pub(crate) mod zip;

use super::Reading;

pub(super) const ENGINE: &str = "archive 1";
