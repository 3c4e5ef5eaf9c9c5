//! One run of an outside program: started confined, read up to a bound, killed at its deadline.

use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, Signal};

use super::OutsideLimits;
use crate::process::WorkerCommand;

/// What a program printed.
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
    /// It would have printed more.
    pub(super) cut: bool,
}

/// `None` where the program could not be started, failed, or was not through at its deadline.
pub(super) fn run(
    shim: &WorkerCommand,
    limits: &OutsideLimits,
    program: &Path,
    arguments: &[String],
    input: OwnedFd,
    deadline: Instant,
) -> Option<Output> {
    let mut child = Command::new(&shim.program)
        .args(&shim.args)
        .arg(limits.address_space.to_string())
        .arg(limits.time.as_secs().max(1).to_string())
        .arg(program)
        .args(arguments)
        .env_clear()
        // One thread each: the pool counts processes.
        .env("OMP_THREAD_LIMIT", "1")
        .current_dir("/")
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()?;
    let output = read(&mut child, limits.output_bytes, deadline);
    let cut = output.as_ref().is_some_and(|output| output.cut);
    if output.is_none() || cut {
        kill(&child);
    }
    let ended = child.wait().is_ok_and(|status| status.success());
    output.filter(|_| ended || cut)
}

fn read(child: &mut Child, limit: u64, deadline: Instant) -> Option<Output> {
    let stdout = child.stdout.take()?;
    let (send, receive) = sync_channel(1);
    // Ends with the pipe, which ends with the process group.
    let reader = thread::Builder::new().name("outside-reader".into());
    reader
        .spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.take(limit + 1).read_to_end(&mut bytes);
            // Nobody listens after the deadline.
            let _ = send.send(read.map(|_| bytes));
        })
        .ok()?;
    let left = deadline.saturating_duration_since(Instant::now());
    match receive.recv_timeout(left) {
        Ok(Ok(mut bytes)) => {
            let cut = bytes.len() as u64 > limit;
            bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            Some(Output { bytes, cut })
        }
        Ok(Err(_)) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
    }
}

/// Kills the process group; it is not reaped before `wait`.
fn kill(child: &Child) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        let _ = rustix::process::kill_process_group(pid, Signal::KILL);
    }
}
