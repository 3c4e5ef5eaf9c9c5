//! Names of files: from what a person typed to the absolute path that the daemon knows.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::Error;
use crate::member_path::MemberPath;
use crate::wire::Root;

/// A path as bytes of a message.
pub fn path_bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// The path given by bytes of a message.
pub fn path_from_bytes(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Makes `file` absolute, resolving `.` and `..` lexically; links are not followed.
///
/// # Errors
/// [`Error::Unreadable`] if `file` is empty or the current directory no longer exists.
pub fn absolute(file: &Path) -> Result<PathBuf, Error> {
    let anchored = std::path::absolute(file).map_err(|source| Error::Unreadable {
        path: file.to_owned(),
        source,
    })?;
    let mut path = PathBuf::new();
    for component in anchored.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    Ok(path)
}

/// The absolute path under which the daemon shows `file`: as [`absolute`], with `!/` before a member of a container,
/// and a `!` at the end of a folder's name doubled. What follows the first `!/` is a member's name and left unchanged.
///
/// # Errors
/// Those of [`absolute`].
pub fn shown(file: &Path) -> Result<PathBuf, Error> {
    let named = parse_member_path(file);
    let disk = absolute(named.disk())?;
    Ok(path_from_bytes(&named.shown_at(&disk)).to_owned())
}

/// The shown paths under which the daemon may know `file`, in the order in which to try them.
///
/// First the path as typed. Then, if a directory on the way is a symbolic link, the path with its directories resolved.
/// The last component is never followed: the daemon does not follow links either. Last, if a file on disk has literally
/// the typed name although that reads as a member, that file.
///
/// # Errors
/// Those of [`absolute`].
pub(crate) fn possible_paths(file: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for named in [Some(parse_member_path(file)), literal_file(file)]
        .into_iter()
        .flatten()
    {
        let typed = absolute(named.disk())?;
        let resolved = resolve_directories(named.disk());
        for disk in [Some(typed), resolved].into_iter().flatten() {
            let path = path_from_bytes(&named.shown_at(&disk)).to_owned();
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// The file on disk that `file` names: literally if that exists, otherwise as shown.
pub(crate) fn on_disk(file: &Path) -> PathBuf {
    let named = parse_member_path(file);
    if named.is_member() || file.symlink_metadata().is_ok() {
        return file.to_owned();
    }
    named.disk().to_owned()
}

/// `file` as the daemon shows it.
fn parse_member_path(file: &Path) -> MemberPath {
    let named = MemberPath::parse(file.as_os_str().as_bytes());
    if named.disk().as_os_str().is_empty() {
        return MemberPath::plain(file);
    }
    named
}

/// `file` read as a literal name, if that reading differs and such a file exists.
fn literal_file(file: &Path) -> Option<MemberPath> {
    let literal = MemberPath::plain(file);
    let there = literal != parse_member_path(file) && file.symlink_metadata().is_ok();
    there.then_some(literal)
}

fn resolve_directories(file: &Path) -> Option<PathBuf> {
    let anchored = std::path::absolute(file).ok()?;
    let name = anchored.file_name()?;
    let directory = anchored.parent()?.canonicalize().ok()?;
    Some(directory.join(name))
}

/// The absolute path of the file on disk that `file` names, if it lies below one of `roots`.
pub(crate) fn below_root(roots: &[Root], file: &Path) -> Option<PathBuf> {
    let disk = on_disk(file);
    let typed = absolute(&disk).ok()?;
    let spellings = [Some(typed.clone()), resolve_directories(&disk)];
    let is_below = spellings.iter().flatten().any(|path| {
        let mut roots = roots.iter().map(|root| path_from_bytes(&root.path));
        roots.any(|root| path.starts_with(root))
    });
    is_below.then_some(typed)
}

/// The root among `roots` at the path `root_path`.
pub(crate) fn root_at<'a>(roots: &'a [Root], root_path: &Path) -> Result<&'a Root, Error> {
    let resolved = resolve_directories(root_path);
    for path in [Some(absolute(root_path)?), resolved].into_iter().flatten() {
        // Compared by components, so that a trailing slash makes no difference.
        let found = roots
            .iter()
            .find(|root| path_from_bytes(&root.path) == path);
        if let Some(root) = found {
            return Ok(root);
        }
    }
    Err(Error::NoSuchRoot {
        path: root_path.to_owned(),
        known: roots
            .iter()
            .map(|root| path_from_bytes(&root.path).to_owned())
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_taken_out_without_looking_at_the_disk() {
        let found = possible_paths(Path::new("/no/such/../dir/./a.txt")).expect("absolute");
        assert_eq!(found, [Path::new("/no/dir/a.txt")]);
        assert_eq!(
            absolute(Path::new("/../a")).expect("absolute"),
            Path::new("/a")
        );
    }

    #[test]
    fn the_name_of_a_member_keeps_its_dots_and_slashes() {
        for name in ["/share/a.zip!/../../etc/passwd", "/share/a.zip!//abs.txt"] {
            assert_eq!(shown(Path::new(name)).expect("absolute").as_os_str(), name);
        }
        let folder = shown(Path::new("/share/../share/b!!/c")).expect("absolute");
        assert_eq!(folder.as_os_str(), "/share/b!!/c");
    }

    #[test]
    fn a_linked_directory_gives_a_second_spelling_and_a_linked_file_none() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let base = dir.path().canonicalize().expect("real path");
        std::fs::create_dir(base.join("real")).expect("directory");
        std::os::unix::fs::symlink(base.join("real"), base.join("link")).expect("link");
        std::os::unix::fs::symlink(base.join("real"), base.join("real/self")).expect("link");
        assert_eq!(
            possible_paths(&base.join("link/self")).expect("absolute"),
            [base.join("link/self"), base.join("real/self")]
        );
    }

    #[test]
    fn members_and_folders_called_like_them_are_spelled_apart() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let base = dir.path().canonicalize().expect("real path");
        std::fs::create_dir(base.join("x.zip!")).expect("directory");
        std::fs::write(base.join("x.zip!/a"), b"").expect("file");
        // Typed as it lies on disk: the member first, for so it is listed; then the file.
        assert_eq!(
            possible_paths(&base.join("x.zip!/a")).expect("absolute"),
            [base.join("x.zip!/a"), base.join("x.zip!!/a")]
        );
        assert_eq!(
            possible_paths(&base.join("x.zip!!/a")).expect("absolute"),
            [base.join("x.zip!!/a")]
        );
        assert_eq!(on_disk(&base.join("x.zip!!/a")), base.join("x.zip!/a"));
        // The name of a member is no path of the file system.
        let odd = Path::new("/no/../s/x.zip!/../a//b/./");
        assert_eq!(
            possible_paths(odd).expect("absolute"),
            [Path::new("/s/x.zip!/../a//b/./")]
        );
        assert_eq!(
            shown(odd).expect("absolute"),
            Path::new("/s/x.zip!/../a//b/./")
        );
    }

    #[test]
    fn a_file_is_below_a_root_however_its_directories_are_spelled() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let base = dir.path().canonicalize().expect("real path");
        std::fs::create_dir(base.join("share")).expect("directory");
        std::os::unix::fs::symlink(base.join("share"), base.join("link")).expect("link");
        let roots = [Root {
            path: path_bytes(&base.join("share")),
            ..Root::default()
        }];
        for (file, is_below) in [
            ("share/a.txt", true),
            ("other/../share/a.txt", true),
            ("link/a.txt", true),
            ("shared/a.txt", false),
            ("a.txt", false),
        ] {
            let file = base.join(file);
            assert_eq!(below_root(&roots, &file).is_some(), is_below, "{file:?}");
        }
    }

    #[test]
    fn a_root_is_found_with_or_without_its_slash() {
        let roots = [Root {
            id: 7,
            path: b"/srv/share".to_vec(),
            ..Root::default()
        }];
        assert_eq!(
            root_at(&roots, Path::new("/srv/share/")).expect("known").id,
            7
        );
        let unknown = root_at(&roots, Path::new("/srv"));
        assert!(matches!(unknown, Err(Error::NoSuchRoot { known, .. }) if known.len() == 1));
    }
}
