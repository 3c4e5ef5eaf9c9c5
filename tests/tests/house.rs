//! Checks the rules of the house: which crate may depend on which, which ones use the store and the
//! parsers, which folders are at the top, how a file begins and how long it may be.
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

mod architecture;
mod ci_lanes;
mod circles;
mod duplicates;
mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Our crates, each with those of ours it may depend on: dependencies point inward.
const CRATES: &[(&str, &[&str])] = &[
    ("simdex-signature", &[]),
    ("simdex-cores", &[]),
    ("simdex-codes", &[]),
    ("simdex-extract", &["simdex-codes"]),
    ("simdex-readers", &["simdex-extract"]),
    ("simdex-path", &[]),
    ("simdex-proto", &[]),
    (
        "simdex-schema",
        &["simdex-codes", "simdex-path", "simdex-signature"],
    ),
    ("simdex-index", &["simdex-schema", "simdex-signature"]),
    ("simdex-judge", &["simdex-signature"]),
    (
        "simdexd",
        &[
            "simdex-cores",
            "simdex-extract",
            "simdex-index",
            "simdex-judge",
            "simdex-proto",
            "simdex-schema",
            "simdex-signature",
        ],
    ),
    // The program alone joins the daemon and the readers.
    ("simdexd-bin", &["simdex-readers", "simdexd"]),
    ("simdex-client", &["simdex-path", "simdex-proto"]),
    ("simdex-oracle", &["simdex-signature"]),
    ("simdex-speed", &["simdex-signature"]),
    (
        "simdex-tests",
        &[
            "simdex-client",
            "simdex-cores",
            "simdex-extract",
            "simdex-index",
            "simdex-judge",
            "simdex-oracle",
            "simdex-proto",
            "simdex-readers",
            "simdex-schema",
            "simdex-signature",
            "simdexd",
        ],
    ),
];

/// What tests of a crate may use beyond that: the tests of the program ask it as a client does, and
/// look at what it keeps.
const FOR_TESTS: &[(&str, &str)] = &[
    ("simdexd-bin", "simdex-client"),
    ("simdexd-bin", "simdex-extract"),
    ("simdexd-bin", "simdex-index"),
    ("simdexd-bin", "simdex-schema"),
];

/// The crate whose libraries take documents apart: the daemon's library must not reach it.
const PARSING: &str = "simdex-readers";

/// Libraries that one crate alone may name, so that they can be replaced in one place.
const WRAPPED: &[(&str, &str)] = &[
    ("sled", "simdex-index"),
    ("roaring", "simdex-index"),
    ("fastcdc", "simdex-signature"),
    ("smartcore", "simdex-judge"),
    ("pdf-extract", PARSING),
    ("hayro-interpret", PARSING),
    ("skrifa", PARSING),
    ("tar", PARSING),
    ("flate2", PARSING),
    ("bzip2", PARSING),
    ("lzma-rust2", PARSING),
    ("sevenz-rust2", PARSING),
    ("zip", PARSING),
    ("quick-xml", PARSING),
    ("html5gum", PARSING),
    ("mail-parser", PARSING),
    ("chardetng", PARSING),
    ("encoding_rs", PARSING),
    ("landlock", "simdex-extract"),
    ("notify", "simdexd"),
    ("croner", "simdexd"),
    ("walkdir", "simdexd"),
];

/// The ones with which the tests pack archives that the product unpacks.
const PACKED_BY_TESTS: &[&str] = &["flate2"];

/// Where threads are started, and who sees their panic.
const THREADS: &[(&str, &str)] = &[
    (
        "daemon/extract/src/external_tools/run.rs",
        "whoever waits for the program",
    ),
    ("daemon/extract/src/process.rs", "whoever asks for a worker"),
    ("daemon/extract/src/worker.rs", "the worker, which ends"),
    (
        "daemon/index/src/second_thread.rs",
        "whoever needs what it did: it is done again, and panics again",
    ),
    (
        "daemon/index/src/two_threads.rs",
        "whoever has work done on two threads",
    ),
    (
        "daemon/index/src/store/examine/checked.rs",
        "whoever opens the store",
    ),
    (
        "daemon/index/src/store/examine/examination.rs",
        "whoever opens the store",
    ),
    (
        "daemon/index/src/store/examine/probe.rs",
        "the probe, which ends",
    ),
    (
        "daemon/src/base/two_threads.rs",
        "whoever has work done on two threads",
    ),
    (
        "daemon/src/host/lifecycle.rs",
        "the supervisor: the engine ends",
    ),
    (
        "daemon/src/edge/grpc/runner.rs",
        "who asked, or the supervisor",
    ),
    ("daemon/src/edge/grpc/event_stream.rs", "who follows events"),
    ("daemon/src/edge/grpc/upload.rs", "who asked"),
    (
        "daemon/src/reports/schedule/scheduler.rs",
        "the log, when the daemon ends",
    ),
    (
        "daemon/src/commands/serve/server.rs",
        "the main thread, which ends",
    ),
    (
        "daemon/src/commands/serve/incoming.rs",
        "the server, which ends without connections",
    ),
    (
        "daemon/src/commands/serve/signals.rs",
        "the main thread, which ends",
    ),
    (
        "daemon/src/engine/supervisor.rs",
        "the main thread, which ends",
    ),
    (
        "daemon/src/write_side/roots/live_reads.rs",
        "whoever asked, who gets no remark on the file",
    ),
];

/// Where the writer of the index is named or lent, and for what.
const WRITERS: &[(&str, &str)] = &[
    ("daemon/src/engine.rs", "lends it and closes the index"),
    ("daemon/src/write_side/dispatch.rs", "lends it to rescans"),
    ("daemon/src/write_side/pipeline.rs", "holds it"),
    ("daemon/src/write_side/recheck.rs", "notes what was read"),
    ("daemon/src/reports/maker.rs", "remembers a report"),
    (
        "daemon/src/write_side/root_walker.rs",
        "records roots and damage",
    ),
    ("daemon/src/write_side/roots.rs", "records roots"),
    (
        "daemon/src/commands/scan.rs",
        "merges before figures are shown",
    ),
    ("daemon/src/reports/schedule/runs.rs", "remembers a report"),
    (
        "daemon/src/reports/schedule/scheduler.rs",
        "forgets reports",
    ),
    (
        "daemon/src/commands/serve.rs",
        "commits where it cannot close",
    ),
];

/// Folders at the top; `target` is cargo's.
const TOP: &[&str] = &["client", "daemon", "packaging", "proto", "schema", "tests"];

/// Most lines of a file, and of a file of tests.
const LINES: (usize, usize) = (400, 600);

fn top() -> PathBuf {
    let parent = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    parent.expect("tests/ lies in the workspace").to_owned()
}

struct Dependency {
    name: String,
    requirement: String,
    is_ours: bool,
    is_for_tests: bool,
}

fn metadata(arguments: &[&str]) -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1"])
        .args(arguments)
        .current_dir(top())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("metadata is JSON")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

fn text_of(value: &toml::Value) -> String {
    value.as_str().expect("a string").to_owned()
}

/// What every crate of the workspace declares, for tests and build scripts too.
fn dependencies() -> BTreeMap<String, Vec<Dependency>> {
    let metadata = metadata(&["--no-deps"]);
    let packages = metadata["packages"].as_array().expect("packages").iter();
    let declared = packages.map(|package| {
        let listed = package["dependencies"]
            .as_array()
            .expect("dependencies")
            .iter();
        let listed = listed.map(|dependency| Dependency {
            name: text(&dependency["name"]),
            requirement: text(&dependency["req"]),
            is_ours: !dependency["path"].is_null(),
            is_for_tests: dependency["kind"] == "dev",
        });
        (text(&package["name"]), listed.collect())
    });
    declared.collect()
}

/// Every library that is linked with this crate, at whatever distance.
fn linked_with(name: &str) -> BTreeSet<String> {
    let metadata = metadata(&["--locked"]);
    let all = |value: &Value| value.as_array().expect("a list").clone();
    let names: BTreeMap<String, String> = all(&metadata["packages"])
        .iter()
        .map(|package| (text(&package["id"]), text(&package["name"])))
        .collect();
    let is_linked = |dependency: &Value| {
        let mut kinds = all(&dependency["dep_kinds"]).into_iter();
        kinds.any(|kind| kind["kind"].is_null())
    };
    let nodes = all(&metadata["resolve"]["nodes"]);
    let linked: BTreeMap<String, Vec<String>> = nodes
        .iter()
        .map(|node| {
            let dependencies = all(&node["deps"]).into_iter().filter(is_linked);
            let ids = dependencies.map(|dependency| text(&dependency["pkg"]));
            (text(&node["id"]), ids.collect())
        })
        .collect();
    let mut open: Vec<&String> = names.keys().filter(|id| names[*id] == name).collect();
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            open.extend(&linked[id]);
        }
    }
    reached.into_iter().map(|id| names[id].clone()).collect()
}

fn rust_files() -> Vec<PathBuf> {
    files_of("rs")
}

/// Every file below the top with this extension, hidden folders and `target` left out.
fn files_of(extension: &str) -> Vec<PathBuf> {
    let (mut files, mut open) = (Vec::new(), vec![top()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                open.push(path);
            } else if path.extension().is_some_and(|its| its == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn dependencies_point_inward() {
    let declared = dependencies();
    let names: BTreeSet<&str> = declared.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        CRATES.iter().map(|(name, _)| *name).collect(),
        "the crates of the house"
    );
    for (name, allowed) in CRATES {
        for dependency in declared[*name]
            .iter()
            .filter(|dependency| dependency.is_ours)
        {
            let other = dependency.name.as_str();
            let tested = dependency.is_for_tests && FOR_TESTS.contains(&(*name, other));
            assert!(
                allowed.contains(&other) || tested,
                "{name} must not depend on {other}"
            );
        }
    }
}

#[test]
fn the_store_the_parsers_and_the_watcher_are_named_by_one_crate_each() {
    let declared = dependencies();
    for (library, wrapper) in WRAPPED {
        let users = declared
            .iter()
            .filter(|(_, listed)| listed.iter().any(|d| d.name == *library))
            .filter(|(name, _)| *name != "simdex-tests" || !PACKED_BY_TESTS.contains(library));
        let users: Vec<&str> = users.map(|(name, _)| name.as_str()).collect();
        assert_eq!(users, [*wrapper], "{library}");
    }
}

#[test]
fn the_daemon_is_linked_with_no_parser_and_the_program_is() {
    let parsing = WRAPPED.iter().filter(|(_, wrapper)| *wrapper == PARSING);
    let parsing: BTreeSet<String> = parsing
        .map(|(library, _)| (*library).to_owned())
        .chain([PARSING.to_owned()])
        .collect();
    let daemon = linked_with("simdexd");
    let reached: Vec<_> = daemon.intersection(&parsing).collect();
    assert!(reached.is_empty(), "the daemon can parse: {reached:?}");
    assert!(parsing.is_subset(&linked_with("simdexd-bin")));
}

#[test]
fn only_the_version_of_the_store_is_exact() {
    for (name, listed) in dependencies() {
        for Dependency {
            name: library,
            requirement,
            is_ours,
            ..
        } in listed
        {
            let is_exact = requirement.starts_with('=');
            assert!(
                is_ours || is_exact == (library == "sled"),
                "{name}: {library} {requirement}"
            );
        }
    }
}

/// The licences and sources of everything that is linked or used to build are those of `deny.toml`.
#[test]
fn everything_used_is_permissively_licensed_and_from_the_registry() {
    let rules = fs::read_to_string(top().join("deny.toml")).expect("deny.toml");
    let rules: toml::Table = rules.parse().expect("deny.toml is TOML");
    let allowed = rules["licenses"]["allow"].as_array().expect("a list");
    let allowed: BTreeSet<&str> = allowed.iter().filter_map(|name| name.as_str()).collect();
    let packages = metadata(&[])["packages"].take();
    for package in packages.as_array().expect("packages") {
        let Some(source) = package["source"].as_str() else {
            continue;
        };
        let name = &package["name"];
        assert!(
            source.starts_with("registry+https://github.com/rust-lang/crates.io-index"),
            "{name} comes from {source}"
        );
        let license = package["license"].as_str().unwrap_or_default();
        let parsed = spdx::Expression::parse_mode(license, spdx::ParseMode::LAX);
        let parsed = parsed.unwrap_or_else(|_| panic!("{name}: the licence {license:?}"));
        let is_allowed = parsed.evaluate(|part| allowed.contains(part.to_string().as_str()));
        assert!(is_allowed, "{name}: {license}");
    }
}

#[test]
fn the_top_holds_the_folders_of_the_house_and_no_other() {
    let entries = fs::read_dir(top())
        .expect("the workspace")
        .map(|entry| entry.expect("an entry"));
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let shown: BTreeSet<String> = names
        .filter(|name| !name.starts_with('.') && name != "target")
        .collect();
    assert_eq!(shown, TOP.iter().map(|name| (*name).to_owned()).collect());
}

/// A thread of the daemon that panics is seen by somebody: none stops in silence.
#[test]
fn threads_are_started_where_their_panic_is_seen() {
    let starts = [
        "thread::Builder::new()",
        "thread::spawn(",
        "spawn_blocking(",
        "tokio::spawn(",
        "runtime.spawn(",
    ];
    let mut starters = BTreeSet::new();
    for path in rust_files() {
        let shown = path.strip_prefix(top()).unwrap_or(&path).display();
        let shown = shown.to_string();
        let is_daemons = shown.starts_with("daemon/") && shown.contains("src/");
        let text = fs::read_to_string(&path).expect("a Rust file is UTF-8");
        let code = text.split("#[cfg(test)]\nmod tests {").next();
        let starts_one = |code: &str| starts.iter().any(|start| code.contains(start));
        if is_daemons && !shown.contains("tests") && code.is_some_and(starts_one) {
            starters.insert(shown);
        }
    }
    let known = THREADS.iter().map(|(path, _)| (*path).to_owned());
    assert_eq!(starters, known.collect());
}

/// A reader sees at the top of a file what it uses: only tests take all that their module has.
#[test]
fn only_tests_import_everything_of_their_module() {
    let mut globs = Vec::new();
    for path in rust_files() {
        let shown = path.strip_prefix(top()).unwrap_or(&path).display();
        let shown = shown.to_string();
        let text = fs::read_to_string(&path).expect("a Rust file is UTF-8");
        let before_tests = text.split("\nmod tests {").next().unwrap_or_default();
        let is_glob = |line: &str| line.starts_with("use super::") && line.ends_with("::*;");
        if !shown.contains("tests") && before_tests.lines().any(is_glob) {
            globs.push(shown);
        }
    }
    assert_eq!(globs, Vec::<String>::new());
}

/// Programs of tests are named in these crates, and the other files are modules of them: one that nobody
/// names would never run.
#[test]
fn every_file_of_tests_is_part_of_a_program() {
    let mut unused = Vec::new();
    for member in ["daemon/bin", "tests"] {
        let manifest = fs::read_to_string(top().join(member).join("Cargo.toml"));
        let manifest: toml::Table = manifest
            .expect("a manifest")
            .parse()
            .expect("a manifest is TOML");
        assert_eq!(manifest["package"]["autotests"].as_bool(), Some(false));
        let programs = manifest["test"].as_array().expect("a list").iter();
        let programs = programs.map(|program| text_of(&program["name"]));
        let folder = top().join(member).join("tests");
        let mut reached: BTreeSet<PathBuf> = programs
            .map(|name| folder.join(name).with_extension("rs"))
            .collect();
        let mut open: Vec<PathBuf> = reached.iter().cloned().collect();
        while let Some(file) = open.pop() {
            let source = fs::read_to_string(&file).expect("a program of tests");
            let named = source.lines().filter_map(|line| {
                let name = line
                    .strip_prefix("mod ")
                    .or(line.strip_prefix("pub mod "))?;
                name.strip_suffix(';')
            });
            for name in named {
                // A program's modules lie beside it, those of a module in a folder of its name.
                let within = file.with_extension("").join(format!("{name}.rs"));
                let places = [format!("{name}.rs"), format!("{name}/mod.rs")];
                let places = places.map(|place| folder.join(place));
                let found = places.into_iter().chain([within]);
                let found = found.filter(|path| path.exists());
                open.extend(found.filter(|path| reached.insert(path.clone())));
            }
        }
        let files = rust_files().into_iter();
        let files = files.filter(|path| path.starts_with(&folder) && !reached.contains(path));
        unused.extend(files);
    }
    assert!(unused.is_empty(), "never run: {unused:?}");
}

/// The targets of this kind in the workspace, as cargo describes them, and the file of each.
fn targets(kind: &str) -> Vec<(Value, PathBuf)> {
    let metadata = metadata(&["--no-deps"]);
    let packages = metadata["packages"].as_array().expect("packages").iter();
    let targets = packages.flat_map(|package| package["targets"].as_array().expect("targets"));
    let is_of_kind = |target: &&Value| target["kind"][0] == kind;
    let targets = targets.filter(is_of_kind).cloned();
    let with_path = targets.map(|target| {
        let path = PathBuf::from(text(&target["src_path"]));
        (target, path)
    });
    with_path.collect()
}

/// What answers questions reads the index and never writes to it.
#[test]
fn the_index_is_written_where_that_is_known() {
    let mut writers = BTreeSet::new();
    for path in rust_files() {
        let shown = path.strip_prefix(top()).unwrap_or(&path).display();
        let shown = shown.to_string();
        let text = fs::read_to_string(&path).expect("a Rust file is UTF-8");
        let names_it = text.contains("IndexWriter") || text.contains(".writer()");
        if shown.starts_with("daemon/src/") && names_it {
            writers.insert(shown);
        }
    }
    let known = WRITERS.iter().map(|(path, _)| (*path).to_owned());
    assert_eq!(writers, known.collect());
}

#[test]
fn every_file_says_what_it_is_for_and_is_short() {
    let (mut silent, mut long) = (Vec::new(), Vec::new());
    for path in rust_files() {
        let text = fs::read_to_string(&path).expect("a Rust file is UTF-8");
        let shown = path
            .strip_prefix(top())
            .unwrap_or(&path)
            .display()
            .to_string();
        let lines = text.lines().count();
        if !text.starts_with("//!") {
            silent.push(shown.clone());
        }
        let is_test =
            shown.ends_with("tests.rs") || shown.split('/').any(|folder| folder == "tests");
        let most = if is_test { LINES.1 } else { LINES.0 };
        if lines > most {
            long.push(format!("{shown}: {lines} of {most}"));
        }
    }
    assert!(silent.is_empty(), "without a //! at their head: {silent:?}");
    assert!(long.is_empty(), "too many lines: {long:?}");
}
