//! Calibration of a made collection, with the real programs: every figure is compared with one counted here on all
//! pairs; also collections that are too small.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_signature::calibration::{Calibration, Measurements, PairTrials, Quality, Sizes};
use simdex_signature::{CanonicalText, Ladder, Ratio, ShingleSet, Window};
use simdex_tests::corpus::Random;
use simdex_tests::sandbox::{Daemon, Sandbox};

const THRESHOLD: f64 = 0.8;
const FAMILIES: u64 = 60;
const VERSIONS: u64 = 10;

/// Families of versions from 30 to 2,000 words long, each text once; no two families have a shingle in common.
pub(crate) fn texts() -> Vec<String> {
    let mut texts = BTreeSet::new();
    for family in 0..FAMILIES {
        let words = (30.0 * 66f64.powf(family as f64 / FAMILIES as f64)) as u64;
        for version in 0..VERSIONS {
            let mut random = Random::new(family, version);
            // In two hundred words, the version has about as many of its own as its number.
            let word = |at: u64| match random.below(200) < version {
                true => format!("{family}v{version}at{at}is{} ", at * 7_919 % 1_009),
                false => format!("{family}f{at}is{} ", at * 7_919 % 1_009),
            };
            texts.insert((0..words).map(word).collect());
        }
    }
    texts.into_iter().collect()
}

fn ratio(value: f64) -> Result<Ratio> {
    Ratio::new(value).context("a ratio")
}

/// What the daemon must come to: all pairs of each half, each counted on all shingles.
fn expected(texts: &[String], precision: f64) -> Result<(Calibration, [Measurements; 2])> {
    let mut sizes = Sizes::default();
    let documents: Vec<_> = texts
        .iter()
        .map(|text| {
            let text = CanonicalText::from_extracted(text);
            let length = text.as_bytes().len() as u64;
            sizes.add(length);
            (
                text.hash()[7] & 1,
                length,
                ShingleSet::new(&text, Window::DEFAULT),
            )
        })
        .collect();
    let mut halves = [Measurements::default(), Measurements::default()];
    for (at, (half, length, set)) in documents.iter().enumerate() {
        for (_, other_length, other) in documents[at + 1..].iter().filter(|(h, ..)| h == half) {
            let (a, b) = set.as_list().zip(other.as_list()).context("lists")?;
            let pair = PairTrials::of(a, b, *length.max(other_length), ratio(THRESHOLD)?);
            halves[usize::from(*half)].add(&pair, 1.0);
        }
    }
    let calibration = Calibration::new(ratio(precision)?, &sizes, &halves[0])?;
    Ok((calibration, halves))
}

fn is(found: &Value, quality: &Quality) -> bool {
    let near = |found: &Value, right: Option<f64>| match (found.as_f64(), right) {
        (Some(found), Some(right)) => (found - right).abs() < 1e-9,
        (found, right) => found == right,
    };
    let (low, high) = quality.interval.unzip();
    near(&found["precision"], quality.precision)
        && near(&found["recall"], quality.recall)
        && near(&found["precision_low"], low)
        && near(&found["precision_high"], high)
}

fn check_groups(found: &Value, right: &Calibration) -> Result<()> {
    let groups = found["groups"].as_array().context("groups")?;
    ensure!(groups.len() == right.groups.len(), "{found}");
    for (group, right) in groups.iter().zip(&right.groups) {
        ensure!(group["from_bytes"] == right.from, "{group}");
        ensure!(group["documents"] == right.held.documents, "{group}");
        ensure!(group["pairs"] == right.pairs, "{group}");
        ensure!(group["n"] == right.rung.modulus(), "{group}");
        let steps = group["steps"].as_array().context("steps")?;
        let mut both = steps.iter().zip(&right.steps);
        ensure!(
            both.all(|(found, right)| is(found, right)),
            "{group} {right:?}"
        );
    }
    Ok(())
}

/// The fingerprints that texts would keep by this setting, as far as those tell that they keep now.
fn would_keep(texts: &[String], setting: &Calibration) -> Result<usize> {
    let now = Ladder::default();
    let then = Ladder {
        sampling: Some(setting.sampling()?),
        ..now
    };
    let kept = texts.iter().map(|text| {
        let text = CanonicalText::from_extracted(text);
        let set = ShingleSet::new(&text, Window::DEFAULT);
        // No text repeats itself so often that its length does not say its rung.
        let [now, then] =
            [now, then].map(|ladder| ladder.rung_of_text(text.as_bytes().len() as u64));
        match then >= now {
            true => set.sampled(then).len(),
            false => set.sampled(now).len() << (now.get() - then.get()),
        }
    });
    Ok(kept.sum())
}

#[test]
fn every_figure_of_a_calibration_is_that_of_all_pairs() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let texts = texts();
    for (at, text) in texts.iter().enumerate() {
        sandbox.write(format!("{at}.txt"), text)?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    for precision in ["0.8", "0.95"] {
        let (right, [learned, others]) = expected(&texts, precision.parse()?)?;
        let flags = ["calibrate", "--threshold", "0.8", "--precision", precision];
        let answer = daemon.simctl(flags)?.success()?;
        let found = answer.lines_of("calibration")?;
        let found = found.first().context("a calibration")?;
        check_groups(found, &right)?;
        ensure!(
            is(
                &found["predicted"],
                &right.quality(Ladder::default(), &learned)
            ),
            "{found}"
        );
        ensure!(
            is(
                &found["checked"],
                &right.quality(Ladder::default(), &others)
            ),
            "{found}"
        );
        ensure!(found["pairs"] == learned.pairs() && found["checked_pairs"] == others.pairs());
        ensure!(found["sampled"] == texts.len(), "{found}");
        ensure!(
            found["fingerprints"] == would_keep(&texts, &right)?,
            "{found}"
        );
        ensure!(found["complete"] == true, "{found}");
        let [predicted, checked] =
            ["predicted", "checked"].map(|pairs| found[pairs]["precision"].as_f64());
        let (predicted, checked) = predicted.zip(checked).context("precisions")?;
        let low = found["predicted"]["precision_low"].as_f64();
        ensure!(low.context("an interval")? >= precision.parse()?, "{found}");
        ensure!(predicted >= precision.parse()?, "{found}");
        let groups = found["groups"].as_array().context("groups")?;
        ensure!(groups.len() > 1 || precision == "0.95", "{found}");
        // Some two hundred pairs, not independent of one another: 0.03 is shown on more of them.
        ensure!((predicted - checked).abs() <= 0.1, "{found}");
    }
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// At a threshold that no pair reaches, many pairs seem to: what their samples share is all that is similar of them.
#[test]
fn nothing_is_recommended_or_applied_where_no_pair_is_similar() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for (at, text) in texts().iter().enumerate() {
        sandbox.write(format!("{at}.txt"), text)?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let refused = daemon
        .simctl(["calibrate", "--threshold", "1", "--apply", "--yes"])?
        .ended_with(&[2])?;
    ensure!(
        refused.stderr.contains("too few similar pairs"),
        "{}",
        refused.stderr
    );
    let sampling = daemon.simctl(["sampling"])?.success()?;
    let sampling = sampling.lines_of("sampling")?;
    ensure!(sampling.first().is_some_and(|now| now["chosen"] == false));
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// What no measurement can show is refused before anything is measured.
fn out_of_range(daemon: &Daemon) -> Result<()> {
    for (flag, value, why) in [
        (
            "--threshold",
            "0",
            "threshold is 0; pairs are measured from a resemblance of 0.05 on",
        ),
        (
            "--threshold",
            "0.049",
            "threshold is 0.049; pairs are measured",
        ),
        (
            "--precision",
            "0",
            "precision is 0, which no measurement can show",
        ),
        (
            "--precision",
            "1",
            "precision is 1, which no measurement can show",
        ),
    ] {
        let refused = daemon
            .simctl(["calibrate", flag, value])?
            .ended_with(&[2])?;
        ensure!(
            refused.stdout.is_empty() && refused.stderr.contains(why),
            "{}",
            refused.stderr
        );
    }
    Ok(())
}

#[test]
fn a_collection_that_is_too_small_is_refused_in_one_sentence() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for (at, text) in texts().iter().take(4).enumerate() {
        sandbox.write(format!("{at}.txt"), text)?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let refused = daemon.simctl(["calibrate"])?.ended_with(&[2])?;
    ensure!(refused.stdout.is_empty());
    let said = refused.stderr.trim_end();
    ensure!(
        said.starts_with("simctl: too few similar pairs among 4 documents (4 sampled) to calibrate on: ")
            && said.contains(
                "similar pairs in one half of them, and this precision cannot be shown on fewer than 72; \
                 name more roots"
            )
            && said.lines().count() == 1,
        "{said}"
    );
    out_of_range(&daemon)?;
    let nowhere = sandbox.beside("nowhere");
    let asked = [OsStr::new("calibrate"), nowhere.as_os_str()];
    let refused = daemon.simctl(asked)?.ended_with(&[2])?;
    ensure!(
        refused.stderr.contains("is not a watched root"),
        "{}",
        refused.stderr
    );
    ensure!(daemon.stop()?.success());
    Ok(())
}
