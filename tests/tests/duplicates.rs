//! `deny.toml` lists each library of which two versions are linked, as `cargo deny check bans` requires, and dates each
//! advisory that is accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::top;

/// Libraries of which `Cargo.lock` has several versions and a build at most one: for other systems, and for features
/// that nothing turns on. `cargo deny` does not see them.
const NOT_BUILT: &[&str] = &["bitflags", "euclid", "glam"];

fn read(name: &str) -> toml::Table {
    let text = fs::read_to_string(top().join(name)).expect(name);
    text.parse().expect("it is TOML")
}

/// The versions of each library, oldest first, numbers compared as numbers.
fn locked() -> BTreeMap<String, Vec<String>> {
    let lock = read("Cargo.lock");
    let mut locked: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in lock["package"].as_array().expect("packages") {
        let text = |key: &str| package[key].as_str().expect("text").to_owned();
        locked
            .entry(text("name"))
            .or_default()
            .push(text("version"));
    }
    let parts = |version: &String| -> Vec<u64> {
        let numbers = version.split(['.', '-', '+']);
        numbers.map_while(|part| part.parse().ok()).collect()
    };
    locked
        .values_mut()
        .for_each(|known| known.sort_by_key(parts));
    locked
}

#[test]
fn every_second_version_of_a_library_stands_in_deny_toml_with_a_reason() {
    let rules = read("deny.toml");
    let bans = &rules["bans"];
    assert_eq!(bans["multiple-versions"].as_str(), Some("deny"));
    let skipped = bans["skip"].as_array().expect("a list").iter();
    let skipped: BTreeSet<String> = skipped
        .inspect(|skip| assert!(skip["reason"].as_str().is_some_and(|why| !why.is_empty())))
        .map(|skip| skip["crate"].as_str().expect("text").to_owned())
        .collect();
    let older = locked().into_iter().flat_map(|(name, versions)| {
        let older = versions[..versions.len() - 1].to_vec();
        older
            .into_iter()
            .map(move |version| (name.clone(), version))
    });
    let built = older.filter(|(name, _)| !NOT_BUILT.contains(&&**name));
    let built = built.map(|(name, version)| format!("{name}@{version}"));
    assert_eq!(skipped, built.collect());
}

/// Whether a text has the form of `2026-11-28`.
fn is_date(text: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().all(|part| digits(part)) && parts.iter().map(|part| part.len()).eq([4, 2, 2])
}

/// An exception without a date stands for ever.
#[test]
fn every_accepted_advisory_says_why_and_when_it_is_checked_again() {
    let rules = read("deny.toml");
    let accepted = rules["advisories"]["ignore"].as_array().expect("a list");
    for advisory in accepted {
        let id = advisory["id"].as_str().expect("an id");
        let reason = advisory["reason"].as_str().expect("a reason");
        let (_, again) = reason.split_once("again by ").expect(id);
        let (_, checked) = reason.split_once("checked ").expect(id);
        let (checked, _) = checked.split_once(',').expect(id);
        assert!([checked, again].into_iter().all(is_date), "{id}");
        // Dates of this form are in the order of their letters.
        assert!(checked < again, "{id}");
    }
}

/// No test fails by the day on which it is run: .ci/run warns, and .ci/nightly fails.
#[test]
fn an_exception_is_overdue_from_the_day_after_it_was_to_be_checked_again() {
    let overdue = |today: &str| {
        let script = top().join(".ci/overdue");
        let output = std::process::Command::new(script).arg(today).output();
        let output = output.expect("a script that runs");
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).lines().count(),
        )
    };
    let rules = read("deny.toml");
    let accepted = rules["advisories"]["ignore"].as_array().expect("a list");
    let again = accepted.iter().filter_map(|advisory| {
        let reason = advisory["reason"].as_str()?;
        Some(reason.split_once("again by ")?.1.to_owned())
    });
    let first = again.min().expect("an exception");
    assert_eq!(overdue(&first), (true, 0));
    assert_eq!(overdue("2999-01-01"), (false, accepted.len()));
    for file in [".ci/run", ".ci/nightly"] {
        let script = fs::read_to_string(top().join(file)).expect("a script");
        assert!(script.contains("\n.ci/overdue || "), "{file}");
    }
}
