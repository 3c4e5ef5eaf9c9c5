//! A calibration that is applied, with the real programs: answers while documents are signed again, after that, after a
//! restart, after a kill in the middle, and once the setting is reset.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use simdex_tests::corpus::Random;
use simdex_tests::sandbox::{Daemon, Sandbox};

use crate::calibrate::texts;

/// How long documents may take to be signed again before something is wrong.
const MAX_WAIT: Duration = Duration::from_secs(300);
/// Files that are asked about again and again.
const ASKED: [&str; 3] = ["3.txt", "120.txt", "200.txt"];

fn filled() -> Result<(Sandbox, Daemon)> {
    let sandbox = Sandbox::new()?;
    for (at, text) in texts().iter().enumerate() {
        sandbox.write(format!("{at}.txt"), text)?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    Ok((sandbox, daemon))
}

/// The one line of this kind that an answer has.
fn line<A: AsRef<OsStr>>(
    daemon: &Daemon,
    asked: impl IntoIterator<Item = A>,
    kind: &str,
) -> Result<Value> {
    let lines = daemon.simctl(asked)?.success()?.lines_of(kind)?;
    lines.into_iter().next().context("a line of this kind")
}

fn sampling(daemon: &Daemon) -> Result<Value> {
    let shown = line(daemon, ["sampling"], "sampling")?;
    let of_status = line(daemon, ["status"], "status")?["sampling"].clone();
    ensure!(of_status["groups"] == shown["groups"], "{of_status}");
    Ok(shown)
}

/// What resembles the files that are asked about, with exact numbers.
fn matches(sandbox: &Sandbox, daemon: &Daemon) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for name in ASKED {
        let file = sandbox.share().join(name);
        let file = file.as_os_str();
        let flags = ["find-similar", "--threshold", "0.5", "--limit", "100"];
        let asked = flags.map(OsStr::new).into_iter().chain([file]);
        for hit in daemon.simctl(asked)?.success()?.lines_of("match")? {
            ensure!(hit["verified"] == true, "{hit}");
            found.insert(format!("{name} {} {}", hit["path"], hit["resemblance"]));
        }
    }
    ensure!(found.len() > 10, "{found:?}");
    Ok(found)
}

/// All pairs and groups, once every document is settled.
fn relations(daemon: &Daemon) -> Result<BTreeSet<String>> {
    daemon.sync()?;
    let pairs = daemon.simctl(["pairs"])?.success()?.lines_of("pair")?;
    let pairs = pairs.iter().map(|pair| {
        let sides = BTreeSet::from([pair["a"].to_string(), pair["b"].to_string()]);
        format!("{sides:?} {}", pair["resemblance"])
    });
    let groups = daemon.simctl(["groups"])?.success()?.lines_of("group")?;
    let groups = groups.iter().map(|group| {
        let members = group["members"].as_array().into_iter().flatten();
        let paths: BTreeSet<String> = members.map(|member| member["path"].to_string()).collect();
        format!("{} {paths:?}", group["principal"])
    });
    let all: BTreeSet<String> = pairs.chain(groups).collect();
    ensure!(all.len() > 100, "{all:?}");
    Ok(all)
}

/// Asks the same until nothing waits to be signed, and once more; returns what `sampling` says then.
fn signed(sandbox: &Sandbox, daemon: &Daemon, right: &BTreeSet<String>) -> Result<Value> {
    let begun = Instant::now();
    loop {
        let shown = sampling(daemon)?;
        ensure!(&matches(sandbox, daemon)? == right, "while {shown}");
        if shown["waiting"] == 0 {
            return Ok(shown);
        }
        ensure!(begun.elapsed() < MAX_WAIT, "{shown}: {}", daemon.log()?);
        sleep(Duration::from_millis(20));
    }
}

/// The greatest n that a document is sampled at by Mod_n, and its postings.
fn coarsest(daemon: &Daemon) -> Result<(u64, u64)> {
    let status = line(daemon, ["status"], "status")?;
    let schemes = status["schemes"].as_array().context("schemes")?;
    let mod_n = schemes
        .iter()
        .find(|used| used["scheme"]["name"] == "mod_n");
    let mod_n = mod_n.context("Mod_n")?;
    let count = |name: &str| mod_n[name].as_u64().context("a count");
    Ok((count("n_most")?, count("postings")?))
}

/// Bytes of posting values, once the daemon was stopped, which merges all.
fn stored(daemon: &Daemon) -> Result<f64> {
    let status = line(daemon, ["status"], "status")?;
    let schemes = status["schemes"].as_array().context("schemes")?;
    let stored = schemes.iter().map(|used| {
        ensure!(used["unmerged"] == 0, "{used}");
        used["bytes"].as_f64().context("bytes")
    });
    stored.sum()
}

/// Bytes that were foretold, beside those that were stored.
fn is_near(told: Option<f64>, stored: f64) -> Result<()> {
    let told = told.context("bytes that were foretold")?;
    let share = told / stored;
    ensure!((0.8..1.25).contains(&share), "{told} for {stored}");
    Ok(())
}

/// The n of documents of some sizes.
fn n_by_size(setting: &Value) -> [Option<u64>; 7] {
    [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000].map(|bytes| {
        let groups = setting["groups"].as_array().into_iter().flatten();
        let mut before = groups.filter(|group| group["from_bytes"].as_u64() <= Some(bytes));
        before.next_back()?["n"].as_u64()
    })
}

/// Resets the setting and kills the daemon while documents wait: the next one goes on where that one was. A kill that
/// came too late, after all were signed, is tried again.
fn killed_in_the_middle(
    sandbox: &Sandbox,
    mut daemon: Daemon,
    right: &BTreeSet<String>,
) -> Result<Daemon> {
    for _ in 0..20 {
        let reset = line(&daemon, ["sampling", "--reset", "--yes"], "sampling")?;
        ensure!(reset["chosen"] == false, "{reset}");
        let count = |of: &Value, name: &str| of[name].as_u64().context("a count");
        let waited = count(&reset, "waiting")? + count(&reset, "done")?;
        let begun = Instant::now();
        let mut told = reset.clone();
        while count(&told, "done")? == 0 && count(&told, "waiting")? > 0 {
            ensure!(begun.elapsed() < MAX_WAIT, "{told}");
            told = line(&daemon, ["sampling"], "sampling")?;
        }
        // Everything reported here is committed by the barrier.
        daemon.sync()?;
        let kept = count(&told, "done")?;
        daemon.kill()?;
        daemon = sandbox.serve().start()?;
        daemon.sync()?;
        let shown = signed(sandbox, &daemon, right)?;
        // What the daemon that was killed had signed, and not lost, is not signed once more.
        let done = count(&shown, "done")?;
        ensure!(done <= waited - kept, "{reset} {told} {shown}");
        if done > 0 {
            return Ok(daemon);
        }
        let flags = ["calibrate", "--apply", "--yes", "--threshold", "0.8"];
        daemon.simctl(flags)?.success()?;
        signed(sandbox, &daemon, right)?;
    }
    bail!("no kill came while documents waited")
}

#[test]
fn a_calibration_that_is_applied_changes_how_documents_are_signed_and_no_answer() -> Result<()> {
    let (sandbox, daemon) = filled()?;
    let (right, related) = (matches(&sandbox, &daemon)?, relations(&daemon)?);
    let before = sampling(&daemon)?;
    ensure!(
        before["chosen"] == false && before["waiting"] == 0,
        "{before}"
    );
    let signed_before = coarsest(&daemon)?;

    let flags = ["calibrate", "--apply", "--yes", "--threshold", "0.8"];
    let answer = daemon.simctl(flags)?.success()?;
    let measured = answer.lines_of("calibration")?;
    let measured = measured.first().context("a calibration")?;
    let applied = answer.lines_of("sampling")?;
    let applied = applied.first().context("the setting")?;
    ensure!(applied["chosen"] == true, "{applied}");
    let told = measured["posting_bytes"].as_f64();
    // Nothing was merged yet.
    ensure!(measured["posting_bytes_now"] == 0, "{measured}");
    let shown = signed(&sandbox, &daemon, &right)?;
    ensure!(
        n_by_size(&shown) == n_by_size(measured),
        "{shown} {measured}"
    );
    ensure!(relations(&daemon)? == related, "groups or pairs changed");
    let (n, postings) = coarsest(&daemon)?;
    ensure!(
        (n, postings) != signed_before,
        "nothing was signed anew: n = {n}"
    );

    // The setting outlives the daemon, and is carried out already.
    let daemon = daemon.restart()?;
    daemon.sync()?;
    let shown = sampling(&daemon)?;
    ensure!(
        shown["chosen"] == true && shown["waiting"] == 0 && shown["done"] == 0,
        "{shown}"
    );
    ensure!(coarsest(&daemon)?.0 == n);
    is_near(told, stored(&daemon)?)?;
    ensure!(postings > 0 && matches(&sandbox, &daemon)? == right);

    let daemon = killed_in_the_middle(&sandbox, daemon, &right)?;
    ensure!(sampling(&daemon)?["chosen"] == false);
    ensure!(relations(&daemon)? == related, "groups or pairs changed");
    ensure!(coarsest(&daemon)?.0 == signed_before.0);
    ensure!(daemon.stop()?.success());
    Ok(())
}

#[test]
fn a_setting_is_refused_without_a_yes_and_for_some_roots_alone() -> Result<()> {
    let sandbox = Sandbox::new()?;
    sandbox.write(
        "a.txt",
        "a text of some words, long enough for a window of twenty bytes",
    )?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let root = sandbox.share().to_str().context("UTF-8")?;
    for (asked, why) in [
        (vec!["calibrate", "--apply", root], "leave out one of them"),
        (
            vec!["calibrate", "--apply"],
            "it was not confirmed that all documents are to be signed again",
        ),
        (
            vec!["calibrate", "--apply", "--yes"],
            "too few similar pairs among 1 document (1 sampled) to calibrate on",
        ),
        (vec!["sampling", "--reset"], "say yes, or run it with --yes"),
    ] {
        let refused = daemon.simctl_in_words(&asked)?.ended_with(&[2])?;
        ensure!(
            refused.stderr.contains(why),
            "{asked:?}: {}",
            refused.stderr
        );
    }
    for (typed, code) in [("n\n", 2), ("y\n", 0)] {
        let answer = daemon.simctl_on_terminal(["sampling", "--reset"], typed)?;
        ensure!(answer.code()? == code, "{typed:?}: {answer:?}");
    }
    ensure!(sampling(&daemon)?["chosen"] == false);
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// Long families of long texts, whose postings hardly cost more than a byte, and are signed finer than before.
#[test]
fn the_size_of_an_index_of_many_versions_is_foretold_too() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for (family, version) in (0..12).flat_map(|f| (0..24).map(move |v| (f, v))) {
        let mut random = Random::new(family, version);
        let word = |at: u64| match random.below(1_500) < version {
            true => format!("{family}v{version}at{at} "),
            false => format!("{family}is{at} "),
        };
        let text: String = (0..600 + 150 * family).map(word).collect();
        sandbox.write(format!("{family}-{version}.txt"), text)?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let flags = ["--threshold", "0.9", "--precision", "0.97"];
    let measured = line(&daemon, ["calibrate"].iter().chain(&flags), "calibration")?;
    let daemon = daemon.restart()?;
    daemon.sync()?;
    // Now that all are merged, it says what is stored, and foretells the same.
    let now = stored(&daemon)?;
    let again = line(&daemon, ["calibrate"].iter().chain(&flags), "calibration")?;
    ensure!(again["posting_bytes_now"].as_f64() == Some(now), "{again}");
    let [told, then] = [&measured, &again].map(|found| found["posting_bytes"].as_f64());
    is_near(told, then.context("bytes")?)?;
    let apply = ["calibrate", "--apply", "--yes"];
    daemon.simctl(apply.iter().chain(&flags))?.success()?;
    let begun = Instant::now();
    while sampling(&daemon)?["waiting"] != 0 {
        ensure!(begun.elapsed() < MAX_WAIT, "{}", daemon.log()?);
        sleep(Duration::from_millis(20));
    }
    let daemon = daemon.restart()?;
    daemon.sync()?;
    ensure!(stored(&daemon)? != now, "nothing was signed anew");
    is_near(told, stored(&daemon)?)?;
    ensure!(daemon.stop()?.success());
    Ok(())
}
