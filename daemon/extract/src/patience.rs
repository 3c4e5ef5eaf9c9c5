//! How long a worker is waited for, and whether it was its own doing that it took so long.

use std::fs;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use rustix::process::Pid;

/// Longest wait that is counted at once: where the daemon itself was stopped meanwhile, no more than this is held
/// against the worker.
const SLICE: Duration = Duration::from_millis(250);

/// What is still read once the time is up: what a socket holds, and no more, so that a worker that drips bytes
/// gains nothing.
const GRACE: usize = 256 << 10;

/// Reads for so long in all, not for a duration a read: a worker that drips bytes gains no time. Only waiting
/// counts, not what the daemon does between two reads.
pub(crate) struct PatientReader {
    stream: UnixStream,
    left: Duration,
    /// Bytes that are read after that, where they lie there already.
    grace: usize,
}

impl PatientReader {
    /// Reads for no time at all.
    pub(crate) fn new(stream: UnixStream) -> Self {
        let (left, grace) = (Duration::ZERO, 0);
        Self {
            stream,
            left,
            grace,
        }
    }

    /// Reads for so long from now on.
    pub(crate) fn wait_for(&mut self, patience: Duration) {
        (self.left, self.grace) = (patience, GRACE);
    }

    pub(crate) fn stream(&self) -> &UnixStream {
        &self.stream
    }
}

impl Read for PatientReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.left.is_zero() {
            let slice = self.left.min(SLICE);
            self.stream.set_read_timeout(Some(slice))?;
            let since = Instant::now();
            let result = self.stream.read(buffer);
            self.left = self.left.saturating_sub(since.elapsed().min(slice));
            match result.map_err(|error| error.kind()) {
                // A daemon that was stopped and goes on: that is not the worker's doing.
                Err(io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                result => return result.map_err(io::Error::from),
            }
        }
        self.read_late(buffer)
    }
}

impl PatientReader {
    /// Reads what lies there already, however late we come for it.
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

/// How long a process was ready to run and did not, in all its life, by the kernel's word; none where the kernel
/// does not say.
pub(crate) fn time_kept_waiting(process: Pid) -> Option<Duration> {
    let path = format!("/proc/{}/schedstat", process.as_raw_nonzero());
    waited_in(&fs::read_to_string(path).ok()?)
}

/// The second number: nanoseconds on a run queue.
fn waited_in(schedstat: &str) -> Option<Duration> {
    let waited = schedstat.split_ascii_whitespace().nth(1)?;
    Some(Duration::from_nanos(waited.parse().ok()?))
}

/// Whether the machine is to blame that a worker used up its wall clock time: it was ready to run for half of it
/// and did not. One that sleeps of its own accord is not ready.
pub(crate) fn was_starved(
    before: Option<Duration>,
    after: Option<Duration>,
    wall: Duration,
) -> bool {
    let waited = before.zip(after);
    waited.is_some_and(|(before, after)| after.saturating_sub(before) >= wall / 2)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_reply_that_lies_there_is_read_however_late_it_is() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut reader = PatientReader::new(ours);
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
        let mut reader = PatientReader::new(ours);
        let patience = Duration::from_secs(3_600);
        reader.wait_for(patience);
        theirs.write_all(b"a").unwrap();
        std::thread::sleep(2 * SLICE);
        assert_eq!(reader.read(&mut [0; 1]).unwrap(), 1);
        assert!(
            patience - reader.left <= SLICE,
            "a read counts a slice at most"
        );
    }

    #[test]
    fn only_a_worker_that_was_ready_to_run_was_starved() {
        assert_eq!(waited_in("81 4000000000 7\n"), Some(Duration::from_secs(4)));
        assert_eq!(waited_in("nonsense"), None);
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let wall = Duration::from_secs(60);
        assert!(was_starved(seconds(5), seconds(35), wall));
        assert!(!was_starved(seconds(35), seconds(40), wall), "it slept");
        assert!(!was_starved(None, seconds(40), wall));
        let me = Pid::from_raw(std::process::id() as i32).unwrap();
        if time_kept_waiting(me).is_none() {
            eprintln!("skipped: this kernel does not say how long a process waits to run");
        }
    }
}
