//! `judge label`: shows pairs one by one, and records the rater's verdict on each.
//!
//! The model's judgement is not shown, since it would influence the rater.

use std::collections::HashSet;
use std::io::{self, BufRead as _, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use simdex_client::lines::{Comparison, Label, LabelledPair, Verdict, date};
use simdex_client::text::{counted, escaped};
use simdex_client::wire::{self, CompareReply, LabelledFile, side};
use simdex_client::{CompareOptions, LabelsFile, read_pairs};

use crate::cli::LabelArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::{ComparisonText, DifferenceForm, difference, eprint_line, left_out};
use crate::progress::waiting;

/// Longest name of a rater, in bytes.
const LONGEST_RATER: usize = 200;

/// A rater's command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Typed {
    Verdict(Verdict),
    /// Shows the whole difference.
    Difference,
    /// Goes back to the pair before.
    Back,
    Quit,
}

pub(super) async fn run(session: &mut Session, args: LabelArgs) -> Result<Outcome, Failure> {
    let rater = rater(args.rater.clone())?;
    let mut file = LabelsFile::open(&args.labels)?;
    let pairs = pairs(session, &args).await?;
    let known = file.labels().iter().filter(|label| label.rater == rater);
    let known: HashSet<[String; 2]> = known.map(|label| documents(&label.pair)).collect();
    let found = pairs.len() as u64;
    let mut open = pairs;
    open.retain(|pair| !known.contains(&documents(pair)));
    if open.is_empty() {
        eprint_line(nothing_to_label(found, &args));
        return Ok(Outcome::of_search(found));
    }
    let labelled = ask_all(session, &open, &mut file, (&rater, args.lines)).await?;
    let left = (open.len() as u64).saturating_sub(labelled);
    eprint_line(format!(
        "{} labelled, {left} left; labels are in {}",
        counted(labelled, "pair"),
        args.labels.display()
    ));
    Ok(Outcome::Answered)
}

fn nothing_to_label(found: u64, args: &LabelArgs) -> String {
    match (found, args.pairs.is_some()) {
        (0, true) => "the file names no pair of different documents".to_owned(),
        (0, false) if args.threshold.value == Some(0.0) => {
            "no near-duplicates were found".to_owned()
        }
        (0, false) => "no near-duplicates were found; a lower --threshold may find more".to_owned(),
        (_, true) => format!("all of {} are labelled", counted(found, "pair")),
        (_, false) => format!(
            "all of {} are labelled; a greater --count or another --seed finds more",
            counted(found, "pair")
        ),
    }
}

fn rater(named: Option<String>) -> Result<String, Failure> {
    let of_user = || std::env::var("USER").ok().filter(|user| !user.is_empty());
    let rater = named.or_else(of_user).ok_or(Failure::NoRater)?;
    let is_name = !rater.is_empty() && rater.len() <= LONGEST_RATER;
    match is_name && !rater.chars().any(char::is_control) {
        true => Ok(rater),
        false => Err(Failure::NoRater),
    }
}

/// The pairs to label; pairs of identical texts are left out.
async fn pairs(session: &Session, args: &LabelArgs) -> Result<Vec<LabelledPair>, Failure> {
    let mut pairs = match &args.pairs {
        Some(file) => read_pairs(file)?,
        None => {
            let request = wire::SamplePairsRequest {
                roots: session.root_ids(&args.roots.paths).await?,
                threshold: args.threshold.value,
                limit: args.count,
                seed: args.seed.unwrap_or_default(),
            };
            let call = session.client.sample_pairs(request);
            let reply = waiting("finding pairs", call).await?;
            session.warn_if_incomplete(reply.completeness.as_ref());
            let sides = reply
                .pairs
                .into_iter()
                .filter_map(|pair| pair.a.zip(pair.b));
            sides.map(|(a, b)| LabelledPair::new(&a, &b)).collect()
        }
    };
    let mut known = HashSet::new();
    pairs.retain(|pair| pair.document_a != pair.document_b && known.insert(documents(pair)));
    Ok(pairs)
}

fn documents(pair: &LabelledPair) -> [String; 2] {
    pair.documents().map(str::to_owned)
}

/// Asks about each pair until the rater quits; returns how many were labelled.
async fn ask_all(
    session: &mut Session,
    pairs: &[LabelledPair],
    file: &mut LabelsFile,
    (rater, lines): (&str, usize),
) -> Result<u64, Failure> {
    let (mut at, mut labelled) = (0, HashSet::new());
    while let Some(pair) = pairs.get(at) {
        let Some(reply) = compared(session, pair).await? else {
            at += 1;
            continue;
        };
        show(session, pair, &reply, lines)?;
        let heading = format!("pair {} of {}", at + 1, pairs.len());
        let typed = answered(session, (pair, &reply), &heading).await?;
        match typed {
            Typed::Verdict(verdict) => {
                let label = Label {
                    pair: pair.clone(),
                    verdict,
                    rater: rater.to_owned(),
                    at: now(),
                };
                file.append(label.clone())?;
                if session.printer.is_json() {
                    session.printer.line(&label)?;
                    session.printer.finish()?;
                }
                labelled.insert(at);
                at += 1;
            }
            Typed::Back => at = at.saturating_sub(1),
            Typed::Quit => break,
            Typed::Difference => {}
        }
    }
    Ok(labelled.len() as u64)
}

/// Reads the rater's verdict on a pair, after showing all that the rater asks for.
async fn answered(
    session: &mut Session,
    (pair, reply): (&LabelledPair, &CompareReply),
    heading: &str,
) -> Result<Typed, Failure> {
    loop {
        match ask(heading).await? {
            Typed::Difference => show(session, pair, reply, usize::MAX)?,
            typed => return Ok(typed),
        }
    }
}

/// Both documents side by side; `None` if one of them is gone.
async fn compared(session: &Session, pair: &LabelledPair) -> Result<Option<CompareReply>, Failure> {
    let sides = pair.sides().map(|sides| sides.map(side_of));
    let Some([a, b]) = sides else {
        return Ok(None);
    };
    let options = CompareOptions {
        with_words: !session.printer.is_json(),
        ..CompareOptions::default()
    };
    let call = session.client.compare_with(a, b, options);
    match waiting("comparing", call).await {
        Err(error) if error.is_not_found() => {
            let (a, b) = (&pair.a, &pair.b);
            eprint_line(format!("{a} and {b} are passed over: {error}"));
            Ok(None)
        }
        reply => Ok(Some(reply?)),
    }
}

/// Addresses the labelled document itself, whatever text its file holds by now.
fn side_of(file: LabelledFile) -> wire::Side {
    wire::Side {
        source: Some(side::Source::Document(file.document)),
        name: Vec::new(),
    }
}

/// Shows a pair with the given number of lines of its difference.
fn show(
    session: &mut Session,
    pair: &LabelledPair,
    reply: &CompareReply,
    lines: usize,
) -> io::Result<()> {
    let mut reply = reply.clone();
    let paths = pair.sides().map(|sides| sides.map(|side| side.path));
    let [a, b] = paths.unwrap_or_default();
    if session.printer.is_json() {
        let comparison = Comparison::new(Some(&a), Some(&b), reply);
        session.printer.line(&comparison)?;
        return session.printer.finish();
    }
    // Signature estimates are of no use to a rater, and the daemon was asked by hash.
    reply.estimates.clear();
    let mut shown = difference(&reply, DifferenceForm::Auto);
    rename_sides(&mut shown, [&a, &b]);
    let hidden = cut(&mut shown, lines);
    writeln!(session.printer)?;
    session.printer.comparison(&ComparisonText {
        a: &a,
        b: &b,
        reply: &reply,
        difference: &shown,
    })?;
    if let Some(why) = left_out(&reply, DifferenceForm::Auto, false) {
        eprint_line(format!("the difference is left out: {why}"));
    }
    if hidden > 0 {
        writeln!(
            session.printer,
            "… {} more; d shows all",
            counted(hidden, "line")
        )?;
    }
    session.printer.finish()
}

/// Puts the names of the files into the head of a difference.
fn rename_sides(diff: &mut String, [a, b]: [&[u8]; 2]) {
    let lines: Vec<&str> = diff.splitn(3, '\n').collect();
    if let [first, second, hunks] = lines[..]
        && first.starts_with("--- ")
        && second.starts_with("+++ ")
    {
        *diff = format!("--- {}\n+++ {}\n{hunks}", escaped(a), escaped(b));
    }
}

/// Cuts a text to the given number of lines; returns how many were cut off.
fn cut(text: &mut String, lines: usize) -> u64 {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let Some(end) = ends.take(lines).last().filter(|_| lines < usize::MAX) else {
        return 0;
    };
    let hidden = text[end..].lines().count() as u64;
    if text.lines().count() > lines {
        text.truncate(end);
        return hidden;
    }
    0
}

/// Repeats the prompt until the input is understood; end of input quits. The connection is served meanwhile.
async fn ask(heading: &str) -> Result<Typed, Failure> {
    loop {
        eprint_line(format!(
            "{heading}: [s]ame, [v]ersion, [t]emplate only, [u]nrelated, [n]ext without a label, \
             [d]ifference in full, [b]ack, [q]uit?"
        ));
        let line = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            io::stdin().lock().read_line(&mut line).map(|_| line)
        });
        let line = line.await.map_err(io::Error::other)?;
        let line = line.map_err(Failure::Input)?;
        if line.is_empty() {
            return Ok(Typed::Quit);
        }
        if let Some(typed) = understood(line.trim()) {
            return Ok(typed);
        }
    }
}

fn understood(line: &str) -> Option<Typed> {
    Some(match line {
        "s" | "same" => Typed::Verdict(Verdict::Same),
        "v" | "version" => Typed::Verdict(Verdict::Version),
        "t" | "template" | "template-only" => Typed::Verdict(Verdict::TemplateOnly),
        "u" | "unrelated" => Typed::Verdict(Verdict::Unrelated),
        "n" | "next" | "skip" => Typed::Verdict(Verdict::Skip),
        "d" | "difference" => Typed::Difference,
        "b" | "back" => Typed::Back,
        "q" | "quit" => Typed::Quit,
        _ => return None,
    })
}

/// The time in UTC; empty if the clock is beyond the years of a calendar.
fn now() -> String {
    date(seconds_of(SystemTime::now())).unwrap_or_default()
}

/// Whole seconds from 1970 to a time, negative before that.
fn seconds_of(time: SystemTime) -> Option<i64> {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs().try_into().ok(),
        Err(before) => {
            let seconds: i64 = before.duration().as_secs().try_into().ok()?;
            Some(-seconds)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_long_difference_is_cut_after_whole_lines() {
        let cut_to = |lines: usize| {
            let mut text = "a\nb\nc\n".to_owned();
            let hidden = cut(&mut text, lines);
            (text, hidden)
        };
        assert_eq!(cut_to(2), ("a\nb\n".to_owned(), 1));
        assert_eq!(cut_to(3), ("a\nb\nc\n".to_owned(), 0));
        assert_eq!(cut_to(usize::MAX), ("a\nb\nc\n".to_owned(), 0));
        assert_eq!(cut(&mut String::new(), 2), 0);
    }

    #[test]
    fn a_difference_names_files_and_not_their_hashes() {
        let named = |diff: &str| {
            let mut diff = diff.to_owned();
            rename_sides(&mut diff, [b"/s/a", b"/s/b\xff"]);
            diff
        };
        assert_eq!(
            named("--- ab\n+++ cd\n@@ -1 +1 @@\n-x\n+y\n"),
            "--- /s/a\n+++ /s/b\\xff\n@@ -1 +1 @@\n-x\n+y\n"
        );
        assert_eq!(named(""), "");
    }

    #[test]
    fn verdicts_are_typed_by_letter_or_word_and_nothing_else_is_understood() {
        assert_eq!(understood("s"), Some(Typed::Verdict(Verdict::Same)));
        assert_eq!(understood("skip"), Some(Typed::Verdict(Verdict::Skip)));
        assert_eq!(understood("q"), Some(Typed::Quit));
        for other in ["", "S", "sv", "1"] {
            assert_eq!(understood(other), None, "{other}");
        }
    }

    #[test]
    fn a_clock_that_is_behind_1970_gives_a_time_too() {
        let day = Duration::from_secs(86_400);
        assert_eq!(seconds_of(UNIX_EPOCH + day), Some(86_400));
        assert_eq!(seconds_of(UNIX_EPOCH - day), Some(-86_400));
    }

    #[test]
    fn a_rater_has_a_name() {
        assert_eq!(rater(Some("ada".to_owned())).ok().as_deref(), Some("ada"));
        for wrong in ["", "a\nb", &"x".repeat(201)] {
            assert!(rater(Some(wrong.to_owned())).is_err());
        }
    }
}
