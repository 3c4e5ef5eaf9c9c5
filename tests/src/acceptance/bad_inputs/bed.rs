//! The folder of bad inputs, and the list of them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// What the largest inputs are divided by: nothing where the code is optimised, ten where it is not
/// and making them would take longer than all else.
pub(super) const WEAKER: u64 = if cfg!(debug_assertions) { 10 } else { 1 };

/// One file of the share, or a member of one.
pub(super) struct Made {
    /// Number of the row it belongs to.
    pub(super) number: u32,
    /// The row's name for it.
    pub(super) input: &'static str,
    /// Path below the folder of bad inputs.
    pub(super) path: PathBuf,
}

impl Made {
    /// Whether it is judged only after it was read again and again.
    pub(super) fn is_late(&self) -> bool {
        self.input == super::lively::GIVEN_UP
    }
}

/// A folder outside the share, moved into it when everything is made.
pub(super) struct Bed {
    pub(super) folder: PathBuf,
    /// A file outside the share that no input may lead to.
    pub(super) secret: PathBuf,
    pub(super) made: Vec<Made>,
    /// Inputs this machine or user cannot make, with the reason.
    pub(super) not_made: Vec<(u32, &'static str)>,
}

impl Bed {
    pub(super) fn new(folder: PathBuf, secret: PathBuf) -> Result<Self> {
        fs::create_dir(&folder)?;
        let (made, not_made) = (Vec::new(), Vec::new());
        Ok(Self {
            folder,
            secret,
            made,
            not_made,
        })
    }

    /// Notes that `path` is such an input, and says where it lies now.
    pub(super) fn place(
        &mut self,
        number: u32,
        input: &'static str,
        path: impl AsRef<Path>,
    ) -> Result<PathBuf> {
        let path = path.as_ref();
        let whole = self.folder.join(path);
        if let Some(parent) = whole.parent() {
            fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        }
        let path = path.to_owned();
        self.made.push(Made {
            number,
            input,
            path,
        });
        Ok(whole)
    }

    /// Writes such an input.
    pub(super) fn write(
        &mut self,
        number: u32,
        input: &'static str,
        path: impl AsRef<Path>,
        bytes: impl AsRef<[u8]>,
    ) -> Result<()> {
        let whole = self.place(number, input, path)?;
        fs::write(&whole, bytes).with_context(|| whole.display().to_string())
    }

    /// Notes a member of something written.
    pub(super) fn member(&mut self, number: u32, input: &'static str, path: impl Into<PathBuf>) {
        let path = path.into();
        self.made.push(Made {
            number,
            input,
            path,
        });
    }

    /// Calls the entity or link that would read the secret.
    pub(super) fn secret_url(&self) -> String {
        format!("file://{}", self.secret.display())
    }
}

/// Text long enough to stand in the index, another for every seed.
pub(super) fn text(seed: u64) -> String {
    crate::corpus::Prose { seed: 7_000 + seed }.text(seed * 25, 0)
}

/// Prose in lines as a page has them.
pub(super) fn rows(seed: u64) -> Vec<String> {
    let text = text(seed);
    let words: Vec<&str> = text.split(' ').collect();
    words.chunks(12).map(|row| row.join(" ")).collect()
}
