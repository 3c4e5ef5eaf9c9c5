//! Labelling pairs, evaluating judgements against labels, and training models on them, with the real programs.

mod labelling;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use simdex_tests::labelled::collection::{self, FAMILIES};
use simdex_tests::sandbox::{Answer, Daemon, Run, Sandbox, simctl};

/// A daemon with two versions of each contract, and two letters of each form.
fn daemon() -> Result<(Sandbox, Daemon)> {
    let sandbox = Sandbox::new()?;
    collection::write(&sandbox)?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    Ok((sandbox, daemon))
}

/// Labels a sample as `rater`, reading verdicts from `typed`.
fn label(daemon: &Daemon, labels: &Path, rater: &str, typed: &str) -> Result<Answer> {
    let labels = labels.display().to_string();
    let arguments = [
        "judge",
        "label",
        "--labels",
        &labels,
        "--rater",
        rater,
        "--threshold",
        "0.3",
    ];
    daemon.simctl_reading(typed, arguments)?.ended_with(&[0])
}

fn lines(path: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(path)?;
    let lines = text.lines().map(serde_json::from_str);
    Ok(lines.collect::<Result<_, _>>()?)
}

/// What a careful rater says of each pair of the sample, in its order.
fn verdicts(daemon: &Daemon, sandbox: &Sandbox) -> Result<Vec<&'static str>> {
    let skipped = sandbox.beside("order");
    let typed = "n\n".repeat(4 * FAMILIES as usize);
    label(daemon, &skipped, "nobody", &typed)?;
    let of_contract = |line: &Value| {
        line["a"]
            .as_str()
            .is_some_and(|path| path.contains("contract-"))
    };
    let lines = lines(&skipped)?;
    ensure!(
        lines.iter().all(|line| line["verdict"] == "skip"),
        "{lines:?}"
    );
    Ok(lines
        .iter()
        .map(|line| if of_contract(line) { "v" } else { "t" })
        .collect())
}

/// The labels of two raters: the second disagrees about every seventh pair.
fn labelled(daemon: &Daemon, sandbox: &Sandbox) -> Result<[PathBuf; 2]> {
    let verdicts = verdicts(daemon, sandbox)?;
    let files = ["ada", "bo"].map(|rater| sandbox.beside(rater));
    label(daemon, &files[0], "ada", &(verdicts.join("\n") + "\n"))?;
    let second = verdicts.iter().enumerate();
    let second: Vec<_> = second
        .map(|(at, said)| if at.is_multiple_of(7) { "u" } else { said })
        .collect();
    label(daemon, &files[1], "bo", &(second.join("\n") + "\n"))?;
    Ok(files)
}

fn judge(daemon: &Daemon, verb: &str, files: &[&PathBuf], flags: &[&str]) -> Result<Answer> {
    let named = files
        .iter()
        .flat_map(|file| ["--labels".into(), file.display().to_string()]);
    let typed = ["judge".to_owned(), verb.to_owned()]
        .into_iter()
        .chain(named);
    daemon.simctl(typed.chain(flags.iter().map(|flag| (*flag).to_owned())))
}

/// The model that status, and every judgement of a question, names.
fn model(daemon: &Daemon, sandbox: &Sandbox) -> Result<(String, String)> {
    let status = daemon.simctl(["status"])?.success()?.lines_of("status")?;
    let of_status = &status.first().context("a status")?["judge_model"];
    let file = sandbox
        .share()
        .join("contract-3-1.txt")
        .display()
        .to_string();
    let asked = daemon
        .simctl(["find-similar", &file, "--judge", "on"])?
        .success()?;
    let found = asked.lines_of("match")?;
    ensure!(!found.is_empty(), "nothing is found");
    for found in &found {
        let of_judgement = &found["judgement"]["model"];
        ensure!(
            of_judgement["hash"] == of_status["hash"],
            "{found} {of_status}"
        );
    }
    let text = |field: &str| {
        of_status[field]
            .as_str()
            .map(str::to_owned)
            .context("a model")
    };
    Ok((text("name")?, text("hash")?))
}

#[test]
fn labels_are_evaluated_and_raters_held_against_each_other() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let [ada, bo] = labelled(&daemon, &sandbox)?;
    let answer = judge(&daemon, "evaluate", &[&ada, &bo], &[])?.success()?;
    let evaluation = answer.lines_of("evaluation")?.remove(0);
    let labels = &evaluation["labels"];
    ensure!(labels["labels"] == 56 && labels["raters"] == 2, "{labels}");
    ensure!(labels["disputed"] == 4 && labels["pairs"] == 24, "{labels}");
    ensure!(labels["sources"].as_u64() >= Some(20), "{labels}");
    tables(&evaluation)?;
    // All lie in one folder, and names tell contracts from forms.
    let f1 = |signal: &str| {
        let rows = evaluation["alone"].as_array().into_iter().flatten();
        let row = rows.into_iter().find(|row| row["signal"] == signal);
        row.and_then(|row| row["f1"]["median"].as_f64())
            .unwrap_or(-1.0)
    };
    let (place, name) = (f1("same-folder"), f1("same-name"));
    ensure!(name > 0.9 && place < 0.5, "{}", evaluation["alone"]);
    let agreement = &evaluation["agreements"][0];
    let expected = kappa(&lines(&ada)?, &lines(&bo)?);
    ensure!(
        agreement["pairs"] == 28 && agreement["is_made"] == false,
        "{agreement}"
    );
    let found = agreement["kappa"].as_f64().context("kappa")?;
    ensure!((found - expected).abs() < 1e-9, "{found} {expected}");
    ensure!(
        evaluation["curve"]
            .as_array()
            .is_some_and(|curve| !curve.is_empty()),
        "no curve"
    );
    ensure!(
        evaluation["model"]["name"] == "shipped" && evaluation["not_trained"].is_null(),
        "{}",
        evaluation["model"]
    );
    shown_to_people(&daemon, &ada)
}

/// What the model in force answers for each labelled class: every pair once.
fn answers(evaluation: &Value) -> Result<()> {
    let rows = evaluation["confusion"].as_array().context("rows")?;
    let (mut pairs, mut withheld) = (0, 0);
    for row in rows {
        let count = |of: &str| row[of].as_u64().unwrap_or(0);
        let judged = ["same", "version", "template_only", "unrelated"].map(count);
        pairs += judged.iter().sum::<u64>() + count("withheld");
        withheld += count("withheld");
    }
    ensure!(evaluation["labels"]["pairs"] == pairs, "{rows:?}");
    ensure!(evaluation["in_force"]["withheld"] == withheld, "{rows:?}");
    Ok(())
}

/// Both tables of figures.
fn tables(evaluation: &Value) -> Result<()> {
    for table in ["alone", "cumulative"] {
        let rows = evaluation[table].as_array().context("rows")?;
        ensure!(
            rows.len() == simdex_judge::Signal::ALL.len(),
            "{table}: {}",
            rows.len()
        );
        for row in rows {
            let f1 = |part: &str| row["f1"][part].as_f64().unwrap_or(-1.0);
            ensure!(0.0 <= f1("lower") && f1("lower") <= f1("median"), "{row}");
            ensure!(f1("median") <= f1("upper") && f1("upper") <= 1.0, "{row}");
            ensure!(row["microseconds"].as_f64() >= Some(0.0), "{row}");
        }
    }
    answers(evaluation)?;
    let rules = evaluation["rules"].as_array().context("rules")?;
    let pairs: u64 = rules.iter().filter_map(|rule| rule["pairs"].as_u64()).sum();
    ensure!(
        rules.len() > 1 && evaluation["labels"]["pairs"] == pairs,
        "{rules:?}"
    );
    // All of it is English.
    let (known, other) = (
        &evaluation["known_language"],
        &evaluation["other_languages"],
    );
    ensure!(
        known["pairs"] == pairs && other.is_null(),
        "{known} {other}"
    );
    Ok(())
}

/// What one rater alone says, of pairs that are partly in another language and lie under two roots.
#[test]
fn labels_of_one_rater_in_two_roots_and_languages_are_evaluated_apart() -> Result<()> {
    let sandbox = Sandbox::new()?;
    collection::write(&sandbox)?;
    collection::write_foreign(&sandbox)?;
    // The later version of some contracts lies under another root.
    let elsewhere = sandbox.beside("elsewhere");
    std::fs::create_dir_all(&elsewhere)?;
    for family in 0..6 {
        let name = format!("contract-{family}-2.txt");
        std::fs::rename(sandbox.share().join(&name), elsewhere.join(&name))?;
    }
    let daemon = sandbox
        .serve()
        .roots([(sandbox.share(), "auto"), (&elsewhere, "auto")])
        .start()?;
    daemon.sync()?;
    let verdicts = verdicts(&daemon, &sandbox)?;
    let ada = sandbox.beside("ada");
    label(&daemon, &ada, "ada", &(verdicts.join("\n") + "\n"))?;
    let answer = judge(&daemon, "evaluate", &[&ada], &[])?.success()?;
    let evaluation = answer.lines_of("evaluation")?.remove(0);
    let agreement = &evaluation["agreements"][0];
    ensure!(agreement["is_made"] == true, "{agreement}");
    ensure!(
        agreement["pairs"] == evaluation["labels"]["pairs"],
        "{agreement}"
    );
    let (known, other) = (
        &evaluation["known_language"],
        &evaluation["other_languages"],
    );
    ensure!(
        known["pairs"].as_u64() > Some(0) && other["pairs"].as_u64() > Some(0),
        "{known} {other}"
    );
    let last = evaluation["cumulative"]
        .as_array()
        .and_then(|rows| rows.last());
    let last = last.context("a row of all signals")?;
    for part in ["precision_within_root", "precision_across_roots"] {
        ensure!(last[part].is_number(), "{part}: {last}");
    }
    Ok(())
}

/// An evaluation as a table.
fn shown_to_people(daemon: &Daemon, labels: &Path) -> Result<()> {
    let socket = daemon.socket().display().to_string();
    let labels = labels.display().to_string();
    let asked = [
        "--socket", &socket, "judge", "evaluate", "--labels", &labels,
    ];
    let table = Run::of(simctl()?).args(asked).wait()?.success()?.stdout;
    let table = String::from_utf8_lossy(&table);
    for word in [
        "base rate",
        "tf-idf-distance",
        "the model in force",
        "AT A RECALL OF",
        "AT A BASE RATE OF",
        "No two raters labelled the same pair",
        "simulated rater 1",
        "in another one",
        "no labelled pair is",
    ] {
        ensure!(table.contains(word), "{word} is not in {table}");
    }
    Ok(())
}

/// Cohen's kappa from a list of both raters' labels, pair by pair.
fn kappa(a: &[Value], b: &[Value]) -> f64 {
    let by_pair = |lines: &[Value]| -> BTreeMap<String, String> {
        let key = |line: &Value| line["document_a"].to_string() + &line["document_b"].to_string();
        let of = |line: &Value| (key(line), line["verdict"].to_string());
        lines.iter().map(of).collect()
    };
    let (a, b) = (by_pair(a), by_pair(b));
    let count = a.len() as f64;
    let agreed = a
        .iter()
        .filter(|(pair, said)| b.get(*pair) == Some(said))
        .count() as f64
        / count;
    let all = a
        .values()
        .flat_map(|first| b.values().map(move |second| first == second));
    let by_chance = all.filter(|same| *same).count() as f64 / (count * count);
    (agreed - by_chance) / (1.0 - by_chance)
}

#[test]
fn a_model_learned_from_labels_judges_from_then_on_until_it_is_reset() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let [ada, bo] = labelled(&daemon, &sandbox)?;
    let shipped = model(&daemon, &sandbox)?;
    ensure!(shipped.0 == "shipped", "{shipped:?}");
    let trial = judge(&daemon, "train", &[&ada], &["--dry-run"])?.success()?;
    let trial = trial.lines_of("trained-model")?.remove(0);
    ensure!(
        trial["in_force"] == false && model(&daemon, &sandbox)? == shipped,
        "{trial}"
    );
    let trained = judge(&daemon, "train", &[&ada], &["--name", "team"])?.success()?;
    let trained = trained.lines_of("trained-model")?.remove(0);
    ensure!(trained["in_force"] == true, "{trained}");
    let f1 = |whose: &str| trained[whose]["f1"]["median"].as_f64();
    ensure!(
        f1("learned") > Some(0.9) && f1("learned") >= f1("shipped"),
        "{trained}"
    );
    let team = model(&daemon, &sandbox)?;
    ensure!(
        team.0 == "team" && trained["model"]["hash"] == team.1.as_str(),
        "{team:?}"
    );
    // The same labels make the same model.
    let again = judge(&daemon, "train", &[&ada], &["--name", "team"])?.success()?;
    ensure!(
        again.lines_of("trained-model")?[0]["model"] == trained["model"],
        "another model"
    );
    lists_are_judged(&daemon, &team.1)?;
    // What is refused leaves it in force.
    refusals(&daemon, &sandbox, [&ada, &bo])?;
    ensure!(model(&daemon, &sandbox)? == team, "the model has changed");
    let daemon = daemon.restart()?;
    daemon.sync()?;
    ensure!(model(&daemon, &sandbox)? == team, "the model is lost");
    let reset = judge(&daemon, "train", &[], &["--reset"])?.success()?;
    let reset = reset.lines_of("reset-model")?.remove(0);
    ensure!(reset["before"]["name"] == "team", "{reset}");
    ensure!(model(&daemon, &sandbox)? == shipped, "{reset}");
    Ok(())
}

/// Pairs and groups with judgements, and the same without them.
fn lists_are_judged(daemon: &Daemon, hash: &str) -> Result<()> {
    let listed = |verb: &str, kind: &str, judge: &str| {
        let asked = [verb, "--threshold", "0.3", "--judge", judge];
        daemon.simctl(asked)?.success()?.lines_of(kind)
    };
    let mut pairs = listed("pairs", "pair", "on")?;
    ensure!(pairs.len() == 28, "{} pairs", pairs.len());
    for pair in &mut pairs {
        let judged = pair["judgement"].take();
        ensure!(judged["class"] == expected(&pair["a"]), "{pair} {judged}");
        ensure!(judged["model"]["hash"] == hash, "{judged}");
        pair.as_object_mut().context("a line")?.remove("judgement");
    }
    ensure!(
        pairs == listed("pairs", "pair", "off")?,
        "judgements change the list"
    );
    groups_are_judged(
        listed("groups", "group", "on")?,
        listed("groups", "group", "off")?,
    )?;
    let refused = daemon.simctl(["groups", "--kind", "components", "--judge", "on"])?;
    ensure!(refused.code()? == 2, "{}", refused.stderr);
    let refused = daemon.simctl(["versions", "--judge", "on", "x"])?;
    ensure!(refused.code()? == 2, "{}", refused.stderr);
    Ok(())
}

fn is_form(path: &Value) -> bool {
    path.as_str().is_some_and(|path| path.contains("form-"))
}

/// What the team's model has learned.
fn expected(path: &Value) -> &'static str {
    match is_form(path) {
        true => "template-only",
        false => "version",
    }
}

/// Groups whose members are judged, and the same groups without that.
fn groups_are_judged(mut groups: Vec<Value>, without: Vec<Value>) -> Result<()> {
    ensure!(groups.len() == 28, "{} groups", groups.len());
    for group in &mut groups {
        let is_apart = group["judged_apart"].take();
        ensure!(
            is_apart == is_form(&group["principal"]),
            "{group} {is_apart}"
        );
        let class = expected(&group["principal"]);
        group
            .as_object_mut()
            .context("a line")?
            .remove("judged_apart");
        let members = group["members"].as_array_mut().context("members")?;
        ensure!(members[0]["judgement"].is_null(), "{}", members[0]);
        for member in &mut members[1..] {
            ensure!(member["judgement"]["class"] == class, "{member}");
            member
                .as_object_mut()
                .context("a member")?
                .remove("judgement");
        }
    }
    ensure!(groups == without, "judgements change the list");
    Ok(())
}

/// Labels that nothing is learned from, each with a sentence that says why.
fn refusals(daemon: &Daemon, sandbox: &Sandbox, [ada, bo]: [&PathBuf; 2]) -> Result<()> {
    let refused = |file: &PathBuf, said: &str, way_out: &str| {
        let answer = judge(daemon, "train", &[file], &[])?.ended_with(&[2])?;
        let (stderr, found) = (&answer.stderr, answer.stderr.lines().count());
        ensure!(
            found == 1 && stderr.contains(said) && stderr.contains(way_out),
            "{stderr}"
        );
        Ok(())
    };
    let write = |name: &str, lines: &[Value]| -> Result<PathBuf> {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let path = sandbox.beside(name);
        std::fs::write(&path, text)?;
        Ok(path)
    };
    let labels = lines(ada)?;
    let mut unknown = labels.clone();
    unknown[4]["document_a"] = json!("ab".repeat(32));
    let unknown = write("unknown", &unknown)?;
    refused(
        &unknown,
        "no indexed file has the labelled text any more",
        "--skip-unknown",
    )?;
    let skipped = judge(
        daemon,
        "train",
        &[&unknown],
        &["--dry-run", "--skip-unknown"],
    )?
    .success()?;
    ensure!(
        skipped.lines_of("trained-model")?[0]["labels"]["unknown"] == 1,
        "one is left out"
    );
    let both = write("both", &[labels.clone(), lines(bo)?].concat())?;
    refused(&both, "contradict each other: ada says", "a third rater")?;
    let few = write("few", &labels[..9])?;
    refused(&few, "and at least 10 are needed", "label more such pairs")?;
    let mut other = labels.clone();
    other[0]["v"] = json!(2);
    let other = write("other", &other)?;
    refused(
        &other,
        "line 1 is no label: it is of version 2",
        "use the version of simctl that wrote it",
    )?;
    refused(&sandbox.beside("nowhere"), "cannot read", "check the name")
}

#[test]
fn a_model_of_another_version_leaves_the_shipped_one_in_force() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let shipped = model(&daemon, &sandbox)?;
    let file = sandbox.data_dir().join("judge-model");
    std::fs::write(
        &file,
        "simdex-judge 9\nname other\nnote none\nsame 1 0 0 0\n",
    )?;
    let daemon = daemon.restart()?;
    daemon.sync()?;
    ensure!(model(&daemon, &sandbox)? == shipped, "another model");
    ensure!(
        daemon.log()?.contains("the model is of version 9"),
        "{}",
        daemon.log()?
    );
    let fallback = || -> Result<Value> {
        let status = daemon.simctl(["status"])?.success()?.lines_of("status")?;
        Ok(status[0]["judge_model_fallback"].clone())
    };
    let said = fallback()?;
    let reason = said.as_str().context("status says nothing of it")?;
    ensure!(reason.contains("the model is of version 9"), "{reason}");
    daemon.simctl(["judge", "train", "--reset"])?.success()?;
    ensure!(fallback()?.is_null(), "a file that is gone is told of");
    Ok(())
}

/// A comparison reads its files again, which does not make them files of no folder.
#[test]
fn a_comparison_is_judged_by_places_as_lists_are() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let lines = [
        "simdex-judge 3",
        "name places",
        "note by hand",
        "same-folder <= 0.5",
        "  unrelated 0 0 0 40",
        "  version 0 40 0 0\n",
    ];
    std::fs::write(sandbox.data_dir().join("judge-model"), lines.join("\n"))?;
    let daemon = daemon.restart()?;
    daemon.sync()?;
    let asked = ["pairs", "--threshold", "0.3", "--judge", "on"];
    let mut versions = 0;
    for pair in daemon.simctl(asked)?.success()?.lines_of("pair")? {
        versions += usize::from(pair["judgement"]["class"] == "version");
        let sides = ["a", "b"].map(|side| pair[side].as_str().unwrap_or_default());
        let compared = daemon.simctl(["compare", "--no-difference", sides[0], sides[1]])?;
        let compared = compared.success()?.lines_of("comparison")?.remove(0);
        for part in ["judgement", "not_judged"] {
            ensure!(compared[part] == pair[part], "{compared} {pair}");
        }
    }
    ensure!(versions > 0, "no pair is judged by the model");
    Ok(())
}

/// The model in force and the raters are evaluated on labels that are too few to compare signals.
#[test]
fn few_labels_suffice_to_evaluate_the_model_in_force() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let verdicts = verdicts(&daemon, &sandbox)?;
    let files = ["ada", "bo"].map(|rater| sandbox.beside(rater));
    for (file, rater) in files.iter().zip(["ada", "bo"]) {
        label(&daemon, file, rater, &(verdicts[..6].join("\n") + "\nq\n"))?;
    }
    let files = [&files[0], &files[1]];
    let answer = judge(&daemon, "evaluate", &files, &[])?.success()?;
    ensure!(
        answer
            .stderr
            .contains("signals are not compared: pairs labelled ")
            && answer.stderr.contains("label more such pairs"),
        "{}",
        answer.stderr
    );
    let evaluation = answer.lines_of("evaluation")?.remove(0);
    ensure!(evaluation["labels"]["pairs"] == 6, "{evaluation}");
    ensure!(
        evaluation["agreements"][0]["pairs"] == 6 && evaluation["agreements"][0]["share"] == 1.0,
        "{evaluation}"
    );
    answers(&evaluation)?;
    for empty in ["alone", "cumulative", "curve", "rules"] {
        ensure!(evaluation[empty] == json!([]), "{empty}: {evaluation}");
    }
    let reason = evaluation["not_trained"].as_str();
    ensure!(
        reason.is_some_and(|why| why.contains("and at least 10 are needed")),
        "{evaluation}"
    );
    // What is trained still needs more.
    judge(&daemon, "train", &files, &[])?.ended_with(&[2])?;
    a_file_named_twice_counts_once(&daemon, files[0])?;
    raters_who_never_agree_are_compared(&daemon, &sandbox, files[0])
}

fn a_file_named_twice_counts_once(daemon: &Daemon, file: &Path) -> Result<()> {
    let [file, again] = [file.to_owned(), file.with_extension("link")];
    std::os::unix::fs::symlink(&file, &again)?;
    let twice = judge(daemon, "evaluate", &[&file, &file, &again], &[])?.success()?;
    let counts = &twice.lines_of("evaluation")?[0]["labels"];
    ensure!(counts["labels"] == 6, "{counts}");
    Ok(())
}

/// No pair is left to judge by, and nothing that is not known is a number.
fn raters_who_never_agree_are_compared(
    daemon: &Daemon,
    sandbox: &Sandbox,
    ada: &Path,
) -> Result<()> {
    let contrary = sandbox.beside("contrary");
    label(daemon, &contrary, "cy", &("u\n".repeat(6) + "q\n"))?;
    let answer = judge(daemon, "evaluate", &[&ada.to_owned(), &contrary], &[])?.success()?;
    let evaluation = answer.lines_of("evaluation")?.remove(0);
    let agreement = &evaluation["agreements"][0];
    ensure!(
        agreement["pairs"] == 6 && agreement["share"] == 0.0 && agreement["is_made"] == false,
        "{agreement}"
    );
    for unknown in ["precision", "recall", "f1", "accuracy"] {
        ensure!(evaluation["in_force"][unknown].is_null(), "{evaluation}");
    }
    ensure!(evaluation["labels"]["disputed"] == 6, "{evaluation}");
    Ok(())
}
