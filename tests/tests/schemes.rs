//! Comparisons by every signature scheme, with the real programs: estimates beside the exact numbers, and
//! no number that a scheme does not define.

use std::ffi::OsStr;

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
        for scheme in ["min_n", "sketch_n"] {
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
    ensure!(daemon.stop()?.success());
    Ok(())
}
