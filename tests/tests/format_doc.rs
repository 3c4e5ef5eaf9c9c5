//! FORMAT.md agrees with the code: every state, every reason, every key, and records whose
//! bytes it shows. The README shows the same version.
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

mod examples;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use simdex_extract::{Reader, Reason};
use simdex_schema::key::prefix;
use simdex_schema::{FORMAT_VERSION, State};

const FORMAT: &str = include_str!("../../schema/FORMAT.md");
const README: &str = include_str!("../../README.md");
const CHANGELOG: &str = include_str!("../../CHANGELOG.md");

/// The part of FORMAT.md below a heading, up to the next one.
fn section(heading: &str) -> &'static str {
    let start = FORMAT
        .find(&format!("\n## {heading}\n"))
        .expect("a section of this name");
    let body = &FORMAT[start + 4..];
    body.find("\n##").map_or(body, |end| &body[..end])
}

/// The rows of the tables in a section, cell by cell, heads and rules left out.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    let lines: Vec<&str> = section(heading).lines().collect();
    let is_row = |at: usize| {
        let starts = |at: usize| lines.get(at).is_some_and(|line| line.starts_with('|'));
        let is_rule = |at: usize| lines.get(at).is_some_and(|line| line.starts_with("|---"));
        starts(at) && !is_rule(at) && !is_rule(at + 1)
    };
    (0..lines.len())
        .filter(|at| is_row(*at))
        .map(|at| cells(lines[at]))
        .collect()
}

fn unquoted(cell: &str) -> String {
    cell.trim_matches('`').to_owned()
}

#[test]
fn every_state_stands_there_with_its_number() {
    let written: BTreeSet<(u8, String)> = rows("Where can a file end?")
        .iter()
        .map(|row| (row[0].parse().expect("a number"), unquoted(&row[1])))
        .collect();
    let known = State::ALL
        .iter()
        .map(|state| (*state as u8, state.name().to_owned()));
    assert_eq!(written, known.collect());
}

/// Rust files of the daemon and its libraries, their test modules left out.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the daemon") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, files);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            files.push(path);
        }
    }
}

/// The daemon's source files, tests left out, each on one line however it was broken.
fn product() -> Vec<String> {
    let daemon = Path::new(env!("CARGO_MANIFEST_DIR")).join("../daemon");
    let mut files = Vec::new();
    sources(&daemon, &mut files);
    let line = |path: PathBuf| {
        let text = fs::read_to_string(path).expect("a Rust file is UTF-8");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let product = text.split("#[cfg(test)] mod tests {").next();
        product.unwrap_or_default().to_owned()
    };
    files.into_iter().map(line).collect()
}

/// The reasons named between the bracket that was opened before `text` and its closing one.
fn reasons_within(text: &str) -> Vec<Reason> {
    let mut depth = 1;
    let end = text.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    let inside = &text[..end.unwrap_or(0)];
    let named = |rest: &str| {
        let name = rest.split(|c: char| !c.is_alphanumeric()).next();
        let is_it = |reason: &&Reason| Some(&*format!("{reason:?}")) == name;
        Reason::ALL.iter().find(is_it).copied()
    };
    inside.split("Reason::").skip(1).filter_map(named).collect()
}

/// Pairs of a state and a reason that the source names together: what the outcome of a file is, and
/// why the bytes of a member could not be had.
fn pairs_given() -> BTreeSet<(&'static str, &'static str)> {
    let outcomes = [
        State::NoText,
        State::Encrypted,
        State::Unsupported,
        State::TooLarge,
        State::Failed,
        State::TimedOut,
        State::Crashed,
    ];
    let mut pairs = BTreeSet::new();
    for product in product() {
        for state in outcomes {
            for rest in product.split(&format!("Outcome::{state:?}(")).skip(1) {
                let reasons = reasons_within(rest).into_iter();
                pairs.extend(reasons.map(|reason| (state.name(), reason.code())));
            }
        }
        for call in ["member_unread(", "Content::Unread("] {
            for rest in product.split(call).skip(1) {
                let reasons = reasons_within(rest).into_iter();
                let state = |reason| simdexd::write_side::ingest::state_of_unread(reason).name();
                pairs.extend(reasons.map(|reason| (state(reason), reason.code())));
            }
        }
    }
    pairs
}

#[test]
fn every_reason_stands_there_with_the_states_it_is_given_with() {
    let rows = rows("Which reasons are there?");
    let written: BTreeMap<String, Vec<&str>> = rows
        .iter()
        .map(|row| (unquoted(&row[0]), row[1].split(", ").collect()))
        .collect();
    let given = pairs_given();
    // Members that their containers did not yield, and files.
    for known in [("failed", "damaged"), ("encrypted", "password-needed")] {
        assert!(given.contains(&known), "the search finds what is known");
    }
    let missing: Vec<_> = given
        .iter()
        .filter(|(state, code)| {
            written
                .get(*code)
                .is_none_or(|states| !states.contains(state))
        })
        .collect();
    assert_eq!(missing, Vec::<&(&str, &str)>::new());
}

#[test]
fn every_reason_stands_there_with_its_meaning_and_no_other() {
    let rows = rows("Which reasons are there?");
    let written = rows.iter().map(|row| (unquoted(&row[0]), &*row[2]));
    let known = Reason::ALL.iter();
    let known = known.map(|reason| (reason.code().to_owned(), reason.meaning()));
    assert_eq!(written.collect::<Vec<_>>(), known.collect::<Vec<_>>());
}

#[test]
fn every_reason_is_given_somewhere() {
    let product = product();
    let is_given = |reason: &&Reason| {
        let name = format!("Reason::{reason:?}");
        let is_it = |(at, _): (usize, &str)| (at, name.len());
        product.iter().any(|source| {
            source.match_indices(&name).map(is_it).any(|(at, length)| {
                let next = source[at + length..].chars().next();
                !next.is_some_and(char::is_alphanumeric)
            })
        })
    };
    let unused: Vec<_> = Reason::ALL.iter().filter(|one| !is_given(one)).collect();
    assert_eq!(unused, Vec::<&Reason>::new());
}

#[test]
fn every_fact_stands_there_with_its_meaning_and_no_other() {
    let rows = rows("Which facts are there?");
    let written: Vec<_> = rows
        .iter()
        .map(|row| (unquoted(&row[0]), row[1].clone()))
        .collect();
    let known = simdex_extract::Fact::ALL.iter();
    let known = known.map(|fact| (fact.code().to_owned(), fact.meaning().to_owned()));
    assert_eq!(written, known.collect::<Vec<_>>());
}

#[test]
fn every_reader_stands_there_with_its_version_and_the_engines_it_had() {
    let rows = rows("Which readers are there?");
    assert_eq!(rows.len(), Reader::ALL.len());
    for (row, reader) in rows.iter().zip(Reader::ALL) {
        assert_eq!(unquoted(&row[0]), reader.code());
        assert_eq!(row[1].parse(), Ok(reader.version()), "{reader}");
        assert_eq!(row[2], reader.meaning());
        for engine in row[3].split(", ") {
            assert_eq!(Reader::of_parser(engine), Some(*reader), "{engine}");
        }
    }
}

#[test]
fn every_kind_of_record_stands_there_with_its_prefix() {
    let written: BTreeSet<String> = rows("Which records are there?")
        .iter()
        .map(|row| unquoted(&row[0]))
        .collect();
    let known = [
        prefix::META,
        prefix::ROOT,
        prefix::FILE,
        prefix::CONTENT,
        prefix::FILE_OF_CONTENT,
        prefix::DOCUMENT,
        prefix::DOCUMENT_BY_HASH,
        prefix::CONTENT_OF_DOCUMENT,
        prefix::EDGE,
        prefix::UNSETTLED,
        prefix::GROUP,
        prefix::REPORT,
    ];
    assert_eq!(
        written,
        known.map(|byte| char::from(byte).to_string()).into()
    );
}

#[test]
fn the_versions_are_those_of_the_code() {
    let rows = rows("Which versions go together?");
    let version = |what: &str| {
        let row = rows.iter().find(|row| row[0] == what).expect(what);
        row[1].parse::<u32>().expect("a number")
    };
    assert_eq!(version("format"), FORMAT_VERSION);
    assert_eq!(
        version("canonical text"),
        simdex_signature::CANONICAL_VERSION
    );
    assert_eq!(version("extractor"), simdex_extract::EXTRACTOR_VERSION);
}

#[test]
fn the_readme_shows_the_stored_format() {
    let shown: Vec<u32> = README
        .split("stored format ")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next())
        .filter_map(|number| number.and_then(|number| number.parse().ok()))
        .collect();
    assert_eq!(shown, [FORMAT_VERSION]);
}

/// Of each version every heading stands once, lists are not cut by blank lines, and the stored format is named once.
#[test]
fn the_changelog_says_each_thing_in_one_place() {
    for version in CHANGELOG.split("\n## ").skip(1) {
        let headings = version.lines().filter(|line| line.starts_with("### "));
        let mut seen = BTreeSet::new();
        for heading in headings {
            assert!(seen.insert(heading), "{heading} stands there twice");
        }
        assert!(!version.contains("\n\n- "), "a list is cut in two");
    }
    let formats = CHANGELOG.split("tored format ").skip(1);
    let number = |rest: &str| {
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next();
        digits.and_then(|digits| digits.parse().ok())
    };
    let named: Vec<u32> = formats.filter_map(number).collect();
    assert_eq!(named, [FORMAT_VERSION], "the present format alone");
}

#[test]
fn the_bytes_shown_are_the_bytes_stored() {
    for (what, bytes) in examples::all() {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown: String = FORMAT.split_whitespace().collect();
        assert!(shown.contains(&hex), "{what} is {hex}");
    }
}
