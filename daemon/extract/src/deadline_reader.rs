//! Reads a worker's answer until its deadline, and tells whether the worker or the machine used up the time.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use rustix::process::Pid;

/// Longest wait that is counted at once: if the daemon itself was stopped during it, at most this much is counted
/// against the worker.
const SLICE: Duration = Duration::from_millis(250);

/// Bytes still read once the time is up: what a socket holds, and no more, so that a worker that drips bytes gains
/// nothing.
const GRACE: usize = 256 << 10;

/// Reads for this long in total, not for a duration per read: a worker that drips bytes gains no time. Only waiting
/// counts, not what the daemon does between two reads.
pub(crate) struct DeadlineReader {
    stream: UnixStream,
    left: Duration,
    /// Bytes that are read after the deadline, if they are already there.
    grace: usize,
    /// More time, in case the machine keeps the worker from running.
    extension: Option<Extension>,
}

/// Returns the time that the machine took from a worker, so that in the end the processor time limit decides; a limited
/// number of times.
struct Extension {
    worker: Pid,
    wall: Duration,
    since: Option<RunDelays>,
    /// How often the wall clock time may still restart.
    left: u32,
}

/// How often a worker that is kept from running gets its wall clock time again. By then one that spins has used up the
/// processor time of the default limits if it had an eighth of a processor.
const MAX_EXTENSIONS: u32 = 3;

impl DeadlineReader {
    /// A reader that waits for no time at all.
    pub(crate) fn new(stream: UnixStream) -> Self {
        let (left, grace) = (Duration::ZERO, 0);
        Self {
            stream,
            left,
            grace,
            extension: None,
        }
    }

    /// Reads for this long from now on.
    pub(crate) fn wait_for(&mut self, time: Duration) {
        (self.left, self.grace) = (time, GRACE);
        self.extension = None;
    }

    /// Reads for this long from now on, and longer if the machine keeps the worker from running.
    pub(crate) fn wait_for_worker(&mut self, worker: Option<Pid>, wall: Duration) {
        self.wait_for(wall);
        self.extension = worker.map(|worker| Extension {
            worker,
            wall,
            since: RunDelays::of(worker),
            left: MAX_EXTENSIONS,
        });
    }

    /// Whether the machine, and not the worker, used up the elapsed wall clock time.
    pub(crate) fn was_starved(&self) -> bool {
        let starved = |extension: &Extension| {
            let now = RunDelays::of(extension.worker);
            was_starved(extension.since.as_ref(), now.as_ref(), extension.wall)
        };
        self.extension.as_ref().is_some_and(starved)
    }

    /// Restarts the time; returns whether that was done.
    fn extend(&mut self) -> bool {
        let is_starved = self.was_starved();
        let extension = self.extension.as_mut();
        let Some(extension) = extension.filter(|extension| is_starved && extension.left > 0) else {
            return false;
        };
        extension.left -= 1;
        extension.since = RunDelays::of(extension.worker);
        self.left = extension.wall;
        true
    }

    pub(crate) fn stream(&self) -> &UnixStream {
        &self.stream
    }
}

impl Read for DeadlineReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.left.is_zero() || self.extend() {
            let slice = self.left.min(SLICE);
            self.stream.set_read_timeout(Some(slice))?;
            let since = Instant::now();
            let result = self.stream.read(buffer);
            self.left = self.left.saturating_sub(since.elapsed().min(slice));
            match result.map_err(|error| error.kind()) {
                // The daemon was stopped and continues: that is not the worker's fault.
                Err(io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                result => return result.map_err(io::Error::from),
            }
        }
        self.read_late(buffer)
    }
}

impl DeadlineReader {
    /// Reads what is already there, even after the deadline.
    fn read_late(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = buffer.len().min(self.grace);
        if room == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let result = recv(&self.stream, &mut buffer[..room], RecvFlags::DONTWAIT);
        match result {
            Ok((count, _)) => {
                self.grace -= count;
                Ok(count)
            }
            Err(Errno::AGAIN) => Err(io::ErrorKind::TimedOut.into()),
            Err(errno) => Err(errno.into()),
        }
    }
}

/// How long each thread of a process was ready to run but did not, in its whole life, as reported by the kernel.
#[derive(Debug, Default)]
pub(crate) struct RunDelays(BTreeMap<OsString, Duration>);

impl RunDelays {
    /// The delays of a process; `None` if the kernel does not report them.
    ///
    /// Each thread is read separately: the figure of the process itself is only that of its main thread, which in a
    /// worker sleeps while another thread reads.
    pub(crate) fn of(process: Pid) -> Option<Self> {
        Self::read(Path::new(&format!("/proc/{}", process.as_raw_nonzero())))
    }

    fn read(process: &Path) -> Option<Self> {
        let threads = fs::read_dir(process.join("task")).ok()?.flatten();
        let delays = threads.filter_map(|thread| {
            // A thread that has ended since the listing is left out.
            let schedstat = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            Some((thread.file_name(), waited_in(&schedstat)?))
        });
        let delays: BTreeMap<_, _> = delays.collect();
        (!delays.is_empty()).then_some(Self(delays))
    }

    /// The delay since `before` of the thread that was delayed most. It is not the sum: that would count twice a moment
    /// in which two threads wait, and could exceed the elapsed time.
    fn longest_since(&self, before: &Self) -> Duration {
        let since = |(thread, delay): (&OsString, &Duration)| {
            let before = before.0.get(thread).copied().unwrap_or_default();
            delay.saturating_sub(before)
        };
        self.0.iter().map(since).max().unwrap_or_default()
    }
}

/// The second number: nanoseconds on a run queue.
fn waited_in(schedstat: &str) -> Option<Duration> {
    let waited = schedstat.split_ascii_whitespace().nth(1)?;
    Some(Duration::from_nanos(waited.parse().ok()?))
}

/// Whether the machine is to blame that a worker used up its wall clock time: one of its threads was ready to run for
/// half of it but did not. A thread that sleeps by itself is not ready.
pub(crate) fn was_starved(
    before: Option<&RunDelays>,
    after: Option<&RunDelays>,
    wall: Duration,
) -> bool {
    let waited = before.zip(after);
    waited.is_some_and(|(before, after)| after.longest_since(before) >= wall / 2)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_reply_that_lies_there_is_read_however_late_it_is() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut reader = DeadlineReader::new(ours);
        reader.wait_for(Duration::ZERO);
        theirs.write_all(b"reply").unwrap();
        let mut reply = [0; 5];
        reader.read_exact(&mut reply).unwrap();
        assert_eq!(&reply, b"reply");
        let late = reader.read(&mut reply).unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
        theirs.write_all(b"more").unwrap();
        reader.grace = 1;
        assert_eq!(reader.read(&mut reply).unwrap(), 1);
        assert!(reader.read(&mut reply).is_err(), "there is an end to it");
    }

    #[test]
    fn time_that_passes_between_two_reads_is_not_the_workers() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut reader = DeadlineReader::new(ours);
        let timeout = Duration::from_secs(3_600);
        reader.wait_for(timeout);
        theirs.write_all(b"a").unwrap();
        std::thread::sleep(2 * SLICE);
        assert_eq!(reader.read(&mut [0; 1]).unwrap(), 1);
        assert!(
            timeout - reader.left <= SLICE,
            "a read counts a slice at most"
        );
    }

    /// Delays of threads in seconds, as the kernel reports them.
    fn delays(threads: &[(&str, u64)]) -> Option<RunDelays> {
        let process = tempfile::tempdir().unwrap();
        for (thread, seconds) in threads {
            let thread = process.path().join("task").join(thread);
            fs::create_dir_all(&thread).unwrap();
            let schedstat = format!("81 {seconds}000000000 7\n");
            fs::write(thread.join("schedstat"), schedstat).unwrap();
        }
        // Only of the main thread.
        fs::write(process.path().join("schedstat"), "81 0 7\n").unwrap();
        RunDelays::read(process.path())
    }

    fn starved(before: &[(&str, u64)], after: &[(&str, u64)]) -> bool {
        let (before, after) = (delays(before), delays(after));
        was_starved(before.as_ref(), after.as_ref(), Duration::from_secs(60))
    }

    #[test]
    fn only_a_worker_that_was_ready_to_run_was_starved() {
        assert_eq!(waited_in("nonsense"), None);
        assert!(starved(&[("1", 5)], &[("1", 35)]));
        assert!(!starved(&[("1", 35)], &[("1", 40)]), "it slept");
        assert!(!starved(&[], &[("1", 40)]), "the kernel does not say");
    }

    #[test]
    fn a_worker_whose_main_thread_sleeps_is_starved_with_the_thread_that_reads() {
        assert!(starved(&[("1", 0), ("2", 5)], &[("1", 0), ("2", 35)]));
        assert!(starved(&[("1", 0)], &[("1", 0), ("2", 30)]), "a new thread");
        let each_a_little = [("1", 20), ("2", 20)];
        assert!(!starved(&[("1", 0), ("2", 0)], &each_a_little));
        assert!(!starved(&[("1", 0), ("2", 40)], &[("1", 0)]), "it ended");
    }

    #[test]
    fn every_thread_of_a_process_is_asked() {
        let me = Pid::from_raw(std::process::id() as i32).unwrap();
        let own = std::thread::spawn(move || {
            let thread = rustix::thread::gettid().as_raw_nonzero().to_string();
            RunDelays::of(me).map(|delays| delays.0.contains_key(&OsString::from(thread)))
        });
        match own.join().unwrap() {
            Some(is_requested) => assert!(is_requested),
            None => eprintln!("skipped: this kernel does not say how long a thread waits to run"),
        }
    }
}
