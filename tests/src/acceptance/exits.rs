//! Exit codes, and their messages: one line with the thing and the remedy.

use std::ffi::{OsStr, OsString};
use std::fs;

use anyhow::{Context, Result, ensure};

use crate::figure::Figures;
use crate::sandbox::{Answer, Run, Sandbox, simctl, simdexd};

pub(super) fn run(figures: &mut Figures<'_>) -> Result<()> {
    let sandbox = Sandbox::new()?;
    let line = "the parties agree on what is written in this very line, ";
    sandbox.write("a.txt", line.repeat(3))?;
    sandbox.write("b.txt", line.repeat(3) + "and on more")?;
    sandbox.write(
        "alone.txt",
        "nobody says anything of this kind anywhere else in here",
    )?;
    sandbox.write("none.txt", "")?;
    sandbox.write("alone.bin", [1, 0, 255].repeat(900))?;
    let daemonless = without_daemon(&sandbox, figures)?;
    let asked = of_simctl(&sandbox, figures)?;
    figures.put("cases", f64::from(daemonless + asked), "runs")?;
    Ok(())
}

/// What a case is, the exit code it must have, and the words its one line must hold.
struct Case<'a> {
    name: &'a str,
    code: i32,
    words: Vec<OsString>,
}

impl Case<'_> {
    fn check(&self, answer: &Answer, figures: &mut Figures<'_>) -> Result<()> {
        let Self { name, code, words } = self;
        let found = answer.code()?;
        figures.put(&format!("{name}: exit code"), f64::from(found), "")?;
        ensure!(
            found == *code,
            "{name}: {} ended with {found}: {}",
            answer.command,
            answer.stderr
        );
        if *code < 2 {
            return Ok(());
        }
        let said = answer.stderr.trim_end();
        ensure!(
            answer.stdout.is_empty(),
            "{name}: an error printed on standard output"
        );
        // A usage error adds what is possible, and a pointer to --help.
        let is_usage = said.starts_with("error: ") && said.ends_with("try '--help'.");
        ensure!(
            is_usage || said.lines().count() == 1,
            "{name}: more than one line: {said}"
        );
        for word in words {
            let word = word.to_string_lossy();
            ensure!(
                said.contains(word.as_ref()),
                "{name}: {word} is not named: {said}"
            );
        }
        Ok(())
    }
}

fn case<'a>(name: &'a str, code: i32, words: &[&dyn AsRef<OsStr>]) -> Case<'a> {
    Case {
        name,
        code,
        words: words
            .iter()
            .map(|word| (*word).as_ref().to_owned())
            .collect(),
    }
}

/// Runs of simdexd, and of simctl where nobody answers.
fn without_daemon(sandbox: &Sandbox, figures: &mut Figures<'_>) -> Result<u32> {
    let nowhere = sandbox.beside("nowhere");
    let unknown_key = sandbox.beside("unknown-key.toml");
    fs::write(&unknown_key, "thresold = 0.5\n")?;
    let not_there = sandbox.beside("not-there.toml");
    let daemon = |args: &[&OsStr]| Run::of(simdexd()?).args(args).wait();
    let root = nowhere.as_os_str();
    let scan = daemon(&["scan".as_ref(), root])?;
    case("scan of a missing root", 2, &[&nowhere, &";"]).check(&scan, figures)?;
    let serve = daemon(&["serve".as_ref(), "--root".as_ref(), root])?;
    case("serve of a missing root", 2, &[&nowhere, &";"]).check(&serve, figures)?;
    let rootless = daemon(&["serve".as_ref()])?;
    case("serve of nothing", 2, &[&"--root", &"--config"]).check(&rootless, figures)?;
    for command in ["serve", "check-config", "scan"] {
        for (config, word) in [(&not_there, "--config"), (&unknown_key, "thresold")] {
            let mut args = vec![command.as_ref(), "--config".as_ref(), config.as_os_str()];
            args.extend((command == "scan").then_some(sandbox.share().as_os_str()));
            let name = format!(
                "{command} with {}",
                config.file_name().unwrap_or_default().display()
            );
            case(&name, 2, &[config, &word, &";"]).check(&daemon(&args)?, figures)?;
        }
    }
    let threshold = daemon(&["scan", "--threshold", "7", "."].map(OsStr::new))?;
    case("scan with a threshold of 7", 2, &[&"7", &"0.8"]).check(&threshold, figures)?;
    let nobody = Run::of(simctl()?)
        .args(["--socket"])
        .args([&nowhere])
        .args(["status"])
        .wait()?;
    case("simctl without a daemon", 2, &[&nowhere, &"simdexd serve"]).check(&nobody, figures)?;
    Ok(11)
}

/// Questions to a daemon, and a second daemon on its data directory.
#[expect(clippy::too_many_lines, reason = "a table of verbs and exit codes")]
fn of_simctl(sandbox: &Sandbox, figures: &mut Figures<'_>) -> Result<u32> {
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let file = |name: &str| sandbox.share().join(name);
    let (a, alone, none) = (file("a.txt"), file("alone.txt"), file("none.txt"));
    let raw = file("alone.bin");
    let (nowhere, taken) = (file("nowhere.txt"), sandbox.beside("taken"));
    fs::create_dir(&taken)?;
    let ask = |args: &[&dyn AsRef<OsStr>]| daemon.simctl(args.iter().map(|arg| (*arg).as_ref()));
    let cases = [
        (case("an answer", 0, &[]), ask(&[&"find-similar", &a])?),
        (
            case("nothing found", 1, &[]),
            ask(&[&"find-similar", &alone])?,
        ),
        (
            case("nothing found by raw bytes", 1, &[]),
            ask(&[&"find-similar", &raw])?,
        ),
        (
            case("no such files", 1, &[]),
            ask(&[&"files", &"--state", &"crashed"])?,
        ),
        (
            case("an unknown file", 2, &[&nowhere, &";"]),
            ask(&[&"find-similar", &nowhere])?,
        ),
        (
            case("compare with an unknown file", 2, &[&nowhere, &";"]),
            ask(&[&"compare", &a, &nowhere])?,
        ),
        (
            case("a file without text", 1, &[&none, &"no-text", &";"]),
            ask(&[&"containing", &none])?,
        ),
        (
            case("compare without text", 2, &[&none, &";"]),
            ask(&[&"compare", &a, &none])?,
        ),
        (
            case("an unknown root", 2, &[&nowhere, &sandbox.share()]),
            ask(&[&"pairs", &"--root", &nowhere])?,
        ),
        (
            case("a report onto a directory", 2, &[&taken, &";"]),
            ask(&[&"report", &"--out", &taken])?,
        ),
        (
            case("an unknown verb", 2, &[&"find-same"]),
            ask(&[&"find-same", &a])?,
        ),
        (
            case("a threshold of 7", 2, &[&"7"]),
            ask(&[&"find-similar", &a, &"--threshold", &"7"])?,
        ),
        (
            case("an unknown scheme", 2, &[&"min_n"]),
            ask(&[&"find-similar", &a, &"--scheme", &"min_n"])?,
        ),
        (
            case("an unknown state", 2, &[&"lost"]),
            ask(&[&"files", &"--state", &"lost"])?,
        ),
    ];
    for (case, answer) in &cases {
        case.check(answer, figures)?;
    }
    let data = sandbox.data_dir();
    let second = Run::of(simdexd()?)
        .args(["serve", "--root"])
        .args([sandbox.share()]);
    let second = second
        .args(["--socket"])
        .args([sandbox.beside("second.sock")]);
    let second = second.args(["--data-dir"]).args([&data]).wait()?;
    case("a second daemon", 75, &[&data, &";"]).check(&second, figures)?;
    let scan = Run::of(simdexd()?)
        .args(["scan", "--data-dir"])
        .args([&data]);
    let scan = scan.args([sandbox.share()]).wait()?;
    case("a scan on a daemon's data", 75, &[&data, &";"]).check(&scan, figures)?;
    daemon.sync().context("the first daemon answers on")?;
    Ok(cases.len() as u32 + 2)
}
