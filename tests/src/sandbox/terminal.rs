//! A program on a terminal of its own: what a person reads and types there.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;
use std::thread;

use anyhow::{Context, Result, anyhow};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};

use super::run::{Answer, Run, ended};

impl Run {
    /// Runs it to its end with standard input and error on a terminal, on which this was typed beforehand; what the
    /// terminal shows, the typing included, is what the program said.
    pub fn on_terminal(self, typed: &str) -> Result<Answer> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let ours = openpt(flags).context("no terminal can be made")?;
        unlockpt(&ours)?;
        let theirs = ioctl_tiocgptpeer(&ours, flags)?;
        let mut ours = File::from(ours);
        ours.write_all(typed.as_bytes())?;
        let mut command = self.command;
        let name = format!("{command:?}");
        command
            .stdin(theirs.try_clone()?)
            .stderr(theirs)
            .stdout(Stdio::piped());
        let child = command.spawn().with_context(|| name.clone())?;
        // The program alone holds the other end now: where it ends, so does what can be read here.
        drop(command);
        let shown = thread::spawn(move || {
            let mut shown = Vec::new();
            // Not an end of file but an error is how it ends.
            let _ = ours.read_to_end(&mut shown);
            shown
        });
        let output = ended(child, &name)?;
        let shown = shown.join().map_err(|_| anyhow!("nobody reads"))?;
        Ok(Answer {
            command: name,
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&shown).into_owned(),
        })
    }
}
