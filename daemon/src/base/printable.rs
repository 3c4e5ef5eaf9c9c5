//! Paths in what is printed.

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_proto::text::escaped;

/// A path that can be shown: see [`escaped`].
pub struct Printable<'a>(pub &'a Path);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escaped(self.0.as_os_str().as_bytes()))
    }
}
