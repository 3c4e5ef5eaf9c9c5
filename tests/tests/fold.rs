//! Folding with the real programs: near-duplicates among the hits of one answer are folded under the best of them.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_tests::sandbox::Sandbox;

/// This many words of the query's text, then words of a family, of which the last is the version's own.
fn text(shared: usize, family: &str, version: usize) -> String {
    let word = |at: usize| format!("w{:05}", at * 7_919 % 100_003);
    let common: Vec<String> = (0..shared).map(word).collect();
    let own: Vec<String> = (shared..300).map(|at| format!("{family}{at:04}")).collect();
    format!("{} {} end{version}", common.join(" "), own.join(" "))
}

/// For each file name, the file that it is folded under, if any.
fn folded(found: &[Value]) -> Result<BTreeMap<String, Option<String>>> {
    let name = |path: &Value| path.as_str()?.rsplit('/').next().map(str::to_owned);
    let line = |found: &Value| Some((name(&found["path"])?, name(&found["folded_under"])));
    found
        .iter()
        .map(|found| line(found).context("a path"))
        .collect()
}

#[test]
fn a_crowd_of_near_duplicates_pushes_no_other_file_out_of_a_folded_answer() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let question = sandbox.write("question.txt", text(300, "q", 0))?;
    for version in 0..30 {
        sandbox.write(format!("crowd{version}.txt"), text(240, "c", version))?;
    }
    for (family, shared) in [("a", 180), ("b", 150), ("d", 120)] {
        sandbox.write(format!("{family}.txt"), text(shared, family, 0))?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let ask = |limit: &str| {
        let flags = ["find-similar", "--fold", "always", "--limit", limit].map(OsStr::new);
        let asked = flags.into_iter().chain([question.as_os_str()]);
        let run = daemon.simctl(asked)?.success()?;
        let summary = run.lines_of("query")?.remove(0);
        Ok::<_, anyhow::Error>((folded(&run.lines_of("match")?)?, summary))
    };
    // All is found, though the crowd alone is more than the limit.
    let (found, summary) = ask("20")?;
    ensure!(found.len() == 33, "{found:?}");
    let alone = found.iter().filter(|(_, under)| under.is_none());
    ensure!(
        alone.count() == 4 && summary["truncated"] == false,
        "{summary}"
    );
    // The limit counts what stands for itself.
    let (found, summary) = ask("3")?;
    ensure!(
        found.len() == 32 && !found.contains_key("d.txt"),
        "{found:?}"
    );
    ensure!(summary["truncated"] == true, "{summary}");
    ensure!(daemon.stop()?.success());
    Ok(())
}

#[test]
fn near_duplicates_in_an_answer_stand_under_the_best_of_them() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let question = sandbox.write("question.txt", text(300, "q", 0))?;
    for (family, shared) in [("a", 200), ("b", 120)] {
        for version in 1..4 {
            sandbox.write(
                format!("{family}{version}.txt"),
                text(shared, family, version),
            )?;
        }
    }
    sandbox.write("a1-copy.txt", text(200, "a", 1))?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let ask = |flags: &[&str]| {
        let start = [OsStr::new("find-similar"), question.as_os_str()];
        let found = daemon.simctl(start.into_iter().chain(flags.iter().map(OsStr::new)))?;
        found.success()?.lines_of("match")
    };
    let found = ask(&["--fold", "always"])?;
    ensure!(found.len() == 7, "{found:?}");
    let under = folded(&found)?;
    for family in ["a", "b"] {
        let own = || under.iter().filter(|(name, _)| name.starts_with(family));
        let best: Vec<_> = own().filter(|(_, under)| under.is_none()).collect();
        ensure!(best.len() == 1, "{under:?}");
        ensure!(own().all(|(name, under)| name == best[0].0 || under.as_ref() == Some(best[0].0)));
    }
    // The best stand before what is folded under them, and every file is there as without folding.
    let plain = ask(&[])?;
    ensure!(folded(&plain)?.values().all(Option::is_none), "{plain:?}");
    let paths = |found: &[Value]| {
        found
            .iter()
            .map(|found| found["path"].clone())
            .collect::<Vec<_>>()
    };
    ensure!(paths(&plain) == paths(&found));
    ensure!(found[0]["folded_under"].is_null());
    ensure!(daemon.stop()?.success());
    Ok(())
}
