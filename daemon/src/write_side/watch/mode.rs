//! How a root can be watched.

use std::path::Path;

use super::probe;
use crate::config::RootMode;

/// The mode chosen for [`RootMode::Auto`], or instead of a mode that does not work here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenMode {
    /// [`RootMode::Native`] or [`RootMode::Poll`].
    pub mode: RootMode,
    /// The reason, for people.
    pub why: String,
}

/// Decides how `path` can be watched, by the type of its file system: a share is not ours, so no
/// probe file is written to it.
pub(super) fn choose(mode: RootMode, path: &Path) -> ChosenMode {
    let (mode, why) = match mode {
        RootMode::Native => (RootMode::Native, "native by config".to_owned()),
        RootMode::Poll => (RootMode::Poll, "poll by config".to_owned()),
        RootMode::Auto => match probe::FileSystem::of(path) {
            Ok(fs) if fs.events => (RootMode::Native, format!("{} reports changes", fs.name)),
            Ok(fs) if fs.name == "unknown" => (
                RootMode::Poll,
                format!("unknown file system type {:#x}", fs.magic),
            ),
            Ok(fs) => (
                RootMode::Poll,
                format!("{} does not report all changes", fs.name),
            ),
            Err(_) => (
                RootMode::Poll,
                "the root cannot be read; its watch mode is chosen once it can be".to_owned(),
            ),
        },
    };
    ChosenMode { mode, why }
}
