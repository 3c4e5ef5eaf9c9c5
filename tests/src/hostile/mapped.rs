//! Stores through mapped pages: a store into a page that is dirty already changes no time of the file.

use std::fs::File;
use std::path::Path;
use std::ptr;

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::corpus::Random;

const PAGE: usize = 4096;
/// Files mapped at a time.
const MOST: usize = 8;

/// The first pages of some files; unmapped when dropped.
#[derive(Default)]
pub(super) struct Mapped {
    pages: Vec<Page>,
}

struct Page {
    start: *mut u8,
    /// Bytes of the file that lie in it.
    length: usize,
}

impl Mapped {
    /// Maps the beginning of a file, if it is there and holds anything.
    pub(super) fn open(&mut self, path: &Path) {
        if self.pages.len() >= MOST {
            self.pages.remove(0);
        }
        self.pages.extend(Page::of(path));
    }

    /// Changes a few letters of every file that is mapped.
    pub(super) fn store(&mut self, random: &mut Random) {
        for page in &mut self.pages {
            for _ in 0..=random.below(6) {
                let at = random.below(page.length as u64) as usize;
                page.set(at, b'a' + random.below(26) as u8);
            }
        }
    }
}

impl Page {
    fn of(path: &Path) -> Option<Self> {
        let file = File::options().read(true).write(true).open(path).ok()?;
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let length = (metadata.len() as usize).min(PAGE);
        if length == 0 {
            return None;
        }
        let access = ProtFlags::READ | ProtFlags::WRITE;
        #[expect(unsafe_code, reason = "there is no safe call for a mapping")]
        // SAFETY: a new mapping at a place of the kernel's choice, owned by this value alone.
        let start = unsafe { mmap(ptr::null_mut(), PAGE, access, MapFlags::SHARED, &file, 0) };
        Some(Self {
            start: start.ok()?.cast(),
            length,
        })
    }

    fn set(&mut self, at: usize, letter: u8) {
        if at < self.length {
            #[expect(unsafe_code, reason = "the store that the trial is about")]
            // SAFETY: within the page that is mapped for writing. Acts overwrite and rename these
            // files and never leave them empty, so the page stays backed.
            unsafe {
                self.start.add(at).write_volatile(letter);
            }
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "there is no safe call for it")]
        // SAFETY: what `of` mapped, not used any more. Should it fail, a page stays mapped.
        let _ = unsafe { munmap(self.start.cast(), PAGE) };
    }
}
