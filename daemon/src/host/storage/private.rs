//! A data directory is its owner's alone: it holds the text of every document.
//!
//! What belongs to another user, or is not a regular file where it should be one, is refused. What
//! is ours but open to others is closed to them, as a directory made by hand often is not.

use std::fs::{Metadata, Permissions};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Permissions of everybody but the owner.
const OTHERS: u32 = 0o077;
/// Folders of a data directory.
const FOLDERS: [&str; 2] = ["store", "text"];
/// Levels of nested folders there; more than there ever are.
const DEPTH: usize = 8;
/// Files in a data directory itself.
const FILES: [&str; 8] = [
    "under-way",
    "recheck",
    "report-key",
    "judge-model",
    "schedules",
    "schedules.new",
    "judge-model.new",
    crate::host::disk::RESERVE,
];
/// Prefixes of the names of stores and texts that were set aside.
const SET_ASIDE: [&str; 2] = ["store.damaged-", "text.damaged-"];

/// Makes sure that a data directory, which must exist, and everything of ours in it belong to the
/// user who runs this and are open to nobody else.
///
/// # Errors
/// If that is not so and cannot be achieved; the error says for which path, and why.
pub(super) fn claim(data_dir: &Path) -> Result<()> {
    let user = rustix::process::geteuid().as_raw();
    // The directory may be reached by a link; what is in it may not.
    let itself = std::fs::metadata(data_dir)?;
    let is_ours = data_dir.join(FOLDERS[0]).is_dir() || is_empty(data_dir)?;
    if !is_ours && itself.permissions().mode() & OTHERS != 0 {
        // Perhaps somebody's home: not to be closed because of a typing mistake.
        return Err(refused(
            data_dir,
            "is open to other users and contains other files; close it (chmod 700) or name an \
             empty one",
        ));
    }
    close(data_dir, &itself, user)?;
    // From here on nobody else can change what is in it.
    for folder in FOLDERS {
        claim_folder(&data_dir.join(folder), user, DEPTH)?;
    }
    for entry in std::fs::read_dir(data_dir)? {
        let entry = entry?;
        let (name, found) = (entry.file_name(), entry.metadata()?);
        let is_named = |start: &&str| name.to_string_lossy().starts_with(start);
        let is_set_aside = SET_ASIDE.iter().any(is_named);
        // A link to something that was set aside and moved elsewhere is the administrator's; so is its target.
        if is_set_aside && found.is_dir() || found.is_file() {
            close(&entry.path(), &found, user)?;
        } else if FILES.iter().any(|file| name == *file) {
            return Err(refused(
                &entry.path(),
                "is not a regular file; move it away",
            ));
        }
    }
    Ok(())
}

fn is_empty(folder: &Path) -> Result<bool> {
    Ok(std::fs::read_dir(folder)?.next().is_none())
}

/// Claims a folder and its contents, this many levels deep; nothing if there is none.
fn claim_folder(folder: &Path, user: u32, depth: usize) -> Result<()> {
    let itself = match std::fs::symlink_metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        itself => itself?,
    };
    if !itself.is_dir() {
        return Err(refused(folder, "is not a directory; move it away"));
    }
    close(folder, &itself, user)?;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, found) = (entry.path(), entry.metadata()?);
        if found.is_file() {
            close(&path, &found, user)?;
        } else if !found.is_dir() {
            return Err(refused(&path, "is not a regular file; move it away"));
        } else if depth == 0 {
            return Err(refused(&path, "is not a folder of simdexd; move it away"));
        } else {
            claim_folder(&path, user, depth - 1)?;
        }
    }
    Ok(())
}

/// Removes the permissions of others; an error if the path is not ours.
fn close(path: &Path, found: &Metadata, user: u32) -> Result<()> {
    if found.uid() != user {
        let owner = found.uid();
        return Err(refused(
            path,
            &format!(
                "belongs to user {owner}, and simdexd runs as user {user}; run simdexd as the owner"
            ),
        ));
    }
    let mode = found.permissions().mode();
    if mode & OTHERS == 0 {
        return Ok(());
    }
    std::fs::set_permissions(path, Permissions::from_mode(mode & 0o7777 & !OTHERS))?;
    // Some file systems accept every change of permissions and keep none.
    if std::fs::metadata(path)?.permissions().mode() & OTHERS != 0 {
        return Err(refused(
            path,
            "is open to other users, and its file system does not allow closing it",
        ));
    }
    tracing::warn!(path = %path.display(), "was open to other users and is now closed to them");
    Ok(())
}

fn refused(path: &Path, why: &str) -> Error {
    Error::new(
        ErrorKind::PermissionDenied,
        format!("{} {why}", path.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// Folders that a daemon makes.
    const MADE: [&str; 5] = [
        "store",
        "store/blobs",
        "store/runs/000001/blobs",
        "store/records/000001",
        "text",
    ];

    fn opened_wide() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let open = |path: &Path| fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
        for folder in MADE.map(|folder| dir.path().join(folder)) {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("file"), "text").unwrap();
            open(&folder);
            open(&folder.join("file"));
        }
        for set_aside in ["store.damaged-1", "text.damaged-1"] {
            fs::create_dir(dir.path().join(set_aside)).unwrap();
        }
        open(dir.path());
        dir
    }

    #[test]
    fn what_is_ours_and_open_to_others_is_closed() {
        let dir = opened_wide();
        claim(dir.path()).unwrap();
        let names = MADE
            .iter()
            .chain(&["", "store.damaged-1", "text.damaged-1"]);
        for name in names.map(|name| dir.path().join(name)) {
            assert_eq!(mode(&name), 0o700, "{name:?}");
        }
        for folder in MADE {
            let file = dir.path().join(folder).join("file");
            assert_eq!(mode(&file) & OTHERS, 0, "{file:?}");
        }
    }

    #[test]
    fn a_link_planted_under_the_name_of_a_file_is_refused() {
        for name in FILES {
            let dir = opened_wide();
            let planted = dir.path().join(name);
            std::os::unix::fs::symlink("/dev/zero", &planted).unwrap();
            let refused = claim(dir.path()).unwrap_err().to_string();
            assert!(refused.contains(name), "{refused}");
            fs::remove_file(&planted).unwrap();
            fs::write(&planted, "ours").unwrap();
            fs::set_permissions(&planted, Permissions::from_mode(0o666)).unwrap();
            claim(dir.path()).unwrap();
            assert_eq!(mode(&planted), 0o600);
        }
    }

    #[test]
    fn a_folder_of_other_things_is_not_closed() {
        let dir = tempfile::tempdir().unwrap();
        let open = Permissions::from_mode(0o755);
        fs::set_permissions(dir.path(), open.clone()).unwrap();
        claim(dir.path()).unwrap();
        assert_eq!(mode(dir.path()), 0o700, "it was empty");
        fs::set_permissions(dir.path(), open).unwrap();
        fs::write(dir.path().join("letter"), "text").unwrap();
        assert!(
            claim(dir.path())
                .unwrap_err()
                .to_string()
                .contains("other files")
        );
        assert_eq!(mode(dir.path()), 0o755);
    }

    #[test]
    fn what_belongs_to_somebody_else_is_refused() {
        let dir = opened_wide();
        let theirs =
            |name: &str| std::os::unix::fs::chown(dir.path().join(name), Some(12_345), None);
        if theirs("text/file").is_err() {
            return eprintln!("skipped: only root can give a file away");
        }
        let names = ["text/file", "text", "store/blobs", "store.damaged-1", ""];
        for name in names {
            theirs(name).unwrap();
            let refused = claim(dir.path()).unwrap_err().to_string();
            assert!(
                refused.contains("belongs to user 12345"),
                "{name}: {refused}"
            );
            let ours = rustix::process::geteuid().as_raw();
            std::os::unix::fs::chown(dir.path().join(name), Some(ours), None).unwrap();
        }
        claim(dir.path()).unwrap();
    }

    #[test]
    fn what_was_set_aside_and_moved_elsewhere_is_not_touched_through_its_link() {
        let dir = opened_wide();
        let elsewhere = tempfile::tempdir().unwrap();
        let open = Permissions::from_mode(0o755);
        fs::set_permissions(elsewhere.path(), open).unwrap();
        let link = |to: &Path, name: &str| {
            std::os::unix::fs::symlink(to, dir.path().join(name)).unwrap();
        };
        link(elsewhere.path(), "store.damaged-7");
        link(Path::new("missing"), "text.damaged-7");
        claim(dir.path()).unwrap();
        assert_eq!(mode(elsewhere.path()), 0o755);
    }

    #[test]
    fn links_in_it_are_refused_and_a_link_to_it_is_not() {
        let dir = opened_wide();
        let elsewhere = tempfile::tempdir().unwrap();
        let link = elsewhere.path().join("link");
        std::os::unix::fs::symlink(dir.path(), &link).unwrap();
        claim(&link).unwrap();
        fs::remove_dir_all(dir.path().join("text")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("text")).unwrap();
        assert!(
            claim(dir.path())
                .unwrap_err()
                .to_string()
                .contains("not a directory")
        );
        fs::remove_file(dir.path().join("text")).unwrap();
        std::os::unix::fs::symlink("target", dir.path().join("store/COMMITTED")).unwrap();
        assert!(
            claim(dir.path())
                .unwrap_err()
                .to_string()
                .contains("not a regular file")
        );
    }
}
