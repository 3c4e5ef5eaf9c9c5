//! Compound files of Office 97 to 2003.

pub(crate) mod doc;
pub(crate) mod ppt;
pub(crate) mod xls;

use super::Reading;

pub(super) const DOC_ENGINE: &str = "doc 1";
pub(super) const XLS_ENGINE: &str = "xls 1";
pub(super) const PPT_ENGINE: &str = "ppt 1";
