//! `report`: writes a report directory, or has the daemon keep one; prints its path.

use std::io::Write;
use std::path::Path;

use simdex_client::{EarlierReport, Totals, absolute, caveats_sentence, path_from_bytes, wire};

use crate::cli::ReportArgs;
use crate::commands::{Session, UNJUDGED_ADVICE};
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::{eprint_line, summary_sentence};
use crate::progress::waiting;
use simdex_client::lines::SavedReport as ReportLine;
use simdex_client::lines::{Changes, JsonPath};
use simdex_client::text::{counted, escaped};

pub(super) async fn run(session: &mut Session, args: ReportArgs) -> Result<Outcome, Failure> {
    let roots = session.client.roots_at(&args.roots.paths).await?;
    let roots = roots.into_iter().map(|root| root.path).collect();
    let (options, threshold) = (args.options(roots)?, args.threshold.value);
    let earlier = earlier(&args, &options.kind)?;
    session.apply_completeness_flags(&args.completeness).await?;
    let reply = match (args.target.out, args.target.keep) {
        (Some(out), _) => {
            let out = absolute(&out)?;
            let call = session.client.download_report(&out, threshold, options);
            waiting("writing the report", call).await?.into()
        }
        (None, name) => {
            let name = name.unwrap_or_default();
            let since = args.since.as_deref().map(Path::as_os_str);
            let call = session.client.keep_report(&name, since, threshold, options);
            waiting("having the report written", call).await?
        }
    };
    if session.printer.is_json() {
        session.printer.line(&ReportLine::from(&reply))?;
    } else {
        writeln!(session.printer, "{}", escaped(&reply.out))?;
        if let Some(summary) = &reply.summary {
            eprint_line(summary_sentence(summary));
        }
        eprint_line(format!("the manifest's hash is {}", reply.manifest));
    }
    if let Some(earlier) = earlier {
        changes(session, earlier, &reply)?;
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

/// Writes what changed since an earlier report.
fn changes(
    session: &mut Session,
    earlier: EarlierReport,
    reply: &wire::RunReportReply,
) -> Result<(), Failure> {
    let since = earlier.manifest.clone();
    let saved = earlier.write_changes(path_from_bytes(&reply.out))?;
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

/// The extent of the changes, as a sentence.
fn changed(totals: &Totals) -> String {
    match totals {
        Totals::Groups(totals) => format!(
            "since the earlier report: {} new, {} gone, {} changed; {} joined, {} left, {} with another text",
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
