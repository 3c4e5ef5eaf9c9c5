//! Names that are never documents: lock files, temporary files and desktop metadata files that programs leave beside
//! the files they work on. Only the last component is considered, ASCII letters in any case.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// One way to recognise a temporary by its name.
enum Rule {
    Is(&'static str),
    Starts(&'static str),
    Ends(&'static str),
    Between(&'static str, &'static str),
    /// The prefix, then hexadecimal digits only.
    Hex(&'static str),
}

use Rule::{Between, Ends, Hex, Is, Starts};

/// The whole table; FORMAT.md calls the matching files `temporary`.
const RULES: &[Rule] = &[
    Starts("~$"),              // Microsoft Office: who has the document open
    Between(".~lock.", "#"),   // LibreOffice: the same
    Starts(".#"),              // Emacs: the same
    Hex(".nfs"),               // NFS client: deleted while open
    Starts(".fuse_hidden"),    // FUSE: deleted while open
    Starts(".smbdelete"),      // SMB client: deleted while open
    Starts(".goutputstream-"), // GLib: written, not yet renamed
    Starts("._"),              // macOS: AppleDouble side file
    Ends(".tmp"),
    Ends(".swp"),        // vi
    Ends(".swo"),        // vi, the second one
    Ends("~"),           // backup of an editor
    Ends(".crdownload"), // Chromium: not yet complete
    Ends(".part"),       // Firefox and others: not yet complete
    Is(".ds_store"),
    Is("thumbs.db"),
    Is("ehthumbs.db"),
    Is("desktop.ini"),
];

/// Whether a file of this name is skipped as a temporary.
pub fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_bytes();
    RULES.iter().any(|rule| rule.matches(name))
}

impl Rule {
    fn matches(&self, name: &[u8]) -> bool {
        match self {
            Is(whole) => name.eq_ignore_ascii_case(whole.as_bytes()),
            Starts(prefix) => rest_behind(name, prefix).is_some(),
            Ends(suffix) => ends_with(name, suffix),
            Between(prefix, suffix) => {
                name.len() > prefix.len() + suffix.len()
                    && rest_behind(name, prefix).is_some()
                    && ends_with(name, suffix)
            }
            Hex(prefix) => rest_behind(name, prefix)
                .is_some_and(|rest| rest.len() >= 4 && rest.iter().all(u8::is_ascii_hexdigit)),
        }
    }
}

/// What follows a prefix, which may be in any case.
fn rest_behind<'a>(name: &'a [u8], prefix: &str) -> Option<&'a [u8]> {
    let (start, rest) = name.split_at_checked(prefix.len())?;
    start
        .eq_ignore_ascii_case(prefix.as_bytes())
        .then_some(rest)
}

fn ends_with(name: &[u8], suffix: &str) -> bool {
    let start = name.len().checked_sub(suffix.len());
    start.is_some_and(|start| name[start..].eq_ignore_ascii_case(suffix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_and_temporaries_are_caught_in_any_case() {
        for name in [
            "~$report.docx",
            ".~lock.report.odt#",
            ".nfs000000000123abcd00000001",
            "~WRL0003.tmp",
            "DRAFT.TMP",
            ".notes.txt.swp",
            "notes.txt~",
            ".DS_Store",
            "Thumbs.db",
            "._report.pdf",
            "offer.pdf.crdownload",
        ] {
            assert!(is_temporary(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn documents_with_similar_names_are_kept() {
        for name in [
            "report.docx",
            "$report.docx",
            ".nfs-howto.txt",
            ".nfs",
            ".~lock.#",
            "tmp",
            "template.tmpl",
            "part.pdf",
            "~draft.docx",
            ".hidden.txt",
            "desktop.initial.txt",
        ] {
            assert!(!is_temporary(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn names_that_are_not_utf_8_are_judged_by_their_bytes() {
        assert!(is_temporary(OsStr::from_bytes(b"~$\xff\xfe.docx")));
        assert!(!is_temporary(OsStr::from_bytes(b"\xff\xfe.docx")));
    }
}
