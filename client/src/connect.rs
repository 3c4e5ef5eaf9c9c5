//! Reaches the daemon: which socket, and a channel over it with every limit set.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use tokio::net::UnixStream;
use tonic::transport::{Channel, Endpoint, Uri};
use tower::service_fn;

use crate::Error;

const SOCKET: &str = "simdex/simdexd.sock";
const SYSTEM_RUNTIME_DIR: &str = "/run";

/// Bounds on a client's waits and messages; tonic's own defaults are mostly unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest wait for the daemon to accept a connection.
    pub connect: Duration,
    /// Longest wait for a lookup.
    pub call: Duration,
    /// Longest wait for the next item of a list, and for a comparison.
    pub item: Duration,
    /// Longest wait for a request that lasts as long as its work, such as sync or report.
    pub work: Duration,
    /// Largest message received or sent, in bytes.
    pub message: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            call: Duration::from_secs(60),
            item: Duration::from_secs(600),
            work: Duration::from_secs(24 * 3600),
            message: 256 << 20,
        }
    }
}

/// The path at which the daemon is expected: `SIMDEX_SOCKET`, otherwise in the user's runtime directory
/// (`$XDG_RUNTIME_DIR/simdex`), otherwise in the system's (`/run/simdex`).
///
/// The system's socket is used only if the user's directory has none.
pub fn default_socket() -> PathBuf {
    choose_socket(|name| env::var_os(name), Path::exists)
}

fn choose_socket(
    variable: impl Fn(&str) -> Option<OsString>,
    exists: impl Fn(&Path) -> bool,
) -> PathBuf {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    if let Some(socket) = set("SIMDEX_SOCKET") {
        return socket.into();
    }
    let system = Path::new(SYSTEM_RUNTIME_DIR).join(SOCKET);
    let Some(user) = set("XDG_RUNTIME_DIR").map(|dir| Path::new(&dir).join(SOCKET)) else {
        return system;
    };
    if !exists(&user) && exists(&system) {
        return system;
    }
    user
}

/// Opens a channel to the daemon that listens on `socket`.
pub(crate) async fn open(socket: &Path, limits: &Limits) -> Result<Channel, Error> {
    let target = socket.to_owned();
    // The URI is never resolved: a Unix socket has no host, but HTTP/2 requires one.
    Endpoint::from_static("http://simdexd.invalid")
        .connect_timeout(limits.connect)
        .timeout(limits.work)
        .connect_with_connector(service_fn(move |_: Uri| {
            let target = target.clone();
            async move { UnixStream::connect(target).await.map(TokioIo::new) }
        }))
        .await
        .map_err(|failure| Error::NoDaemon {
            socket: socket.to_owned(),
            cause: root_cause(&failure),
            is_denied: io_error(&failure)
                .is_some_and(|io| io.kind() == io::ErrorKind::PermissionDenied),
        })
}

/// The operating system's error, if the chain of causes holds one.
fn io_error<'a>(failure: &'a (dyn std::error::Error + 'static)) -> Option<&'a io::Error> {
    let links = std::iter::successors(Some(failure), |link| link.source());
    let mut found = links.filter_map(|link| link.downcast_ref::<io::Error>());
    found.next()
}

/// The cause of a failure in words: the I/O error in its chain, otherwise the chain's last link.
fn root_cause(failure: &(dyn std::error::Error + 'static)) -> String {
    let links = std::iter::successors(Some(failure), |link| link.source());
    match io_error(failure) {
        Some(io) => crate::cause(io),
        None => links.last().map(ToString::to_string).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(variables: &[(&str, &str)], existing: &[&str]) -> PathBuf {
        choose_socket(
            |name| {
                let found = variables.iter().find(|(key, _)| *key == name)?;
                Some(found.1.into())
            },
            |path| existing.iter().any(|it| Path::new(it) == path),
        )
    }

    #[test]
    fn the_variable_comes_before_every_directory() {
        let variables = [("SIMDEX_SOCKET", "/s"), ("XDG_RUNTIME_DIR", "/run/user/7")];
        assert_eq!(chosen(&variables, &[]), Path::new("/s"));
    }

    #[test]
    fn the_users_directory_comes_before_the_systems() {
        let user = "/run/user/7/simdex/simdexd.sock";
        let system = "/run/simdex/simdexd.sock";
        let variables = [("XDG_RUNTIME_DIR", "/run/user/7"), ("SIMDEX_SOCKET", "")];
        assert_eq!(chosen(&variables, &[]), Path::new(user));
        assert_eq!(chosen(&variables, &[user, system]), Path::new(user));
        assert_eq!(chosen(&variables, &[system]), Path::new(system));
        assert_eq!(chosen(&[], &[]), Path::new(system));
    }

    #[tokio::test]
    async fn a_missing_socket_is_named_with_its_cause() {
        let failure = open(Path::new("/nowhere/simdexd.sock"), &Limits::default()).await;
        assert_eq!(
            failure.expect_err("nobody listens").to_string(),
            "cannot reach a daemon at /nowhere/simdexd.sock: no such file or directory"
        );
    }
}
