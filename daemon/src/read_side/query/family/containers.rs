//! Containers that hold files of two versions: it is evidence for the edge between them if an attachment and its
//! original are in one mail, or a draft is in the archive of its successor.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use simdex_index::{FileInfo, IndexError, IndexReader, VisibleRoots};
use simdex_schema::{DocId, path};

/// Most files of a version that are examined.
const MAX_FILES: usize = 64;

/// The files of a version and all their containers, by hashes of their displayed paths.
#[derive(Debug, Default)]
pub(super) struct ContainerPaths {
    hashes: HashSet<u64>,
    files: usize,
}

impl ContainerPaths {
    /// Adds a file, unless there are many already.
    pub(super) fn add(&mut self, file: &FileInfo) {
        if self.files < MAX_FILES {
            self.files += 1;
            self.hashes
                .extend(chain(&file.path).map(|place| hash(&place)));
        }
    }
}

/// The innermost place that contains a file of a version and one of its parent, or is one of them; `both` are the
/// paths of both, the version first.
pub(super) fn innermost_common(
    index: &IndexReader,
    version: Option<DocId>,
    view: &VisibleRoots,
    both: [&ContainerPaths; 2],
) -> Result<Option<PathBuf>, IndexError> {
    let [own, of_parent] = both;
    let Some(document) = version.filter(|_| !own.hashes.is_disjoint(&of_parent.hashes)) else {
        return Ok(None);
    };
    let (mut found, mut files): (Option<PathBuf>, _) = (None, 0);
    index
        .files()
        .visit_of_document(document, view, &mut |file| {
            files += 1;
            let mut places = chain(&file.path);
            let place = places.find(|place| of_parent.hashes.contains(&hash(place)));
            let length =
                |place: &Option<PathBuf>| place.as_ref().map_or(0, |place| place.as_os_str().len());
            if length(&place) > length(&found) {
                found = place;
            }
            match files < MAX_FILES {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })?;
    Ok(found)
}

/// A file and its containers, the innermost first.
fn chain(file: &Path) -> impl Iterator<Item = PathBuf> {
    std::iter::successors(Some(file.to_owned()), |place| {
        let holder = path::container(place.as_os_str().as_encoded_bytes())?;
        Some(PathBuf::from(std::ffi::OsString::from_vec(holder)))
    })
}

fn hash(place: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    hasher.finish()
}
