//! Clients that take more than their share: silent connections, endless uploads, lists
//! that nobody reads, floods of queries.

use std::ffi::OsStr;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::Result;

use crate::sandbox::{Daemon, simctl};

/// Most clients at a time; more would be an attack on the machine.
const MOST: usize = 60;
const MOST_CONNECTIONS: usize = 300;

/// All that are there now; gone when dropped.
#[derive(Default)]
pub(super) struct Greedy {
    connections: Vec<UnixStream>,
    clients: Vec<Child>,
}

impl Greedy {
    /// Connections that say nothing.
    pub(super) fn connect(&mut self, daemon: &Daemon, count: u64) {
        for _ in 0..count {
            if self.connections.len() < MOST_CONNECTIONS {
                // Refused, or no descriptor here: one fewer.
                self.connections
                    .extend(UnixStream::connect(daemon.socket()).ok());
            }
        }
    }

    /// Uploads that do not end: their standard input is held open.
    pub(super) fn upload(&mut self, daemon: &Daemon, count: u64) -> Result<()> {
        (0..count).try_for_each(|_| self.spawn(daemon, ["find-similar", "-"], Stdio::piped()))
    }

    /// Lists whose output nobody reads.
    pub(super) fn list(&mut self, daemon: &Daemon, count: u64) -> Result<()> {
        (0..count).try_for_each(|_| self.spawn(daemon, ["files"], Stdio::null()))
    }

    /// Questions all at once.
    pub(super) fn flood(&mut self, daemon: &Daemon, file: &Path, count: u64) -> Result<()> {
        let questions: [&[&OsStr]; 4] = [
            &["find-similar".as_ref(), file.as_os_str()],
            &["compare".as_ref(), file.as_os_str(), file.as_os_str()],
            &["pairs".as_ref()],
            &["groups".as_ref()],
        ];
        let all = questions.iter().cycle().take(count as usize);
        for question in all {
            self.spawn(daemon, question.iter().copied(), Stdio::null())?;
        }
        Ok(())
    }

    /// A question whose answer nobody waits for.
    pub(super) fn ask(&mut self, daemon: &Daemon, question: &[&str]) -> Result<()> {
        self.spawn(daemon, question.iter().copied(), Stdio::null())
    }

    /// Some go without a word.
    pub(super) fn leave(&mut self) {
        let half = self.clients.len() / 2;
        self.clients.drain(..half).for_each(end);
        self.connections.truncate(self.connections.len() / 2);
    }

    fn spawn<A: AsRef<OsStr>>(
        &mut self,
        daemon: &Daemon,
        args: impl IntoIterator<Item = A>,
        stdin: Stdio,
    ) -> Result<()> {
        if self.clients.len() >= MOST {
            self.leave();
        }
        let client = Command::new(simctl()?)
            .args(["--json", "--socket"])
            .arg(daemon.socket())
            .args(args)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        self.clients.push(client);
        Ok(())
    }
}

impl Drop for Greedy {
    fn drop(&mut self) {
        self.clients.drain(..).for_each(end);
    }
}

fn end(mut client: Child) {
    // It may have ended already.
    let _ = client.kill();
    let _ = client.wait();
}
