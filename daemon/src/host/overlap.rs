//! Places that must not be nested: roots and data directory, compared by the inodes of their paths
//! and of all directories above, so that symlinks and bind mounts do not hide an overlap.
//!
//! A bind mount of a directory inside a root cannot be told from its path; its files are then listed under both roots.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::base::symlinks::first_symlink;
use crate::config::Config;
use crate::error::OverlapError;

/// Device and inode of a path that exists, and of every directory above it.
struct Chain(Vec<(u64, u64)>);

impl Chain {
    /// The chain of the deepest existing part of a path, symlinks resolved.
    fn of(path: &Path) -> Self {
        let real = path.ancestors().find_map(|at| fs::canonicalize(at).ok());
        let real = real.unwrap_or_default();
        let above = real.ancestors().filter_map(|at| id_of(at).ok());
        Self(above.collect())
    }

    fn lies_within(&self, place: (u64, u64)) -> bool {
        self.0.contains(&place)
    }
}

fn id_of(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Refuses a config whose roots and data directory overlap. Paths that do not exist yet, or cannot be
/// accessed, are not compared.
pub fn check(config: &Config) -> Result<(), OverlapError> {
    let roots: Vec<&PathBuf> = config.roots.iter().map(|root| &root.path).collect();
    for (at, other) in roots.iter().enumerate() {
        for one in &roots[..at] {
            check_roots(one, other)?;
        }
    }
    // Without a data directory the index is kept in the directory for temporary files.
    let data_dir = config.data_dir.clone();
    let writes_to = data_dir.clone().unwrap_or_else(std::env::temp_dir);
    let data = Chain::of(&writes_to);
    for root in roots {
        if id_of(root).is_ok_and(|root| data.lies_within(root)) {
            let (data_dir, root) = (writes_to, root.clone());
            return Err(OverlapError::DataWithinRoot { data_dir, root });
        }
        let place = data_dir
            .as_ref()
            .filter(|dir| id_of(dir).is_ok_and(|dir| Chain::of(root).lies_within(dir)));
        if let Some(data_dir) = place {
            let (root, data_dir) = (root.clone(), data_dir.clone());
            return Err(OverlapError::RootWithinData { root, data_dir });
        }
    }
    Ok(())
}

fn check_roots(one: &Path, other: &Path) -> Result<(), OverlapError> {
    let (Ok(a), Ok(b)) = (id_of(one), id_of(other)) else {
        return Ok(());
    };
    let within = |inner: &Path, outer: &Path| OverlapError::RootWithinRoot {
        inner: inner.to_owned(),
        outer: outer.to_owned(),
    };
    if a == b {
        Err(OverlapError::SameRoot {
            one: one.to_owned(),
            other: other.to_owned(),
        })
    } else if Chain::of(other).lies_within(a) {
        Err(within(other, one))
    } else if Chain::of(one).lies_within(b) {
        Err(within(one, other))
    } else {
        Ok(())
    }
}

/// Refuses a config that is being written, like [`check`], and also refuses a root that leads through a symlink. A
/// running daemon continues without such a root, which is then stale: otherwise anybody who may write above one
/// root could stop all others with a symlink.
pub fn check_strictly(config: &Config) -> Result<(), OverlapError> {
    for root in &config.roots {
        let Some(link) = first_symlink(&root.path) else {
            continue;
        };
        let target = fs::canonicalize(&root.path);
        return Err(OverlapError::Symlink {
            root: root.path.clone(),
            target: target.or_else(|_| fs::read_link(&link)).unwrap_or_default(),
            link,
        });
    }
    check(config)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::config::{RootConfig, RootMode};

    /// `a/inner`, `b` and `data` in a directory of their own.
    fn places() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for name in ["a/inner", "b", "data"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        (dir, top)
    }

    fn checked(top: &Path, roots: &[&str], data_dir: &str) -> Result<(), String> {
        let root = |name: &&str| RootConfig {
            path: top.join(name),
            mode: RootMode::Auto,
        };
        let config = Config {
            roots: roots.iter().map(root).collect(),
            data_dir: Some(top.join(data_dir)),
            ..Config::default()
        };
        check(&config).map_err(|error| error.to_string())
    }

    #[test]
    fn a_data_directory_within_a_root_is_refused_before_it_is_made() {
        let (_dir, top) = places();
        assert_eq!(checked(&top, &["a", "b"], "data"), Ok(()));
        for data_dir in ["a", "a/new/deep"] {
            let refused = checked(&top, &["a", "b"], data_dir).unwrap_err();
            assert!(refused.contains("lies within the root") && refused.contains("--data-dir"));
        }
        symlink(top.join("a/inner"), top.join("link")).unwrap();
        assert!(checked(&top, &["a"], "link/new").is_err());
        assert!(!top.join("a/new").exists());
    }

    #[test]
    fn so_is_a_root_within_the_data_directory() {
        let (_dir, top) = places();
        let refused = checked(&top, &["a/inner"], "a").unwrap_err();
        assert!(
            refused.contains("lies within the data directory"),
            "{refused}"
        );
    }

    #[test]
    fn a_root_named_twice_through_a_symlink_is_refused_and_both_names_are_said() {
        let (_dir, top) = places();
        symlink(top.join("a"), top.join("link")).unwrap();
        let refused = checked(&top, &["a", "link"], "data").unwrap_err();
        assert!(
            refused.contains("/a and") && refused.contains("/link"),
            "{refused}"
        );
        let refused = checked(&top, &["link/inner", "a"], "data").unwrap_err();
        assert!(refused.contains("lies within the root"), "{refused}");
    }

    #[test]
    fn a_config_with_a_symlinked_root_is_told_the_directory_itself() {
        let (_dir, top) = places();
        symlink(top.join("a"), top.join("link")).unwrap();
        let config = Config {
            roots: vec![RootConfig {
                path: top.join("link/inner"),
                mode: RootMode::Auto,
            }],
            ..Config::default()
        };
        let refused = check_strictly(&config).unwrap_err().to_string();
        assert!(
            refused.contains("a/inner") && refused.contains("/link;"),
            "{refused}"
        );
        assert!(
            check(&config).is_ok(),
            "a running daemon goes on without it"
        );
    }
}
