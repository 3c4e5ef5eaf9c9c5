//! Whether the directory at a root's path is the one on record: decided before any walk of it is believed.
//!
//! While its file system stays mounted, mount, device and inode prove it; so that this also holds before
//! Linux 6.8, the stored id of the file system must be unchanged too. After a remount or a restart the
//! record is consulted: type and stored id of the file system and the inode, which together prove it;
//! otherwise a sample of known files spread over the root, most of which must exist. If neither confirms it,
//! nothing is concluded from the directory until a person confirms it.

use std::collections::BinaryHeap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_index::{IndexError, Registry};
use simdex_schema::{DirectoryIdentity, RootId};

use crate::write_side::roots::Root;
use crate::write_side::watch::anchor::{Anchor, RootRefusal};
use crate::write_side::watch::walk::{PathState, WalkEntry, look};

/// Known files that are looked up.
const SAMPLE: usize = 64;

/// The result of verifying the directory at a root's path.
pub enum RootIdentity {
    /// It is the root on record, or the first directory ever seen there.
    Same,
    /// It is another directory, or that cannot be decided: its identity, and why.
    Other(DirectoryIdentity, String),
    /// It cannot be used.
    Refused(RootRefusal),
}

/// Decides whether the directory that was opened at a root's path is the root on record.
pub fn verify_root(
    registry: &Registry,
    root: &Root,
    anchor: &Anchor,
) -> Result<RootIdentity, IndexError> {
    let status = root.status();
    let found = match anchor.identity() {
        Ok(found) => found,
        Err(refusal) => return Ok(RootIdentity::Refused(refusal)),
    };
    let contradicts = |known: DirectoryIdentity| {
        known.file_system_id.is_some() && known.file_system_id != found.file_system_id
    };
    if status.proven == Some(anchor.inode()) && !status.identity.is_some_and(contradicts) {
        return Ok(RootIdentity::Same);
    }
    if status.identity.is_some_and(|known| is_proof(known, found)) {
        return Ok(RootIdentity::Same);
    }
    let sample = sample(registry, root.id)?;
    let SampleCount { there, missing } = census(anchor, &sample);
    let looks_alike = |known: DirectoryIdentity| {
        (known.inode, known.file_system) == (found.inode, found.file_system)
    };
    // If every look was refused, the sample says nothing.
    let is_same = match there + missing {
        0 => sample.is_empty() || status.identity.is_some_and(looks_alike),
        _ => there >= missing,
    };
    Ok(match is_same {
        true => RootIdentity::Same,
        false => {
            let why = format!(
                "another directory is in its place: of {} known files that were checked, {there} \
                 are there",
                sample.len()
            );
            RootIdentity::Other(found, why)
        }
    })
}

/// Whether the record alone proves the directory to be the same.
fn is_proof(known: DirectoryIdentity, found: DirectoryIdentity) -> bool {
    known == found && known.file_system_id.is_some()
}

/// Known files spread over the root: those whose paths have the smallest hashes.
fn sample(registry: &Registry, root: RootId) -> Result<Vec<Vec<u8>>, IndexError> {
    let mut smallest = BinaryHeap::with_capacity(SAMPLE + 1);
    registry.files(root, &mut |key, record| {
        if record.content().is_some() {
            smallest.push((*blake3::hash(&key.path).as_bytes(), key.path));
            if smallest.len() > SAMPLE {
                smallest.pop();
            }
        }
    })?;
    Ok(smallest.into_iter().map(|(_, path)| path).collect())
}

#[derive(Default)]
struct SampleCount {
    there: usize,
    missing: usize,
}

/// Counts known files in a directory; what a folder or the file system refuses, or a mount covers, proves nothing.
fn census(anchor: &Anchor, sample: &[Vec<u8>]) -> SampleCount {
    let mut census = SampleCount::default();
    for path in sample {
        match look(anchor, Path::new(OsStr::from_bytes(path))) {
            PathState::Seen(WalkEntry::File { .. }, _) => census.there += 1,
            PathState::Refused(_)
            | PathState::Covered
            | PathState::Shortage
            | PathState::RootUnusable => {}
            PathState::NoFile | PathState::Seen(..) => census.missing += 1,
        }
    }
    census
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(inode: u64, id: Option<u64>) -> DirectoryIdentity {
        DirectoryIdentity {
            inode,
            file_system: 0xEF53,
            file_system_id: id,
        }
    }

    #[test]
    fn a_record_proves_a_directory_only_by_an_id_that_is_stored() {
        assert!(is_proof(identity(2, Some(9)), identity(2, Some(9))));
        assert!(!is_proof(identity(2, Some(9)), identity(2, Some(8))));
        assert!(!is_proof(identity(2, Some(9)), identity(3, Some(9))));
        assert!(!is_proof(identity(2, None), identity(2, None)));
    }

    #[test]
    fn a_sample_is_there_or_missing_and_what_is_refused_is_neither() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        std::fs::write(top.join("file"), "").unwrap();
        std::fs::create_dir(top.join("folder")).unwrap();
        let anchor = Anchor::open(&top).unwrap();
        let long = "x/".repeat(3_000);
        let sample = ["file", "folder", "gone", &long].map(|name| name.as_bytes().to_vec());
        let census = census(&anchor, &sample);
        assert_eq!((census.there, census.missing), (1, 3));
    }
}
