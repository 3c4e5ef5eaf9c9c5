//! One run of an outside program: started confined, read up to a bound, killed at its deadline.

use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Instant;

use super::OutsideLimits;
use crate::process::{WorkerCommand, group_of, kill_group};

/// What a program printed.
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
    /// It would have printed more.
    pub(super) cut: bool,
}

/// `None` where the program failed, or was not through at its deadline; an error where the machine
/// did not let it run, or it was killed from outside.
pub(super) fn run(
    shim: &WorkerCommand,
    limits: &OutsideLimits,
    program: &Path,
    arguments: &[String],
    input: OwnedFd,
    deadline: Instant,
) -> io::Result<Option<Output>> {
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
        .spawn()?;
    let read = read(&mut child, limits.output_bytes, deadline);
    let cut = matches!(&read, Ok(Some(output)) if output.cut);
    let by_us = cut || !matches!(read, Ok(Some(_)));
    if by_us {
        group_of(&child).into_iter().for_each(kill_group);
    }
    let status = child.wait()?;
    let output = read?;
    match status.signal() {
        Some(libc::SIGKILL | libc::SIGTERM) if !by_us => Err(io::ErrorKind::Interrupted.into()),
        _ => Ok(output.filter(|_| status.success() || cut)),
    }
}

fn read(child: &mut Child, limit: u64, deadline: Instant) -> io::Result<Option<Output>> {
    let Some(stdout) = child.stdout.take() else {
        return Ok(None);
    };
    let (send, receive) = sync_channel(1);
    // Ends with the pipe, which ends with the process group.
    let reader = thread::Builder::new().name("outside-reader".into());
    reader.spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(limit + 1).read_to_end(&mut bytes);
        // Nobody listens after the deadline.
        let _ = send.send(read.map(|_| bytes));
    })?;
    let left = deadline.saturating_duration_since(Instant::now());
    match receive.recv_timeout(left) {
        Ok(Ok(mut bytes)) => {
            let cut = bytes.len() as u64 > limit;
            bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            Ok(Some(Output { bytes, cut }))
        }
        Ok(Err(error)) => Err(error),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("its reader panicked")),
    }
}
