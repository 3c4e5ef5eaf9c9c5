//! The tour of the README: its commands are run as they stand there, and must print what stands below them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use simdex_tests::sandbox::{Run, Sandbox, simdexd};

/// Where the README puts the tour; a directory of its own here.
const PLACE: &str = "/tmp/tour";

/// Blocks that are not run, by the beginning of their first command: what they need is not part of the tour.
const NOT_RUN: &[(&str, &str)] = &[
    ("simctl judge label", "asks a person"),
    (
        "simctl find-similar contract.txt      #",
        "shows a large share",
    ),
    ("simctl watch", "prints times, and runs until it is stopped"),
    ("simctl report --out who", "asks about another share"),
];

/// Commands whose figures depend on the machine: only the names of the lines are compared.
const NAMES_ALONE: &[&str] = &["simctl status"];

/// One command with what it prints.
struct Step {
    command: String,
    printed: String,
}

/// The commands of the tour, those of `sh` blocks without what they print.
fn steps() -> Result<Vec<Step>> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(readme)?;
    let (_, tour) = readme.split_once("\n## A tour").context("no tour")?;
    let (tour, _) = tour.split_once("\n## ").context("nothing follows")?;
    let mut steps = Vec::new();
    // Text and fenced blocks alternate.
    for block in tour.split("```").skip(1).step_by(2) {
        let (kind, content) = block.split_once('\n').context("an empty block")?;
        match kind {
            "sh" => steps.push(Step {
                command: content.to_owned(),
                printed: String::new(),
            }),
            "console" => steps.extend(console_steps(content)),
            _ => {}
        }
    }
    Ok(steps)
}

fn console_steps(content: &str) -> Vec<Step> {
    let is_run = NOT_RUN
        .iter()
        .all(|(start, _)| !content.starts_with(&format!("$ {start}")));
    let commands = content.split("$ ").skip(1).filter(|_| is_run);
    commands
        .filter_map(|step| step.split_once('\n'))
        .map(|(command, printed)| Step {
            command: command.to_owned(),
            printed: printed.to_owned(),
        })
        .collect()
}

/// One script of all steps, in one shell; what step N prints goes to the file `N` in `out`.
fn script(steps: &[Step], out: &Path, place: &str) -> String {
    let mut script = "set -m\ntrap 'kill $(jobs -p) 2> /dev/null' EXIT\n".to_owned();
    script += "export PATH=\"$BIN:$PATH\" TZ=UTC\nunset SIMDEX_SOCKET COLUMNS\n";
    for (at, step) in steps.iter().enumerate() {
        let command = step.command.replace(PLACE, place);
        let out = out.join(at.to_string());
        let _ = match command.strip_suffix(" &") {
            // The log of a daemon is not what a command prints, and the next one asks it.
            Some(daemon) => writeln!(
                script,
                "{daemon} > /dev/null 2>&1 &\nfor n in $(seq 1200); do [ -S {place}/s.sock ] && break; sleep 0.1; done"
            ),
            None => writeln!(script, "{{ {command}\n}} > {} 2>&1", out.display()),
        };
    }
    script
}

/// What is printed, without what differs from run to run: times, hashes of what holds times, ids of groups, and lines
/// whose order is that of two streams.
fn lasting(printed: &str, place: &str) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    let mut groups = None;
    for line in printed.replace(place, PLACE).lines() {
        let line = &with_group_numbered(line, &mut groups);
        let words: Vec<&str> = line.split(' ').collect();
        let lasting: Vec<&str> = (0..words.len())
            .map(|at| lasting_word(words[at], words.get(at + 1)))
            .collect();
        *lines.entry(lasting.join(" ")).or_default() += 1;
    }
    lines
}

/// A line of a table of groups with the number of its group among those listed, in place of its id: ids follow the order
/// in which the groups came about, and several files are read at a time. `groups` holds the ids listed so far, within a
/// table.
fn with_group_numbered(line: &str, groups: &mut Option<Vec<u64>>) -> String {
    if line.starts_with("GROUP ") {
        *groups = Some(Vec::new());
        return line.to_owned();
    }
    let cell = line.trim_start().split("  ").next().unwrap_or_default();
    let (Some(listed), Ok(id)) = (groups.as_mut(), cell.parse::<u64>()) else {
        return line.to_owned();
    };
    let known = listed.iter().position(|known| *known == id);
    let at = known.unwrap_or_else(|| {
        listed.push(id);
        listed.len() - 1
    });
    line.replacen(cell, &(at + 1).to_string(), 1)
}

fn lasting_word<'a>(word: &'a str, next: Option<&&str>) -> &'a str {
    let is_hash = word.ends_with('…')
        || word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_time = word.parse::<f64>().is_ok() && next.is_some_and(|unit| *unit == "s");
    match (is_hash, is_time) {
        (true, _) => "HASH",
        (_, true) => "SECONDS",
        _ => word,
    }
}

/// The names of lines: their words before two spaces, or before the first figure.
fn names(printed: &str) -> Vec<String> {
    let has_digit = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    let name = |line: &str| {
        let name = line.trim().split("  ").next().unwrap_or_default();
        let words: Vec<&str> = name
            .split(' ')
            .take_while(|word| !has_digit(word))
            .collect();
        words.join(" ")
    };
    let names = printed.lines().map(name);
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn the_commands_of_the_readme_print_what_stands_there() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let place = sandbox.beside("tour");
    let place = place.to_str().context("a path in UTF-8")?;
    let out = sandbox.beside("printed");
    fs::create_dir(&out)?;
    let steps = steps()?;
    ensure!(steps.len() > 15, "{} steps were found", steps.len());
    let bin = simdexd()?;
    let bin = bin.parent().context("a program in /")?;
    let script = format!("BIN={}\n{}", bin.display(), script(&steps, &out, place));
    let run = Run::of("bash").args(["-c", &script]).wait()?;
    let mut differing = String::new();
    for (at, step) in steps.iter().enumerate() {
        let said = fs::read_to_string(out.join(at.to_string())).unwrap_or_default();
        let is_same = match NAMES_ALONE.contains(&&*step.command) {
            true => names(&said) == names(&step.printed),
            false => lasting(&said, place) == lasting(&step.printed, place),
        };
        if !is_same {
            let _ = writeln!(
                differing,
                "$ {}\n{}\nis printed in place of\n{}",
                step.command, said, step.printed
            );
        }
    }
    ensure!(differing.is_empty(), "{differing}{}", run.stderr);
    Ok(())
}
