//! `report`: writes a report directory, or has the daemon keep one; prints its path.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use simdex_client::{
    AskedFile, Caveat, EarlierReport, Error, ReportRequest, SavedChanges, Totals, absolute,
    caveats_sentence, path_bytes, path_from_bytes, wire,
};
use tonic::Code;

use crate::cli::{ReportArgs, ReportTarget};
use crate::commands::{Session, UNJUDGED_ADVICE};
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::{eprint_line, summary_sentence};
use crate::progress::waiting;
use simdex_client::lines::SavedReport as ReportLine;
use simdex_client::lines::{Changes, JsonPath};
use simdex_client::text::{counted, escaped, grouped, why_not_compared};

pub(super) async fn run(session: &mut Session, args: ReportArgs) -> Result<Outcome, Failure> {
    let roots = session.client.roots_at(&args.roots.paths).await?;
    let roots = roots.into_iter().map(|root| root.path).collect();
    let (options, threshold) = (args.options(roots)?, args.threshold.value);
    let earlier = earlier(&args, &options.kind)?;
    session.apply_completeness_flags(&args.completeness).await?;
    let mut request = ReportRequest::from(options);
    if args.takes_files_outside() {
        add_asked_files(session, &args.question.files, &mut request).await?;
    }
    let reply = made(
        session,
        args.target,
        args.since.as_deref(),
        threshold,
        request,
    )
    .await?;
    print_reply(session, &reply)?;
    if let Some(changes) = changes(earlier, &reply)? {
        print_changes(session, changes)?;
    }
    let summary = reply.summary.as_ref();
    let unfinished = summary.and_then(|summary| summary.unfinished);
    if let (Some(unfinished @ 1..), false) = (unfinished, session.printer.is_json()) {
        let parts = counted(unfinished, "part");
        eprint_line(format!(
            "not all cores are in the report: {parts} of the collection not mined to the end; raise --deadline or --common"
        ));
    }
    if let Some(summary) = summary {
        session.remark_unjudged(summary.unjudged, "file", UNJUDGED_ADVICE);
    }
    session.warn_if_incomplete(summary.and_then(|summary| summary.completeness.as_ref()));
    Ok(Outcome::Answered)
}

/// Has the report made, and written or kept.
async fn made(
    session: &Session,
    target: ReportTarget,
    since: Option<&Path>,
    threshold: Option<f64>,
    request: ReportRequest,
) -> Result<wire::RunReportReply, Failure> {
    if let Some(out) = target.out {
        let out = absolute(&out)?;
        let call = session.client.download_report(&out, threshold, request);
        return Ok(waiting("writing the report", call).await?.into());
    }
    let (name, since) = (target.keep.unwrap_or_default(), since.map(Path::as_os_str));
    let call = session.client.keep_report(&name, since, threshold, request);
    Ok(waiting("having the report written", call).await?)
}

fn print_reply(session: &mut Session, reply: &wire::RunReportReply) -> Result<(), Failure> {
    if session.printer.is_json() {
        session.printer.line(&ReportLine::from(reply))?;
        return Ok(());
    }
    writeln!(session.printer, "{}", escaped(&reply.out))?;
    if let Some(summary) = &reply.summary {
        eprint_line(summary_sentence(summary));
    }
    if let Some(found) = found(&reply.findings) {
        eprint_line(found);
    }
    let not_compared = reply.not_compared.iter().map(not_compared);
    not_compared.for_each(eprint_line);
    eprint_line(format!("the manifest's hash is {}", reply.manifest));
    Ok(())
}

/// Adds the files asked about. Reports every one that can neither be named nor sent, then refuses the report; a failure
/// that does not concern one file ends this at once.
async fn add_asked_files(
    session: &Session,
    files: &[PathBuf],
    request: &mut ReportRequest,
) -> Result<(), Failure> {
    let mut asked: HashSet<PathBuf> = HashSet::new();
    let (mut sent, mut refused): (Vec<String>, Option<Failure>) = (Vec::new(), None);
    for file in files {
        match session.client.asked_file(file).await {
            Ok(file) if !asked.insert(file.path().to_owned()) => {}
            Ok(file) => {
                if let AskedFile::Sent(upload) = &file {
                    sent.push(escaped(&path_bytes(upload.name())));
                }
                request.add(file);
            }
            Err(error) => {
                let is_of_one_file = is_of_one_file(&error);
                let before = refused.replace(error.into());
                before.into_iter().for_each(eprint_line);
                if !is_of_one_file {
                    break;
                }
            }
        }
    }
    if refused.is_none() && !session.printer.is_json() {
        sent_sentence(&sent).into_iter().for_each(eprint_line);
    }
    refused.map_or(Ok(()), Err)
}

/// Files named in one sentence.
const MAX_NAMED: usize = 8;

/// What is said of the files whose bytes are sent; `None` if there are none.
fn sent_sentence(sent: &[String]) -> Option<String> {
    match sent {
        [] => None,
        [path] => Some(format!(
            "{path} is not indexed: its bytes are sent and read for this report"
        )),
        paths => {
            let named = &paths[..paths.len().min(MAX_NAMED)];
            let more = match paths.len() - named.len() {
                0 => String::new(),
                more => format!(" and {} more", grouped(more as u64)),
            };
            let (files, named) = (counted(paths.len() as u64, "file"), named.join(", "));
            Some(format!(
                "{files} are not indexed ({named}{more}): their bytes are sent and read for this report"
            ))
        }
    }
}

/// Whether an error is about the one file asked for: others may still be known or readable.
fn is_of_one_file(error: &Error) -> bool {
    match error {
        Error::NoSuchFile { .. } | Error::NotRegular { .. } | Error::Unreadable { .. } => true,
        Error::Status { code, .. } => *code == Code::InvalidArgument,
        _ => false,
    }
}

/// What is said of a file asked about whose text was not compared.
fn not_compared(file: &wire::FileNotCompared) -> String {
    let path = escaped(&file.path);
    let why = why_not_compared(&file.state, &file.reason);
    format!("the text of {path} was not compared: {why}; files of the same bytes are found")
}

/// Opens the earlier report if the client is to compare with it; the daemon itself compares the reports that it keeps.
/// Whatever can be refused is refused here: before the daemon starts work that would be wasted, and before a wait that
/// may take hours.
fn earlier(args: &ReportArgs, kind: &str) -> Result<Option<EarlierReport>, Failure> {
    let (Some(since), Some(out)) = (&args.since, &args.target.out) else {
        return Ok(None);
    };
    let earlier = EarlierReport::open(since)?;
    earlier.check_kind(kind)?;
    EarlierReport::check_place(&absolute(out)?)?;
    Ok(Some(earlier))
}

/// What changed since an earlier report: this client compares with it and writes that, or the daemon did both. The hash
/// of the earlier report comes first.
fn changes(
    earlier: Option<EarlierReport>,
    reply: &wire::RunReportReply,
) -> Result<Option<(String, SavedChanges)>, Failure> {
    if let Some(earlier) = earlier {
        let since = earlier.manifest.clone();
        let saved = earlier.write_changes(path_from_bytes(&reply.out))?;
        return Ok(Some((since, saved)));
    }
    let Some(changes) = &reply.changes else {
        return Ok(None);
    };
    let caveats = changes.caveats.iter();
    let saved = SavedChanges {
        out: path_from_bytes(&changes.out).to_owned(),
        totals: Totals::from_counts(&changes.totals),
        caveats: caveats.filter_map(|name| Caveat::of_name(name)).collect(),
    };
    Ok(Some((changes.since.clone(), saved)))
}

fn print_changes(
    session: &mut Session,
    (since, saved): (String, SavedChanges),
) -> Result<(), Failure> {
    let (out, totals) = (simdex_client::path_bytes(&saved.out), saved.totals);
    if let Some(sentence) = caveats_sentence(&saved.caveats) {
        eprint_line(&sentence);
    }
    if session.printer.is_json() {
        let caveats = saved.caveats.iter().map(|caveat| caveat.name());
        session.printer.line(&Changes {
            out: JsonPath::new(&out),
            since,
            totals,
            caveats: caveats.collect(),
        })?;
        return Ok(());
    }
    writeln!(session.printer, "{}", escaped(&out))?;
    eprint_line(changed(&totals));
    Ok(())
}

/// How many files a question found, and what may be missing; `None` for a report of another kind.
fn found(sums: &HashMap<String, u64>) -> Option<String> {
    let sum = |name: &str| sums.get(name).copied();
    let mut said = match (
        sum("copies"),
        sum("stale_files"),
        sum("found"),
        sum("hard_links"),
    ) {
        (Some(copies), ..) => format!("{} found", plural_of(copies, "copy", "copies")),
        (_, Some(stale), ..) => format!("{} found", counted(stale, "stale file")),
        (_, _, Some(found), _) => format!("{} found", counted(found, "file")),
        (.., Some(links)) => {
            let same = |name| counted(sum(name).unwrap_or(0), "file");
            format!(
                "{} with the same bytes and {} with the same text found, and {}",
                same("identical_bytes_files"),
                same("identical_text_files"),
                counted(links, "hard link")
            )
        }
        _ => return None,
    };
    let searches = ["search", "searches"];
    for (name, [one, many], why) in [
        ("cut_short", searches, "reached a limit: there may be more"),
        ("uncertain", searches, "may have missed something"),
        ("not_compared", ["file", "files"], "could not be compared"),
        (
            "unreached",
            ["copy", "copies"],
            "in roots that are not up to date, not listed",
        ),
    ] {
        if let Some(count @ 1..) = sum(name) {
            said.push_str(&format!("; {} {why}", plural_of(count, one, many)));
        }
    }
    Some(said)
}

/// A count with its noun in the right number.
fn plural_of(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The extent of the changes, as a sentence.
fn changed(totals: &Totals) -> String {
    match totals {
        Totals::Groups(totals) => format!(
            "since the earlier report: {} new, {} gone, {} changed; in groups {} joined, {} left, {} with another text",
            counted(totals.groups_new, "group"),
            counted(totals.groups_gone, "group"),
            counted(totals.groups_changed, "group"),
            counted(totals.files_joined, "file"),
            counted(totals.files_left, "file"),
            counted(totals.files_changed, "file"),
        ),
        Totals::Findings(totals) => format!(
            "since the earlier report: {} new, {} gone, {} changed",
            counted(totals.findings_new, "file"),
            counted(totals.findings_gone, "file"),
            counted(totals.findings_changed, "file"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_found_is_said_with_what_may_be_missing() {
        let said = |sums: &[(&str, u64)]| {
            let sums = sums.iter().map(|(name, sum)| ((*name).to_owned(), *sum));
            found(&sums.collect())
        };
        assert_eq!(said(&[]), None);
        assert_eq!(said(&[("copies", 1)]).unwrap(), "1 copy found");
        assert_eq!(
            said(&[
                ("stale_files", 1_325),
                ("cut_short", 1),
                ("not_compared", 2)
            ])
            .unwrap(),
            "1325 stale files found; 1 search reached a limit: there may be more; 2 files could not be compared"
        );
        assert_eq!(
            said(&[("found", 0), ("uncertain", 3), ("cut_short", 0)]).unwrap(),
            "0 files found; 3 searches may have missed something"
        );
        let freed = [
            ("identical_bytes_files", 3),
            ("identical_text_files", 1),
            ("hard_links", 1),
            ("unreached", 2),
        ];
        assert_eq!(
            said(&freed).unwrap(),
            "3 files with the same bytes and 1 file with the same text found, and 1 hard link; \
             2 copies in roots that are not up to date, not listed"
        );
    }

    #[test]
    fn files_that_are_sent_are_named_in_one_sentence() {
        let said = |count: usize| {
            let sent: Vec<String> = (0..count).map(|at| format!("/{at}")).collect();
            sent_sentence(&sent)
        };
        assert_eq!(said(0), None);
        assert!(said(1).unwrap().starts_with("/0 is not indexed: "));
        assert!(
            said(2)
                .unwrap()
                .starts_with("2 files are not indexed (/0, /1): ")
        );
        assert!(said(1_100).unwrap().contains("/7 and 1,092 more): "));
    }

    #[test]
    fn a_text_that_is_indexed_was_not_compared_for_another_reason() {
        let said = |state: &str, reason: &str| {
            not_compared(&wire::FileNotCompared {
                path: b"/a.txt".to_vec(),
                state: state.to_owned(),
                reason: reason.to_owned(),
            })
        };
        assert_eq!(
            said("failed", "read-error"),
            "the text of /a.txt was not compared: the file could not be read (read-error); files of the same bytes are found"
        );
        assert!(!said("indexed", "").contains("it is indexed"));
    }
}
