//! Paths as people type them, split into the file on disk and the member named inside it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_path::{MEMBER, from_shown, to_shown};

/// A typed path, split.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MemberPath {
    disk: Vec<u8>,
    /// The member, with its leading separator; empty for a file on disk.
    inside: Vec<u8>,
}

impl MemberPath {
    /// Parses `shown` as the daemon lists it.
    pub(crate) fn parse(shown: &[u8]) -> Self {
        let mut disk = from_shown(shown);
        let end = disk.iter().position(|byte| *byte == MEMBER);
        let inside = disk.split_off(end.unwrap_or(disk.len()));
        Self { disk, inside }
    }

    /// A file on disk with this literal name.
    pub(crate) fn plain(file: &Path) -> Self {
        Self {
            disk: file.as_os_str().as_bytes().to_vec(),
            inside: Vec::new(),
        }
    }

    /// The file on disk, or the outermost container of the member.
    pub(crate) fn disk(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.disk))
    }

    /// Whether the path names a member of a container.
    pub(crate) fn is_member(&self) -> bool {
        !self.inside.is_empty()
    }

    /// The shown form if the file on disk is called `disk`.
    pub(crate) fn shown_at(&self, disk: &Path) -> Vec<u8> {
        to_shown(&[disk.as_os_str().as_bytes(), &self.inside].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_taken_apart_at_its_first_separator() {
        let named = MemberPath::parse(b"/s/x!!/a.zip!/b!!/c.zip!/../d");
        assert_eq!(named.disk(), Path::new("/s/x!/a.zip"));
        assert!(named.is_member());
        assert_eq!(
            named.shown_at(Path::new("/t!/a.zip")),
            b"/t!!/a.zip!/b!!/c.zip!/../d"
        );
        assert!(!MemberPath::parse(b"/s/x!!/a").is_member());
    }
}
