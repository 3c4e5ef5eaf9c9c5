//! Confines an external tool: the shim gives up rights, then executes the program.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope,
};
use rustix::process::{Resource, Signal};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as ArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, sock_filter,
};

use crate::sandbox::{set_limit, set_soft_limit};

/// Paths that a program needs to run at all: itself, its libraries, fonts and models. Never a share.
const READABLE: &[&str] = &[
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/etc/fonts",
    "/etc/ld.so.cache",
];

/// The hidden subcommand: `MEMORY_BYTES CPU_SECONDS PROGRAM ARGUMENTS…`. It refuses to start the program if it cannot
/// confine it.
#[must_use]
pub fn external_tool_main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
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
    // Returns only on failure.
    let _ = Command::new(program).args(arguments).exec();
    ExitCode::FAILURE
}

pub(super) fn confine(memory: u64, cpu: u64) -> Result<(), String> {
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
    // At the hard limit the kernel kills the same way as when memory is short, so the soft one comes first.
    set_limit(Resource::Cpu, cpu.saturating_add(1)).map_err(said)?;
    set_soft_limit(Resource::Cpu, cpu).map_err(said)?;
    rustix::thread::set_no_new_privs(true).map_err(said)?;
    landlock().map_err(|error| error.to_string())?;
    for filter in filters().map_err(|error| error.to_string())? {
        seccompiler::apply_filter(&filter).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Allows reading below [`READABLE`], and nothing else.
fn landlock() -> Result<(), landlock::RulesetError> {
    let newest = ABI::V6;
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(newest))?
        .handle_access(AccessNet::from_all(newest))?
        .scope(Scope::from_all(newest))?
        .create()?;
    for folder in READABLE {
        // What does not exist need not be readable.
        if let Ok(folder) = PathFd::new(folder) {
            rules = rules.add_rule(PathBeneath::new(folder, AccessFs::from_read(newest)))?;
        }
    }
    rules.restrict_self().map(drop)
}

/// System calls no reader of documents needs. A program stays one process: a child could leave the process group,
/// and outlive it with the pipe that is read.
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
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_pidfd_getfd,
    libc::SYS_setsid,
    libc::SYS_setpgid,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
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

/// The namespaces that a clone may create.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Where the numbers of x32 begin, which no list of numbers includes.
const OTHER_NUMBERS: u32 = 0x4000_0000;

fn filters() -> Result<[BpfProgram; 3], seccompiler::BackendError> {
    let mut rules: BTreeMap<_, _> = DENIED.iter().map(|&call| (call, Vec::new())).collect();
    rules.insert(libc::SYS_tgkill, vec![to_others()?]);
    rules.insert(libc::SYS_clone, clones()?);
    // Its flags are in memory, where no filter sees them: it fails as if the kernel were too old to know it, so that
    // threads are created by the other call.
    let by_memory = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    Ok([
        only_native_numbers(),
        denying(by_memory, libc::ENOSYS)?,
        denying(rules, libc::EPERM)?,
    ])
}

fn denying(
    rules: BTreeMap<libc::c_long, Vec<SeccompRule>>,
    errno: libc::c_int,
) -> Result<BpfProgram, seccompiler::BackendError> {
    SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(errno.unsigned_abs()),
        TargetArch::try_from(std::env::consts::ARCH)?,
    )?
    .try_into()
}

/// Matches a signal to a thread of another process; to itself a process sends one to abort.
fn to_others() -> Result<SeccompRule, seccompiler::BackendError> {
    let own = u64::from(std::process::id());
    let group = SeccompCondition::new(0, ArgLen::Dword, SeccompCmpOp::Ne, own)?;
    SeccompRule::new(vec![group])
}

/// Matches a clone that is no thread of this process, or that creates a namespace.
fn clones() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let rule = |mask: libc::c_int, flags: libc::c_int| {
        // All of them are 32-bit flags.
        let [mask, flags] = [mask, flags].map(|bits| u64::from(bits.cast_unsigned()));
        let condition =
            SeccompCondition::new(0, ArgLen::Dword, SeccompCmpOp::MaskedEq(mask), flags)?;
        SeccompRule::new(vec![condition])
    };
    let processes = rule(libc::CLONE_THREAD, 0);
    let namespaces = NAMESPACES
        .iter()
        .map(|namespace| rule(*namespace, *namespace));
    std::iter::once(processes).chain(namespaces).collect()
}

/// Denies every call whose number does not belong to this architecture.
fn only_native_numbers() -> BpfProgram {
    let step = |code: u32, jt: u8, jf: u8, k: u32| sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    let denied = libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs();
    vec![
        // The number is the first field that a filter sees.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(
            libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K,
            0,
            1,
            OTHER_NUMBERS,
        ),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, denied),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}
