//! The paths of all roots as they were last read: a list looks them up for each of its documents.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use simdex_schema::RootId;

use crate::IndexError;

/// Roots and their paths, in the order in which their files are listed.
type Paths = Arc<[(RootId, PathBuf)]>;

/// The paths of all roots, kept until the record of one changes.
#[derive(Default)]
pub(crate) struct RootPaths(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    paths: Option<Paths>,
    /// How often they changed.
    changes: u64,
}

impl RootPaths {
    /// The paths, read if none are kept. Nothing is locked while they are read.
    pub(crate) fn or_read(
        &self,
        read: impl FnOnce() -> Result<Vec<(RootId, PathBuf)>, IndexError>,
    ) -> Result<Paths, IndexError> {
        let (kept, changes) = {
            let kept = self.lock();
            (kept.paths.clone(), kept.changes)
        };
        if let Some(paths) = kept {
            return Ok(paths);
        }
        let paths: Paths = read()?.into();
        let mut kept = self.lock();
        // What was read before a change must not stay.
        if kept.changes == changes {
            kept.paths = Some(Arc::clone(&paths));
        }
        Ok(paths)
    }

    /// Call after the record of a root was written.
    pub(crate) fn changed(&self) {
        let mut kept = self.lock();
        kept.changes += 1;
        kept.paths = None;
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(path: &str) -> Vec<(RootId, PathBuf)> {
        vec![(RootId(1), path.into())]
    }

    #[test]
    fn paths_are_read_once_and_again_after_a_change_even_one_while_they_are_read() {
        let kept = RootPaths::default();
        let unread = || unreachable!("they are kept");
        let meanwhile = kept.or_read(|| {
            kept.changed();
            Ok(paths("/before"))
        });
        assert_eq!(meanwhile.unwrap()[..], paths("/before"));
        assert_eq!(
            kept.or_read(|| Ok(paths("/after"))).unwrap()[..],
            paths("/after")
        );
        assert_eq!(kept.or_read(unread).unwrap()[..], paths("/after"));
        kept.changed();
        assert_eq!(
            kept.or_read(|| Ok(paths("/later"))).unwrap()[..],
            paths("/later")
        );
    }
}
