//! A daemon that is asked to stop while it starts exits cleanly, whenever it is asked.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

#[allow(dead_code, reason = "this file needs a part of it")]
mod daemon;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;

use daemon::{Daemon, program, prose};
use rustix::process::{Pid, Signal, kill_process};
use simdexd::commands::serve::Running;
use simdexd::host::Host;

#[test]
fn an_index_that_is_being_opened_is_closed_again_where_somebody_says_stop() {
    let files = [("a.txt", prose(1, 400)), ("b.txt", prose(1, 410))];
    let mut daemon = Daemon::start(&files);
    daemon.stop();
    let clean = daemon.dir.path().join("data/store/CLEAN");
    assert!(clean.exists());
    let mut host = Host::new(daemon.config.clone(), program()).unwrap();
    let stop = host.stop.clone();
    host.test_hook = Some(Arc::new(move |_| {
        stop.cancel();
        Ok(())
    }));
    let socket = daemon.config.socket.clone().unwrap();
    assert!(Running::on(host, &socket).is_err());
    assert!(clean.exists(), "the next start need not suspect a crash");
    daemon.start_again();
    daemon.wait(daemon.client.sync()).unwrap();
}

#[test]
fn no_signal_to_stop_kills_a_daemon_that_starts() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("share")).unwrap();
    for signal in [Signal::TERM, Signal::INT, Signal::QUIT] {
        let mut serve = Command::new(program());
        serve
            .arg("serve")
            .arg("--root")
            .arg(dir.path().join("share"));
        serve.arg("--data-dir").arg(dir.path().join("data"));
        serve.arg("--socket").arg(dir.path().join("socket"));
        serve
            .env("SIMDEX_LOG", "info,simdexd=debug")
            .stderr(Stdio::piped());
        let mut child = serve.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        // Said before anything else is done: it may be anywhere in its start when it is told.
        assert!(lines.any(|line| line.unwrap().contains("starts")));
        kill_process(Pid::from_child(&child), signal).unwrap();
        let rest: Vec<_> = lines.map(Result::unwrap).collect();
        let status = child.wait().unwrap();
        assert!(status.success(), "{status}: {rest:#?}");
    }
}
