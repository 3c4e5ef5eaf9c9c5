//! Small text files of the data directory that end with a hash: a last line `blake3` with the hash of all lines before
//! it. Such a file is replaced as a whole.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use simdex_index::safe_fs;

/// The beginning of the last line.
const HASH: &str = "blake3 ";

/// Replaces the file `name` of a directory by this text and its hash, power-safe. The file is written as `new` first.
/// The text ends with a line feed.
///
/// # Errors
/// The file cannot be written; the previous one is still there.
pub(crate) fn replace(directory: &Path, [name, new]: [&str; 2], text: &str) -> io::Result<()> {
    let new = directory.join(new);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let mut file = safe_fs::open(&new, &mut options)?;
    let hash = blake3::hash(text.as_bytes());
    file.write_all(format!("{text}{HASH}{hash}\n").as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&new, directory.join(name))?;
    File::open(directory)?.sync_all()
}

/// The lines of a file without the hash line, and whether there is one; `None` if the hash is wrong.
pub(crate) fn checked(file: &str) -> Option<(&str, bool)> {
    let last = file
        .trim_end_matches('\n')
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let (lines, last) = file.split_at(last);
    let Some(stated) = last.strip_prefix(HASH) else {
        return Some((file, false));
    };
    let stated = blake3::Hash::from_hex(stated.trim_end()).ok()?;
    (stated == blake3::hash(lines.as_bytes())).then_some((lines, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_back_and_a_changed_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        replace(dir.path(), ["file", "file.new"], "one\nblake3 two\n").unwrap();
        assert!(!dir.path().join("file.new").exists());
        let file = std::fs::read_to_string(dir.path().join("file")).unwrap();
        assert_eq!(checked(&file), Some(("one\nblake3 two\n", true)));
        assert_eq!(checked(&file.replace("one", "two")), None);
        assert_eq!(checked("one\n"), Some(("one\n", false)));
    }
}
