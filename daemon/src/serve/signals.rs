//! Which signals stop the daemon, and which must not.
//!
//! SIGTERM, SIGINT, SIGHUP and SIGQUIT stop it as systemd does: nothing is read again at SIGHUP, as
//! the config is read at the start only, and a terminal that goes away ends the daemon cleanly. A
//! SIGHUP that was ignored when the daemon was started (`nohup`) stays ignored. Signals that would
//! kill it uncleanly and mean nothing here are logged: SIGUSR1, SIGUSR2, SIGALRM, and SIGXFSZ, with
//! which the kernel reports a write beyond a limit that the write reports as well. SIGPIPE is ignored
//! by the runtime of Rust.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// `SIGXFSZ` of Linux, the same on every machine simdexd runs on.
const XFSZ: i32 = 25;
/// Bit of SIGHUP in the masks of `/proc/self/status`.
const HANGUP: u64 = 1;

/// Waits for a signal to stop; returns its name.
pub(super) async fn to_stop() -> io::Result<&'static str> {
    let (mut terminate, mut interrupt, mut quit) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
        signal(SignalKind::quit())?,
    );
    let mut hangup = Hangup::listen()?;
    let mut meant_for_others = [
        ("SIGUSR1", signal(SignalKind::user_defined1())?),
        ("SIGUSR2", signal(SignalKind::user_defined2())?),
        ("SIGALRM", signal(SignalKind::alarm())?),
        ("SIGXFSZ", signal(SignalKind::from_raw(XFSZ))?),
    ];
    loop {
        return Ok(tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
            _ = quit.recv() => "SIGQUIT",
            () = hangup.recv() => "SIGHUP",
            name = any(&mut meant_for_others) => {
                tracing::warn!(signal = name, "a signal that means nothing to simdexd is ignored");
                continue;
            }
        });
    }
}

/// The first of these that comes.
async fn any(signals: &mut [(&'static str, Signal); 4]) -> &'static str {
    let [(a, first), (b, second), (c, third), (d, fourth)] = signals;
    tokio::select! {
        _ = first.recv() => a,
        _ = second.recv() => b,
        _ = third.recv() => c,
        _ = fourth.recv() => d,
    }
}

/// SIGHUP, unless whoever started the daemon had it ignored.
struct Hangup(Option<Signal>);

impl Hangup {
    fn listen() -> io::Result<Self> {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        if is_ignored(&status) {
            return Ok(Self(None));
        }
        Ok(Self(Some(signal(SignalKind::hangup())?)))
    }

    async fn recv(&mut self) {
        match &mut self.0 {
            Some(signal) => {
                signal.recv().await;
            }
            None => std::future::pending().await,
        }
    }
}

/// Whether SIGHUP is ignored, by the text of `/proc/self/status`.
fn is_ignored(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & HANGUP != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ignored_hangup_is_told_from_other_signals() {
        assert!(is_ignored(
            "Name:\tx\nSigIgn:\t0000000000001001\nSigCgt:\t0\n"
        ));
        assert!(!is_ignored("SigIgn:\t0000000000001000\nSigCgt:\t1\n"));
        assert!(!is_ignored(""));
    }
}
