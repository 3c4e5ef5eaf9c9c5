//! Objects embedded in a presentation [MS-PPT] §2.10.34: compound files, mostly deflated, in the main stream. Macros
//! are such an object too.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::ZlibDecoder;
use simdex_extract::Reason;

use super::super::embedded;
use super::records::{Record, kind, records};
use crate::compound::MAGIC;
use crate::sink::Sink;

/// Instance of an object that is deflated; its unpacked length comes first.
const DEFLATED: u16 = 1;
const LENGTH_BYTES: usize = 4;

/// Passes on all objects of the stream.
pub(super) fn members(bytes: &[u8], sink: &mut Sink) -> Option<Reason> {
    let mut reason = None;
    let mut left = sink.budgets().total_bytes;
    let objects = records(bytes).filter(|record| record.kind == kind::OBJECT);
    for (number, object) in objects.enumerate() {
        if !sink.has_room_for_member() {
            return Some(Reason::PartsLimit);
        }
        let (bytes, cut) = unpacked(&object, left, sink);
        left = left.saturating_sub(bytes.len() as u64);
        reason = reason.or(cut);
        // What is cut at its beginning is no object; controls are not compound files.
        if bytes.starts_with(MAGIC) {
            let name = format!("object-{}", number + 1);
            reason = reason.or(embedded::object(&bytes, &name, sink));
        }
    }
    reason
}

/// The bytes of an object, and why they are incomplete.
fn unpacked<'a>(object: &Record<'a>, left: u64, sink: &Sink) -> (Cow<'a, [u8]>, Option<Reason>) {
    if object.instance != DEFLATED {
        return (Cow::Borrowed(object.body), None);
    }
    let packed = object.body.get(LENGTH_BYTES..).unwrap_or_default();
    let limit = left.min(sink.budgets().unpacked(packed.len() as u64));
    let mut bytes = Vec::new();
    let end = ZlibDecoder::new(packed).take(limit).read_to_end(&mut bytes);
    let reason = match end {
        Err(_) => Some(Reason::Damaged),
        Ok(_) if bytes.len() as u64 == limit => Some(Reason::InflateLimit),
        Ok(_) => None,
    };
    (Cow::Owned(bytes), reason)
}
