//! The shown form of paths: as the daemon lists files and members of containers, and as it is asked.
//!
//! Between a container and its member stands `!/`. A `!` at the end of a name or folder is doubled
//! where a `/` or that separator follows, so that no path has two meanings: `x.zip!/a` is the member
//! `a` of `x.zip`, `x.zip!!/a` the file `a` in the folder `x.zip!`. Inside, as in the daemon's store, the
//! separator is a NUL, which no name on disk holds. This is the twin of the daemon's
//! `schema/src/path.rs`; both are held against `proto/simdex/v1/shown-paths.tsv`.

use std::ffi::OsStr;
use std::iter::repeat_n;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const MEMBER: u8 = 0;

/// The shown form of a path, NULs between members.
pub(crate) fn to_shown(stored: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(stored.len() + 8);
    let mut marks = 0;
    for &byte in stored {
        match byte {
            b'/' => shown.extend(repeat_n(b'!', marks)),
            MEMBER => shown.extend(repeat_n(b'!', marks + 1)),
            _ => {}
        }
        shown.push(if byte == MEMBER { b'/' } else { byte });
        marks = if byte == b'!' { marks + 1 } else { 0 };
    }
    shown
}

/// A path as typed, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MemberPath {
    disk: Vec<u8>,
    /// With its leading separator; empty for a file on disk.
    inside: Vec<u8>,
}

impl MemberPath {
    /// What `shown` names, read as the daemon lists it.
    pub(crate) fn read(shown: &[u8]) -> Self {
        let mut disk = from_shown(shown);
        let end = disk.iter().position(|byte| *byte == MEMBER);
        let inside = disk.split_off(end.unwrap_or(disk.len()));
        Self { disk, inside }
    }

    /// A file on disk by its literal name.
    pub(crate) fn plain(file: &Path) -> Self {
        Self {
            disk: file.as_os_str().as_bytes().to_vec(),
            inside: Vec::new(),
        }
    }

    /// The file on disk, or what holds the member at last.
    pub(crate) fn disk(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.disk))
    }

    /// Whether it names a member of a container.
    pub(crate) fn is_member(&self) -> bool {
        !self.inside.is_empty()
    }

    /// The shown form where its file on disk is called `disk`.
    pub(crate) fn shown_at(&self, disk: &Path) -> Vec<u8> {
        to_shown(&[disk.as_os_str().as_bytes(), &self.inside].concat())
    }
}

fn from_shown(shown: &[u8]) -> Vec<u8> {
    let mut stored = Vec::with_capacity(shown.len());
    let mut marks = 0;
    for &byte in shown {
        match byte {
            b'!' => marks += 1,
            b'/' => {
                stored.extend(repeat_n(b'!', marks / 2));
                stored.push(if marks % 2 == 1 { MEMBER } else { b'/' });
                marks = 0;
            }
            _ => {
                stored.extend(repeat_n(b'!', marks));
                stored.push(byte);
                marks = 0;
            }
        }
    }
    stored.extend(repeat_n(b'!', marks));
    stored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shown_form_is_that_of_the_contract() {
        let table = include_str!("../../proto/simdex/v1/shown-paths.tsv");
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        let mut count = 0;
        for row in rows {
            let (stored, shown) = row.split_once('\t').expect("two columns");
            let stored = stored.replace("\\0", "\0");
            assert_eq!(to_shown(stored.as_bytes()), shown.as_bytes(), "{row}");
            assert_eq!(from_shown(shown.as_bytes()), stored.as_bytes(), "{row}");
            count += 1;
        }
        assert!(count > 10, "the table is short");
    }

    #[test]
    fn a_path_is_taken_apart_at_its_first_separator() {
        let named = MemberPath::read(b"/s/x!!/a.zip!/b!!/c.zip!/../d");
        assert_eq!(named.disk(), Path::new("/s/x!/a.zip"));
        assert!(named.is_member());
        assert_eq!(
            named.shown_at(Path::new("/t!/a.zip")),
            b"/t!!/a.zip!/b!!/c.zip!/../d"
        );
        assert!(!MemberPath::read(b"/s/x!!/a").is_member());
    }
}
