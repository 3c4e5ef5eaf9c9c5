//! File systems that fail on purpose: an ext4 on a loop device whose power is cut, a tmpfs that
//! runs full. Both need root; where they cannot be had, tests say so and pass.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::fs::{FlockOperation, flock};
use rustix::ioctl::{Setter, ioctl, opcode};
use tempfile::TempDir;

/// `EXT4_IOC_SHUTDOWN` (linux: fs/ext4/ext4.h), `_IOR('X', 125, __u32)`.
const SHUTDOWN: rustix::ioctl::Opcode = opcode::read::<u32>(b'X', 125);
/// The journal is dropped as well: what no fsync wrote is lost, as in a power cut.
const NO_LOG_FLUSH: u32 = 2;
/// What mount points are called, so that those of a killed run are found again.
const PREFIX: &str = "simdex-disk-";
/// Size of an image; it is sparse.
const IMAGE_MIB: u64 = 256;

/// A file system of its own, unmounted and removed on drop. Only one exists at a time.
pub struct Disk {
    kind: Kind,
    mount: PathBuf,
    _scratch: TempDir,
    _alone: File,
}

enum Kind {
    /// ext4 in this image.
    Loop(PathBuf),
    /// tmpfs with this many MiB.
    Memory(u64),
}

impl Disk {
    /// An ext4 on a loop device.
    ///
    /// # Errors
    /// One sentence that says why there is none here (not root, no loop device, no mkfs.ext4).
    pub fn with_power() -> Result<Self> {
        let disk = Self::unmounted(|scratch| Kind::Loop(scratch.join("image")))?;
        if let Kind::Loop(image) = &disk.kind {
            File::create(image)?.set_len(IMAGE_MIB << 20)?;
            run(Command::new("mkfs.ext4").arg("-q").arg(image))?;
        }
        disk.mount()?;
        Ok(disk)
    }

    /// A tmpfs with this many MiB.
    ///
    /// # Errors
    /// One sentence that says why there is none here.
    pub fn of_memory(mib: u64) -> Result<Self> {
        let disk = Self::unmounted(|_| Kind::Memory(mib))?;
        disk.mount()?;
        Ok(disk)
    }

    fn unmounted(kind: impl FnOnce(&Path) -> Kind) -> Result<Self> {
        if !rustix::process::geteuid().is_root() {
            bail!("mounting needs root");
        }
        let alone = File::create(std::env::temp_dir().join("simdex-disk.lock"))?;
        flock(&alone, FlockOperation::LockExclusive)?;
        unmount_leftovers()?;
        let scratch = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let mount = scratch.path().join("mount");
        fs::create_dir(&mount)?;
        Ok(Self {
            kind: kind(scratch.path()),
            mount,
            _scratch: scratch,
            _alone: alone,
        })
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        &self.mount
    }

    /// Cuts the power: from now on every access fails, and what was not synced is gone.
    #[expect(unsafe_code, reason = "rustix has no safe call for this ioctl")]
    pub fn cut(&self) -> Result<()> {
        let directory = File::open(&self.mount)?;
        // SAFETY: EXT4_IOC_SHUTDOWN reads one u32 of flags through its argument and writes nothing.
        let cut = unsafe { ioctl(&directory, Setter::<SHUTDOWN, u32>::new(NO_LOG_FLUSH)) };
        cut.context("the power cannot be cut: is this ext4?")
    }

    /// Brings the power back after a cut. Nobody may have a file open.
    pub fn restore(&self) -> Result<()> {
        unmount(&self.mount)?;
        self.mount()
    }

    fn mount(&self) -> Result<()> {
        let mut mount = Command::new("mount");
        match &self.kind {
            Kind::Loop(image) => mount.args(["-o", "loop"]).arg(image),
            Kind::Memory(mib) => {
                mount.args(["-t", "tmpfs", "-o", &format!("size={mib}m"), "tmpfs"])
            }
        };
        run(mount.arg(&self.mount))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Err(error) = unmount(&self.mount) {
            eprintln!("{error:#}");
        }
    }
}

/// Takes all the room there is, in a file at `path`.
pub fn fill(path: &Path) {
    let Ok(mut file) = File::options().create(true).append(true).open(path) else {
        return;
    };
    // Ends with the error that was wanted.
    while file.write_all(&[7; 4096]).is_ok() {}
}

/// Unmounts what runs that were killed left behind; the lock says that they are over.
fn unmount_leftovers() -> Result<()> {
    let ours = std::env::temp_dir().join(PREFIX);
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(1));
    points
        .filter(|point| point.starts_with(&*ours.to_string_lossy()))
        .map(Path::new)
        .try_for_each(unmount)
}

/// Waits for the last process of a killed daemon to be gone.
fn unmount(mount: &Path) -> Result<()> {
    let mut last = Ok(());
    for _ in 0..50 {
        last = run(Command::new("umount").arg(mount));
        if last.is_ok() {
            return last;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    // Better detached than left mounted for good.
    run(Command::new("umount").arg("--lazy").arg(mount))?;
    last
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("{program} does not run"))?;
    if !output.status.success() {
        bail!(
            "{program} failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds the rig against what it claims: without this, the power tests could prove nothing.
    #[test]
    fn a_cut_loses_what_was_not_synced_and_keeps_what_was() {
        let disk = match Disk::with_power() {
            Ok(disk) => disk,
            Err(reason) => return eprintln!("skipped: {reason:#}"),
        };
        let mut synced = File::create(disk.path().join("synced")).unwrap();
        synced.write_all(b"kept").unwrap();
        synced.sync_all().unwrap();
        File::open(disk.path()).unwrap().sync_all().unwrap();
        fs::write(disk.path().join("not-synced"), b"lost").unwrap();
        disk.cut().unwrap();
        assert!(fs::write(disk.path().join("late"), b"no power").is_err());
        drop(synced);
        disk.restore().unwrap();
        assert_eq!(fs::read(disk.path().join("synced")).unwrap(), b"kept");
        assert!(!disk.path().join("not-synced").exists());
    }
}
