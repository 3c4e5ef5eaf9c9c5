//! Where the daemon keeps its index and listens if neither is specified.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::config::Config;

/// Both places, absolute.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ServePlaces {
    pub(super) data_dir: PathBuf,
    pub(super) socket: PathBuf,
}

/// The places named by the config; otherwise those of the service manager, the user, or the system.
pub(super) fn find(config: &Config) -> anyhow::Result<ServePlaces> {
    let variable = |name: &str| std::env::var_os(name);
    let is_root = rustix::process::geteuid().is_root();
    let data_dir = config
        .data_dir
        .clone()
        .or_else(|| data_dir(&variable, is_root));
    let Some(data_dir) = data_dir else {
        anyhow::bail!(
            "there is no place for the index (HOME is not set); name one with --data-dir"
        );
    };
    if let (None, Some(parent)) = (&config.data_dir, data_dir.parent()) {
        // A new home directory lacks the parents of the usual place; for a path that somebody
        // specified, none are created.
        let mut directories = DirBuilder::new();
        directories.recursive(true).mode(0o700).create(parent)?;
    }
    let socket = config.socket.clone().unwrap_or_else(|| socket(&variable));
    Ok(ServePlaces {
        data_dir: std::path::absolute(data_dir)?,
        socket: std::path::absolute(socket)?,
    })
}

type Variable<'a> = &'a dyn Fn(&str) -> Option<OsString>;

fn directory(variable: Variable<'_>, name: &str) -> Option<PathBuf> {
    // systemd separates several directories by colons; the first is ours.
    let value = variable(name)?.into_string().ok()?;
    let first = value
        .split(':')
        .next()
        .filter(|first| first.starts_with('/'))?;
    Some(PathBuf::from(first))
}

fn data_dir(variable: Variable<'_>, is_root: bool) -> Option<PathBuf> {
    let user = || {
        let state = directory(variable, "XDG_STATE_HOME");
        let home = || Some(directory(variable, "HOME")?.join(".local/state"));
        Some(state.or_else(home)?.join("simdex"))
    };
    let system = || is_root.then(|| PathBuf::from("/var/lib/simdex"));
    directory(variable, "STATE_DIRECTORY")
        .or_else(system)
        .or_else(user)
}

fn socket(variable: Variable<'_>) -> PathBuf {
    const NAME: &str = "simdexd.sock";
    if let Some(user) = directory(variable, "XDG_RUNTIME_DIR") {
        return user.join("simdex").join(NAME);
    }
    let service = directory(variable, "RUNTIME_DIRECTORY");
    service
        .unwrap_or_else(|| Path::new("/run/simdex").to_owned())
        .join(NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from<'a>(variables: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        |name| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.into())
        }
    }

    fn data(variables: &[(&str, &str)], is_root: bool) -> Option<PathBuf> {
        data_dir(&from(variables), is_root)
    }

    #[test]
    fn the_service_managers_directory_comes_before_all_others() {
        let variables = [("STATE_DIRECTORY", "/var/lib/a:/var/lib/b"), ("HOME", "/h")];
        assert_eq!(data(&variables, true), Some("/var/lib/a".into()));
    }

    #[test]
    fn root_keeps_the_systems_place_and_others_their_own() {
        let variables = [("XDG_STATE_HOME", "/h/state"), ("HOME", "/h")];
        assert_eq!(data(&variables, true), Some("/var/lib/simdex".into()));
        assert_eq!(data(&variables, false), Some("/h/state/simdex".into()));
        assert_eq!(
            data(&variables[1..], false),
            Some("/h/.local/state/simdex".into())
        );
        assert_eq!(data(&[("HOME", "relative")], false), None);
    }

    #[test]
    fn the_socket_lies_where_simctl_looks_for_it() {
        let runtime = [
            ("XDG_RUNTIME_DIR", "/run/user/7"),
            ("RUNTIME_DIRECTORY", "/run/simdex"),
        ];
        let user = Path::new("/run/user/7/simdex/simdexd.sock");
        assert_eq!(socket(&from(&runtime)), user);
        let system = Path::new("/run/simdex/simdexd.sock");
        assert_eq!(socket(&from(&runtime[1..])), system);
        assert_eq!(socket(&from(&[])), system);
    }
}
