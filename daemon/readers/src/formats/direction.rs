//! Overrides of direction: text that is shown, and read, in another order than its letters have.

/// Begin an override, and end it (Unicode Standard Annex #9 §2).
pub(super) const RIGHT_TO_LEFT: &str = "\u{202e}";
pub(super) const LEFT_TO_RIGHT: &str = "\u{202d}";
pub(super) const POP_DIRECTION: &str = "\u{202c}";
