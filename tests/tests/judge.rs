//! Judgements of the real programs: beside the numbers, never instead of them.

use std::num::NonZeroU64;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_client::wire::{NotJudged, Pair};
use simdex_client::{Client, JudgedItems};
use simdex_tests::bench;
use simdex_tests::figure::Figures;
use simdex_tests::labelled::{Prose, wrapped};
use simdex_tests::sandbox::{Daemon, Sandbox};
use tokio::runtime::Builder;

/// A daemon with a contract, its printer version, a revision, an excerpt, a copy, and two filled-in forms.
fn daemon() -> Result<(Sandbox, Daemon)> {
    let sandbox = Sandbox::new()?;
    let mut prose = Prose::new(1, 1);
    let title = prose.title();
    let parts = prose.paragraphs(24);
    let contract = format!("{title}\n\n{}", parts.join("\n\n"));
    let printed = format!("{title}\n\n{}\n\n- 1 -", wrapped(&parts.join("\n\n"), 50));
    let mut revised = parts.clone();
    revised[5] = prose.paragraph(4);
    revised.remove(11);
    let revised = format!("{title}\n\n{}", revised.join("\n\n"));
    let files = [
        ("contract.txt", contract.clone()),
        ("copy.txt", contract),
        ("printed.txt", printed),
        ("revised.txt", revised),
        ("excerpt.txt", parts[3..8].join("\n\n")),
        ("form-1.txt", form(1)),
        ("form-2.txt", form(2)),
    ];
    for (name, text) in files {
        std::fs::write(sandbox.share().join(name), text)?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.simctl(["sync"])?.success()?;
    Ok((sandbox, daemon))
}

/// A short letter that is the same for everybody but for a few names and numbers.
fn form(copy: u64) -> String {
    let mut letter = Prose::new(2, 7);
    let [first, last] = [letter.paragraph(3), letter.paragraph(3)];
    let mut entry = Prose::new(3, copy);
    let (name, town, number) = (entry.name(), entry.name(), entry.number(6));
    let (remark, other) = (entry.paragraph(2), entry.name());
    format!(
        "Notice\n\nDear {name} of {town},\n\n{first}\n\nAccount: {number} {other}\n\n{remark}\n\n{last}\n"
    )
}

fn matches(daemon: &Daemon, arguments: &[&str]) -> Result<Vec<Value>> {
    let answer = daemon.simctl(arguments)?.success()?;
    answer.lines_of("match")
}

fn judged<'a>(matches: &'a [Value], name: &str) -> Result<&'a Value> {
    let named = |found: &&Value| {
        found["path"]
            .as_str()
            .is_some_and(|path| path.ends_with(name))
    };
    let found = matches.iter().find(named);
    Ok(&found.with_context(|| format!("{name} is not found"))?["judgement"])
}

#[test]
fn each_match_is_judged_and_says_by_which_rule() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let contract = sandbox.share().join("contract.txt").display().to_string();
    let found = matches(&daemon, &["find-similar", &contract])?;
    for (name, classes) in [
        ("copy.txt", &["same"][..]),
        ("printed.txt", &["same", "version"]),
        ("revised.txt", &["version", "same"]),
    ] {
        let judgement = judged(&found, name)?;
        let class = judgement["class"].as_str().unwrap_or_default();
        ensure!(classes.contains(&class), "{name}: {judgement}");
        ensure!(
            judgement["probability"].as_f64() > Some(0.25),
            "{judgement}"
        );
    }
    let copy = judged(&found, "copy.txt")?;
    ensure!(copy["rule_number"] == 0 && copy["rule"].is_null(), "{copy}");
    let revised = judged(&found, "revised.txt")?;
    ensure!(revised["rule"].is_string(), "{revised}");
    // What the rule speaks of was computed.
    for signal in revised["signals"].as_array().context("signals")? {
        let name = signal["name"].as_str().context("a name")?;
        ensure!(
            revised["rule"]
                .as_str()
                .is_some_and(|rule| rule.contains(name)),
            "{revised}"
        );
    }
    Ok(())
}

#[test]
fn without_judgements_the_answer_is_the_same_but_for_them() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    for verb in ["find-similar", "containing", "contained-in"] {
        for name in ["contract.txt", "excerpt.txt", "form-1.txt"] {
            let file = sandbox.share().join(name).display().to_string();
            let threshold = ["--threshold", "0"];
            let asked = [&[verb, &file][..], &threshold].concat();
            let mut with = matches(&daemon, &asked)?;
            let without = matches(&daemon, &[&asked[..], &["--judge", "off"]].concat())?;
            ensure!(!with.is_empty(), "{verb} {name} finds nothing");
            for found in &with {
                let class = &found["judgement"]["class"];
                let contained = ["containment_of_query", "containment_in_query"];
                let most = contained.map(|side| found[side].as_f64().unwrap_or(0.0));
                let is_related = most.iter().any(|ratio| *ratio >= 0.5);
                ensure!(class.is_string() || is_related, "{found}");
                ensure!(!is_related || class != "unrelated", "{found}");
            }
            for found in &mut with {
                found["judgement"] = Value::Null;
                found
                    .as_object_mut()
                    .map(|found| found.remove("not_judged"));
            }
            ensure!(with == without, "{verb} {name}");
        }
    }
    Ok(())
}

/// A reply whose quoted lines are left out of its text has few words of its own: nothing says that it is unrelated.
#[test]
fn a_mail_and_the_reply_that_quotes_it_are_not_called_unrelated_wherever_they_are() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let mut prose = Prose::new(5, 3);
    let (letter, answer) = (
        prose.paragraphs(6).join("\n"),
        prose.paragraphs(2).join("\n"),
    );
    let quoted: String = letter.lines().map(|line| format!("> {line}\n")).collect();
    let mail = |subject: &str, body: &str| {
        format!("From: a@example.org\nTo: b@example.org\nSubject: {subject}\n\n{body}\n")
    };
    let write = |folder: std::path::PathBuf| -> Result<[String; 2]> {
        std::fs::create_dir_all(&folder)?;
        let files = [
            ("mail.eml", mail("lease", &letter)),
            (
                "reply.eml",
                mail("Re: lease", &format!("{answer}\n\n{quoted}")),
            ),
        ];
        let write = |(name, text): (&str, String)| -> Result<String> {
            std::fs::write(folder.join(name), text)?;
            Ok(folder.join(name).display().to_string())
        };
        let [mail, reply] = files.map(write);
        Ok([mail?, reply?])
    };
    let (indexed, outside) = (
        write(sandbox.share().to_owned())?,
        write(sandbox.beside("outside"))?,
    );
    daemon.simctl(["sync"])?.success()?;
    for [mail, reply] in [indexed, outside] {
        let compared = daemon.simctl(["compare", "--judge", "on", &mail, &reply])?;
        let compared = compared.success()?.lines_of("comparison")?;
        let compared = compared.first().context("a comparison")?;
        ensure!(compared["not_judged"] == "quoting", "{compared}");
    }
    Ok(())
}

#[test]
fn a_report_judges_as_the_list_of_groups_does() -> Result<()> {
    let (sandbox, daemon) = daemon()?;
    let threshold = ["--threshold", "0.3"];
    let listed = daemon.simctl([&["groups", "--judge", "on"][..], &threshold].concat())?;
    let listed = listed.success()?.lines_of("group")?;
    let out = sandbox.beside("judged").display().to_string();
    let asked = ["report", "--out", &out];
    daemon
        .simctl([&asked[..], &threshold].concat())?
        .success()?;
    let lines = std::fs::read_to_string(sandbox.beside("judged").join("groups.jsonl"))?;
    let reported = lines.lines().map(serde_json::from_str);
    let mut reported = reported.collect::<Result<Vec<Value>, _>>()?;
    ensure!(reported.len() == listed.len(), "{lines}");
    let by_path = |member: &Value| member["path"].to_string();
    for (reported, listed) in reported.iter_mut().zip(listed) {
        // The report sorts members by path.
        let mut members = listed["members"].as_array().context("members")?.clone();
        members[1..].sort_by_key(by_path);
        ensure!(reported["members"] == Value::from(members), "{reported}");
        ensure!(
            reported["judged_apart"] == listed["judged_apart"],
            "{reported}"
        );
    }
    let judged = |group: &Value| group["members"][1]["judgement"]["class"].is_string();
    ensure!(reported.iter().any(judged), "{lines}");
    let refused = [
        "report",
        "--out",
        &out,
        "--judge",
        "on",
        "--kind",
        "duplicates",
    ];
    std::fs::rename(&out, sandbox.beside("moved"))?;
    let refused = daemon.simctl(refused)?;
    ensure!(refused.code()? == 2, "{}", refused.stderr);
    ensure!(
        refused
            .stderr
            .contains("only a report of kind groups has judgements"),
        "{}",
        refused.stderr
    );
    Ok(())
}

/// All pairs, judged as requested.
fn listed_pairs(socket: &Path, judged: JudgedItems) -> Result<Vec<Pair>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = Client::connect(socket).await?.judged(judged);
        let mut listing = client.pairs(Some(0.0), Vec::new()).await?;
        let mut pairs = Vec::new();
        while let Some(pair) = listing.next().await? {
            pairs.push(pair);
        }
        ensure!(listing.summary().await?.unjudged.unwrap_or(0) == 0);
        Ok(pairs)
    })
}

#[test]
fn of_a_list_the_first_are_judged_as_all_are_and_the_others_say_why_not() -> Result<()> {
    let (_sandbox, daemon) = daemon()?;
    let listed = |judged| listed_pairs(daemon.socket(), judged);
    let all = listed(JudgedItems::All)?;
    let none = listed(JudgedItems::None)?;
    let is_of_copies = |pair: &Pair| pair.document_a == pair.document_b;
    ensure!(all.len() > 6 && all.iter().any(is_of_copies));
    for most in [1, 3] {
        let (mut left, mut last) = (most, None);
        let first = NonZeroU64::new(most).context("a count")?;
        let first = listed(JudgedItems::First(first))?;
        ensure!(first.len() == all.len());
        for ((first, all), none) in first.iter().zip(&all).zip(&none) {
            let documents = [&first.document_a, &first.document_b];
            // Another file of the same text is judged like the one before it.
            let is_known = is_of_copies(first) || last == Some(documents);
            let is_judged = is_known || left > 0;
            if is_judged && !is_known {
                (left, last) = (left - 1, Some(documents));
            }
            let beyond = Pair {
                not_judged: NotJudged::BeyondFirst.into(),
                ..none.clone()
            };
            ensure!(first == if is_judged { all } else { &beyond }, "{first:?}");
        }
        ensure!(left == 0);
    }
    Ok(())
}

/// The benchmark measures judgements only if most hits have one; it ends with an error otherwise.
#[test]
fn the_benchmark_of_judgements_runs() -> Result<()> {
    let benchmark = bench::find("judged-100k").context("no such benchmark")?;
    let settings = bench::Settings {
        documents: Some(1),
        ..bench::Settings::default()
    };
    let mut printed = Vec::new();
    (benchmark.run)(settings, &mut Figures::new(&mut printed, true))?;
    let printed = String::from_utf8(printed)?;
    ensure!(printed.contains("hits, version"), "{printed}");
    Ok(())
}
