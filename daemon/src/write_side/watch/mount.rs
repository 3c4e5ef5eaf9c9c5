//! Distinguishes a mount point below a root from an ordinary directory.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags};

/// Recognises mount points below one root.
pub(super) struct MountPoints {
    device: Option<u64>,
}

impl MountPoints {
    /// Recognises mount points among directories below `root`.
    pub(super) fn below(root: &Path) -> Self {
        Self {
            device: root.metadata().ok().map(|m| m.dev()),
        }
    }

    /// Whether something is mounted on `directory`. The kernel reports this since Linux 5.8, including for bind
    /// mounts, which share their device; on older ones the device number is compared.
    pub(super) fn has(&self, directory: &Path) -> bool {
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
        match rustix::fs::statx(CWD, directory, flags, StatxFlags::empty()) {
            Ok(stat)
                if stat
                    .stx_attributes_mask
                    .contains(StatxAttributes::MOUNT_ROOT) =>
            {
                stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT)
            }
            _ => self.on_other_device(directory),
        }
    }

    fn on_other_device(&self, directory: &Path) -> bool {
        let device = directory.symlink_metadata().ok().map(|m| m.dev());
        device.is_some() && device != self.device
    }
}
