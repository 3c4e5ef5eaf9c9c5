//! Every line of `--json` and of the files of a report: exactly the documented fields, each of its type; null where
//! there is nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::figure::Figures;
use crate::sandbox::{Answer, Sandbox};

mod fields;
mod further;
mod judging;

use fields::{LINES, check};

/// How one document stands to another.
const RELATIONS: [&str; 7] = [
    "identical-bytes",
    "identical-text",
    "near-duplicate",
    "contains",
    "contained-in",
    "overlaps",
    "nothing-shared",
];

/// Sentences that differ from one another.
fn sentences(from: usize, to: usize) -> String {
    let sentence = |at| {
        format!(
            "Clause {at} binds party {} to {} duties.\n",
            at * 7,
            at * at + 3
        )
    };
    (from..to).map(sentence).collect()
}

/// A share with every relation, and files without text.
fn share() -> Result<Sandbox> {
    let sandbox = Sandbox::new()?;
    let whole = sentences(0, 120);
    sandbox.write("whole.txt", &whole)?;
    sandbox.write("same.txt", &whole)?;
    sandbox.write("spaced.txt", whole.replace('\n', " \r\n"))?;
    sandbox.write("revised.txt", sentences(4, 121))?;
    sandbox.write("part.txt", sentences(10, 50))?;
    sandbox.write("wider.txt", sentences(30, 400))?;
    // The last is too unlike to be a version of the others, and not so unlike that `versions` does not name it.
    sandbox.write("before.txt", sentences(500, 600))?;
    sandbox.write("before, corrected.txt", sentences(501, 600))?;
    sandbox.write("rewritten.txt", sentences(545, 645))?;
    sandbox.write(
        "alone.txt",
        "Nothing else in this share says what is said here, ever.",
    )?;
    sandbox.write("short.txt", "short")?;
    sandbox.write("empty.txt", "")?;
    sandbox.write("zeroes.bin", [0u8; 3000])?;
    sandbox.write(OsStr::from_bytes(b"n\xE4me.txt"), sentences(1, 118))?;
    Ok(sandbox)
}

pub(super) fn run(figures: &mut Figures<'_>) -> Result<()> {
    let sandbox = share()?;
    let mut seen = SeenLines::default();
    seen.lines(&sandbox.scan(["--pairs"])?)?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    for question in questions(&sandbox) {
        seen.lines(&daemon.simctl(question)?.ended_with(&[0])?)?;
    }
    let whole = sandbox.share().join("whole.txt");
    let unnamed = daemon.simctl_reading(sentences(5, 60), ["containing", "-"])?;
    seen.lines(&unnamed.ended_with(&[0])?)?;
    let unlike = "The minutes of our meeting name nobody and decide nothing at all. ".repeat(4);
    for text in [sentences(5, 60), unlike] {
        let sides = ["compare".as_ref(), whole.as_os_str(), "-".as_ref()];
        let compared = daemon.simctl_reading(text, sides)?;
        seen.lines(&compared.ended_with(&[0])?)?;
    }
    ensure!(daemon.stop()?.success());
    with_template_lines(&sandbox, &mut seen)?;
    judging::run(&mut seen)?;
    further::run(&mut seen)?;
    for (kind, count) in &seen.counts {
        figures.put(&format!("lines of type {kind}"), f64::from(*count), "lines")?;
    }
    let kinds: BTreeSet<&str> = seen.counts.keys().map(String::as_str).collect();
    let documented: BTreeSet<&str> = LINES.iter().map(|(kind, _)| *kind).collect();
    ensure!(
        kinds == documented,
        "types seen {kinds:?}, documented {documented:?}"
    );
    let stars = ["star", "component", "core"];
    ensure!(
        stars.iter().all(|kind| seen.group_kinds.contains(*kind)),
        "kinds of groups seen {:?}",
        seen.group_kinds
    );
    let unseen: Vec<_> = RELATIONS
        .iter()
        .filter(|name| !seen.relations.contains(**name))
        .collect();
    ensure!(unseen.is_empty(), "no line has the relation {unseen:?}");
    ensure!(
        seen.with_bytes > 0,
        "the name that is no UTF-8 has no bytes beside it"
    );
    Ok(())
}

/// Lines of answers of an index that leaves template lines out.
fn with_template_lines(sandbox: &Sandbox, seen: &mut SeenLines) -> Result<()> {
    let list = sandbox.beside("template-lines.txt");
    std::fs::write(&list, sentences(0, 3))?;
    let daemon = sandbox.serve().template_lines(&list).start()?;
    daemon.sync()?;
    let [whole, part] = ["whole.txt", "revised.txt"].map(|name| sandbox.share().join(name));
    let [whole, part] = [&whole, &part].map(|path| path.as_os_str());
    let report = sandbox.beside("report without template lines");
    for question in [
        &["find-similar".as_ref(), whole][..],
        &["compare".as_ref(), whole, part],
        &["pairs".as_ref()],
        &["status".as_ref()],
    ] {
        let answer = daemon.simctl(question)?.ended_with(&[0])?;
        let named = answer
            .lines()?
            .iter()
            .any(|line| line["template_lines"] == 3);
        ensure!(named, "{}: no line names the list", answer.command);
        seen.lines(&answer)?;
    }
    let asked: [&OsStr; 3] = ["report".as_ref(), "--out".as_ref(), report.as_os_str()];
    seen.lines(&daemon.simctl(asked)?.ended_with(&[0])?)?;
    let manifest = std::fs::read_to_string(report.join("manifest.json"))?;
    let manifest: serde_json::Value = serde_json::from_str(&manifest)?;
    ensure!(manifest["template_lines"] == 3, "{manifest}");
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// Every verb that prints lines.
fn questions(sandbox: &Sandbox) -> Vec<Vec<OsString>> {
    let file = |name: &str| sandbox.share().join(name).into_os_string();
    let verb = |args: &[&str]| args.iter().map(OsString::from).collect::<Vec<_>>();
    let about = |args: &[&str], name: &str| [verb(args), vec![file(name)]].concat();
    let odd = sandbox
        .share()
        .join(OsStr::from_bytes(b"n\xE4me.txt"))
        .into_os_string();
    vec![
        about(&["find-similar"], "whole.txt"),
        about(&["find-similar", "--scheme", "bsw_n"], "whole.txt"),
        [verb(&["find-similar"]), vec![odd.clone()]].concat(),
        about(&["containing"], "part.txt"),
        about(&["contained-in"], "whole.txt"),
        about(&["versions"], "whole.txt"),
        about(&["versions"], "before.txt"),
        [
            about(&["compare", "--no-difference"], "whole.txt"),
            vec![odd.clone()],
        ]
        .concat(),
        [about(&["compare"], "whole.txt"), vec![odd]].concat(),
        verb(&["pairs"]),
        verb(&["groups"]),
        about(&["groups", "--of"], "whole.txt"),
        verb(&["status"]),
        verb(&["files"]),
        about(&["show"], "whole.txt"),
        verb(&["files", "--state", "too-short"]),
        verb(&["roots"]),
        verb(&["rescan"]),
        verb(&["sync"]),
        [
            verb(&["report", "--out"]),
            vec![sandbox.beside("report").into_os_string()],
        ]
        .concat(),
    ]
}

/// What stood in the lines so far.
#[derive(Default)]
struct SeenLines {
    counts: BTreeMap<String, u32>,
    relations: BTreeSet<String>,
    group_kinds: BTreeSet<String>,
    with_bytes: u32,
}

impl SeenLines {
    /// Checks and counts the lines of an answer.
    fn lines(&mut self, answer: &Answer) -> Result<()> {
        let lines = answer.lines()?;
        ensure!(!lines.is_empty(), "{} printed nothing", answer.command);
        for line in lines {
            let found = self.line(&line);
            found.with_context(|| format!("{}: {line}", answer.command))?;
        }
        Ok(())
    }

    fn line(&mut self, line: &Value) -> Result<()> {
        let kind = line["type"].as_str().context("a line without a type")?;
        let (_, fields) = LINES
            .iter()
            .find(|(name, _)| *name == kind)
            .context("unknown type")?;
        check(line, fields)?;
        if line["verified"] == true && kind == "match" {
            let value = &line["resemblance"];
            let point = [&line["resemblance_low"], &line["resemblance_high"]] == [value, value];
            ensure!(point, "a verified number has an interval");
        }
        *self.counts.entry(kind.to_owned()).or_default() += 1;
        if kind == "group" {
            self.group_kinds
                .extend(line["kind"].as_str().map(str::to_owned));
        }
        self.relations
            .extend(line["relation"].as_str().map(str::to_owned));
        self.with_bytes += u32::from(line["path_bytes"].is_string());
        Ok(())
    }
}
