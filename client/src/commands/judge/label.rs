//! `judge label`: shows pairs side by side, one by one, and records the rater's verdict on each.
//!
//! The model's judgement is not shown, since it would influence the rater.

mod typed;
mod view;
mod walk;

use std::collections::{HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use simdex_client::lines::{Label, LabelledPair, Verdict, date};
use simdex_client::wire::{self, CompareReply, LabelledFile, side};
use simdex_client::{CompareOptions, LabelsFile, read_pairs};

use crate::cli::LabelArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;
use crate::progress::waiting;
use typed::{Typed, ask_about, ask_at_the_end};
use view::{View, show};
use walk::Walk;

/// Longest name of a rater, in bytes.
const LONGEST_RATER: usize = 200;

pub(super) async fn run(session: &mut Session, args: LabelArgs) -> Result<Outcome, Failure> {
    let rater = rater(args.rater.clone())?;
    if args.labels.as_os_str() == "-" {
        // Verdicts are read from standard input.
        return Err(Failure::NoLabelsFile);
    }
    let mut file = LabelsFile::open(&args.labels)?;
    let pairs = pairs(session, &args).await?;
    if pairs.is_empty() {
        eprint_line(nothing_found(&args));
        return Ok(Outcome::NothingFound);
    }
    let mut walk = walk_over(&pairs, &file, &rater);
    if walk.at().is_none() {
        eprint_line(nothing_open(&walk, args.pairs.is_some()));
    }
    let rating = Rating {
        pairs: &pairs,
        rater: &rater,
        lines: args.lines,
    };
    ask_all(session, &rating, &mut file, &mut walk).await?;
    eprint_line(format!(
        "{}; labels are in {}",
        walk.summary(),
        args.labels.display()
    ));
    Ok(Outcome::Answered)
}

/// The pairs with what the rater said of them in earlier runs.
fn walk_over(pairs: &[LabelledPair], file: &LabelsFile, rater: &str) -> Walk {
    let own = file.labels().iter().filter(|label| label.rater == rater);
    // Of several verdicts on a pair the last counts.
    let known: HashMap<[String; 2], Verdict> = own
        .map(|label| (documents(&label.pair), label.verdict))
        .collect();
    Walk::new(
        pairs
            .iter()
            .map(|pair| known.get(&documents(pair)).copied()),
    )
}

fn nothing_found(args: &LabelArgs) -> &'static str {
    match args.pairs.is_some() {
        true => "the file names no pair of different documents",
        false if args.threshold.value == Some(0.0) => "no near-duplicates were found",
        false => "no near-duplicates were found; a lower --threshold may find more",
    }
}

fn nothing_open(walk: &Walk, is_of_list: bool) -> String {
    let more = match is_of_list {
        true => "",
        false => "; a greater --count or another --seed finds more",
    };
    format!("{}{more}", walk.known())
}

fn rater(named: Option<String>) -> Result<String, Failure> {
    let of_user = || std::env::var("USER").ok().filter(|user| !user.is_empty());
    let rater = named.or_else(of_user).ok_or(Failure::NoRater)?;
    let rater = rater.trim();
    let is_name = !rater.is_empty() && rater.len() <= LONGEST_RATER;
    match is_name && !rater.chars().any(char::is_control) {
        true => Ok(rater.to_owned()),
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

/// What is the same for all pairs.
struct Rating<'a> {
    pairs: &'a [LabelledPair],
    rater: &'a str,
    /// Number of lines side by side that are shown at first.
    lines: usize,
}

/// Asks about one pair after the other until the rater quits.
async fn ask_all(
    session: &mut Session,
    rating: &Rating<'_>,
    file: &mut LabelsFile,
    walk: &mut Walk,
) -> Result<(), Failure> {
    loop {
        let Some(at) = walk.at() else {
            match ask_at_the_end().await? {
                Typed::Back => walk.go_back(),
                _ => return Ok(()),
            }
            continue;
        };
        let Some(reply) = compared(session, &rating.pairs[at]).await? else {
            walk.pass_over();
            continue;
        };
        match answered(session, rating, (at, walk.verdict()), &reply).await? {
            Typed::Verdict(verdict) => {
                record(session, rating, file, (at, verdict))?;
                walk.give(verdict);
            }
            Typed::Keep => walk.go_on(),
            Typed::Back => walk.go_back(),
            Typed::Quit => return Ok(()),
            Typed::Show(_) => {}
        }
    }
}

/// Shows a pair, and all that the rater asks to see of it, until there is another command.
async fn answered(
    session: &mut Session,
    rating: &Rating<'_>,
    (at, before): (usize, Option<Verdict>),
    reply: &CompareReply,
) -> Result<Typed, Failure> {
    let pair = &rating.pairs[at];
    let heading = format!("pair {} of {}", at + 1, rating.pairs.len());
    let mut view = View::Beginning {
        lines: rating.lines,
    };
    loop {
        show(&mut session.printer, pair, reply, view)?;
        match ask_about(&heading, before).await? {
            Typed::Show(other) => view = other,
            typed => return Ok(typed),
        }
    }
}

/// Appends a verdict to the file, and prints the line with `--json`.
fn record(
    session: &mut Session,
    rating: &Rating<'_>,
    file: &mut LabelsFile,
    (at, verdict): (usize, Verdict),
) -> Result<(), Failure> {
    let label = Label {
        pair: rating.pairs[at].clone(),
        verdict,
        rater: rating.rater.to_owned(),
        at: now(),
    };
    file.append(label.clone())?;
    if session.printer.is_json() {
        session.printer.line(&label)?;
        session.printer.finish()?;
    }
    Ok(())
}

/// The comparison of both documents; `None` if one of them is gone.
async fn compared(session: &Session, pair: &LabelledPair) -> Result<Option<CompareReply>, Failure> {
    let sides = pair.sides().map(|sides| sides.map(side_of));
    let Some([a, b]) = sides else {
        return Ok(None);
    };
    let is_json = session.printer.is_json();
    let options = CompareOptions {
        with_words: !is_json,
        ..CompareOptions::default()
    };
    let call = session.client.compare_with(a, b, options);
    match waiting("comparing", call).await {
        Err(error) if error.is_not_found() => {
            let (a, b) = (&pair.a, &pair.b);
            eprint_line(format!(
                "{a} and {b} are passed over: the text of one of them is in no file any more ({error})"
            ));
            Ok(None)
        }
        reply => {
            let mut reply = reply?;
            if !is_json {
                // Estimates by signatures are of no use to a rater, and there are exact numbers.
                reply.estimates.clear();
            }
            Ok(Some(reply))
        }
    }
}

/// Addresses the labelled document itself, whatever text its file holds by now.
fn side_of(file: LabelledFile) -> wire::Side {
    wire::Side {
        source: Some(side::Source::Document(file.document)),
        name: Vec::new(),
    }
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
    fn a_clock_that_is_behind_1970_gives_a_time_too() {
        let day = Duration::from_secs(86_400);
        assert_eq!(seconds_of(UNIX_EPOCH + day), Some(86_400));
        assert_eq!(seconds_of(UNIX_EPOCH - day), Some(-86_400));
    }

    #[test]
    fn a_rater_has_a_name() {
        for named in ["ada", " ada "] {
            assert_eq!(rater(Some(named.to_owned())).ok().as_deref(), Some("ada"));
        }
        for wrong in ["", "  ", "a\nb", &"x".repeat(201)] {
            assert!(rater(Some(wrong.to_owned())).is_err());
        }
    }
}
