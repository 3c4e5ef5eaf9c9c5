//! The rights that a worker gives up before it reads a document.
//!
//! | measure | effect |
//! |---|---|
//! | resource limits | memory, no file writes, few descriptors, no core, no processes; CPU per document |
//! | `no_new_privs` | no rights gained by exec |
//! | Landlock | no file opened, no TCP port, no signal or abstract socket outside |
//! | seccomp | only the system calls in [`ALLOWED`], all threads; others fail with `EPERM` |
//!
//! `EPERM` rather than a kill: a library that tries something harmless gets an error it can handle, and the call is
//! denied in both cases.
//!
//! A missing measure (old kernel, restricted container) does not stop the worker: it is reported,
//! and [`SandboxReport`] says DEGRADED.

use std::collections::BTreeMap;
use std::fmt;

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus, Scope};
use rustix::process::{Resource, Rlimit, Signal};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use crate::protocol::{Hello, Setup};

/// What confines the workers on this machine, and what is missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SandboxReport {
    /// Pieces the kernel enforces.
    pub enforced: Vec<String>,
    /// Pieces that are not available, each with its cause.
    pub missing: Vec<String>,
}

impl SandboxReport {
    /// Whether a measure is missing.
    #[must_use]
    pub fn is_degraded(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Converts what a worker reported, bounded and printable.
    pub(crate) fn from_hello(hello: Hello) -> Self {
        let clean = |measures: Vec<String>| {
            let measures = measures.into_iter().take(16);
            measures
                .map(|measure| {
                    measure
                        .chars()
                        .filter(|c| !c.is_control())
                        .take(200)
                        .collect()
                })
                .collect()
        };
        Self {
            enforced: clean(hello.enforced),
            missing: clean(hello.missing),
        }
    }

    fn note<E: fmt::Display>(&mut self, measure: &str, result: Result<(), E>) {
        match result {
            Ok(()) => self.enforced.push(measure.to_owned()),
            Err(error) => self.missing.push(format!("{measure} ({error})")),
        }
    }
}

impl fmt::Display for SandboxReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_degraded() {
            write!(f, "DEGRADED: missing {}; ", self.missing.join(", "))?;
        }
        write!(f, "enforced: {}", self.enforced.join(", "))
    }
}

/// First half, on the main thread while it is the only one: threads started later inherit all of it.
pub(crate) fn confine_process(setup: &Setup) -> SandboxReport {
    let mut report = SandboxReport::default();
    report.note(
        "dies with its parent",
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL)),
    );
    let limits = [
        ("memory limit", Resource::As, setup.address_space),
        ("no file writes", Resource::Fsize, 0),
        ("16 descriptors", Resource::Nofile, 16),
        ("no core", Resource::Core, 0),
    ];
    for (measure, resource, limit) in limits {
        report.note(measure, set_limit(resource, limit));
    }
    report.note("no new privileges", rustix::thread::set_no_new_privs(true));
    report.note("landlock", landlock());
    // Called once while files can be opened: the first call looks up the kernel's clock.
    report.note("CPU limit", grant_cpu(setup.cpu_seconds));
    report
}

/// Second half, on the last thread to be started: from here on no process, thread or file can be created or opened.
pub(crate) fn confine_threads(report: &mut SandboxReport) {
    report.note("no processes", set_limit(Resource::Nproc, 0));
    report.note("seccomp", seccomp());
}

/// Grants the next document `seconds` of CPU time, counted from now; the hard limit stays.
pub(crate) fn grant_cpu(seconds: u64) -> rustix::io::Result<()> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).tv_sec;
    let soft = u64::try_from(used)
        .unwrap_or(0)
        .saturating_add(seconds)
        .saturating_add(1);
    set_soft_limit(Resource::Cpu, soft)
}

/// Sets the soft limit, never above the hard limit, which stays.
pub(crate) fn set_soft_limit(resource: Resource, limit: u64) -> rustix::io::Result<()> {
    let maximum = rustix::process::getrlimit(resource).maximum;
    let current = Some(maximum.map_or(limit, |hard| limit.min(hard)));
    rustix::process::setrlimit(resource, Rlimit { current, maximum })
}

/// Sets soft and hard limit, never above the present hard limit.
pub(crate) fn set_limit(resource: Resource, limit: u64) -> rustix::io::Result<()> {
    let hard = rustix::process::getrlimit(resource).maximum;
    let limit = Some(hard.map_or(limit, |hard| hard.min(limit)));
    rustix::process::setrlimit(
        resource,
        Rlimit {
            current: limit,
            maximum: limit,
        },
    )
}

/// Denies everything Landlock knows. An older kernel that knows only files is enough: seccomp also denies what it
/// lacks.
fn landlock() -> Result<(), String> {
    let newest = ABI::V6;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(newest))
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(newest)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(newest)))
        .and_then(Ruleset::create)
        .and_then(|ruleset| ruleset.restrict_self())
        .map_err(|error| error.to_string())?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok(()),
        // Files, and everything that seccomp denies as well: ports, signals and sockets are denied twice.
        RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err("not in this kernel".to_owned()),
    }
}

/// System calls a worker may make with any arguments. They all work on what the process already holds: memory, its
/// socket, a descriptor it was sent, its own threads.
const ALLOWED: &[libc::c_long] = &[
    // Its socket and the document.
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_recvmsg,
    libc::SYS_recvfrom,
    libc::SYS_sendto,
    libc::SYS_close,
    // Memory; mmap and mprotect are below.
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    // Its threads, signals to itself, its exit.
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Time and randomness for hash maps.
    libc::SYS_clock_gettime,
    libc::SYS_getrandom,
];

fn seccomp() -> Result<(), String> {
    let filter = filter().map_err(|error| error.to_string())?;
    seccompiler::apply_filter_all_threads(&filter).map_err(|error| error.to_string())
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        ALLOWED.iter().map(|&call| (call, Vec::new())).collect();
    // Memory is never executable.
    let executable = u64::from(libc::PROT_EXEC.unsigned_abs());
    for call in [libc::SYS_mmap, libc::SYS_mprotect] {
        rules.insert(
            call,
            vec![when(&[(2, SeccompCmpOp::MaskedEq(executable), 0)])?],
        );
    }
    // Abort signals this process only.
    let this = u64::from(std::process::id());
    rules.insert(
        libc::SYS_tgkill,
        vec![when(&[(0, SeccompCmpOp::Eq, this)])?],
    );
    // The CPU limit of each document, of this process only.
    let cpu = u64::from(libc::RLIMIT_CPU);
    let own_cpu = [(0, SeccompCmpOp::Eq, 0), (1, SeccompCmpOp::Eq, cpu)];
    rules.insert(libc::SYS_prlimit64, vec![when(&own_cpu)?]);
    SeccompFilter::new(
        rules,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        SeccompAction::Allow,
        TargetArch::try_from(std::env::consts::ARCH)?,
    )?
    .try_into()
}

/// A rule that matches if every argument (index, comparison, value) does, as 32-bit values.
fn when(arguments: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions = arguments.iter().map(|(index, operator, value)| {
        SeccompCondition::new(*index, SeccompCmpArgLen::Dword, operator.clone(), *value)
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests;
