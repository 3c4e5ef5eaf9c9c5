//! Cards and calendars (vCard RFC 6350, iCalendar RFC 5545).

use super::Reading;
use crate::input::Input;
use crate::sink::Sink;
use crate::{Outcome, Reason};

pub(super) const ENGINE: &str = "card 1";

pub(super) fn read(_: &Input, _: &mut Sink) -> Reading {
    Err(Outcome::Unsupported(Reason::KindNotRead))
}
