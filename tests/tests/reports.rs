//! Reports with the real programs: of some roots, of the groups of some files, of components and cores, and what of
//! them is refused.

use std::ffi::OsStr;
use std::fs;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_tests::sandbox::{Answer, Daemon, Sandbox, bound_by_permissions};

/// Text with this many words. It shares nothing with that of another seed; a longer text is a continuation.
pub(crate) fn prose(seed: usize, words: usize) -> String {
    let word = |at: usize| format!("w{:05}", (seed * 1_000 + at) * 7_919 % 100_003);
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// Two roots: `legal` and `sales` hold versions of one contract, and each a pair and a link of its own.
struct Bed {
    sandbox: Sandbox,
    daemon: Daemon,
}

impl Bed {
    fn new() -> Result<Self> {
        let sandbox = Sandbox::new()?;
        let mut roots = Vec::new();
        for (at, name) in ["legal", "sales"].into_iter().enumerate() {
            let root = sandbox
                .beside(name)
                .parent()
                .context("a parent")?
                .canonicalize()?;
            let root = root.join(name);
            fs::create_dir(&root)?;
            for (file, text) in [
                ("contract.txt", format!("{} {name} one", prose(1, 300))),
                ("contract-2.txt", format!("{} {name} two", prose(1, 320))),
                ("pair-a.txt", prose(10 + at, 200)),
                ("pair-b.txt", prose(10 + at, 205)),
                ("alone.txt", prose(20 + at, 200)),
            ] {
                fs::write(root.join(file), text)?;
            }
            std::os::unix::fs::symlink("nowhere", root.join("link"))?;
            roots.push((root, "native"));
        }
        let daemon = sandbox.serve().roots(roots).start()?;
        daemon.sync()?;
        Ok(Self { sandbox, daemon })
    }

    fn root(&self, name: &str) -> Result<PathBuf> {
        Ok(self.sandbox.beside(name).canonicalize()?)
    }

    /// `simctl report --out NAME FLAGS`, however it ends.
    fn ask<A: AsRef<OsStr>>(&self, name: &str, flags: &[A]) -> Result<Answer> {
        let out = self.sandbox.beside(name);
        let start = [OsStr::new("report"), OsStr::new("--out"), out.as_os_str()];
        let flags = flags.iter().map(AsRef::as_ref);
        self.daemon.simctl(start.into_iter().chain(flags))
    }

    /// The directory of a report that was made and is intact.
    fn report<A: AsRef<OsStr>>(&self, name: &str, flags: &[A]) -> Result<PathBuf> {
        self.ask(name, flags)?.success()?;
        let out = self.sandbox.beside(name);
        simdexd::reports::report::verify(&out).map_err(|error| anyhow::anyhow!("{error:?}"))?;
        Ok(out)
    }

    fn end(self) -> Result<()> {
        ensure!(self.daemon.stop()?.success());
        Ok(())
    }
}

fn manifest(report: &Path) -> Result<Value> {
    Ok(serde_json::from_slice(&fs::read(
        report.join("manifest.json"),
    )?)?)
}

/// The lines of a list of a report.
fn lines(report: &Path, name: &str) -> Result<Vec<Value>> {
    let text = fs::read_to_string(report.join(name))?;
    let lines = text.lines().map(|line| Ok(serde_json::from_str(line)?));
    lines.collect()
}

/// Every file below a directory.
fn all_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        match path.is_dir() {
            true => found.extend(all_files(&path)?),
            false => found.push(path),
        }
    }
    Ok(found)
}

/// Files of a report that hold these bytes.
fn holding(report: &Path, words: &str) -> Result<Vec<PathBuf>> {
    let mut found = all_files(report)?;
    found.retain(|file| {
        let bytes = fs::read(file).unwrap_or_default();
        bytes
            .windows(words.len())
            .any(|part| part == words.as_bytes())
    });
    Ok(found)
}

/// The names of the members of each group, below their roots.
fn groups(report: &Path) -> Result<Vec<Vec<String>>> {
    let name = |member: &Value| {
        let path = Path::new(member["path"].as_str().context("a path")?);
        let parts: Vec<_> = path
            .iter()
            .rev()
            .take(2)
            .map(OsStr::to_string_lossy)
            .collect();
        Ok(format!("{}/{}", parts[1], parts[0]))
    };
    let files = |group: Value| -> Result<Vec<String>> {
        let members = group["members"].as_array().context("members")?;
        let mut names = members.iter().map(name).collect::<Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    };
    lines(report, "groups.jsonl")?
        .into_iter()
        .map(files)
        .collect()
}

/// Changes since a report of other roots are said to be that; an unknown root is refused with those that are watched.
fn since_and_unknown(bed: &Bed, whole: &Path, legal: &Path) -> Result<()> {
    let whole = whole.to_str().context("a path")?;
    let legal = legal.to_str().context("a path")?;
    let since = bed
        .ask("since", &["--root", legal, "--since", whole])?
        .success()?;
    let changes = since.lines_of("changes")?;
    ensure!(
        changes[0]["caveats"] == serde_json::json!(["other-roots"]),
        "{changes:?}"
    );
    let unknown = bed.ask("unknown", &["--root", "/nowhere"])?;
    ensure!(
        unknown.stderr.contains("/nowhere") && unknown.stderr.contains(legal),
        "{}",
        unknown.stderr
    );
    ensure!(!bed.sandbox.beside("unknown").exists());
    Ok(())
}

#[test]
fn a_report_of_some_roots_has_nothing_of_the_others() -> Result<()> {
    let bed = Bed::new()?;
    let legal = bed.root("legal")?;
    let of_legal = [
        OsStr::new("--root"),
        legal.as_os_str(),
        OsStr::new("--load-file"),
        OsStr::new("csv"),
    ];
    let report = bed.report("of-legal", &of_legal)?;
    let sales = bed.root("sales")?;
    ensure!(
        holding(&report, "sales")?.is_empty(),
        "{:?}",
        holding(&report, "sales")?
    );
    let whole = bed.report("whole", &[] as &[&str])?;
    ensure!(!holding(&whole, sales.to_str().context("a path")?)?.is_empty());
    let right = [
        vec![
            "legal/contract-2.txt".to_owned(),
            "legal/contract.txt".to_owned(),
        ],
        vec!["legal/pair-a.txt".to_owned(), "legal/pair-b.txt".to_owned()],
    ];
    ensure!(groups(&report)? == right, "{:?}", groups(&report)?);
    let of_legal = manifest(&report)?;
    ensure!(
        of_legal["roots"] == serde_json::json!([{ "path": legal }]),
        "{of_legal}"
    );
    ensure!(
        of_legal["files_on_disk"] == 6 && of_legal["documents"] == 5 && of_legal["groups"] == 2
    );
    let unread = lines(&report, "unread.jsonl")?;
    ensure!(
        unread.len() == 1 && unread[0]["path"] == legal.join("link").to_str().context("a path")?
    );
    let rows = fs::read_to_string(report.join("load/documents.csv"))?;
    ensure!(rows.lines().count() == 7, "{rows}");

    since_and_unknown(&bed, &whole, &legal)?;
    bed.end()
}

#[test]
fn a_report_of_some_files_is_of_their_groups_alone_and_marks_them() -> Result<()> {
    let bed = Bed::new()?;
    let legal = bed.root("legal")?;
    let [asked, alone] = ["contract.txt", "alone.txt"].map(|name| legal.join(name));
    let flags = [
        asked.as_os_str(),
        alone.as_os_str(),
        OsStr::new("--load-file"),
        OsStr::new("csv"),
    ];
    let report = bed.report("some", &flags)?;
    let found = lines(&report, "groups.jsonl")?;
    ensure!(found.len() == 1, "{found:?}");
    let members = found[0]["members"].as_array().context("members")?;
    let marked = members.iter().filter(|member| member["asked"] == true);
    let marked: Vec<_> = marked
        .map(|member| Path::new(member["path"].as_str().unwrap_or("")))
        .collect();
    ensure!(
        members.len() == 4 && marked == [asked.as_path()],
        "{members:?}"
    );
    let of_some = manifest(&report)?;
    ensure!(
        of_some["question"]["files"] == serde_json::json!([{ "path": alone }, { "path": asked }])
    );
    ensure!(
        of_some["files_in_no_group"] == serde_json::json!([{ "path": alone }]),
        "{of_some}"
    );
    ensure!(of_some["groups"] == 1 && of_some["diffs"] == 3, "{of_some}");
    ensure!(all_files(&report.join("text"))?.len() == 4);
    // Nothing of another group: neither its paths nor its text.
    for other in ["pair-a.txt", &prose(10, 5), "sales/alone.txt"] {
        ensure!(
            holding(&report, other)?.is_empty(),
            "{other}: {:?}",
            holding(&report, other)?
        );
    }
    let page = fs::read_to_string(report.join("report.html"))?;
    ensure!(
        page.matches("asked about</span>").count() == 1 && page.contains("Of these in no group")
    );
    let rows = fs::read_to_string(report.join("load/documents.csv"))?;
    marks_in_the_load_file(&rows)?;
    refused_and_since(&bed, &report, &alone)?;
    bed.end()
}

/// Two of the five files were asked about.
fn marks_in_the_load_file(rows: &str) -> Result<()> {
    ensure!(rows.lines().count() == 6, "{rows}");
    let column = |row: &str| row.split("\",\"").nth(11).map(str::to_owned);
    let marks: Vec<_> = rows.lines().filter_map(column).collect();
    ensure!(marks[0] == "Simdex::Asked", "{marks:?}");
    let with = |mark: &str| marks.iter().filter(|known| *known == mark).count();
    ensure!((with("Yes"), with("No")) == (2, 3), "{marks:?}");
    Ok(())
}

/// A file in no group makes a report of none; another question is a caveat; an unknown file is refused.
fn refused_and_since(bed: &Bed, earlier: &Path, alone: &Path) -> Result<()> {
    let [earlier, alone] = [earlier, alone].map(|path| path.to_str().context("a path"));
    let (earlier, alone) = (earlier?, alone?);
    let since = bed.ask("none", &[alone, "--since", earlier])?.success()?;
    let changes = since.lines_of("changes")?;
    ensure!(
        changes[0]["caveats"] == serde_json::json!(["other-question"]),
        "{changes:?}"
    );
    let none = bed.sandbox.beside("none");
    ensure!(lines(&none, "groups.jsonl")?.is_empty() && manifest(&none)?["groups"] == 0);
    let sales = bed.root("sales")?;
    let sales = sales.to_str().context("a path")?;
    for (flags, words) in [
        (
            vec!["/nowhere/x.txt"],
            "/nowhere/x.txt is not a file the index knows",
        ),
        (
            vec![alone, "--root", sales],
            "is not below any of the roots",
        ),
        (
            vec![alone, "--kind", "duplicates"],
            "groups or copies-of alone takes files",
        ),
    ] {
        let refused = bed.ask("refused", &flags)?;
        ensure!(refused.stderr.contains(words), "{}", refused.stderr);
        ensure!(refused.success().is_err() && !bed.sandbox.beside("refused").exists());
    }
    Ok(())
}

fn set_mode(path: &Path, mode: u32) -> Result<()> {
    Ok(fs::set_permissions(path, Permissions::from_mode(mode))?)
}

#[test]
fn a_folder_that_was_not_entered_is_in_the_report() -> Result<()> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", prose(1, 100))?;
    sandbox.write("closed/inside.txt", prose(2, 100))?;
    let closed = sandbox.share().join("closed");
    set_mode(&closed, 0o000)?;
    let daemon = bound_by_permissions(|| sandbox.serve().start())?;
    daemon.sync()?;
    let out = sandbox.beside("report");
    let asked = ["report", "--out", out.to_str().context("a path")?];
    let made = daemon.simctl(asked)?;
    set_mode(&closed, 0o700)?;
    made.success()?;
    let unread = lines(&out, "unread.jsonl")?;
    ensure!(unread.len() == 1, "{unread:?}");
    let (path, state, reason) = (
        &unread[0]["path"],
        &unread[0]["state"],
        &unread[0]["reason"],
    );
    ensure!(
        path.as_str() == closed.to_str() && state == "unreadable",
        "{unread:?}"
    );
    ensure!(reason == "permission-denied", "{unread:?}");
    let page = fs::read_to_string(out.join("report.html"))?;
    ensure!(page.contains("permission-denied") && page.contains("/closed</bdi>"));
    ensure!(daemon.stop()?.success());
    Ok(())
}

#[test]
fn a_report_directory_that_is_none_refuses_the_start_and_the_config() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let place = sandbox
        .share()
        .parent()
        .context("a parent")?
        .join("reports");
    fs::write(&place, "a file in its place")?;
    let serve = sandbox.serve().report_dir(&place);
    for refused in [serve.refused()?, serve.checked()?] {
        let said = &refused.stderr;
        let right = format!("the report directory {} cannot be opened", place.display());
        ensure!(
            said.contains(&right) && said.contains("Not a directory"),
            "{said}"
        );
        ensure!(refused.code()? != 0);
    }
    ensure!(fs::read(&place)? == b"a file in its place");
    Ok(())
}

const SCHEDULE: &str = "[[schedules]]\nname = \"nightly\"\ncron = \"0 2 * * *\"\n";

#[test]
fn a_directory_without_rights_holds_no_report_and_nothing_of_one() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for (name, words) in [("a.txt", 300), ("b.txt", 320)] {
        sandbox.write(name, prose(1, words))?;
    }
    let place = sandbox
        .share()
        .parent()
        .context("a parent")?
        .join("reports");
    fs::create_dir(&place)?;
    set_mode(&place, 0o500)?;
    // With schedules the daemon must be able to write there, and says so at its start.
    let serve = sandbox.serve().report_dir(&place);
    let scheduled = serve.clone().config(SCHEDULE);
    let refused = bound_by_permissions(|| scheduled.refused())?;
    let said = &refused.stderr;
    ensure!(
        said.contains("reports") && said.contains("Permission denied"),
        "{said}"
    );
    ensure!(refused.code()? != 0);
    // Without, it starts and refuses to keep one.
    let daemon = bound_by_permissions(|| serve.start())?;
    daemon.sync()?;
    let kept = daemon.simctl(["report", "--keep", "june"])?;
    ensure!(kept.stderr.contains("Permission denied"), "{}", kept.stderr);
    // The client writes with its own rights.
    let out = place.join("july");
    let asked = ["report", "--out", out.to_str().context("a path")?];
    let written = bound_by_permissions(|| daemon.simctl(asked))?;
    ensure!(
        written.stderr.contains("permission denied"),
        "{}",
        written.stderr
    );
    for refused in [kept, written] {
        ensure!(refused.success().is_err());
    }
    ensure!(fs::read_dir(&place)?.count() == 0);
    set_mode(&place, 0o700)?;
    ensure!(daemon.stop()?.success());
    Ok(())
}
