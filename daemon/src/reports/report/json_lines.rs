//! Lines of JSON, in the form that all lists of a report have.

use std::io;

use simdex_proto::lines::{Body, Line};

/// Writes one line.
pub(super) fn json_line(out: &mut dyn io::Write, body: &impl Body) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Line::of(body))?;
    out.write_all(b"\n")
}
