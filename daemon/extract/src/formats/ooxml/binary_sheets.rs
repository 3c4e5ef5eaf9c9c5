//! Binary sheets [MS-XLSB].

use super::Reading;
use crate::input::Input;
use crate::sink::Sink;
use crate::{Outcome, Reason};

pub(crate) fn read(_: &Input, _: &mut Sink) -> Reading {
    Err(Outcome::Unsupported(Reason::KindNotRead))
}
