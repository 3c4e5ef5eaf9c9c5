//! ARCHITECTURE.md agrees with the code: the sides of the daemon and which may use which, and functions that it
//! names beside a link. Relative links of all pages lead to files that exist.

use std::fs;
use std::path::Path;

use super::imports::{Arrows, code, is_in_circle, names_after};
use super::{files_of, rust_files, top};

/// The modules at the top of `daemon/src`, each with those it may name. Their own tests may name more.
const SIDES: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("error", &[]),
    ("config", &[]),
    ("host", &["base", "config", "error"]),
    ("write_side", &["base", "config", "error", "host"]),
    // The engine lends index, roots and completeness to callers that answer; an upload is read like a file of a share.
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
    ("encode", &["base", "host", "read_side", "write_side"]),
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

/// The only two that name each other: the engine lends what an answer needs, and holds what answers keep (models).
const CIRCLE: &[&str] = &["engine", "read_side"];

fn architecture() -> String {
    fs::read_to_string(top().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

#[test]
fn a_side_of_the_daemon_names_those_it_may_and_no_other() {
    let sources = top().join("daemon/src");
    let mut arrows = Arrows::new();
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
        let others = names_after(&code(&text), "crate::").into_iter();
        let others = others.filter(|name| *name != names[0]);
        arrows.entry(names[0].clone()).or_default().extend(others);
    }
    let allowed = SIDES.iter().map(|(side, others)| {
        let others = others.iter().map(|name| (*name).to_owned());
        ((*side).to_owned(), others.collect())
    });
    assert_eq!(arrows, allowed.collect());
}

#[test]
fn no_sides_name_each_other_but_the_engine_and_the_read_side() {
    let is_known = |from: &str, to: &str| CIRCLE.contains(&from) && CIRCLE.contains(&to);
    let arrows: Arrows = SIDES
        .iter()
        .map(|(side, others)| {
            let others = others.iter().filter(|other| !is_known(side, other));
            (
                (*side).to_owned(),
                others.map(|other| (*other).to_owned()).collect(),
            )
        })
        .collect();
    for side in arrows.keys() {
        assert!(!is_in_circle(&arrows, side), "{side} leads back to itself");
    }
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

/// Where a doc comment is a name: formats, and what `--help` prints.
const NAMES: &[&str] = &["daemon/extract/src/reader.rs", "client/src/cli/"];

/// The first line of each doc comment of a source with its number, and the whole of it.
fn doc_comments(source: &str) -> Vec<(usize, String)> {
    let mut comments: Vec<(usize, String)> = Vec::new();
    let mut is_inside = false;
    for (at, line) in source.lines().enumerate() {
        let comment = line.trim_start().strip_prefix("///");
        match (comment, comments.last_mut()) {
            (Some(more), Some((_, last))) if is_inside => *last += more,
            (Some(first), _) => comments.push((at + 1, first.trim_start().to_owned())),
            (None, _) => {}
        }
        is_inside = comment.is_some();
    }
    comments
}

#[test]
fn a_doc_comment_says_what_a_thing_is_in_a_sentence_of_its_own() {
    let (mut looking, mut short) = (Vec::new(), Vec::new());
    for path in rust_files() {
        let shown = path.strip_prefix(top()).unwrap_or(&path).display();
        let shown = shown.to_string();
        let is_product =
            !shown.contains("tests") && !NAMES.iter().any(|name| shown.starts_with(name));
        let text = fs::read_to_string(&path).expect("a Rust file is UTF-8");
        for (number, comment) in doc_comments(&text) {
            let at = format!("{shown}:{number}");
            if ["The same", "As [`"]
                .iter()
                .any(|look| comment.starts_with(look))
            {
                looking.push(at.clone());
            }
            let sentence = comment.split(". ").next().unwrap_or_default();
            if is_product && sentence.split_whitespace().count() < 3 {
                short.push(at);
            }
        }
    }
    assert!(looking.is_empty(), "say what it is: {looking:?}");
    assert!(short.is_empty(), "say it in a sentence: {short:?}");
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

#[test]
fn relative_links_of_pages_lead_to_what_is_there() {
    let (mut checked, mut missing) = (0, Vec::new());
    for page in files_of("md") {
        let text = fs::read_to_string(&page).expect("a page is UTF-8");
        let folder = page.parent().expect("a page is in a folder");
        for link in text.split("](").skip(1) {
            let link = link.split([')', '#']).next().unwrap_or_default();
            let is_path = link.contains(['/', '.']) && !link.contains("://");
            if is_path {
                checked += 1;
                if !folder.join(link).exists() {
                    missing.push(format!("{link} in {}", page.display()));
                }
            }
        }
    }
    assert!(checked > 100, "links are written in another way: {checked}");
    assert!(missing.is_empty(), "{missing:?}");
}
