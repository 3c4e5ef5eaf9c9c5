//! Comparisons by every signature scheme, with the real programs: estimates beside the exact numbers, and
//! no number that a scheme does not define.

use std::ffi::{OsStr, OsString};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_tests::sandbox::{Daemon, Sandbox};

/// The greatest n there is.
const MOST: &str = "1048576";

/// Some hundred distinct words, of which `except` are others.
fn text(except: u64) -> String {
    let word = |at: u64| match at < except {
        true => format!("x{} ", at * at),
        false => format!("w{} ", at * 7_919 % 10_007),
    };
    (0..600).map(word).collect()
}

/// A daemon that has read two texts of which a tenth differs.
fn daemon(sandbox: &Sandbox) -> Result<Daemon> {
    sandbox.write("a.txt", text(0))?;
    sandbox.write(
        "b.txt",
        text(60) + "and a few words more at its end, which the other one lacks",
    )?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    Ok(daemon)
}

/// What a comparison of the two says.
fn compared(sandbox: &Sandbox, daemon: &Daemon, flags: &[&str]) -> Result<Value> {
    let [a, b] = ["a.txt", "b.txt"].map(|name| sandbox.share().join(name));
    let mut args = vec!["compare".as_ref(), a.as_os_str(), b.as_os_str()];
    let flags = ["--no-difference"].iter().chain(flags);
    args.extend(flags.map(OsStr::new));
    let answer = daemon.simctl(args)?.success()?;
    let lines = answer.lines()?;
    lines.into_iter().next().context("a comparison")
}

#[test]
fn every_scheme_estimates_beside_the_exact_numbers_and_gives_nothing_it_does_not_define()
-> Result<()> {
    let sandbox = Sandbox::new()?;
    let daemon = daemon(&sandbox)?;
    let flags = ["mod_n", "bsw_n", "min_n", "sketch_n"].map(|scheme| ["--scheme", scheme]);
    let found = compared(&sandbox, &daemon, flags.as_flattened())?;
    let exact = found["resemblance"].as_f64().context("exact")?;
    ensure!(exact > 0.5 && exact < 0.95, "{exact}");
    let estimates = found["estimates"].as_array().context("estimates")?;
    ensure!(estimates.len() == 4, "{found}");
    for (estimate, [_, scheme]) in estimates.iter().zip(flags) {
        ensure!(estimate["scheme"]["name"] == scheme, "{estimate}");
        check_resemblance(estimate, scheme, exact)?;
        check_containment(estimate, scheme)?;
    }
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// The estimate is near, and its interval, where the scheme has one, holds the exact number.
fn check_resemblance(estimate: &Value, scheme: &str, exact: f64) -> Result<()> {
    let value = estimate["resemblance"].as_f64().context("an estimate")?;
    ensure!((value - exact).abs() < 0.15, "{exact}: {estimate}");
    let ends = ["resemblance_low", "resemblance_high"].map(|end| estimate[end].as_f64());
    match ends {
        [Some(low), Some(high)] => ensure!(low <= exact && exact <= high, "{estimate}"),
        _ => ensure!(scheme == "bsw_n" && ends == [None, None], "{estimate}"),
    }
    Ok(())
}

/// There are the numbers that the scheme gives, and what it does not give is named.
fn check_containment(estimate: &Value, scheme: &str) -> Result<()> {
    let names = [
        "of_a",
        "of_a_low",
        "of_a_high",
        "of_b",
        "of_b_low",
        "of_b_high",
    ];
    let found = names.map(|name| estimate[format!("containment_{name}")].is_number());
    let not_given = match estimate["resemblance_low"].is_number() {
        true => vec![],
        false => vec!["interval"],
    };
    let (expected, not_given) = match scheme {
        "mod_n" => ([true; 6], vec![]),
        // Intervals were measured of most estimates.
        "bsw_n" => {
            let [_, low_a, high_a, _, low_b, high_b] = found;
            ([true, low_a, high_a, true, low_b, high_b], not_given)
        }
        _ => ([false; 6], vec!["containment"]),
    };
    ensure!(found == expected, "{estimate}");
    ensure!(
        estimate["not_given"] == Value::from(not_given),
        "{estimate}"
    );
    Ok(())
}

#[test]
fn n_is_what_is_asked_for_and_where_nothing_is_left_out_the_estimate_is_exact() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let daemon = daemon(&sandbox)?;
    for (scheme, n) in [("mod_n", "1"), ("min_n", MOST)] {
        let found = compared(&sandbox, &daemon, &["--scheme", scheme, "--n", n])?;
        let estimate = &found["estimates"][0];
        ensure!(estimate["scheme"]["n"] == n.parse::<u64>()?, "{found}");
        for number in ["resemblance", "resemblance_low", "resemblance_high"] {
            ensure!(
                estimate[number] == found["resemblance"],
                "{number}: {found}"
            );
        }
    }
    // The papers' n, which the index has not.
    let found = compared(&sandbox, &daemon, &["--scheme", "sketch_n", "--n", "100"])?;
    ensure!(found["estimates"][0]["scheme"]["n"] == 100, "{found}");
    // Without a scheme, those of the index at the n it compares these at.
    let found = compared(&sandbox, &daemon, &[])?;
    let names = [0, 1].map(|at| found["estimates"][at]["scheme"]["name"].clone());
    ensure!(
        names == ["mod_n", "bsw_n"] && found["estimates"][2].is_null(),
        "{found}"
    );
    ensure!(found["estimates"][0]["scheme"]["n"] == found["estimates"][1]["scheme"]["n"]);
    ensure!(daemon.stop()?.success());
    Ok(())
}

#[test]
fn what_a_scheme_cannot_give_is_an_error() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let daemon = daemon(&sandbox)?;
    let [a, b] = ["a.txt", "b.txt"].map(|name| sandbox.share().join(name));
    let [a, b] = [a.as_os_str(), b.as_os_str()];
    let wrong = |n: &str| {
        daemon
            .simctl(["compare".as_ref(), a, b, "--n".as_ref(), n.as_ref()])?
            .ended_with(&[2])
    };
    for n in ["0", "1048577"] {
        let refused = wrong(n)?.stderr;
        let range = format!("{n} is not in 1..=1048576");
        ensure!(refused.contains(&range), "{refused}");
    }
    for verb in ["containing", "contained-in", "versions"] {
        for scheme in ["min_n", "sketch_n", "super_shingles"] {
            let asked = [verb.as_ref(), a, "--scheme".as_ref(), scheme.as_ref()];
            let refused = daemon.simctl(asked)?.ended_with(&[2])?;
            let why = format!("{scheme} gives no containment, since its signatures have one size");
            let said = &refused.stderr;
            ensure!(refused.stdout.is_empty() && said.contains(&why), "{said}");
        }
    }
    let asked = [
        "find-similar".as_ref(),
        a,
        "--scheme".as_ref(),
        "min_n".as_ref(),
    ];
    let refused = daemon.simctl(asked)?.ended_with(&[2])?;
    let why =
        "min_n is not indexed: signature.schemes of the config does not list it; ask by mod_n";
    ensure!(refused.stdout.is_empty() && refused.stderr.contains(why));
    let asked = ["compare".as_ref(), a, b, "--scheme".as_ref()];
    let refused = daemon.simctl(asked.into_iter().chain(["super_shingles".as_ref()]))?;
    let refused = refused.ended_with(&[2])?;
    let why = "super_shingles tells which documents may resemble each other, and gives no estimate of \
               two; compare by mod_n, bsw_n, min_n or sketch_n";
    let said = &refused.stderr;
    ensure!(refused.stdout.is_empty() && said.contains(why), "{said}");
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// A base, its copy in other letters, a version of one word more, one that is half of it, and another text.
fn versions(sandbox: &Sandbox) -> Result<()> {
    let base = text(0);
    sandbox.write("base.txt", &base)?;
    sandbox.write("copy.txt", base.to_uppercase())?;
    sandbox.write("almost.txt", format!("{base}and"))?;
    sandbox.write("half.txt", text(300))?;
    sandbox.write("other.txt", "words of another text ".repeat(20))?;
    Ok(())
}

/// A daemon with these schemes in its config, all of whose files are read.
fn daemon_with(sandbox: &Sandbox, schemes: &[&str]) -> Result<Daemon> {
    let config = format!("[signature]\nschemes = {schemes:?}\n");
    let daemon = sandbox.serve().config(&config).start()?;
    daemon.sync()?;
    Ok(daemon)
}

/// What asks for files similar to the base by super-shingles.
fn by_super_shingles(sandbox: &Sandbox, threshold: &str) -> Vec<OsString> {
    let base = sandbox.share().join("base.txt");
    let mut asked = vec!["find-similar".into(), base.into_os_string()];
    asked.extend(["--scheme", "super_shingles", "--threshold", threshold].map(OsString::from));
    asked
}

/// The names of what is found, which was verified, and what is promised.
fn found(sandbox: &Sandbox, daemon: &Daemon, threshold: &str) -> Result<(Vec<String>, Value)> {
    let asked = by_super_shingles(sandbox, threshold);
    let answer = daemon.simctl(asked)?.ended_with(&[0, 1])?;
    let found = answer.lines_of("match")?;
    ensure!(found.iter().all(|found| found["verified"] == true));
    let names = found.iter().filter_map(|found| found["path"].as_str());
    let names = names.filter_map(|path| path.rsplit('/').next());
    let promise = answer.lines_of("query")?[0]["promise"].clone();
    ensure!(promise["scheme"] == "super_shingles", "{promise}");
    Ok((names.map(str::to_owned).collect(), promise))
}

#[test]
fn super_shingles_find_what_is_almost_equal_and_say_what_they_miss() -> Result<()> {
    let sandbox = Sandbox::new()?;
    versions(&sandbox)?;
    let daemon = daemon_with(&sandbox, &["mod_n", "super_shingles"])?;
    let almost = ["copy.txt", "almost.txt"];
    for (threshold, expected, missed) in [
        ("0.2", &almost[..], None),
        ("0.9", &almost, Some(0.584_949)),
        ("1.0", &almost[..1], Some(0.001)),
    ] {
        let (names, promise) = found(&sandbox, &daemon, threshold)?;
        ensure!(names == expected, "{threshold}: {names:?}");
        let is_told = match (promise["missed_at_most"].as_f64(), missed) {
            (Some(told), Some(missed)) => (told - missed).abs() < 1e-6,
            (told, missed) => told == missed && promise["none"] == "none-shared",
        };
        ensure!(is_told, "{threshold}: {promise}");
    }
    let told = daemon.simctl_in_words(by_super_shingles(&sandbox, "0.9"))?;
    let told = told.success()?.stderr;
    let sentence = "found by super_shingles: a match at exactly 0.9 is missed with a probability of at most 58.5 %";
    ensure!(told.contains(sentence), "{told}");
    std::fs::remove_file(sandbox.share().join("copy.txt"))?;
    daemon.sync()?;
    let (names, _) = found(&sandbox, &daemon, "0.9")?;
    ensure!(names == ["almost.txt"], "{names:?}");
    ensure!(daemon.stop()?.success());
    Ok(())
}

#[test]
fn super_shingles_come_and_go_with_the_list_of_the_config() -> Result<()> {
    let sandbox = Sandbox::new()?;
    versions(&sandbox)?;
    let without = |daemon: Daemon| -> Result<()> {
        let refused = daemon.simctl(by_super_shingles(&sandbox, "0.9"))?;
        let refused = refused.ended_with(&[2])?.stderr;
        ensure!(
            refused.contains("super_shingles is not indexed"),
            "{refused}"
        );
        ensure!(daemon.stop()?.success());
        Ok(())
    };
    without(daemon_with(&sandbox, &["mod_n", "bsw_n"])?)?;
    let daemon = daemon_with(&sandbox, &["mod_n", "super_shingles"])?;
    let (names, _) = found(&sandbox, &daemon, "0.9")?;
    ensure!(names == ["copy.txt", "almost.txt"], "{names:?}");
    let status = daemon.simctl(["status"])?.success()?;
    let schemes = &status.lines_of("status")?[0]["schemes"];
    let held = schemes.as_array().context("schemes")?.iter();
    let held: Vec<_> = held
        .filter(|held| held["scheme"]["name"] == "super_shingles")
        .collect();
    // Six of each text: the copy's is that of the base.
    let is_held = held.len() == 1 && held[0]["scheme"]["n"] == 6 && held[0]["postings"] == 24;
    ensure!(is_held, "{schemes}");
    ensure!(daemon.stop()?.success());
    without(daemon_with(&sandbox, &["mod_n"])?)
}
