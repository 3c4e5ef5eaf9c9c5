//! What the store accepts of a new content.

use simdex_schema::{ContentRecord, Reason, State};

use crate::change::NewContent;
use crate::store::MAX_RECORD;
use crate::text::MAX_TEXT;

/// Whether the store accepts the records of a new content.
pub(super) fn fits(new: &NewContent) -> bool {
    let text = new.document.as_ref().and_then(|new| new.text.as_ref());
    text.is_none_or(|text| text.len() <= MAX_TEXT) && new.record.encode().len() <= MAX_RECORD
}

/// The record of a content; if the store does not accept it, one that says so: no content may keep others from being
/// stored.
pub(super) fn recorded(new: &NewContent) -> ContentRecord {
    if fits(new) {
        return new.record.clone();
    }
    ContentRecord {
        state: State::TooLarge,
        reason: Reason::StoreLimit.into(),
        warnings: Vec::new(),
        facts: Vec::new(),
        ..new.record.clone()
    }
}
