//! Attempts to escape. The same actions are tried outside first: none may be denied there, or the test would prove
//! nothing.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::Command;

use super::*;
use crate::pool::tests::{document, reply, test_worker};
use crate::protocol::{self, Answers, Request};
use crate::{EXTRACTOR_VERSION, Limits, Outcome, Pool, ReadOptions};

type Action = fn() -> io::Result<()>;

/// What a document that has compromised the worker might try.
const ACTIONS: &[(&str, Action)] = &[
    ("open a file", || File::open("/etc/passwd").map(drop)),
    ("open /proc", || File::open("/proc/self/status").map(drop)),
    ("list a folder", || fs::read_dir("/").map(drop)),
    ("look at a file", || fs::metadata("/etc/passwd").map(drop)),
    ("create a file", || File::create(target()).map(drop)),
    ("remove a file", || fs::remove_file(target())),
    ("rename a file", || fs::rename(target(), target())),
    ("make a folder", || fs::create_dir("/nonexistent/folder")),
    ("make a link", || {
        std::os::unix::fs::symlink("/etc", "/nonexistent/link")
    }),
    ("change a mode", || {
        fs::set_permissions(target(), fs::Permissions::from_mode(0o777))
    }),
    ("change folder", || std::env::set_current_dir(".")),
    ("file in memory", || {
        let flags = rustix::fs::MemfdFlags::CLOEXEC;
        Ok(rustix::fs::memfd_create("x", flags).map(drop)?)
    }),
    ("listen on TCP", || {
        TcpListener::bind("127.0.0.1:0").map(drop)
    }),
    ("connect by TCP", || {
        TcpStream::connect("127.0.0.1:9").map(drop)
    }),
    ("bind UDP", || UdpSocket::bind("127.0.0.1:0").map(drop)),
    ("connect a Unix socket", || {
        UnixStream::connect("/nonexistent").map(drop)
    }),
    ("bind an abstract socket", || {
        UnixListener::bind_addr(&SocketAddr::from_abstract_name("simdex-escape")?).map(drop)
    }),
    ("socket pair", || UnixStream::pair().map(drop)),
    ("pipe", || io::pipe().map(drop)),
    ("start a program", || {
        Command::new("/bin/true").status().map(drop)
    }),
    ("start a thread", || {
        std::thread::Builder::new().spawn(|| ()).map(drop)
    }),
    ("signal a process", || {
        Ok(rustix::process::test_kill_process(
            rustix::process::getpid(),
        )?)
    }),
    ("trace a process", trace),
    ("executable memory", executable_memory),
    ("change a limit", || {
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        Ok(rustix::process::setrlimit(Resource::Core, none)?)
    }),
];

fn target() -> PathBuf {
    std::env::temp_dir().join(format!("simdex-escape-{}", std::process::id()))
}

#[expect(
    unsafe_code,
    reason = "no safe interface exists; no such process, so nothing is traced"
)]
fn trace() -> io::Result<()> {
    match unsafe { libc::ptrace(libc::PTRACE_SEIZE, libc::pid_t::MAX, 0, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[expect(
    unsafe_code,
    reason = "no safe interface exists; the page is never used"
)]
fn executable_memory() -> io::Result<()> {
    let access = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, access, kind, -1, 0) };
    if page == libc::MAP_FAILED {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// `name denied`, or what happened instead, one line per action.
fn attempts() -> Vec<String> {
    let attempt = |(name, action): &(&str, Action)| match action() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => format!("{name} denied"),
        result => format!("{name} {result:?}"),
    };
    ACTIONS.iter().map(attempt).collect()
}

#[test]
fn nothing_is_denied_outside() {
    for line in attempts() {
        assert!(!line.ends_with("denied"), "{line}");
    }
    let _ = fs::remove_file(target());
}

/// What a worker of this name could do: one line per action, and its report.
fn tried_by(worker: &str) -> (String, SandboxReport) {
    let command = test_worker(&format!("sandbox::tests::{worker}"));
    let pool = Pool::new(command, 1, Limits::default());
    let extraction = pool.extract(document(b"x"), &ReadOptions::default());
    let Outcome::Text { text, .. } = extraction.outcome else {
        panic!("{extraction:?}");
    };
    (text.into_string(), pool.sandbox())
}

#[test]
fn everything_is_denied_inside() {
    let (tried, report) = tried_by("worker_escape");
    let pieces = "dies with its parent, memory limit, no file writes, 16 descriptors, no core, \
                  no new privileges, landlock, CPU limit, no processes, seccomp";
    assert_eq!(report.to_string(), format!("enforced: {pieces}"));
    assert_eq!(tried.lines().count(), ACTIONS.len() + 1);
    for line in tried.lines() {
        assert!(line.ends_with("denied"), "{line}");
    }
}

#[test]
fn landlock_alone_denies_files_and_network() {
    let (tried, _) = tried_by("worker_escape_landlock");
    for action in [
        "open a file",
        "list a folder",
        "create a file",
        "listen on TCP",
        "start a program",
    ] {
        assert!(
            tried.contains(&format!("{action} denied")),
            "{action}: {tried}"
        );
    }
}

#[test]
#[ignore = "a worker: started by the other tests"]
fn worker_escape() {
    escape(confine_threads);
}

#[test]
#[ignore = "a worker: started by the other tests"]
fn worker_escape_landlock() {
    escape(|_| ());
}

/// A worker that its one document has compromised.
fn escape(confine_threads: fn(&mut SandboxReport)) {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned().unwrap());
    let Ok(setup) = protocol::receive::<Setup>(&stream) else {
        return;
    };
    let mut report = confine_process(&setup);
    let parser = move || {
        let answers = Answers::on(&stream).unwrap();
        confine_threads(&mut report);
        let (enforced, missing) = (report.enforced, report.missing);
        let hello = Hello {
            extractor_version: EXTRACTOR_VERSION,
            readers: Vec::new(),
            enforced,
            missing,
        };
        protocol::send(&stream, &hello).unwrap();
        let (request, document) = protocol::receive_with_descriptor::<Request>(&stream).unwrap();
        let mut lines = attempts();
        let written = File::from(document).write(b"changed");
        lines.push(
            if written.is_err() {
                "write denied"
            } else {
                "write"
            }
            .to_owned(),
        );
        lines.extend(std::env::vars().map(|(name, _)| format!("environment {name}")));
        let text = lines.join("\n");
        let reply = reply(request.nonce, text.as_bytes());
        answers.reply(reply, text.as_bytes()).unwrap();
    };
    std::thread::spawn(parser).join().unwrap();
}
