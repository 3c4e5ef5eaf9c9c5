//! What errors of the operating system mean.

use std::io;

use rustix::io::Errno;

/// Whether descriptors or memory ran out, or the call was interrupted: it may succeed later.
pub(crate) fn is_shortage(error: &io::Error) -> bool {
    let shortages = [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::INTR];
    errno(error).is_some_and(|errno| shortages.contains(&errno))
}

/// Whether the disk is full, or a quota used up.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(errno(error), Some(Errno::NOSPC | Errno::DQUOT))
}

/// Whether the disk or its file system has lost the data to be read: trying again does not help.
pub(crate) fn is_lost(error: &io::Error) -> bool {
    // The last two are reported by the block layer: a checksum error of the transport and a fault of the device.
    let lost = [
        Errno::IO,
        Errno::UCLEAN,
        Errno::BADMSG,
        Errno::NODATA,
        Errno::ILSEQ,
        Errno::REMOTEIO,
    ];
    errno(error).is_some_and(|errno| lost.contains(&errno))
}

/// The number of an error of the operating system.
pub(crate) fn errno(error: &io::Error) -> Option<Errno> {
    error.raw_os_error().map(Errno::from_raw_os_error)
}
