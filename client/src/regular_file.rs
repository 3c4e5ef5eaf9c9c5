//! Opens regular files alone: to open a FIFO or a device may wait for ever or have side effects.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file, or a link to one; `None` if the path is a directory, device, FIFO or socket.
pub(crate) fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<Option<File>> {
    // Checked first: opening a device can already have side effects. The options decide about a missing file.
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return Ok(None);
    }
    // Checked again, in case the file was swapped; this open does not block.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = options.clone();
    let file = options.custom_flags(flags.bits() as i32).open(path)?;
    let is_regular = file.metadata()?.is_file();
    Ok(is_regular.then_some(file))
}
