//! ARCHITECTURE.md holds what the code holds: the sides of the daemon and which may know which, and functions that it
//! names beside a link.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{rust_files, top};

/// The modules at the top of `daemon/src`, each with those it may name. Their own tests may name more.
const SIDES: &[(&str, &[&str])] = &[
    ("base", &[]),
    // Each names the error that it passes on.
    ("error", &["host"]),
    // A config is checked whole when it is read: schedules are parsed, and watching has limits of its own.
    ("config", &["reports", "write_side"]),
    // Alarms are events of the journal, and a data directory below a root is found as a walk would find it.
    ("host", &["base", "config", "error", "write_side"]),
    ("write_side", &["base", "config", "error", "host"]),
    // The engine lends index, roots and completeness to whoever answers; an upload is read as a file of a share is.
    ("read_side", &["base", "engine", "host", "write_side"]),
    // A schedule begins a report on the engine that runs; a report is opened by the safe open of the watcher.
    (
        "reports",
        &[
            "base",
            "config",
            "encode",
            "engine",
            "host",
            "read_side",
            "write_side",
        ],
    ),
    (
        "engine",
        &["base", "config", "error", "host", "read_side", "write_side"],
    ),
    (
        "encode",
        &["base", "host", "read_side", "reports", "write_side"],
    ),
    (
        "edge",
        &[
            "base",
            "config",
            "encode",
            "engine",
            "error",
            "host",
            "read_side",
            "reports",
            "write_side",
        ],
    ),
    (
        "commands",
        &[
            "base",
            "config",
            "edge",
            "engine",
            "error",
            "host",
            "read_side",
            "reports",
            "write_side",
        ],
    ),
];

fn architecture() -> String {
    fs::read_to_string(top().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

/// What a source names of the crate's modules, its comments and its unit tests left out.
fn named(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]\nmod tests {").next();
    let code = code.unwrap_or_default().lines();
    let code = code.filter(|line| !line.trim_start().starts_with("//"));
    let parts = code.flat_map(|line| line.split("crate::").skip(1));
    let names = parts.map(|rest| {
        let end = rest.find(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
        rest[..end.unwrap_or(rest.len())].to_owned()
    });
    names.collect()
}

#[test]
fn a_side_of_the_daemon_names_those_it_may_and_no_other() {
    let sources = top().join("daemon/src");
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in rust_files() {
        let Ok(inside) = path.strip_prefix(&sources) else {
            continue;
        };
        let names = inside.iter().map(|name| name.to_string_lossy());
        let names: Vec<String> = names.map(|name| name.replace(".rs", "")).collect();
        if names[0] == "lib" || names.iter().any(|name| name == "tests") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a Rust file is UTF-8");
        assert!(
            !text.contains("use crate::{"),
            "{inside:?}: one use a module"
        );
        let others = named(&text).into_iter().filter(|name| *name != names[0]);
        arrows.entry(names[0].clone()).or_default().extend(others);
    }
    let allowed = SIDES.iter().map(|(side, others)| {
        let others = others.iter().map(|name| (*name).to_owned());
        ((*side).to_owned(), others.collect())
    });
    assert_eq!(arrows, allowed.collect());
}

#[test]
fn every_side_stands_in_the_table_of_sides() {
    let page = architecture();
    for (side, _) in SIDES {
        let row = page.lines().find(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            line.starts_with("    ") && words.first() == Some(side)
        });
        let entry = format!("daemon/src/{side}.rs");
        assert!(row.is_some_and(|row| row.ends_with(&entry)), "{side}");
    }
}

/// Folders whose comments are held to it; those below are still to be rewritten, and a config's comments are printed.
const COMMENTED: &[&str] = &[
    "client/src/",
    "proto/src/",
    "daemon/src/",
    "daemon/index/src/",
    "schema/src/",
];
const NOT_YET: &[&str] = &[
    "daemon/src/write_side",
    "daemon/src/engine",
    "daemon/src/host",
    "daemon/src/config.rs",
    "daemon/index/src/store",
];

#[test]
fn a_doc_comment_begins_with_what_it_is_and_not_with_a_look_at_another() {
    let mut looking = Vec::new();
    for path in rust_files() {
        let shown = path.strip_prefix(top()).unwrap_or(&path).display();
        let shown = shown.to_string();
        let is_in = |folders: &[&str]| folders.iter().any(|folder| shown.starts_with(folder));
        if !is_in(COMMENTED) || is_in(NOT_YET) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a Rust file is UTF-8");
        let (mut before, mut number) = ("", 0);
        for line in text.lines().map(str::trim_start) {
            number += 1;
            let is_first = !before.starts_with("///");
            let looks = ["/// The same", "/// As [`"];
            if is_first && looks.iter().any(|look| line.starts_with(look)) {
                looking.push(format!("{shown}:{number}"));
            }
            before = line;
        }
    }
    assert!(looking.is_empty(), "say what it is: {looking:?}");
}

/// What stands between backticks directly before a link, as in "`Type::name` in [file](path)".
fn named_before(text: &str) -> Option<&str> {
    let text = text
        .trim_end()
        .trim_end_matches(" in")
        .trim_end_matches(" (");
    let text = text.strip_suffix('(').unwrap_or(text).trim_end();
    text.strip_suffix('`')?.rsplit('`').next()
}

#[test]
fn a_function_named_beside_a_link_is_in_the_file_that_is_linked() {
    let page = architecture().replace('\n', " ");
    let (mut checked, mut missing) = (0, Vec::new());
    for (at, _) in page.match_indices("](") {
        let path = page[at + 2..].split(')').next().unwrap_or_default();
        let text = &page[..at];
        let Some(start) = text.rfind('[').filter(|_| path.ends_with(".rs")) else {
            continue;
        };
        let shown = text[start + 1..].strip_prefix('`');
        let shown = shown.and_then(|shown| shown.strip_suffix('`'));
        let Some(name) = shown.or_else(|| named_before(&text[..start])) else {
            continue;
        };
        let is_path = name.contains("::") && !name.contains(|c: char| c.is_whitespace());
        let last = name.rsplit("::").next().unwrap_or_default();
        let is_there = || {
            let source = fs::read_to_string(top().join(Path::new(path)));
            source.is_ok_and(|source| source.contains(last))
        };
        if is_path && last.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            checked += 1;
            if !is_there() {
                missing.push(format!("{name} in {path}"));
            }
        }
    }
    assert!(checked > 3, "what is looked for is written in another way");
    assert!(missing.is_empty(), "{missing:?}");
}
