//! The Unix socket: created privately, made visible complete, removed by its owner only.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The socket cannot be had.
#[derive(Debug, Error)]
pub(super) enum SocketError {
    /// A process answers at the path.
    #[error(
        "another daemon answers at {}; stop it, or name another socket with --socket, which comes before $SIMDEX_SOCKET, \
         and that before the config",
        .0.display()
    )]
    Answered(PathBuf),
    /// Something else is at the path.
    #[error("{} is not a socket; move it away, or name another with --socket", .0.display())]
    Taken(PathBuf),
    /// The operating system refuses.
    #[error("the socket {} cannot be created ({source}); name another with --socket", path.display())]
    Refused {
        /// Path of the socket.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// A listening socket; dropping it removes its name.
#[derive(Debug)]
pub(super) struct Socket {
    path: PathBuf,
    listener: UnixListener,
    /// Device and inode: another daemon may have put its own in this place.
    identity: (u64, u64),
}

impl Socket {
    /// Listens at `path` with these permissions. A stale socket there is replaced, so call this
    /// only while holding the data directory.
    pub(super) fn bind(path: &Path, mode: u32) -> Result<Self, SocketError> {
        let refused = |source| SocketError::Refused {
            path: path.to_owned(),
            source,
        };
        let parent = path.parent().unwrap_or(Path::new("/"));
        let is_new = !parent.exists();
        let made = fs::DirBuilder::new()
            .recursive(true)
            .mode(0o750)
            .create(parent);
        made.map_err(refused)?;
        if is_new {
            // Whatever the umask is: the socket's group must be able to reach it.
            fs::set_permissions(parent, Permissions::from_mode(0o750)).map_err(refused)?;
        }
        check_free(path)?;
        // Nobody else can reach the socket before its permissions are right.
        let private = tempfile::Builder::new()
            .prefix(".")
            .tempdir_in(parent)
            .map_err(refused)?;
        let hidden = private.path().join("s");
        let listener = UnixListener::bind(&hidden).map_err(refused)?;
        fs::set_permissions(&hidden, Permissions::from_mode(mode)).map_err(refused)?;
        fs::rename(&hidden, path).map_err(refused)?;
        let identity = identity(path).map_err(refused)?;
        Ok(Self {
            path: path.to_owned(),
            listener,
            identity,
        })
    }

    /// Path of the socket.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A handle to listen with; call it within a tokio runtime.
    pub(super) fn listener(&self) -> io::Result<tokio::net::UnixListener> {
        let listener = self.listener.try_clone()?;
        listener.set_nonblocking(true)?;
        tokio::net::UnixListener::from_std(listener)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|found| found == self.identity) {
            // If it cannot be removed, the next start replaces it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Succeeds if there is nothing, or a socket at which nobody answers.
fn check_free(path: &Path) -> Result<(), SocketError> {
    let refused = |source| SocketError::Refused {
        path: path.to_owned(),
        source,
    };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(refused(error)),
        Ok(found) if !found.file_type().is_socket() => {
            return Err(SocketError::Taken(path.to_owned()));
        }
        Ok(_) => {}
    }
    match UnixStream::connect(path) {
        Ok(_) => Err(SocketError::Answered(path.to_owned())),
        Err(error) => match error.kind() {
            io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => Ok(()),
            // A full backlog belongs to a live process.
            io::ErrorKind::WouldBlock => Err(SocketError::Answered(path.to_owned())),
            _ => Err(refused(error)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_has_its_permissions_and_goes_with_its_owner() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run/simdexd.sock");
        let socket = Socket::bind(&path, 0o660).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&path), mode(path.parent().unwrap()) & 0o007),
            (0o660, 0)
        );
        assert!(UnixStream::connect(&path).is_ok());
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        drop(socket);
        assert!(!path.exists());
    }

    #[test]
    fn a_stale_socket_is_replaced_and_a_living_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        drop(UnixListener::bind(&path).unwrap());
        let first = Socket::bind(&path, 0o600).unwrap();
        let second = Socket::bind(&path, 0o600).unwrap_err();
        assert!(matches!(second, SocketError::Answered(_)), "{second}");
        assert!(UnixStream::connect(&path).is_ok());
        drop(first);
    }

    #[test]
    fn what_is_no_socket_or_no_longer_ours_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        fs::write(&path, "a file").unwrap();
        assert!(matches!(
            Socket::bind(&path, 0o600),
            Err(SocketError::Taken(_))
        ));
        fs::remove_file(&path).unwrap();
        let socket = Socket::bind(&path, 0o600).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "of another").unwrap();
        drop(socket);
        assert!(path.exists());
    }
}
