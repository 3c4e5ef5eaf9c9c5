//! Raters label pairs: what they see, where they go on, and which pairs they are asked about.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_tests::labelled::collection::FAMILIES;
use simdex_tests::sandbox::{Run, simctl};

use super::{daemon, label, lines, verdicts};

#[test]
fn a_rater_goes_on_where_he_stopped_and_what_he_said_last_counts() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let verdicts = verdicts(&daemon, &sandbox)?;
    ensure!(
        verdicts.len() == 2 * FAMILIES as usize,
        "{}",
        verdicts.len()
    );
    let file = sandbox.beside("labels");
    // The third is taken back; what is no verdict is asked again; then the terminal is closed.
    let first = label(&daemon, &file, "ada", "s\nu\nt\nb\nnonsense\nv\n")?;
    let shown = first.lines_of("comparison")?;
    ensure!(
        shown.len() == 6 && shown.iter().all(|pair| pair["judgement"].is_null()),
        "{shown:?}"
    );
    let kept = lines(&file)?;
    let said: Vec<_> = kept.iter().map(|line| &line["verdict"]).collect();
    ensure!(said == ["same", "unrelated", "template-only", "version"]);
    ensure!(
        first.lines_of("label")? == kept,
        "what is printed is what is kept"
    );
    ensure!(kept[2]["document_a"] == kept[3]["document_a"], "{kept:?}");
    for line in &kept {
        ensure!(
            line["rater"] == "ada" && line["at"].as_str().is_some_and(|at| at.ends_with('Z')),
            "{line}"
        );
    }
    let rest = verdicts[3..].join("\n") + "\n";
    label(&daemon, &file, "ada", &rest)?;
    let all = lines(&file)?;
    let pairs: BTreeSet<_> = all
        .iter()
        .map(|line| line["a"].to_string() + &line["b"].to_string())
        .collect();
    ensure!(
        (all.len(), pairs.len()) == (verdicts.len() + 1, verdicts.len()),
        "{}",
        all.len()
    );
    let done = label(&daemon, &file, "ada", "")?;
    ensure!(
        done.stderr.contains("no pair is left, 28 pairs labelled"),
        "{}",
        done.stderr
    );
    Ok(())
}

#[test]
fn the_pairs_of_a_list_are_labelled_in_place_of_a_sample() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let list = sandbox.beside("pairs");
    std::fs::write(&list, daemon.simctl(["pairs"])?.success()?.stdout)?;
    let [own, list] = [sandbox.beside("own"), list].map(|path| path.display().to_string());
    let of_list = [
        "judge", "label", "--labels", &own, "--rater", "cy", "--pairs", &list,
    ];
    daemon.simctl_reading("v\n", of_list)?.ended_with(&[0])?;
    ensure!(lines(Path::new(&own))?.len() == 1, "one label");
    Ok(())
}

#[test]
fn a_sample_follows_from_its_seed_and_a_smaller_one_is_its_beginning() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let sampled = |name: &str, flags: &[&str]| -> Result<Vec<Value>> {
        let file = sandbox.beside(name);
        let labels = file.display().to_string();
        let asked = [
            &[
                "judge",
                "label",
                "--rater",
                "ada",
                "--threshold",
                "0.3",
                "--labels",
                &labels,
            ],
            flags,
        ];
        let typed = "n\n".repeat(4 * FAMILIES as usize);
        daemon
            .simctl_reading(typed, asked.concat())?
            .ended_with(&[0])?;
        let pairs = lines(&file)?.into_iter();
        Ok(pairs.map(|mut line| line["document_a"].take()).collect())
    };
    let all = sampled("all", &[])?;
    ensure!(sampled("again", &["--seed", "0"])? == all, "another sample");
    ensure!(
        sampled("few", &["--count", "5"])? == all[..5],
        "not its beginning"
    );
    let other = sampled("other", &["--seed", "7"])?;
    ensure!(
        other.len() == all.len() && other != all,
        "the seed does nothing"
    );
    // Only what lies under the roots that are named.
    let elsewhere = sandbox.beside("elsewhere");
    let elsewhere = elsewhere.display().to_string();
    let refused = [
        "judge", "label", "--root", &elsewhere, "--rater", "ada", "--labels",
    ];
    let labels = sandbox.beside("none").display().to_string();
    daemon
        .simctl([&refused[..], &[&labels]].concat())?
        .ended_with(&[2])?;
    Ok(())
}

#[test]
fn a_rater_who_resumes_can_change_what_he_said_last() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let file = sandbox.beside("labels");
    label(&daemon, &file, "ada", "s\nv\n")?;
    let resumed = label(&daemon, &file, "ada", "b\nu\nn\nq\n")?;
    let labels = lines(&file)?;
    let said: Vec<_> = labels.iter().map(|line| &line["verdict"]).collect();
    ensure!(said == ["same", "version", "unrelated", "skip"], "{said:?}");
    ensure!(
        labels[1]["document_a"] == labels[2]["document_a"],
        "{labels:?}"
    );
    let others: BTreeSet<_> = [0, 2, 3].map(|at| labels[at]["a"].to_string()).into();
    ensure!(others.len() == 3, "{labels:?}");
    let counts = "1 pair labelled, 1 skipped, 25 left; labels are in";
    ensure!(resumed.stderr.contains(counts), "{}", resumed.stderr);
    Ok(())
}

/// Text without its white space.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn a_pair_is_shown_side_by_side() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let listed = daemon.simctl(["pairs", "--threshold", "0.3"])?.success()?;
    let mut pairs = listed.lines_of("pair")?.into_iter();
    let of_contract = |pair: &Value| {
        let path = pair["a"].as_str().unwrap_or_default();
        path.contains("contract-3-")
    };
    let pair = pairs.find(of_contract).context("a pair of contracts")?;
    let list = sandbox.beside("pairs");
    std::fs::write(&list, format!("{pair}\n"))?;
    let [socket, list, labels] =
        [daemon.socket(), &list, &sandbox.beside("labels")].map(|path| path.display().to_string());
    let asked = ["--socket", &socket, "judge", "label", "--rater", "ada"];
    let files = ["--pairs", &list, "--labels", &labels, "--lines", "1000"];
    let run = Run::of(simctl()?)
        .args([asked, files].concat())
        .stdin("v\n");
    let answer = run.wait()?.success()?;
    let shown = String::from_utf8_lossy(&answer.stdout).into_owned();
    let rule = "-".repeat(38);
    let (_, shown) = shown
        .split_once(&format!("{rule}   {rule}\n"))
        .with_context(|| shown.clone())?;
    let column = |from: usize, count: usize| -> String {
        let rows = shown.lines().filter(|row| !row.starts_with('…'));
        rows.flat_map(|row| row.chars().skip(from).take(count))
            .collect()
    };
    let columns = [column(0, 38), column(41, 38)].map(|column| squeezed(&column));
    ensure!(column(38, 3).contains(" | "), "nothing differs: {shown}");
    let texts = ["a", "b"].map(|side| {
        let path = pair[side].as_str().context("a path")?;
        Ok::<_, anyhow::Error>(std::fs::read_to_string(path)?)
    });
    let [a, b] = texts;
    let changed = [a?, b?].map(|text| squeezed(text.split("\n\n").nth(3).unwrap_or_default()));
    for (own, other) in [(0, 1), (1, 0)] {
        ensure!(!changed[own].is_empty(), "an empty paragraph");
        ensure!(columns[own].contains(&changed[own]), "{shown}");
        ensure!(!columns[own].contains(&changed[other]), "{shown}");
    }
    ensure!(
        answer.stderr.contains("1 pair labelled, 0 left"),
        "{}",
        answer.stderr
    );
    Ok(())
}
