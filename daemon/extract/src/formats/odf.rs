//! OpenDocument (ISO/IEC 26300).

use super::Reading;
use crate::input::Input;
use crate::sink::Sink;
use crate::{Outcome, Reason};

pub(super) const ENGINE: &str = "odf 1";

pub(super) fn read(_: &Input, _: &mut Sink) -> Reading {
    Err(Outcome::Unsupported(Reason::KindNotRead))
}
