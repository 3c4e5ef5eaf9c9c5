//! Which signals stop the daemon, and which must not.
//!
//! SIGTERM, SIGINT, SIGHUP and SIGQUIT stop the daemon as systemd does: SIGHUP reloads nothing, as the config is read
//! only at the start, and a terminal that goes away ends the daemon cleanly. A SIGHUP that was ignored when the daemon
//! was started (`nohup`) stays ignored. Signals that would kill it uncleanly and have no meaning here are logged:
//! SIGUSR1, SIGUSR2, SIGALRM, and SIGXFSZ, with which the kernel reports a write beyond a limit that the write itself
//! reports too. Rust's runtime ignores SIGPIPE.

use std::io;

use simdex_index::Cancel;
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// `SIGXFSZ` of Linux, the same on every machine simdexd runs on.
const XFSZ: i32 = 25;
/// Bit of SIGHUP in the masks of `/proc/self/status`.
const HANGUP: u64 = 1;

/// The signals to stop; from the moment this is made none of them kills the process.
pub(super) struct Signals {
    names: mpsc::Receiver<&'static str>,
}

impl Signals {
    /// Listens on a runtime; `stop` is cancelled by the first signal to stop.
    pub(super) fn listen(runtime: &Runtime, stop: Cancel) -> io::Result<Self> {
        let _inside = runtime.enter();
        let mut listener = Listener::new()?;
        // The first signal stops the daemon, the second makes it impatient; further ones change nothing.
        let (teller, names) = mpsc::channel(2);
        runtime.spawn(async move {
            loop {
                let name = listener.next_to_stop().await;
                stop.cancel();
                let _ = teller.try_send(name);
            }
        });
        Ok(Self { names })
    }

    /// Waits for the next signal to stop; returns its name, or `None` if nobody listens any more.
    pub(super) async fn next(&mut self) -> Option<&'static str> {
        self.names.recv().await
    }
}

struct Listener {
    terminate: Signal,
    interrupt: Signal,
    quit: Signal,
    hangup: Hangup,
    meant_for_others: [(&'static str, Signal); 4],
}

impl Listener {
    fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            hangup: Hangup::listen()?,
            meant_for_others: [
                ("SIGUSR1", signal(SignalKind::user_defined1())?),
                ("SIGUSR2", signal(SignalKind::user_defined2())?),
                ("SIGALRM", signal(SignalKind::alarm())?),
                ("SIGXFSZ", signal(SignalKind::from_raw(XFSZ))?),
            ],
        })
    }

    async fn next_to_stop(&mut self) -> &'static str {
        loop {
            return tokio::select! {
                _ = self.terminate.recv() => "SIGTERM",
                _ = self.interrupt.recv() => "SIGINT",
                _ = self.quit.recv() => "SIGQUIT",
                () = self.hangup.recv() => "SIGHUP",
                name = any(&mut self.meant_for_others) => {
                    tracing::warn!(
                        signal = name,
                        "ignoring an unexpected signal"
                    );
                    continue;
                }
            };
        }
    }
}

/// The first of these signals to arrive.
async fn any(signals: &mut [(&'static str, Signal); 4]) -> &'static str {
    let [(a, first), (b, second), (c, third), (d, fourth)] = signals;
    tokio::select! {
        _ = first.recv() => a,
        _ = second.recv() => b,
        _ = third.recv() => c,
        _ = fourth.recv() => d,
    }
}

/// SIGHUP, unless it was ignored when the daemon was started.
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

/// Whether SIGHUP is ignored, according to the text of `/proc/self/status`.
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
