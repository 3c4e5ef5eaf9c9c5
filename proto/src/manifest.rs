//! The end of a report's `manifest.json`: the mark of the daemon that wrote it, and a hash.
//!
//! The last key is the BLAKE3 hash of all bytes before its line, so a line that is dropped, added or changed alone is
//! detected. Somebody who rewrites the whole manifest can compute that hash too; this is only detected with a copy of
//! the hash kept elsewhere. The key before it is the mark by which a daemon recognises its own reports. Both cover the
//! exact bytes before them, so they are written and read as text, not by serde.

use serde::{Deserialize, Serialize};

/// A file of a report as listed in its manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path relative to the report.
    pub path: String,
    /// Length in bytes.
    pub bytes: u64,
    /// BLAKE3 hash, in hexadecimal.
    pub blake3: String,
}

/// Text before the hash.
const HASH: &str = "  \"manifest_blake3\": \"";
/// Text after the hash.
const HASH_END: &str = "\"\n}\n";
/// Text before the mark.
const MARK: &str = "  \"daemon_mark\": \"";
/// Text after the mark.
const MARK_END: &str = "\",\n";

/// Appends a mark to `lines`.
pub fn with_mark(lines: &str, mark: &str) -> String {
    format!("{lines}{MARK}{mark}{MARK_END}")
}

/// Splits a manifest into the lines that its mark covers, and the mark.
pub fn split_mark(text: &str) -> Option<(&str, &str)> {
    let (before, _) = text.split_at_checked(text.rfind(HASH)?)?;
    let (lines, mark) = before.split_at_checked(before.rfind(MARK)?)?;
    let mark = mark.strip_prefix(MARK)?.strip_suffix(MARK_END)?;
    Some((lines, mark))
}

/// Appends the hash to `lines`, which makes a complete manifest.
pub fn with_hash(lines: &str) -> String {
    let hash = blake3::hash(lines.as_bytes());
    format!("{lines}{HASH}{hash}{HASH_END}")
}

/// Returns the hash at the end of a manifest, in hexadecimal; `None` if it is not the hash of its lines.
pub fn checked_hash(text: &str) -> Option<String> {
    let (lines, end) = text.split_at_checked(text.rfind(HASH)?)?;
    let hash = blake3::hash(lines.as_bytes()).to_hex().to_string();
    let stated = end.strip_prefix(HASH)?.strip_suffix(HASH_END)?;
    (stated == hash).then_some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mark_and_hash_are_read_back_and_a_changed_line_is_found() {
        let lines = "{\n  \"files\": [\n  ],\n";
        let text = with_hash(&with_mark(lines, "abc"));
        assert_eq!(split_mark(&text), Some((lines, "abc")));
        assert!(checked_hash(&text).is_some());
        for (from, to) in [("files", "flies"), ("abc", "abd"), ("\"\n}\n", "\"\n}")] {
            assert_eq!(checked_hash(&text.replace(from, to)), None, "{from}");
        }
        assert_eq!(split_mark(&with_hash(lines)), None);
    }
}
