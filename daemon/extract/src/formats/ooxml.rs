//! Office Open XML (ECMA-376): word processing, slides, sheets.

pub(crate) mod binary_sheets;
pub(crate) mod sheets;
pub(crate) mod slides;
pub(crate) mod word;

use super::Reading;

pub(super) const ENGINE: &str = "ooxml 1";
