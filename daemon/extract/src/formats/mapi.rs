//! Messages as MAPI properties: MSG, TNEF, PST.

pub(crate) mod msg;
pub(crate) mod pst;
pub(crate) mod tnef;

use super::Reading;

pub(super) const ENGINE: &str = "mapi 1";
