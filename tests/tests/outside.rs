//! `simctl report --kind copies-of` about files that lie below no root, with the real programs.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_tests::sandbox::{Answer, Daemon, Run, Sandbox, bound_by_permissions, simdexd};

use crate::reports::prose;

/// A share with two versions of a contract, and a desk beside it.
struct Bed {
    sandbox: Sandbox,
    desk: PathBuf,
}

impl Bed {
    fn new() -> Result<Self> {
        let sandbox = Sandbox::new()?;
        sandbox.write("contract.txt", prose(1, 300))?;
        sandbox.write("contract-2.txt", prose(1, 310))?;
        sandbox.write("other.txt", prose(2, 300))?;
        let desk = sandbox.beside("desk");
        fs::create_dir(&desk)?;
        let desk = desk.canonicalize()?;
        Ok(Self { sandbox, desk })
    }

    fn on_desk(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Result<PathBuf> {
        let path = self.desk.join(name);
        fs::write(&path, bytes)?;
        Ok(path)
    }

    fn out(&self, name: &str) -> PathBuf {
        self.sandbox.beside(name)
    }

    /// The arguments of a report about these files.
    fn report<A: AsRef<OsStr>>(&self, name: &str, files: &[A]) -> Vec<OsString> {
        let mut args: Vec<OsString> = ["report", "--kind", "copies-of", "--out"]
            .map(OsString::from)
            .into();
        args.push(self.out(name).into_os_string());
        args.extend(files.iter().map(|file| file.as_ref().to_owned()));
        args
    }

    fn manifest(&self, name: &str) -> Result<Value> {
        let text = fs::read_to_string(self.out(name).join("manifest.json"))?;
        Ok(serde_json::from_str(&text)?)
    }

    fn findings(&self, name: &str) -> Result<Vec<Value>> {
        let text = fs::read_to_string(self.out(name).join("findings.jsonl"))?;
        let lines = text.lines().map(serde_json::from_str);
        Ok(lines.collect::<Result<_, _>>()?)
    }
}

fn says(answer: &Answer, words: &[&str]) -> Result<()> {
    for word in words {
        ensure!(answer.stderr.contains(word), "{word}: {}", answer.stderr);
    }
    Ok(())
}

#[test]
fn who_holds_copies_of_a_file_in_hand_is_found_by_its_text() -> Result<()> {
    let bed = Bed::new()?;
    let daemon = bed.sandbox.serve().start()?;
    daemon.sync()?;
    // A page in another format, and a name that is no UTF-8.
    let page = bed.on_desk(
        "leak.html",
        format!("<html><body><p>{}</p></body></html>", prose(1, 305)),
    )?;
    let odd = bed.on_desk(OsStr::from_bytes(b"odd \xff.txt"), prose(2, 300))?;
    let made = daemon.simctl_in_words(bed.report("who", &[&page, &odd, &page]))?;
    says(
        &made,
        &[
            "2 files are not indexed (",
            "leak.html, ",
            "odd \\xff.txt): their bytes are sent",
            "3 copies found",
        ],
    )?;
    ensure!(made.code()? == 0, "{}", made.stderr);
    let manifest = bed.manifest("who")?;
    let not_indexed = &manifest["question"]["not_indexed"];
    ensure!(
        not_indexed.as_array().context("a list")?.len() == 2,
        "{manifest}"
    );
    ensure!(manifest["findings"]["not_indexed"] == 2, "{manifest}");
    let found = bed.findings("who")?;
    let exact = found.iter().filter(|found| found["of_bytes"].is_string());
    ensure!(exact.count() == 1, "{found:?}");
    ensure!(
        found.iter().all(|found| found["of_not_indexed"] == true),
        "{found:?}"
    );
    let out = bed.out("who");
    let verified = Run::of(simdexd()?).args(["verify".as_ref(), out.as_os_str()]);
    verified.wait()?.success()?;
    // Nothing of them came into the index.
    let files = daemon.simctl(["status"])?.lines_of("status")?.remove(0);
    ensure!(files["summary"]["files_on_disk"] == 3, "{files}");
    Ok(())
}

#[test]
fn each_file_that_cannot_be_named_or_read_is_told_and_nothing_is_written() -> Result<()> {
    let bed = Bed::new()?;
    let daemon = bed.sandbox.serve().start()?;
    daemon.sync()?;
    let page = bed.on_desk("leak.txt", prose(1, 305))?;
    let (missing, folder) = (bed.desk.join("missing.txt"), bed.desk.clone());
    let refused = daemon.simctl_in_words(bed.report("none", &[&missing, &page, &folder]))?;
    ensure!(refused.code()? == 2, "{}", refused.stderr);
    says(
        &refused,
        &[
            "missing.txt is unknown to the daemon",
            "is not a regular file",
        ],
    )?;
    ensure!(!bed.out("none").exists());
    // Of groups only those of indexed files can be reported.
    let out = bed.out("groups").into_os_string();
    let groups: [&OsStr; 4] = ["report".as_ref(), "--out".as_ref(), &out, page.as_ref()];
    let refused = daemon.simctl_in_words(groups)?;
    ensure!(refused.code()? == 2, "{}", refused.stderr);
    ensure!(!bed.out("groups").exists());
    Ok(())
}

/// A link is never indexed, like a file that was written just now.
#[test]
fn that_the_bytes_of_a_file_below_a_root_are_sent_is_told() -> Result<()> {
    let bed = Bed::new()?;
    // The link stays unseen, however slow the machine is: once seen it is on record as skipped.
    let serve = bed.sandbox.serve().roots([(bed.sandbox.share(), "poll")]);
    let daemon = serve.config("[watch]\npoll_seconds = 3600\n").start()?;
    daemon.sync()?;
    let page = bed.on_desk("leak.txt", prose(1, 305))?;
    let link = bed.sandbox.share().join("fresh.txt");
    std::os::unix::fs::symlink(&page, &link)?;
    let known = bed.sandbox.share().join("contract.txt");
    let [page, link, known] = [&page, &link, &known].map(|path| path.as_os_str());
    let told = "fresh.txt is not in the index, though it is below a root: its bytes were sent";
    for verb in ["find-similar", "versions", "containing"] {
        let answer = daemon.simctl_in_words([OsStr::new(verb), link])?;
        says(&answer, &[told])?;
        ensure!(
            answer.stderr.matches("were sent").count() == 1,
            "{}",
            answer.stderr
        );
        for file in [page, known] {
            let answer = daemon.simctl_in_words([OsStr::new(verb), file])?;
            ensure!(!answer.stderr.contains("were sent"), "{}", answer.stderr);
        }
    }
    let answer = daemon.simctl_in_words([OsStr::new("compare"), known, link])?;
    says(&answer, &[told])
}

#[test]
fn a_file_without_a_comparable_text_is_told_and_the_others_are_answered() -> Result<()> {
    let bed = Bed::new()?;
    bed.sandbox.write("note.txt", "short\n")?;
    let daemon = bed.sandbox.serve().start()?;
    daemon.sync()?;
    let (note, page) = (
        bed.on_desk("my-note.txt", "short\n")?,
        bed.on_desk("leak.txt", prose(1, 305))?,
    );
    let made = daemon.simctl_in_words(bed.report("some", &[&note, &page]))?;
    says(
        &made,
        &[
            "3 copies found; 1 file could not be compared",
            "my-note.txt was not compared: it is shorter than the least that is compared; files of the same bytes are found",
        ],
    )?;
    ensure!(made.code()? == 0, "{}", made.stderr);
    let line = daemon.simctl(bed.report("json", &[&note, &page]))?;
    let line = line.lines_of("report")?.remove(0);
    let not_compared = line["files_not_compared"].as_array().context("a list")?;
    ensure!(
        not_compared.len() == 1 && not_compared[0]["state"] == "too-short",
        "{line}"
    );
    ensure!(bed.manifest("json")?["files_not_compared"] == line["files_not_compared"]);
    Ok(())
}

/// The client reads the file with its own rights, and nobody else does.
#[test]
fn the_rights_of_the_client_decide_what_is_read_and_not_those_of_the_daemon() -> Result<()> {
    let bed = Bed::new()?;
    let closed = bed.on_desk("closed.txt", prose(1, 305))?;
    fs::set_permissions(&closed, Permissions::from_mode(0o000))?;
    let ask = |daemon: &Daemon, name: &str| daemon.simctl(bed.report(name, &[&closed]));
    if rustix::process::geteuid().is_root() {
        let daemon = bound_by_permissions(|| bed.sandbox.serve().start())?;
        daemon.sync()?;
        ask(&daemon, "client-may")?.success()?;
        ensure!(bed.findings("client-may")?.len() == 2);
        ensure!(daemon.stop()?.success());
    }
    let daemon = bed.sandbox.serve().start()?;
    daemon.sync()?;
    let refused = bound_by_permissions(|| ask(&daemon, "client-may-not"))?;
    ensure!(refused.code()? == 2, "{}", refused.stderr);
    says(&refused, &["closed.txt (permission denied)"])?;
    ensure!(!bed.out("client-may-not").exists());
    Ok(())
}
