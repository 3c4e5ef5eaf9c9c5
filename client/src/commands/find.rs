//! `find-similar`, `containing`, `contained-in`: queries about one document.

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
use simdex_client::lines::{LastRead, LeftOutLines, QuerySummary as QueryLine};
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
        "asking",
        send_query(session, kind, path.as_deref(), &args.file, &options),
    )
    .await?;
    let hidden = judge.hidden_columns();
    let (count, summary) = match folds && is_table {
        true => print_folded(session, hidden, listing).await?,
        false => {
            session
                .print_without(hidden, listing, None, identity)
                .await?
        }
    };
    let context = QueryContext {
        verb: QueryVerb::Find(kind),
        path: path.as_deref(),
        threshold: args.threshold.value,
    };
    print_query_summary(session, &context, count, &summary)
}

/// Prints the matches that are not folded, each with the number folded under it; returns the number of all matches.
async fn print_folded(
    session: &mut Session,
    hidden: &[&str],
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
    let mut list = session.printer.list::<FoldedMatch<'_>>().without(hidden);
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
        session
            .printer
            .line(&QueryLine::new(path.as_deref(), summary))?;
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

/// What of the query was compared, unless it is the whole of its text.
fn compared_by_remark(name: &str, query: &QuerySummary) -> Option<String> {
    let state = &query.state;
    match (query.compared_by(), &query.left_out) {
        (ComparedBy::RawBytes, _) => Some(format!(
            "{name} has no text ({state}): its raw bytes were compared"
        )),
        (ComparedBy::WholeBytes, _) => Some(format!(
            "{name} is {state}: only files of the same bytes are found"
        )),
        (ComparedBy::WholeText, _) => Some(format!(
            "nothing of {name} is left to compare: all of its text is template lines; only copies of it are found"
        )),
        (_, Some(left_out)) => {
            let verb = if left_out.lines == 1 { "is" } else { "are" };
            let left_out = LeftOutLines::from(left_out);
            Some(format!("{left_out} of {name} {verb} left out"))
        }
        (_, None) => None,
    }
}

/// Remarks on what the list alone would hide.
fn remarks(context: &QueryContext<'_>, count: u64, query: &QuerySummary) -> Vec<String> {
    let name = context.name();
    let mut remarks = Vec::new();
    if count == 0 {
        remarks.push(nothing_found(context, query));
    }
    remarks.extend(about_subject(&name, query));
    if query.truncated {
        let more = match context.verb {
            QueryVerb::Versions => "the family may have more versions; --limit finds more",
            QueryVerb::Find(_) => "more files reach the threshold; --limit lists more",
        };
        remarks.push(more.to_owned());
    }
    if query.unverified > 0 {
        let candidates = counted(query.unverified, "candidate");
        remarks.push(format!(
            "{candidates} not verified: files may be missing; a higher --threshold leaves fewer"
        ));
    }
    if query.common_lists > 0 {
        let lists = counted(query.common_lists, "posting list");
        remarks.push(format!(
            "passages found in very many files ({lists}) were not used to find further files"
        ));
    }
    remarks
}

/// Remarks on what of the subject was compared.
fn about_subject(name: &str, query: &QuerySummary) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.extend(compared_by_remark(name, query));
    if let Some(last_read) = &query.last_read {
        remarks.push(format!(
            "{name} is {}",
            LastRead::from(last_read).sentence()
        ));
    }
    if query.state == "partial" {
        remarks.push(format!("{name} could be read only in part"));
    }
    remarks
}

/// Explains an empty list.
fn nothing_found(context: &QueryContext<'_>, query: &QuerySummary) -> String {
    let (name, threshold) = (context.name(), context.threshold());
    let relation = match context.verb {
        QueryVerb::Find(FindKind::Similar) => "resembles",
        QueryVerb::Find(FindKind::Containing) => "contains",
        QueryVerb::Find(FindKind::Contained) => "is contained in",
        QueryVerb::Find(FindKind::Related) => "is related to",
        QueryVerb::Versions => "is a version of",
    };
    match query
        .completeness
        .as_ref()
        .map(|completeness| completeness.complete)
    {
        Some(false) => {
            format!("no other file found yet that {relation} {name} by {threshold} or more")
        }
        _ => format!(
            "no other file {relation} {name} by {threshold} or more; a lower --threshold may find more"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_client::wire::{self, Completeness};

    fn context(kind: FindKind) -> QueryContext<'static> {
        QueryContext {
            verb: QueryVerb::Find(kind),
            path: Some(Path::new("/a")),
            threshold: None,
        }
    }

    #[test]
    fn what_the_list_hides_is_said() {
        let query = QuerySummary {
            state: "partial".to_owned(),
            truncated: true,
            suppressed: 3,
            common_lists: 2,
            unverified: 1,
            ..QuerySummary::default()
        };
        let said = remarks(&context(FindKind::Similar), 2, &query);
        assert_eq!(
            said[2..],
            [
                "1 candidate not verified: files may be missing; a higher --threshold leaves fewer",
                "passages found in very many files (2 posting lists) were not used to find further files"
            ]
        );
        assert!(remarks(&context(FindKind::Similar), 2, &QuerySummary::default()).is_empty());
        let nothing = remarks(&context(FindKind::Contained), 0, &QuerySummary::default());
        assert_eq!(
            nothing,
            ["no other file is contained in /a by 0.5 or more; a lower --threshold may find more"]
        );
        let half_built = QuerySummary {
            completeness: Some(Completeness::default()),
            ..QuerySummary::default()
        };
        let so_far = remarks(&context(FindKind::Similar), 0, &half_built);
        assert_eq!(
            so_far,
            ["no other file found yet that resembles /a by 0.1 or more"]
        );
    }

    #[test]
    fn a_file_that_changed_since_it_was_read_is_told() {
        let changed = wire::LastRead {
            at: Some(1_700_000_000),
            why: wire::NotReadAgain::Changed.into(),
        };
        let query = QuerySummary {
            last_read: Some(changed),
            ..QuerySummary::default()
        };
        assert_eq!(
            remarks(&context(FindKind::Similar), 2, &query),
            [
                "/a is compared as last read at 2023-11-14T22:13:20Z: the file changed since and is yet to be read again"
            ]
        );
    }

    #[test]
    fn a_document_without_text_is_compared_by_its_bytes_where_it_has_any() {
        let raw = QuerySummary {
            state: "unsupported".to_owned(),
            document: vec![7; 32],
            compared_by: ComparedBy::RawBytes.into(),
            ..QuerySummary::default()
        };
        assert!(refuse_incomparable("/a", &raw).is_ok());
        let said = remarks(&context(FindKind::Similar), 0, &raw);
        assert_eq!(
            said[1],
            "/a has no text (unsupported): its raw bytes were compared"
        );
        let empty = QuerySummary {
            document: Vec::new(),
            compared_by: ComparedBy::Nothing.into(),
            ..raw
        };
        assert!(refuse_incomparable("/a", &empty).is_err());
    }
}
