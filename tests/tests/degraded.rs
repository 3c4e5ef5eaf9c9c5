//! A kernel that lacks a measure of the sandbox: refused unless the config accepts it, and then reported
//! prominently. The measure is taken away by a filter that answers Landlock's first call as an older kernel
//! does; a thread's filter holds for all it starts.

use std::thread;

use anyhow::{Context, Result, anyhow, ensure};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};
use simdex_tests::sandbox::Sandbox;

/// `landlock_create_ruleset`: one number for all machines since Linux 5.13.
const CREATE_RULESET: i64 = 444;
/// "Function not implemented".
const ENOSYS: u32 = 38;

/// Runs this where the kernel knows no Landlock.
fn without_landlock<T: Send>(run: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let confined = || {
        let filter = SeccompFilter::new(
            [(CREATE_RULESET, Vec::new())].into(),
            SeccompAction::Allow,
            SeccompAction::Errno(ENOSYS),
            TargetArch::try_from(std::env::consts::ARCH)?,
        )?;
        let program: BpfProgram = filter.try_into()?;
        apply_filter(&program)?;
        run()
    };
    thread::scope(|scope| scope.spawn(confined).join()).map_err(|_| anyhow!("a panic"))?
}

#[test]
fn a_missing_piece_refuses_the_start_and_is_named() -> Result<()> {
    let sandbox = Sandbox::new()?;
    // Where all is there the same config starts.
    ensure!(sandbox.serve().start()?.stop()?.success());
    let refused = without_landlock(|| sandbox.serve().refused())?;
    let said = &refused.stderr;
    ensure!(refused.code()? == 2, "{said}");
    ensure!(said.contains("missing: landlock"), "{said}");
    ensure!(said.contains("require_sandbox = false"), "{said}");
    Ok(())
}

#[test]
fn accepted_it_is_said_loudly_and_documents_are_read() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let text = "a text that is long enough to be a document, read by workers without Landlock";
    sandbox.write("a.txt", text)?;
    let serve = sandbox
        .serve()
        .config("[extract]\nrequire_sandbox = false\n");
    let daemon = without_landlock(|| serve.start())?;
    daemon.sync()?;
    let status = daemon.simctl(["status"])?.success()?.lines_of("status")?;
    let said = status[0]["sandbox"].as_str().context("no sandbox")?;
    ensure!(said.starts_with("DEGRADED: missing landlock"), "{said}");
    ensure!(said.contains("seccomp"), "what is enforced: {said}");
    let log = daemon.log()?;
    ensure!(log.contains("DEGRADED"), "the log says nothing: {log}");
    let files = daemon.simctl(["files"])?.success()?.lines_of("file")?;
    ensure!(files[0]["state"] == "indexed", "{files:?}");
    ensure!(daemon.stop()?.success());
    Ok(())
}
