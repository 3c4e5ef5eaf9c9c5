//! The file system of a root: whether it reports changes, and whether it keeps inode numbers.
//!
//! Change events come from the kernel that makes the change. A share served by another machine is
//! changed without our kernel noticing, so only looking again helps there. Writing a probe file
//! would give certainty, but shares are not ours to write to; the type of the file system is enough.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, StatFs, StatxFlags};
use rustix::io::Errno;
use simdex_schema::DirectoryIdentity;

/// The properties of a type of file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSystem {
    /// The magic number that `statfs` returns.
    pub magic: u32,
    /// Its usual name, or `unknown`.
    pub name: &'static str,
    /// Whether every change arrives as an event.
    pub events: bool,
    /// Whether a file keeps its inode number as long as it exists, across remounts.
    pub stable_inodes: bool,
}

const fn local(magic: u32, name: &'static str) -> FileSystem {
    FileSystem {
        magic,
        name,
        events: true,
        stable_inodes: true,
    }
}

/// Local, but inode numbers are assigned when a file is first accessed.
const fn numberless(magic: u32, name: &'static str) -> FileSystem {
    FileSystem {
        magic,
        name,
        events: true,
        stable_inodes: false,
    }
}

/// Changed by other machines, or by a process that the kernel does not see.
const fn remote(magic: u32, name: &'static str) -> FileSystem {
    FileSystem {
        magic,
        name,
        events: false,
        stable_inodes: true,
    }
}

const fn remote_numberless(magic: u32, name: &'static str) -> FileSystem {
    FileSystem {
        magic,
        name,
        events: false,
        stable_inodes: false,
    }
}

/// Magic numbers from linux/magic.h and statfs(2). On overlayfs, changes below the mount are
/// undefined according to its documentation, and changes through it are reported.
const KNOWN: &[FileSystem] = &[
    local(0xEF53, "ext4"),
    local(0x5846_5342, "xfs"),
    local(0x9123_683E, "btrfs"),
    local(0x0102_1994, "tmpfs"),
    local(0x8584_58F6, "ramfs"),
    local(0x2FC1_2FC1, "zfs"),
    local(0xF2F5_2010, "f2fs"),
    local(0xCA45_1A4E, "bcachefs"),
    local(0x3153_464A, "jfs"),
    local(0x5265_4973, "reiserfs"),
    local(0x3434, "nilfs2"),
    local(0x7366_746E, "ntfs3"),
    local(0x482B, "hfs+"),
    local(0x9660, "iso9660"),
    local(0x1501_3346, "udf"),
    local(0x7371_7368, "squashfs"),
    local(0xE0F5_E1E2, "erofs"),
    local(0xF15F, "ecryptfs"),
    numberless(0x794C_7630, "overlay"),
    numberless(0x4D44, "vfat"),
    numberless(0x2011_BAB0, "exfat"),
    remote(0x6969, "nfs"),
    remote(0x00C3_6400, "ceph"),
    remote(0x0BD0_0BD0, "lustre"),
    remote(0x4750_4653, "gpfs"),
    remote(0x0116_1970, "gfs2"),
    remote(0x7461_636F, "ocfs2"),
    remote(0x5346_414F, "afs"),
    remote(0x6B41_4653, "kafs"),
    remote(0x7375_7245, "coda"),
    remote_numberless(0x517B, "smb"),
    remote_numberless(0xFF53_4D42, "cifs"),
    remote_numberless(0xFE53_4D42, "smb2"),
    remote_numberless(0x6573_5546, "fuse"),
    remote_numberless(0x0102_1997, "9p"),
    remote_numberless(0x786F_4256, "vboxsf"),
    remote_numberless(0xBACB_ACBC, "vmhgfs"),
    remote_numberless(0x0187, "autofs"),
];

impl FileSystem {
    /// The file system that contains `path`.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(Self::from_magic(magic(&rustix::fs::statfs(path)?)))
    }

    /// The file system with a magic number; for an unknown one the worst is assumed.
    pub fn from_magic(magic: u32) -> Self {
        let known = KNOWN.iter().find(|known| known.magic == magic);
        known
            .copied()
            .unwrap_or(remote_numberless(magic, "unknown"))
    }
}

/// Identifies an open directory, as long as its file system stays mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InodeId {
    /// Device its file system is mounted as.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// The mount it was reached through, never reused; 0 if the kernel does not report it (before
    /// Linux 6.8). Device numbers are reused at once.
    pub mount: u64,
}

/// `STATX_MNT_ID_UNIQUE` of linux/stat.h.
const UNIQUE_MOUNT: StatxFlags = StatxFlags::from_bits_retain(0x4000);

impl InodeId {
    /// The inode of an open directory.
    pub fn of(directory: impl AsFd) -> Result<Self, Errno> {
        let flags = StatxFlags::INO | UNIQUE_MOUNT;
        let stat = rustix::fs::statx(directory, "", AtFlags::EMPTY_PATH, flags)?;
        let knows_mount = stat.stx_mask & UNIQUE_MOUNT.bits() != 0;
        Ok(Self {
            device: rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor),
            inode: stat.stx_ino,
            mount: if knows_mount { stat.stx_mnt_id } else { 0 },
        })
    }
}

/// The identity of an open directory that is valid after a remount, when its device may be another.
pub fn directory_identity(directory: impl AsFd) -> Result<DirectoryIdentity, Errno> {
    let file_system = magic(&rustix::fs::fstatfs(&directory)?);
    let id = rustix::fs::fstatvfs(&directory)?.f_fsid;
    Ok(DirectoryIdentity {
        inode: rustix::fs::fstat(&directory)?.st_ino,
        file_system,
        file_system_id: (id != 0 && STORED_IDS.contains(&file_system)).then_some(id),
    })
}

/// File systems whose `f_fsid` comes from an id stored in them (or drawn at random for each mount of an in-memory file
/// system). The others derive it from the device number, which another disk in the same place also gets.
const STORED_IDS: &[u32] = &[
    0xEF53,      // ext4
    0x9123_683E, // btrfs
    0x0102_1994, // tmpfs
    0xF2F5_2010, // f2fs
    0xCA45_1A4E, // bcachefs
];

fn magic(stat: &StatFs) -> u32 {
    // Only 32 bits matter; where the field is wider and signed, the upper half is a sign extension.
    (stat.f_type & 0xFFFF_FFFF) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_polled_and_local_disks_are_not() {
        for (magic, name) in [
            (0x6969, "nfs"),
            (0xFF53_4D42, "cifs"),
            (0x6573_5546, "fuse"),
        ] {
            let fs = FileSystem::from_magic(magic);
            assert_eq!((fs.name, fs.events), (name, false));
        }
        let ext4 = FileSystem::from_magic(0xEF53);
        assert!(ext4.events && ext4.stable_inodes);
    }

    #[test]
    fn of_an_unknown_type_nothing_is_believed() {
        let fs = FileSystem::from_magic(0xDEAD_0001);
        assert_eq!(
            (fs.name, fs.events, fs.stable_inodes),
            ("unknown", false, false)
        );
    }

    #[test]
    fn no_magic_number_is_listed_twice() {
        let magics: std::collections::BTreeSet<_> = KNOWN.iter().map(|fs| fs.magic).collect();
        assert_eq!(magics.len(), KNOWN.len());
    }

    #[test]
    fn proc_is_a_file_system_without_events() {
        let fs = FileSystem::of(Path::new("/proc")).unwrap();
        assert!(!fs.events);
    }

    #[test]
    fn another_directory_at_the_same_path_is_another() {
        let dir = tempfile::tempdir().unwrap();
        let (root, aside) = (dir.path().join("root"), dir.path().join("aside"));
        let identity = |path: &Path| {
            let directory = std::fs::File::open(path).unwrap();
            let inode = InodeId::of(&directory).unwrap();
            (inode, directory_identity(&directory).unwrap())
        };
        std::fs::create_dir(&root).unwrap();
        let before = identity(&root);
        assert_eq!(before, identity(&root));
        std::fs::rename(&root, &aside).unwrap();
        std::fs::create_dir(&root).unwrap();
        let after = identity(&root);
        assert!(before.0 != after.0 && before.1 != after.1);
        let (one, other) = (before.1.file_system_id, after.1.file_system_id);
        assert_eq!(one, other, "on one file system");
    }
}
