//! Converts an absolute path to the path below a root, by which files are recorded.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The part of a path below a root, in its recorded form; `None` for the root itself and for paths outside it.
pub(super) fn below(root: &Path, path: &Path) -> Option<Vec<u8>> {
    let rest = match plain_rest(root.as_os_str().as_bytes(), path.as_os_str().as_bytes()) {
        Some(rest) => rest,
        None => path.strip_prefix(root).ok()?.as_os_str().as_bytes(),
    };
    (!rest.is_empty()).then(|| rest.to_vec())
}

/// The rest of a path after the root, if it is spelled as a walk spells it, without splitting both into components;
/// `None` if it may be spelled differently.
fn plain_rest<'a>(root: &[u8], path: &'a [u8]) -> Option<&'a [u8]> {
    let rest = path.strip_prefix(root)?.strip_prefix(b"/")?;
    let is_odd = |two: &[u8]| two[0] == b'/' && matches!(two[1], b'/' | b'.');
    let is_plain = !matches!(rest.first(), None | Some(b'/' | b'.'))
        && rest.last() != Some(&b'/')
        && !rest.windows(2).any(is_odd);
    is_plain.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However a path is spelled, its key is derived from its components.
    #[test]
    fn a_path_has_the_key_that_its_components_have() {
        for root in ["/", "/srv", "/srv/share"] {
            for path in [
                "/srv/share/a",
                "/srv/share",
                "/srv/share/",
                "/srv/sharea",
                "/srv/share//a",
                "/srv/share/./a",
                "/srv/share/.a",
                "/srv/share/a/.b",
                "/srv/share/a/",
                "/srv/share/a//b",
                "/srv/share/a/./b",
                "/srv/share/a b/ü",
                "/elsewhere",
                "/",
            ] {
                let (root, path) = (Path::new(root), Path::new(path));
                let rest = path.strip_prefix(root).ok();
                let rest = rest.map(|rest| rest.as_os_str().as_bytes().to_vec());
                let expected = rest.filter(|rest| !rest.is_empty());
                assert_eq!(
                    below(root, path),
                    expected,
                    "{} in {}",
                    path.display(),
                    root.display()
                );
            }
        }
    }
}
