//! Objects embedded in a presentation: compound files, deflated, within the main stream.

use crate::Reason;
use crate::sink::Sink;

pub(super) fn members(_: &[u8], _: &mut Sink) -> Option<Reason> {
    None
}
