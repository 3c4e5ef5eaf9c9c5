//! Why a store was set aside, noted in its directory until the index that was begun in its place has all files again: a
//! restart must still say so.

use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use simdex_index::safe_fs;
use simdex_index::store::{self, Damage};

use crate::base::hashed_file;

/// The name of the note, and its name while it is written.
const FILES: [&str; 2] = ["set-aside-because", "set-aside-because.new"];
/// The maximum size of the note, bytes.
const LONGEST: u64 = 64 << 10;

/// Writes the note. If this fails, the next start says less.
pub(super) fn write(damage: &Damage) {
    let text = format!("{}\n", damage.reason);
    if let Err(error) = hashed_file::replace(&damage.set_aside, FILES, &text) {
        tracing::warn!(%error, "why the index was set aside cannot be noted: the next start does not say it");
    }
}

/// The store of this data directory that was set aside last, if it has a note.
pub(super) fn read(data_dir: &Path) -> Option<Damage> {
    let set_aside = store::last_set_aside(&data_dir.join("store")).ok()??;
    match reason_in(&set_aside) {
        Ok(reason) => Some(Damage { set_aside, reason }),
        Err(error) => {
            if error.kind() != ErrorKind::NotFound {
                tracing::warn!(%error, "the note of why the index was set aside cannot be read");
            }
            None
        }
    }
}

/// Removes the note. If this fails, the next start removes it once it finds that all roots were walked.
pub(super) fn remove(damage: &Damage) {
    let _ = std::fs::remove_file(damage.set_aside.join(FILES[0]));
}

fn reason_in(set_aside: &Path) -> io::Result<String> {
    let mut text = String::new();
    safe_fs::open_read(&set_aside.join(FILES[0]))?
        .take(LONGEST)
        .read_to_string(&mut text)?;
    match hashed_file::checked(&text) {
        Some((lines, true)) => Ok(lines.trim_end().to_owned()),
        _ => Err(io::Error::other(
            "its last line is not the hash of the others",
        )),
    }
}
