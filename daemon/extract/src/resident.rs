//! How much memory of this process is resident.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// The process's memory figures. Opened while files can be, so that they can be read in a sandbox too.
#[derive(Debug)]
pub struct ResidentMemory {
    statm: Option<File>,
    page_bytes: u64,
}

impl ResidentMemory {
    /// Opens the figures; without them, if the system has none.
    #[must_use]
    pub fn open() -> Self {
        Self {
            statm: File::open("/proc/self/statm").ok(),
            page_bytes: rustix::param::page_size() as u64,
        }
    }

    /// Bytes that are resident now: the second number of `statm`, in pages. `None` if the system does not report it
    /// (Linux does).
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        self.pages(1)
    }

    /// Those of them that belong to files: the program, its libraries and mapped files. `None` if the system does not
    /// report it.
    #[must_use]
    pub fn file_bytes(&self) -> Option<u64> {
        self.pages(2)
    }

    /// A field of `statm`, converted from pages to bytes.
    fn pages(&self, place: usize) -> Option<u64> {
        let mut buffer = [0; 128];
        let count = self.statm.as_ref()?.read_at(&mut buffer, 0).ok()?;
        let line = std::str::from_utf8(&buffer[..count]).ok()?;
        let pages: u64 = line.split(' ').nth(place)?.parse().ok()?;
        pages.checked_mul(self.page_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_touched_is_resident() {
        const BYTES: usize = 64 << 20;
        let memory = ResidentMemory::open();
        let before = memory.bytes().unwrap();
        let touched = std::hint::black_box(vec![1u8; BYTES]);
        let after = memory.bytes().unwrap();
        let of_files = memory.file_bytes().unwrap();
        assert!(of_files > 0 && of_files < after, "{of_files} of {after}");
        // Other tests may free memory meanwhile.
        assert!(
            after as i64 - before as i64 > BYTES as i64 / 2,
            "{before} and {after}"
        );
        drop(touched);
    }
}
