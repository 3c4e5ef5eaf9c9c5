//! Components and cores with the real programs: a chain of versions joins unlike documents in a component and
//! not in a core; every core against the definition; another view; and what changes with the documents.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_cores::InvertedTable;
use simdex_signature::{CanonicalText, Window};
use simdex_tests::corpus::Random;
use simdex_tests::sandbox::{Daemon, Sandbox};
use simdexd::read_side::clusters::signer;

const LENGTH: usize = 16;
const COMMON: u32 = 70;

/// Version `at` of a text of 600 words that loses its first 50 and gains 50 at its end each time.
fn version(at: usize) -> String {
    let word = |at: u64| format!("w{:05}", Random::new(7, at).below(100_000));
    let from = 50 * at as u64;
    (from..from + 600).map(word).collect::<Vec<_>>().join(" ")
}

/// The names of the files of each group.
fn files_of(groups: &[Value]) -> Result<Vec<BTreeSet<String>>> {
    let names = |group: &Value| {
        let members = group["members"].as_array().context("members")?.iter();
        members
            .map(|member| {
                let path = member["path"].as_str().context("a path")?;
                Ok(path.rsplit('/').next().unwrap_or(path).to_owned())
            })
            .collect()
    };
    groups.iter().map(names).collect()
}

fn name(at: usize) -> String {
    format!("v{at:02}.txt")
}

/// The fingerprints of all versions, as the definition takes them.
fn table() -> Result<InvertedTable> {
    let signer = signer(Window::DEFAULT)?;
    let images = (0..LENGTH).map(|at| {
        let text = CanonicalText::from_extracted(&version(at));
        let units = signer.sign(text.as_str()).units();
        units.into_iter().map(|unit| unit.0).collect::<Vec<_>>()
    });
    let images: Vec<Vec<u64>> = images.collect();
    Ok(InvertedTable::from_images(images.iter().map(Vec::as_slice)))
}

const COMPONENTS: [&str; 5] = ["groups", "--kind", "components", "--threshold", "0.8"];
const CORES: [&str; 5] = ["groups", "--kind", "cores", "--common", "70"];

/// Every core is maximal, has the count it says, and does not reach over the whole chain.
fn check_cores(cores: &[Value], found: &[BTreeSet<String>], table: &InvertedTable) -> Result<()> {
    for (core, files) in cores.iter().zip(found) {
        let inside = |at: &u32| files.contains(&name(*at as usize));
        let documents: Vec<u32> = (0..LENGTH as u32).filter(inside).collect();
        let common = table.support(&documents);
        ensure!(documents.len() > 1 && core["common"] == common, "{core}");
        ensure!(
            common >= COMMON as usize && core["kind"] == "core",
            "{core}"
        );
        for other in (0..LENGTH as u32).filter(|at| !inside(at)) {
            let more: Vec<u32> = documents.iter().copied().chain([other]).collect();
            let is_core = table.support(&more) < COMMON as usize;
            ensure!(is_core, "{other} belongs to {core}");
        }
        // From the twelfth on, a version shares nothing with the first.
        let ends = documents.last().zip(documents.first());
        ensure!(ends.map(|(last, first)| last - first) < Some(8), "{core}");
    }
    Ok(())
}

/// Two versions are in one core where, and only where, they share enough.
fn check_pairs(found: &[BTreeSet<String>], table: &InvertedTable) -> Result<()> {
    for (a, b) in (1..LENGTH).flat_map(|b| (0..b).map(move |a| (a, b))) {
        let both = |core: &BTreeSet<String>| core.contains(&name(a)) && core.contains(&name(b));
        let is_near = table.support(&[a as u32, b as u32]) >= COMMON as usize;
        ensure!(found.iter().any(both) == is_near, "{a} and {b}");
    }
    Ok(())
}

#[test]
fn a_chain_is_one_component_and_its_cores_are_those_of_the_definition() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for at in 0..LENGTH {
        sandbox.write(name(at), version(at))?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let components = daemon.simctl(COMPONENTS)?.success()?.lines_of("group")?;
    let all: BTreeSet<String> = (0..LENGTH).map(name).collect();
    ensure!(files_of(&components)? == [all], "{components:?}");
    ensure!(components[0]["kind"] == "component");
    ensure!(components[0]["members"][1]["relation"].is_null());
    // Its ends have nothing in common.
    let ends = [0, LENGTH - 1].map(|at| sandbox.share().join(name(at)));
    let compared = [
        OsStr::new("compare"),
        ends[0].as_os_str(),
        ends[1].as_os_str(),
    ];
    let compared = daemon.simctl(compared)?.success()?.lines_of("comparison")?;
    ensure!(compared[0]["resemblance"] == 0.0, "{compared:?}");

    let listed = daemon.simctl(CORES)?.success()?;
    let cores = listed.lines_of("group")?;
    ensure!(listed.lines_of("summary")?[0]["unfinished"] == 0);
    let (table, found) = (table()?, files_of(&cores)?);
    check_cores(&cores, &found, &table)?;
    check_pairs(&found, &table)?;
    ensure!(daemon.simctl(CORES)?.success()?.lines_of("group")? == cores);

    // A version that goes parts the component.
    fs::remove_file(sandbox.share().join(name(8)))?;
    daemon.sync()?;
    let components = daemon.simctl(COMPONENTS)?.success()?.lines_of("group")?;
    ensure!(components.len() == 2, "{components:?}");
    let cores = daemon.simctl(CORES)?.success()?.lines_of("group")?;
    let mut left = files_of(&cores)?.into_iter();
    ensure!(left.all(|core| !core.contains(&name(8))));
    ensure!(daemon.stop()?.success());
    Ok(())
}

#[test]
fn a_core_is_made_of_what_the_view_shows() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let (one, other) = (sandbox.beside("one"), sandbox.beside("other"));
    for root in [&one, &other] {
        fs::create_dir(root)?;
    }
    fs::write(one.join(name(0)), version(0))?;
    fs::write(one.join("copy.txt"), version(0))?;
    fs::write(other.join(name(1)), version(1))?;
    let roots = [(one.clone(), "native"), (other, "native")];
    let daemon = sandbox.serve().roots(roots).start()?;
    daemon.sync()?;
    let cores = daemon.simctl(CORES)?.success()?.lines_of("group")?;
    ensure!(
        cores.len() == 1 && cores[0]["members"].as_array().map(Vec::len) == Some(3),
        "{cores:?}"
    );
    let one = one.to_str().context("a path")?;
    // One document, though two files carry it, is no core; a component it is, as it is a group.
    let alone = daemon
        .simctl(CORES.iter().chain(&["--root", one]))?
        .ended_with(&[1])?;
    ensure!(alone.lines_of("group")?.is_empty());
    let listed = daemon.simctl(["groups", "--kind", "components", "--root", one])?;
    let components = listed.success()?.lines_of("group")?;
    ensure!(components.len() == 1 && components[0]["members"][1]["relation"] == "identical-bytes");

    // A copy makes a component of a document that was alone, though no document came.
    let more = |name: &str| -> Result<usize> {
        fs::write(sandbox.beside("other").join(name), version(100))?;
        daemon.sync()?;
        let listed = daemon
            .simctl(["groups", "--kind", "components"])?
            .success()?;
        Ok(listed.lines_of("group")?.len())
    };
    let before = more("alone.txt")?;
    ensure!(more("its copy.txt")? == before + 1);

    ensure!(daemon.stop()?.success());
    Ok(())
}

#[test]
fn what_belongs_to_another_kind_is_refused() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let daemon = sandbox.serve().start()?;
    for wrong in [["--common", "70"], ["--deadline", "5"]] {
        let refused = daemon
            .simctl(["groups"].iter().chain(&wrong))?
            .ended_with(&[2])?;
        let said = refused.stderr;
        ensure!(
            said.contains("--common and --deadline apply only to --kind cores"),
            "{said}"
        );
    }
    let refused = daemon.simctl(CORES.iter().chain(&["--threshold", "0.5"]))?;
    let said = refused.ended_with(&[2])?.stderr;
    ensure!(
        said.contains("--threshold does not apply to --kind cores"),
        "{said}"
    );
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// A report of what `simctl groups` lists by these flags: the same groups, nothing of their texts, and its manifest.
fn reported(daemon: &Daemon, sandbox: &Sandbox, flags: &[&str]) -> Result<Value> {
    let out = sandbox.beside(format!("report of {}", flags[1]));
    let asked = ["report", "--out", out.to_str().context("a path")?];
    daemon.simctl(asked.iter().chain(flags))?.success()?;
    simdexd::reports::report::verify(&out).map_err(|error| anyhow::anyhow!("{error:?}"))?;
    let listed = daemon.simctl(["groups"].iter().chain(flags))?.success()?;
    let lines = fs::read_to_string(out.join("groups.jsonl"))?;
    let written: Vec<Value> = lines
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    ensure!(
        !written.is_empty() && written == listed.lines_of("group")?,
        "{lines}"
    );
    for name in ["diffs.jsonl", "diffs", "text", "load"] {
        ensure!(!out.join(name).exists(), "{name}");
    }
    let manifest: Value = serde_json::from_slice(&fs::read(out.join("manifest.json"))?)?;
    ensure!(manifest["kind"] == flags[1] && manifest["groups"] == written.len());
    Ok(manifest)
}

/// What a report of components or cores does not take.
fn refused(daemon: &Daemon, sandbox: &Sandbox) -> Result<()> {
    let earlier = sandbox.beside("report of cores");
    let earlier = earlier.to_str().context("a path")?;
    let out = sandbox.beside("refused");
    let out = out.to_str().context("a path")?;
    for (flags, words) in [
        (
            &["cores", "--since", earlier][..],
            "have nothing that stays",
        ),
        (
            &["cores", "--load-file", "csv"],
            "only a report of kind groups has a load file",
        ),
        (
            &["components", "--judge", "on"],
            "only a report of kind groups has judgements",
        ),
        (
            &["components", "--common", "90"],
            "a report of kind cores alone takes",
        ),
        (
            &["cores", "--threshold", "0.5"],
            "or cores takes no threshold",
        ),
    ] {
        let asked = ["report", "--out", out, "--kind"];
        let refused = daemon.simctl(asked.iter().chain(flags))?;
        ensure!(refused.stderr.contains(words), "{}", refused.stderr);
        ensure!(refused.success().is_err() && !Path::new(out).exists());
    }
    Ok(())
}

#[test]
fn a_report_of_components_or_cores_lists_what_groups_lists() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for at in 0..LENGTH {
        sandbox.write(name(at), version(at))?;
    }
    // The files of the longest document stand first, wherever their names would.
    for at in 0..LENGTH {
        sandbox.write(format!("z{at:02}.txt"), version(at))?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let components = reported(&daemon, &sandbox, &["--kind", "components"])?;
    ensure!(components["common"].is_null() && components["unfinished"].is_null());
    let cores = reported(&daemon, &sandbox, &CORES[1..])?;
    ensure!(
        cores["common"] == COMMON && cores["unfinished"] == 0,
        "{cores}"
    );
    let page = fs::read_to_string(sandbox.beside("report of cores/report.html"))?;
    ensure!(page.contains("<title>Cores</title>") && page.contains("Shared of 100"));
    ensure!(
        page.contains("<h3>Core 1<small>") && !page.contains("<h3>Group"),
        "{page}"
    );
    refused(&daemon, &sandbox)?;
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// Texts of half of 60 passages each: of so many that share some, nearly any selection is a core of its own.
fn of_passages(at: u64) -> String {
    let passage = |passage: u64| {
        let word = |word: u64| {
            format!(
                "p{passage:02}w{:05}",
                Random::new(passage, word).below(100_000)
            )
        };
        (0..40).map(word).collect::<Vec<_>>().join(" ")
    };
    let is_in = |passage: &u64| Random::new(91 + at, *passage).below(2) == 0;
    let chosen = (0..60).filter(is_in).map(passage);
    chosen.collect::<Vec<_>>().join("\n")
}

#[test]
fn cores_for_which_there_was_no_time_are_said_to_be_missing() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for at in 0..240 {
        sandbox.write(format!("{at:03}.txt"), of_passages(at))?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let flags = ["--kind", "cores", "--common", "8", "--deadline", "1"];
    let listed = daemon.simctl(["groups"].iter().chain(&flags))?.success()?;
    let summary = listed.lines_of("summary")?;
    ensure!(summary[0]["unfinished"].as_u64() > Some(0), "{summary:?}");
    let out = sandbox.beside("report");
    let asked = ["report", "--out", out.to_str().context("a path")?];
    let made = daemon
        .simctl_in_words(asked.iter().chain(&flags))?
        .success()?;
    ensure!(
        made.stderr.contains("not all cores are in the report"),
        "{}",
        made.stderr
    );
    let manifest: Value = serde_json::from_slice(&fs::read(out.join("manifest.json"))?)?;
    ensure!(manifest["unfinished"].as_u64() > Some(0), "{manifest}");
    let page = fs::read_to_string(out.join("report.html"))?;
    ensure!(page.contains("Not all cores are here"));
    ensure!(daemon.stop()?.success());
    Ok(())
}
