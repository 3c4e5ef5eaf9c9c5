//! `compare`: two files side by side.

use std::io;
use std::path::{Path, PathBuf};

use simdex_client::wire::{CompareReply, Side};
use simdex_client::{CompareOptions, Upload, path_bytes};

use crate::cli::CompareArgs;
use crate::commands::{Session, path_unless_stdin};
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::{ComparisonText, DifferenceForm, difference, eprint_line, left_out};
use crate::progress::waiting;
use simdex_client::lines::{Comparison, LastRead};

pub(super) async fn run(session: &mut Session, args: CompareArgs) -> Result<Outcome, Failure> {
    let (path_a, path_b) = (path_unless_stdin(&args.a)?, path_unless_stdin(&args.b)?);
    if path_a.is_none() && path_b.is_none() {
        return Err(Failure::InputTwice);
    }
    session.apply_completeness_flags(&args.completeness).await?;
    let side_a = side(session, path_a.is_some(), &args.a).await?;
    let side_b = side(session, path_b.is_some(), &args.b).await?;
    let is_json = session.printer.is_json();
    let options = options(&args, is_json);
    let compared = session.client.compare_with(side_a, side_b, options);
    let reply = waiting("comparing", compared).await;
    session.tell_sent();
    let reply = reply?;
    let missing = left_out(&reply, args.diff, is_json).map(str::to_owned);
    let completeness = reply.completeness.clone();
    let last_read = last_read(&reply, [&path_a, &path_b]);
    if is_json {
        let (a, b) = (
            path_a.as_deref().map(path_bytes),
            path_b.as_deref().map(path_bytes),
        );
        let comparison = Comparison::new(a.as_deref(), b.as_deref(), reply);
        session.printer.line(&comparison)?;
    } else {
        let (a, b) = (&name(path_a), &name(path_b));
        session.printer.comparison(&ComparisonText {
            a,
            b,
            reply: &reply,
            difference: &difference(&reply, args.diff),
        })?;
    }
    if let Some(why) = missing.filter(|_| !args.no_difference) {
        eprint_line(format!("the difference is left out: {why}"));
    }
    last_read.into_iter().for_each(eprint_line);
    session.warn_if_incomplete(completeness.as_ref());
    Ok(Outcome::Answered)
}

/// The parts of a comparison that the arguments ask for.
fn options(args: &CompareArgs, is_json: bool) -> CompareOptions {
    let by_words = !args.no_difference
        && match args.diff {
            DifferenceForm::Auto => !is_json,
            DifferenceForm::Lines => false,
            DifferenceForm::Words => true,
        };
    CompareOptions {
        without_difference: args.no_difference || args.diff == DifferenceForm::Words,
        with_words: by_words && !is_json,
        with_operations: by_words && is_json,
        schemes: args.schemes.iter().copied().map(Into::into).collect(),
        n: args.n,
        with_judgement: args.judge.is_on(),
        relation_threshold: args.relation_threshold,
        containment_threshold: args.containment_threshold,
    }
}

/// Remark on files that were not read again.
fn last_read(reply: &CompareReply, paths: [&Option<PathBuf>; 2]) -> Vec<String> {
    let sides = [&reply.last_read_a, &reply.last_read_b];
    let remarks = sides.into_iter().zip(paths).filter_map(|(side, path)| {
        let side = LastRead::from(side.as_ref()?);
        let path = path.as_ref()?.display();
        Some(format!("{path}: {}", side.sentence()))
    });
    remarks.collect()
}

async fn side(session: &Session, is_file: bool, file: &Path) -> Result<Side, Failure> {
    if is_file {
        return Ok(session.client.side_of_file(file).await?);
    }
    let upload = Upload::from_reader(Path::new(""), io::stdin());
    Ok(session.client.side_of_upload(upload).await?)
}

fn name(path: Option<PathBuf>) -> Vec<u8> {
    path.map_or_else(|| b"standard input".to_vec(), |path| path_bytes(&path))
}
