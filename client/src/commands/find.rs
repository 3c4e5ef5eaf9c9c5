//! `find-similar`, `containing`, `contained-in`: queries about one document.

mod remarks;

use std::borrow::Cow;
use std::collections::HashMap;
use std::convert::identity;
use std::io::{self, IsTerminal};
use std::path::Path;

use simdex_client::wire::{ComparedBy, FindReply, QuerySummary};
use simdex_client::{FindKind, FindOptions, ItemStream, Subject, Upload, defaults, path_bytes};

use crate::cli::{FindArgs, Fold, SearchArgs};
use crate::commands::{Session, path_unless_stdin};
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::{FoldedMatch, eprint_line};
use crate::progress::waiting;
use remarks::remarks;
use simdex_client::lines::QuerySummary as QueryLine;
use simdex_client::text::counted;

pub(super) async fn run(
    session: &mut Session,
    kind: FindKind,
    args: SearchArgs,
) -> Result<Outcome, Failure> {
    let SearchArgs {
        find: args,
        fold,
        judge,
    } = args;
    let is_table = !session.printer.is_json();
    let folds = match fold {
        Fold::Auto => is_table && io::stdout().is_terminal(),
        Fold::Always => true,
        Fold::Never => false,
    };
    let options = FindOptions {
        fold: folds,
        with_judgement: judge.is_on(),
        ..wait_and_options(session, &args).await?
    };
    let path = path_unless_stdin(&args.file)?;
    let listing = waiting(
        "searching",
        send_query(session, kind, path.as_deref(), &args.file, &options),
    )
    .await;
    session.tell_sent();
    let listing = listing?;
    let (count, summary) = match folds && is_table {
        true => print_folded(session, listing).await?,
        false => session.print(listing, None, identity).await?,
    };
    let context = QueryContext {
        verb: QueryVerb::Find(kind),
        path: path.as_deref(),
        threshold: args.threshold.value,
        latest: None,
    };
    print_query_summary(session, &context, count, &summary)
}

/// Prints the matches that are not folded, each with the number folded under it; returns the number of all matches.
async fn print_folded(
    session: &mut Session,
    mut listing: ItemStream<FindReply>,
) -> Result<(u64, QuerySummary), Failure> {
    // The daemon lists at most 10,000.
    let mut matches = Vec::new();
    while let Some(found) = listing.next().await? {
        matches.push(found);
    }
    let mut under: HashMap<&[u8], u64> = HashMap::new();
    for found in matches
        .iter()
        .filter(|found| !found.folded_under.is_empty())
    {
        *under.entry(&found.folded_under).or_default() += 1;
    }
    let mut list = session.printer.list::<FoldedMatch<'_>>();
    for found in matches.iter().filter(|found| found.folded_under.is_empty()) {
        let folded = under.get(&found.path[..]).copied().unwrap_or(0);
        list.rows(&FoldedMatch { found, folded })?;
    }
    list.end()?;
    let folded: u64 = under.values().sum();
    if folded > 0 {
        let files = counted(folded, "file");
        eprint_line(format!(
            "{files} folded under a better near-duplicate; --fold never lists all"
        ));
    }
    Ok((matches.len() as u64, listing.summary().await?))
}

/// Waits if requested, and builds the options from the arguments.
pub(super) async fn wait_and_options(
    session: &mut Session,
    args: &FindArgs,
) -> Result<FindOptions, Failure> {
    session.apply_completeness_flags(&args.completeness).await?;
    Ok(FindOptions {
        scheme: args.scheme.into(),
        threshold: args.threshold.value,
        relation_threshold: args.relation_threshold,
        containment_threshold: args.containment_threshold,
        limit: args.limit,
        roots: session.root_ids(&args.roots.paths).await?,
        fold: false,
        with_judgement: false,
    })
}

/// The verb that sent a query.
#[derive(Clone, Copy)]
pub(super) enum QueryVerb {
    /// One of the verbs of this file.
    Find(FindKind),
    /// The verb `versions` of `versions.rs`.
    Versions,
}

/// The query's arguments, for its summary and the remarks beside that.
pub(super) struct QueryContext<'a> {
    pub(super) verb: QueryVerb,
    /// The file; `None` for standard input.
    pub(super) path: Option<&'a Path>,
    /// The argument as typed.
    pub(super) threshold: Option<f64>,
    /// With `versions`: the number of the latest one.
    pub(super) latest: Option<u32>,
}

impl QueryContext<'_> {
    fn name(&self) -> Cow<'_, str> {
        self.path
            .map_or("standard input".into(), Path::to_string_lossy)
    }

    /// The least ratio listed.
    fn threshold(&self) -> f64 {
        self.threshold.unwrap_or(match self.verb {
            QueryVerb::Find(FindKind::Similar) => defaults::SIMILAR,
            QueryVerb::Find(_) => defaults::CONTAINMENT,
            QueryVerb::Versions => defaults::FAMILY,
        })
    }
}

/// Prints the summary line and remarks.
pub(super) fn print_query_summary(
    session: &mut Session,
    context: &QueryContext<'_>,
    count: u64,
    summary: &QuerySummary,
) -> Result<Outcome, Failure> {
    if count == 0 {
        refuse_incomparable(&context.name(), summary)?;
    }
    if session.printer.is_json() {
        let path = context.path.map(path_bytes);
        let mut line = QueryLine::new(path.as_deref(), summary);
        line.latest = context.latest;
        session.printer.line(&line)?;
    }
    for remark in remarks(context, count, summary) {
        eprint_line(remark);
    }
    session.remark_unjudged(
        summary.unjudged,
        "file",
        "lower --limit, or raise --threshold",
    );
    session.tell_promise(summary.promise.as_ref(), summary.completeness.as_ref());
    session.warn_if_incomplete(summary.completeness.as_ref());
    Ok(Outcome::of_search(count))
}

async fn send_query(
    session: &Session,
    kind: FindKind,
    path: Option<&Path>,
    file: &Path,
    options: &FindOptions,
) -> Result<ItemStream<FindReply>, Failure> {
    let client = &session.client;
    if path.is_some() {
        return Ok(client.find_file(kind, file, options).await?);
    }
    let upload = Upload::from_reader(Path::new(""), io::stdin());
    Ok(client.find(kind, Subject::Upload(upload), options).await?)
}

/// A document with neither text nor raw bytes to compare is "not comparable", which differs from "resembles nothing".
fn refuse_incomparable(name: &str, query: &QuerySummary) -> Result<(), Failure> {
    if query.compared_by() != ComparedBy::Nothing {
        return Ok(());
    }
    Err(Failure::NotComparable {
        name: name.to_owned(),
        state: query.state.clone(),
        reason: query.reason.clone(),
    })
}
