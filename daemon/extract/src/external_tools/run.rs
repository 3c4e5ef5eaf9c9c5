//! One run of an external tool: started confined, read up to a bound, killed at its deadline.

use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::ExternalToolLimits;
use crate::process::{WorkerCommand, group_of, kill_group};

/// The output of a program.
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
    /// Whether it would have printed more.
    pub(super) cut: bool,
}

/// How often to check whether somebody still waits.
const SLICE: Duration = Duration::from_millis(250);
/// First and longest pause while a program that has printed everything is still ending.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// How long a program may run.
#[derive(Clone, Copy)]
pub(super) struct RunLimit<'a> {
    pub(super) deadline: Instant,
    /// Returns false once nobody waits for its output.
    pub(super) keep_going: &'a dyn Fn() -> bool,
}

impl RunLimit<'_> {
    /// How long to wait before the next check; `None` at the deadline, an error if nobody waits.
    pub(super) fn slice(&self) -> io::Result<Option<Duration>> {
        if !(self.keep_going)() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        Ok((!left.is_zero()).then(|| left.min(SLICE)))
    }
}

/// `None` if the program failed, or had not finished at its deadline; an error if the machine did not let it run, it
/// was killed from outside, or nobody waits for it any more.
pub(super) fn run(
    shim: &WorkerCommand,
    limits: &ExternalToolLimits,
    program: &Path,
    arguments: &[String],
    input: OwnedFd,
    until: RunLimit<'_>,
) -> io::Result<Option<Output>> {
    let mut child = start(shim, limits, program, arguments, input)?;
    let read = read(&mut child, limits.output_bytes, until);
    // One that closes its output and continues has not finished.
    let ended = match &read {
        Ok(Some(output)) if !output.cut => end_of(&mut child, until),
        _ => Ok(None),
    };
    let by_us = !matches!(ended, Ok(Some(_)));
    if by_us {
        group_of(&child).into_iter().for_each(kill_group);
    }
    let status = child.wait()?;
    let output = ended.and(read)?;
    match status.signal() {
        Some(libc::SIGKILL | libc::SIGTERM) if !by_us => Err(io::ErrorKind::Interrupted.into()),
        _ => Ok(output.filter(|output| output.cut || (!by_us && status.success()))),
    }
}

fn start(
    shim: &WorkerCommand,
    limits: &ExternalToolLimits,
    program: &Path,
    arguments: &[String],
    input: OwnedFd,
) -> io::Result<Child> {
    Command::new(&shim.program)
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
}

/// Waits for the end of a program that prints nothing more; `None` if it does not end in time.
fn end_of(child: &mut Child, until: RunLimit<'_>) -> io::Result<Option<ExitStatus>> {
    let (mut pause, longest) = PAUSES;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let Some(slice) = until.slice()? else {
            return Ok(None);
        };
        thread::sleep(pause.min(slice));
        pause = (pause * 2).min(longest);
    }
}

fn read(child: &mut Child, limit: u64, until: RunLimit<'_>) -> io::Result<Option<Output>> {
    let Some(stdout) = child.stdout.take() else {
        return Ok(None);
    };
    let (send, receive) = sync_channel(1);
    // It ends with the pipe, which ends with the process group.
    let reader = thread::Builder::new().name("outside-reader".into());
    reader.spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(limit + 1).read_to_end(&mut bytes);
        // Nobody listens after the deadline.
        let _ = send.send(read.map(|_| bytes));
    })?;
    while let Some(slice) = until.slice()? {
        match receive.recv_timeout(slice) {
            Ok(Ok(mut bytes)) => {
                let cut = bytes.len() as u64 > limit;
                bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                return Ok(Some(Output { bytes, cut }));
            }
            Ok(Err(error)) => return Err(error),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("its reader panicked"));
            }
        }
    }
    Ok(None)
}
