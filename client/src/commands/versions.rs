//! `versions`: the family of a document, as a tree, a graph, a picture or lines.

use std::io;
use std::path::Path;

use simdex_client::lines::{self, Match, VersionEdge};
use simdex_client::text::escaped;
use simdex_client::wire::{FamilyReply, NearMiss, NearMissReason};
use simdex_client::{FamilyPart, FindOptions, ItemStream, Subject, Upload};

use super::find::{QueryContext, QueryVerb, print_query_summary, wait_and_options};
use super::{Session, path_unless_stdin};
use crate::cli::{Drawing, VersionsArgs};
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::text::ratio;
use crate::output::{Family, dot, eprint_line, svg, tree};
use crate::progress::waiting;

pub(super) async fn run(session: &mut Session, args: VersionsArgs) -> Result<Outcome, Failure> {
    let options = wait_and_options(session, &args.find).await?;
    let file = &args.find.file;
    let path = path_unless_stdin(file)?;
    let call = send_query(session, path.is_some(), file, &options);
    let parts = waiting("searching", call).await;
    session.tell_sent();
    let mut parts = parts?;
    let is_json = session.printer.is_json();
    let (mut family, mut others) = (Family::new(session.wide && !is_json), 0);
    while let Some(part) = parts.next().await? {
        if let FamilyPart::File(file) = &part {
            // The queried file is not counted as a version found.
            let is_other = file.r#match.as_ref().is_some_and(|found| !found.is_query);
            others += u64::from(is_other);
        }
        if is_json {
            print(session, &part)?;
        }
        family.add(part);
    }
    let summary = parts.summary().await?;
    family.set_latest(summary.latest);
    if !family.is_empty() && !is_json {
        draw(session, args.format, &family)?;
    }
    for miss in &summary.near_misses {
        match is_json {
            true => session.printer.line(&lines::NearMiss::from(miss))?,
            false => eprint_line(stopped(miss)),
        }
    }
    let query = summary.query.unwrap_or_default();
    let context = QueryContext {
        verb: QueryVerb::Versions,
        path: path.as_deref(),
        threshold: args.find.threshold.value,
        latest: family.latest(),
    };
    print_query_summary(session, &context, others, &query)
}

async fn send_query(
    session: &Session,
    is_named: bool,
    file: &Path,
    options: &FindOptions,
) -> Result<ItemStream<FamilyReply>, Failure> {
    let client = &session.client;
    if is_named {
        return Ok(client.family_of_file(file, options).await?);
    }
    let upload = Upload::from_reader(Path::new(""), io::stdin());
    Ok(client.family(Subject::Upload(upload), options).await?)
}

fn print(session: &mut Session, part: &FamilyPart) -> io::Result<()> {
    match part {
        FamilyPart::File(file) => match Match::in_family(file) {
            Some(line) => session.printer.line(&line),
            None => Ok(()),
        },
        FamilyPart::Edge(edge) => session.printer.line(&VersionEdge::from(edge)),
    }
}

/// Says where the family stopped, and why.
fn stopped(miss: &NearMiss) -> String {
    let why = match miss.reason() {
        NearMissReason::TimesOverlap => "it and its versions are not all earlier or all later",
        NearMissReason::NotSuccessive => "neither shows that it follows the other",
        NearMissReason::TooFew => "there are too few versions to show a history",
        NearMissReason::OthersAsNear => "other documents are as near",
        NearMissReason::Unspecified => "nothing shows that it is a version",
    };
    let (path, version) = (escaped(&miss.path), miss.version);
    let alike = ratio(miss.resemblance);
    format!("not joined: {path} resembles version {version} by {alike}, but {why}")
}

fn draw(session: &mut Session, drawing: Drawing, family: &Family) -> io::Result<()> {
    let out = &mut session.printer;
    match drawing {
        Drawing::Tree => tree(family, out.max_cells(), out)?,
        Drawing::Dot => dot(family, out)?,
        Drawing::Svg => svg(family, out)?,
    }
    eprint_line(family.summary());
    Ok(())
}
