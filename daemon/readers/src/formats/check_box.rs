//! The signs for boxes and buttons of choices, the same in every format.

const TICKED: &str = "☒";
const UNTICKED: &str = "☐";

/// The sign for a box or a button that is chosen or not.
pub(in crate::formats) const fn check_box(is_ticked: bool) -> &'static str {
    if is_ticked { TICKED } else { UNTICKED }
}
