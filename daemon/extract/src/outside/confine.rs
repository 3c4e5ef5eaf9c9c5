//! What an outside program is denied: the shim that takes rights away from itself, then becomes it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope,
};
use rustix::process::{Resource, Signal};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use crate::sandbox::{set_limit, set_soft_limit};

/// What a program needs to run at all: itself, its libraries, fonts and models. Never a share.
const READABLE: &[&str] = &[
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/etc/fonts",
    "/etc/ld.so.cache",
];

/// The hidden subcommand: `MEMORY_BYTES CPU_SECONDS PROGRAM ARGUMENTS…`. It refuses to start the
/// program where it cannot confine it.
#[must_use]
pub fn outside_main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let mut number = || arguments.next()?.to_str()?.parse::<u64>().ok();
    let (Some(memory), Some(cpu)) = (number(), number()) else {
        return ExitCode::FAILURE;
    };
    let Some(program) = arguments.next() else {
        return ExitCode::FAILURE;
    };
    if confine(memory, cpu).is_err() {
        return ExitCode::FAILURE;
    }
    // Returns only where it fails.
    let _ = Command::new(program).args(arguments).exec();
    ExitCode::FAILURE
}

fn confine(memory: u64, cpu: u64) -> Result<(), String> {
    let said = |error: rustix::io::Errno| error.to_string();
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(said)?;
    for (resource, limit) in [
        (Resource::As, memory),
        (Resource::Fsize, 0),
        (Resource::Nofile, 64),
        (Resource::Core, 0),
    ] {
        set_limit(resource, limit).map_err(said)?;
    }
    // At the hard limit the kernel kills as it does for want of memory, so the soft one comes first.
    set_limit(Resource::Cpu, cpu.saturating_add(1)).map_err(said)?;
    set_soft_limit(Resource::Cpu, cpu).map_err(said)?;
    rustix::thread::set_no_new_privs(true).map_err(said)?;
    landlock().map_err(|error| error.to_string())?;
    let filter = filter().map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&filter).map_err(|error| error.to_string())
}

/// Reading below [`READABLE`], and nothing else.
fn landlock() -> Result<(), landlock::RulesetError> {
    let newest = ABI::V6;
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(newest))?
        .handle_access(AccessNet::from_all(newest))?
        .scope(Scope::from_all(newest))?
        .create()?;
    for folder in READABLE {
        // What is not there need not be read.
        if let Ok(folder) = PathFd::new(folder) {
            rules = rules.add_rule(PathBeneath::new(folder, AccessFs::from_read(newest)))?;
        }
    }
    rules.restrict_self().map(drop)
}

/// System calls no reader of documents needs.
const DENIED: &[libc::c_long] = &[
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_io_uring_setup,
    libc::SYS_userfaultfd,
];

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let rules: BTreeMap<_, _> = DENIED.iter().map(|&call| (call, Vec::new())).collect();
    SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        TargetArch::try_from(std::env::consts::ARCH)?,
    )?
    .try_into()
}
