//! Trials of missing access checks: paths, configs, reports, permissions, names, links and pipes.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::eventually;
use crate::acceptance::{Verdict, files_below};
use crate::fault::answers::Listed;
use crate::handmade::tar;
use crate::jsonl;
use crate::sandbox::{Answer, Daemon, Run, Sandbox, simctl, simdexd};

const TEXT: &str = "a text that is long enough to be a document of its own, and is one";

fn pipe(path: &Path) -> Result<()> {
    Ok(mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0)?)
}

/// Ends with 124 where it takes longer than anything here should.
fn bounded(program: &Path) -> Run {
    Run::of("timeout").args(["60"]).args([program])
}

/// What is listed is what is asked, for members at any depth and folders called like them.
pub(super) fn paths() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    let file = |name: &str, bytes: &[u8]| tar::entry(name, b'0', bytes.len() as u64, bytes);
    let text = |at: u32| format!("{TEXT}, number {at}").into_bytes();
    let nest = |inner: Vec<u8>, at| tar::tar(&[file("in.tar", &inner), file("t.txt", &text(at))]);
    sandbox.write("deep.tar", (1..8).fold(text(0), nest))?;
    sandbox.write("x.tar", tar::tar(&[file("a.txt", &text(9))]))?;
    for name in ["x.tar!/a.txt", "x.tar!!/a.txt", "deep.tar!/in.tar!/t.txt"] {
        sandbox.write(name, text(10))?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let files = daemon.simctl(["files"])?.success()?.lines_of("file")?;
    let paths: Vec<&str> = files
        .iter()
        .filter_map(|file| file["path"].as_str())
        .collect();
    let different: std::collections::BTreeSet<_> = paths.iter().collect();
    ensure!(
        different.len() == paths.len(),
        "two files share a path: {paths:?}"
    );
    ensure!(
        paths.iter().any(|path| path.matches("!/").count() > 5),
        "{paths:?}"
    );
    // A file by itself says besides what the answer rests on, and it may be read again meanwhile.
    let own = |line: &Value| jsonl::without(line, &["complete", "pending", "last_read"]);
    for (file, path) in files.iter().zip(&paths) {
        let shown = daemon.simctl(["show", path])?.success()?.lines_of("file")?;
        let first = shown.first().context("nothing is shown")?;
        ensure!(own(first)? == own(file)?, "{path} leads to {shown:?}");
    }
    Ok(Verdict::Holds)
}

/// Values that were accepted once; each refusal names the key, the value and the range.
pub(super) fn configs() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    for (section, key, value, range) in [
        ("grpc", "socket_mode", "0o4777", "0o777"),
        ("extract", "memory_mib", "0", "to"),
        ("extract", "memory_mib", "1152921504606846976", "to"),
        ("extract", "text_mib", "400", "1 to"),
        ("extract", "input_mib", "17592186044416", "to"),
        ("store", "cache_mib", "9223372036854775807", "to"),
        ("watch", "rescan_seconds", "0", "1 to"),
        ("grpc", "max_queries", "0", "1 to"),
        ("grpc", "deadline_seconds", "-1", "1 to"),
    ] {
        let serve = sandbox
            .serve()
            .config(&format!("[{section}]\n{key} = {value}\n"));
        for refused in [serve.checked()?, serve.refused()?] {
            let said = &refused.stderr;
            ensure!(refused.code()? == 2, "{key} = {value} is accepted");
            for part in [key, value, range] {
                ensure!(said.contains(part), "{said} does not say {part}");
            }
        }
    }
    sandbox.serve().checked()?.success()?;
    Ok(Verdict::Holds)
}

/// The daemon keeps no report where nobody allowed it, and lives on.
pub(super) fn reports() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", TEXT)?;
    sandbox.write("b.txt", TEXT)?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    // Without a directory for reports none is kept, whatever it is called.
    for name in ["store/CLEAN", "../data/store/CLEAN", "june"] {
        let answer = daemon.simctl(["report", "--keep", name])?;
        ensure!(answer.code()? == 2, "a report called {name}");
    }
    let daemon = daemon.restart()?;
    daemon.sync()?;
    let known = Listed::by_daemon(&daemon)?.len();
    ensure!(known == 2, "{known} files after a restart");
    Ok(Verdict::Holds)
}

/// What the daemon keeps is its owner's alone: a directory that is open to others is closed to them.
pub(super) fn permissions() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", TEXT)?;
    let data = sandbox.data_dir();
    fs::DirBuilder::new().mode(0o700).create(&data)?;
    fs::set_permissions(&data, fs::Permissions::from_mode(0o777))?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    ensure!(daemon.stop()?.success(), "the daemon ended badly");
    for path in files_below(&data)? {
        for path in path.ancestors().take_while(|path| path.starts_with(&data)) {
            let mode = path.metadata()?.mode() & 0o777;
            ensure!(mode & 0o077 == 0, "{} is {mode:o}", path.display());
        }
    }
    Ok(Verdict::Holds)
}

/// Frames with names of pages that are not there, of nothing, and of the folder.
pub(super) fn frames() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    let page = "<html><frameset><frame src='ok.html'><frame src='zz.html'><frame src='.'>\
                <frame src=''><frame src='#'></frameset></html>";
    for (at, frames) in ["ok.html", "zz.html", ".", "", "/", "..", "%2e"]
        .iter()
        .enumerate()
    {
        let one = format!("<html><frameset><frame src='{frames}'></frameset></html>");
        sandbox.write(format!("{at}/index.html"), one)?;
        sandbox.write(format!("{at}/ok.html"), format!("<p>{TEXT} {at}</p>"))?;
    }
    sandbox.write("all/index.html", page)?;
    sandbox.write("all/ok.html", format!("<p>{TEXT}</p>"))?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let lost = Listed::by_daemon(&daemon)?;
    let lost: Vec<_> = lost
        .iter()
        .filter(|file| ["failed", "crashed", "unstable"].contains(&&*file.state))
        .collect();
    ensure!(lost.is_empty(), "{lost:?}");
    Ok(Verdict::Holds)
}

/// A pipe called LOCK hangs no start; a link called COMMITTED is not written through.
pub(super) fn in_the_data() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", TEXT)?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    ensure!(daemon.stop()?.success(), "the daemon ended badly");
    let data = sandbox.data_dir();
    let outside = sandbox.beside("outside");
    fs::write(&outside, "nobody writes here")?;
    for file in files_below(&data)? {
        let name = file.file_name().unwrap_or_default();
        let (is_lock, is_witness) = (name == "LOCK", name == "COMMITTED");
        if is_lock || is_witness {
            let kept = sandbox.beside("kept");
            fs::rename(&file, &kept)?;
            if is_lock {
                pipe(&file)?;
            } else {
                symlink(&outside, &file)?;
            }
            let serve = Run::of("timeout").args(["60"]);
            let ended = sandbox.serve().run_with(serve.args([simdexd()?]))?;
            let wrote = fs::read(&outside)? != b"nobody writes here";
            ensure!(!wrote, "{} was written through", file.display());
            ensure!(ended.code()? == 2, "{}: {}", file.display(), ended.stderr);
            fs::remove_file(&file)?;
            fs::rename(&kept, &file)?;
        }
    }
    sandbox.serve().start()?.sync()?;
    Ok(Verdict::Holds)
}

/// Files that the manifest does not list, entries taken out of it, a pipe in place of a file.
pub(super) fn report_verified() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", TEXT.repeat(9))?;
    sandbox.write("b.txt", TEXT.repeat(9) + "!")?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let out = sandbox.beside("report");
    let report = ["report".as_ref(), "--out".as_ref(), out.as_os_str()];
    daemon.simctl(report)?.success()?;
    let verify = || -> Result<Answer> { bounded(&simdexd()?).args(["verify"]).args([&out]).wait() };
    verify()?.success()?;
    let bad = |what: &str| -> Result<()> {
        let code = verify()?.code()?;
        ensure!(code != 0 && code != 124, "{what}: verify ended with {code}");
        Ok(())
    };
    fs::write(out.join("extra.txt"), "nobody listed this")?;
    bad("a file that is not listed")?;
    fs::remove_file(out.join("extra.txt"))?;
    verify()?.success()?;
    let page = out.join("report.html");
    let kept = fs::read(&page)?;
    fs::remove_file(&page)?;
    bad("a file that is not there")?;
    pipe(&page)?;
    bad("a pipe in the place of a file")?;
    fs::remove_file(&page)?;
    fs::write(&page, kept)?;
    verify()?.success()?;
    Ok(Verdict::Holds)
}

/// A pipe is no document: said at once, not waited for.
pub(super) fn pipe_asked() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    let daemon = sandbox.serve().start()?;
    let path = sandbox.beside("pipe");
    pipe(&path)?;
    for verb in ["find-similar", "containing"] {
        let asked = ask(&daemon, &[verb.as_ref(), path.as_os_str()])?;
        ensure!(asked.code()? == 2, "{verb}: {}", asked.code()?);
    }
    let compare = ["compare".as_ref(), path.as_os_str(), path.as_os_str()];
    let asked = ask(&daemon, &compare)?;
    ensure!(asked.code()? == 2, "compare: {}", asked.code()?);
    Ok(Verdict::Holds)
}

fn ask(daemon: &Daemon, args: &[&OsStr]) -> Result<Answer> {
    let run = bounded(&simctl()?).args(["--socket"]);
    run.args([daemon.socket()]).args(args).wait()
}

/// SIGHUP loses nothing: the daemon goes on, or ends as when it is stopped.
pub(super) fn hang_up() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", TEXT)?;
    let mut daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let id = Pid::from_raw(daemon.id() as i32);
    let id = id.ok_or_else(|| anyhow::anyhow!("a daemon without an id"))?;
    kill_process(id, Signal::HUP)?;
    // It may take its time to end, and answers nobody meanwhile.
    std::thread::sleep(std::time::Duration::from_secs(2));
    eventually("the daemon neither goes on nor ends", || {
        match daemon.ended()? {
            None => {
                let asked = ask(&daemon, &[OsStr::new("status")])?;
                Ok((asked.code()? != 0).then(|| asked.stderr.trim().to_owned()))
            }
            Some(status) => {
                ensure!(status.success(), "the daemon ended with {status}");
                Ok(None)
            }
        }
    })?;
    Ok(Verdict::Holds)
}
