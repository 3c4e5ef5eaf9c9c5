//! What systemd is notified of: readiness, the end, and signs of life (sd_notify(3)).

use std::convert::Infallible;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The daemon answers.
pub(super) fn ready() {
    tell("READY=1");
}

/// The daemon drains.
pub(super) fn stopping() {
    tell("STOPPING=1");
}

/// Pings the watchdog at twice the rate it asks for; without a watchdog, waits for ever.
pub(super) async fn keep_watchdog() -> Infallible {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let ours = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
    let Some(limit) = number("WATCHDOG_USEC").filter(|limit| ours && *limit > 1) else {
        return std::future::pending().await;
    };
    let mut beat = tokio::time::interval(Duration::from_micros(limit / 2));
    loop {
        beat.tick().await;
        tell("WATCHDOG=1");
    }
}

fn tell(state: &str) {
    let Some(socket) = std::env::var_os("NOTIFY_SOCKET") else {
        return;
    };
    if let Err(error) = send(socket.as_bytes(), state) {
        tracing::warn!(%error, "the service manager cannot be notified");
    }
}

/// A name that begins with `@` is in the abstract namespace.
fn send(socket: &[u8], state: &str) -> io::Result<()> {
    let address = match socket.strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(std::ffi::OsStr::from_bytes(socket))?,
    };
    let sender = UnixDatagram::unbound()?;
    // Never wait for a service manager that does not read.
    sender.set_nonblocking(true)?;
    sender.send_to_addr(state.as_bytes(), &address).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(listener: &UnixDatagram) -> Vec<u8> {
        let mut buffer = [0; 64];
        let length = listener.recv(&mut buffer).unwrap();
        buffer[..length].to_vec()
    }

    #[test]
    fn the_service_manager_hears_of_a_state_by_path_and_by_abstract_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notify");
        let by_path = UnixDatagram::bind(&path).unwrap();
        send(path.as_os_str().as_bytes(), "READY=1").unwrap();
        assert_eq!(heard(&by_path), b"READY=1");

        let name = format!("simdex-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let by_name = UnixDatagram::bind_addr(&address).unwrap();
        send(format!("@{name}").as_bytes(), "STOPPING=1").unwrap();
        assert_eq!(heard(&by_name), b"STOPPING=1");
    }

    #[test]
    fn a_service_manager_that_is_gone_is_an_error_and_no_more() {
        assert!(send(b"/nowhere/notify", "READY=1").is_err());
    }
}
