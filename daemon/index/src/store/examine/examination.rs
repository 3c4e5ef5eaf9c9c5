//! Has a child process examine a store and reports the result: sound, damaged or unknown. Only a store that was shown
//! to be damaged may be set aside, so whatever the machine may have caused (little memory, a kill, a slow disk) is
//! unknown, and a crash or a hang counts only if it happens twice.

use std::io::{Read, Write as _};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::probe::{BEGUN, Part, exit};
use crate::Cancel;
use crate::store::StoreError;
use crate::store::files::allocated_bytes;
use crate::store::sled_support::refusal::is_of_the_machine;

/// The result of an examination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) enum Examination {
    Sound,
    /// What was found in the records.
    Damaged(String),
    /// The number of a damaged run of postings, and what was found; the records are not examined to their end.
    RunDamaged(u32, String),
    /// Why it is not known.
    Unknown(String),
    /// Another process has the store.
    Locked,
}

/// How one run of the probe ended.
enum End {
    Ended(Examination),
    /// It crashed or hung, and what it was reading: that is damaged if it happens again.
    Failed(String, Part),
}

/// A sound store neither needs an allocation of more than this many times its size plus [`SPARE`], nor reads more.
const MAX_TIMES: u64 = 64;
const SPARE: u64 = 1 << 30;
/// How many times the limit a probe may take while it makes progress.
const MAX_LIMIT_FACTOR: u32 = 8;
/// Bytes kept of the probe's messages.
const MAX_OUTPUT_BYTES: usize = 16 << 10;

/// Runs the probe, a second time if the first crashed or hung. It hangs if it has made no progress for `limit`.
pub(in crate::store) fn examine(
    dir: &Path,
    command: &mut Command,
    limit: Duration,
    stop: &Cancel,
) -> Result<Examination, StoreError> {
    match run(dir, command, limit, stop)? {
        End::Ended(verdict) => Ok(verdict),
        End::Failed(first, _) => {
            tracing::warn!(
                reason = first,
                "the probe of the store failed: trying again"
            );
            Ok(match run(dir, command, limit, stop)? {
                End::Ended(Examination::Sound) => {
                    Examination::Unknown(format!("{first}; a second one found nothing wrong"))
                }
                End::Ended(verdict) => verdict,
                End::Failed(second, over) => damaged(over, format!("{first}; then {second}")),
            })
        }
    }
}

fn damaged(part: Part, reason: String) -> Examination {
    match part {
        Part::Records => Examination::Damaged(reason),
        Part::Run(number) => Examination::RunDamaged(number, reason),
    }
}

fn run(
    dir: &Path,
    command: &mut Command,
    limit: Duration,
    stop: &Cancel,
) -> Result<End, StoreError> {
    let max_bytes = allocated_bytes(dir)
        .saturating_mul(MAX_TIMES)
        .saturating_add(SPARE);
    // If memory is short, a panic would wait for ever for the memory to print a backtrace.
    let mut child = command
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(StoreError::io("start the probe of", dir))?;
    let stderr = child.stderr.take().map(|from| listen(from, true));
    let stdout = child.stdout.take().map(|from| listen(from, false));
    let waited = wait(&mut child, limit, max_bytes, stop);
    // In any case no probe may be left behind that keeps the lock.
    let _ = child.kill();
    let _ = child.wait();
    let stderr = heard(dir, stderr)?;
    let stdout = heard(dir, stdout)?;
    let waited = waited.map_err(StoreError::io("await the probe of", dir))?;
    Ok(match waited {
        WaitEnd::Ended(status) => classify_end(status, &stderr, &stdout, max_bytes),
        // It may wait for ever for the memory to report that there is none.
        WaitEnd::Hung(_) if refused_allocation(&stderr).is_some_and(|bytes| bytes <= max_bytes) => {
            End::Ended(Examination::Unknown(
                "the probe ran out of memory".to_owned(),
            ))
        }
        WaitEnd::Hung(reason) => End::Failed(reason, Part::last_begun(&stdout)),
        WaitEnd::GivenUp(reason) => End::Ended(Examination::Unknown(reason)),
    })
}

/// Keeps the beginning of what the probe says; passes on what people should read.
fn listen(
    mut from: impl Read + Send + 'static,
    pass_on: bool,
) -> std::io::Result<JoinHandle<String>> {
    let listener = move || {
        let mut kept = Vec::new();
        let mut chunk = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut chunk) {
            if pass_on {
                // Nobody to tell if standard error is closed.
                let _ = std::io::stderr().write_all(&chunk[..read]);
            }
            kept.extend(&chunk[..read.min(MAX_OUTPUT_BYTES - kept.len())]);
        }
        String::from_utf8_lossy(&kept).into_owned()
    };
    std::thread::Builder::new()
        .name("probe-says".into())
        .spawn(listener)
}

fn heard(
    dir: &Path,
    listener: Option<std::io::Result<JoinHandle<String>>>,
) -> Result<String, StoreError> {
    let listener = listener
        .transpose()
        .map_err(StoreError::io("start a thread for", dir))?;
    Ok(listener
        .and_then(|listener| listener.join().ok())
        .unwrap_or_default())
}

enum WaitEnd {
    Ended(ExitStatus),
    Hung(String),
    GivenUp(String),
}

/// Waits for the child as long as it makes progress and `stop` is not set.
fn wait(
    child: &mut Child,
    limit: Duration,
    max_bytes: u64,
    stop: &Cancel,
) -> std::io::Result<WaitEnd> {
    let started = Instant::now();
    let mut seen = (progress(child.id()), started);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(WaitEnd::Ended(status));
        }
        if stop.check().is_err() {
            return Ok(WaitEnd::GivenUp("it was told to stop".to_owned()));
        }
        let now = Instant::now();
        let made = progress(child.id());
        if made != seen.0 || made.is_some_and(Progress::is_held_up) {
            seen = (made, now);
        }
        let reads_on = made.is_some_and(|made| made.read > max_bytes) && now - started >= limit;
        if now - seen.1 >= limit || reads_on {
            return Ok(match made {
                Some(_) => WaitEnd::Hung(format!("the probe made no progress within {limit:?}")),
                None => WaitEnd::GivenUp(format!("the probe gave no answer within {limit:?}")),
            });
        }
        if now - started >= limit * MAX_LIMIT_FACTOR {
            let reason = format!(
                "the probe was still at work after {:?}",
                limit * MAX_LIMIT_FACTOR
            );
            return Ok(WaitEnd::GivenUp(reason));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// How far a process has come, as reported by the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Progress {
    /// Bytes it has read.
    read: u64,
    /// Letter of its state.
    state: u8,
}

impl Progress {
    /// Whether it waits for a disk, or was stopped: no fault of the store.
    fn is_held_up(self) -> bool {
        matches!(self.state, b'D' | b'T' | b't')
    }
}

fn progress(process: u32) -> Option<Progress> {
    let io = std::fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    let read = io.lines().find_map(|line| line.strip_prefix("rchar: "))?;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it, in parentheses, may contain anything.
    let (_, after_name) = stat.rsplit_once(") ")?;
    Some(Progress {
        read: read.parse().ok()?,
        state: *after_name.as_bytes().first()?,
    })
}

/// What the end of a probe shows. `stdout` is its output, which shows how far it had come: a program that cannot even
/// be loaded, because memory is short, crashes as well. `max_bytes` is the most that a sound store may ask for.
fn classify_end(status: ExitStatus, stderr: &str, stdout: &str, max_bytes: u64) -> End {
    const SIGABRT: i32 = 6;
    const CRASHES: [i32; 4] = [4, 7, 8, 11]; // SIGILL, SIGBUS, SIGFPE, SIGSEGV
    let (begun, part) = (stdout.contains(BEGUN), Part::last_begun(stdout));
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    let verdict = match (code, status.signal()) {
        (Some(exit::SOUND), _) => Examination::Sound,
        (Some(exit::DAMAGED), _) => damaged(part, last_line(stderr)),
        (Some(exit::LOCKED), _) => Examination::Locked,
        (Some(exit::UNKNOWN), _) => Examination::Unknown(last_line(stderr)),
        (_, Some(signal)) if begun && CRASHES.contains(&signal) => {
            return End::Failed(format!("the probe crashed with signal {signal}"), part);
        }
        (_, Some(SIGABRT)) => match refused_allocation(stderr) {
            Some(bytes) if bytes > max_bytes => {
                return End::Failed(format!("the probe asked for {bytes} bytes of memory"), part);
            }
            Some(_) => Examination::Unknown("the probe ran out of memory".to_owned()),
            // sled panics again while it drops what it could not write.
            None if is_of_the_machine(stderr) => {
                Examination::Unknown("the machine refused the probe something".to_owned())
            }
            None if begun && stderr.contains("panicked") => {
                return End::Failed("the probe panicked and aborted".to_owned(), part);
            }
            None => Examination::Unknown(status.to_string()),
        },
        // Stopped together with the daemon, killed because memory was short, or could not be started.
        _ => Examination::Unknown(status.to_string()),
    };
    End::Ended(verdict)
}

fn last_line(stderr: &str) -> String {
    let line = stderr.lines().rfind(|line| !line.trim().is_empty());
    line.unwrap_or("the probe found damage").to_owned()
}

/// The bytes that could not be allocated, from the message of Rust's allocator when it gives up.
fn refused_allocation(stderr: &str) -> Option<u64> {
    let (_, after) = stderr.split_once("memory allocation of ")?;
    after.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(script: &str) -> Examination {
        let temp = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        examine(
            temp.path(),
            &mut command,
            Duration::from_secs(60),
            &Cancel::never(),
        )
        .unwrap()
    }

    fn unknown(script: &str) -> String {
        match judged(script) {
            Examination::Unknown(reason) => reason,
            other => panic!("{script}: {other:?}"),
        }
    }

    fn damaged(script: &str) -> String {
        match judged(script) {
            Examination::Damaged(reason) => reason,
            other => panic!("{script}: {other:?}"),
        }
    }

    #[test]
    fn want_of_memory_is_no_damage() {
        let aborts = "echo 'memory allocation of 4096 bytes failed' >&2; kill -ABRT $$";
        assert_eq!(unknown(aborts), "the probe ran out of memory");
        assert!(unknown("kill -KILL $$").contains("signal: 9"));
        unknown("kill -ABRT $$");
        unknown("echo 'thread main has overflowed its stack' >&2; kill -ABRT $$");
    }

    #[test]
    fn an_allocation_that_no_sound_store_asks_for_is_damage() {
        let aborts =
            "echo 'memory allocation of 72057594037927936 bytes failed' >&2; kill -ABRT $$";
        assert!(damaged(aborts).contains("72057594037927936"));
    }

    #[test]
    fn crashes_are_damage_when_they_come_twice() {
        let segv = format!("echo {BEGUN}; kill -SEGV $$");
        assert!(damaged(&segv).contains("then the probe crashed with signal 11"));
        let abort = format!("echo {BEGUN}; echo panicked >&2; kill -ABRT $$");
        assert!(damaged(&abort).contains("aborted"));
        unknown("kill -SEGV $$");
        let in_a_run = format!("echo {BEGUN}; echo probe-reads 7; kill -SEGV $$");
        assert!(matches!(judged(&in_a_run), Examination::RunDamaged(7, _)));
        let behind_it = "echo probe-reads 7; echo probe-reads 0; exit 65";
        damaged(behind_it);
        let temp = tempfile::tempdir().unwrap();
        let once = format!(
            "[ -e {0} ] && exit 0; touch {0}; echo {BEGUN}; kill -SEGV $$",
            temp.path().join("was-here").display()
        );
        assert!(unknown(&once).contains("found nothing wrong"));
    }

    #[test]
    fn a_panic_over_the_machine_is_no_damage_though_it_aborts() {
        let aborts = |code: u32| {
            let panic = format!("panicked at 'Io(Os {{ code: {code}, kind: Other }})'");
            format!("echo {BEGUN}; echo \"{panic}\" >&2; kill -ABRT $$")
        };
        for code in [5, 12, 24, 28] {
            assert!(unknown(&aborts(code)).contains("machine"), "{code}");
        }
        // A missing file of the store.
        assert!(damaged(&aborts(2)).contains("aborted"));
    }

    #[test]
    fn a_probe_is_ended_where_somebody_says_stop() {
        let temp = tempfile::tempdir().unwrap();
        let mut command = Command::new("sleep");
        command.arg("600");
        let stop = Cancel::never();
        stop.cancel();
        let verdict = examine(temp.path(), &mut command, Duration::from_secs(600), &stop).unwrap();
        assert!(matches!(verdict, Examination::Unknown(_)), "{verdict:?}");
    }

    #[test]
    fn only_the_probes_own_word_is_a_verdict() {
        assert_eq!(judged("exit 0"), Examination::Sound);
        assert_eq!(damaged("echo broken >&2; exit 65"), "broken");
        assert_eq!(judged("exit 75"), Examination::Locked);
        assert_eq!(unknown("echo cannot read >&2; exit 74"), "cannot read");
        // A program that is not the probe, or does not start, ends like this.
        for code in [1, 2, 101, 127] {
            unknown(&format!("exit {code}"));
        }
    }

    #[test]
    fn a_probe_that_stands_still_twice_is_damage_and_one_held_up_is_not() {
        let temp = tempfile::tempdir().unwrap();
        let examined = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            examine(
                temp.path(),
                &mut command,
                Duration::from_millis(200),
                &Cancel::never(),
            )
            .unwrap()
        };
        let starved = "echo 'memory allocation of 35 bytes failed' >&2; exec sleep 600";
        assert!(matches!(examined(starved), Examination::Unknown(reason)
            if reason.contains("memory")));
        assert!(
            matches!(examined("exec sleep 600"), Examination::Damaged(reason)
            if reason.contains("no progress"))
        );
        assert!(
            matches!(examined("kill -STOP $$"), Examination::Unknown(reason)
            if reason.contains("still at work"))
        );
    }
}
