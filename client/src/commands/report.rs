//! `report`: writes a report directory, or has the daemon keep one; prints its path.

use std::io::Write;

use simdex_client::absolute;

use crate::cli::ReportArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::{eprint_line, summary_sentence};
use crate::progress::waiting;
use simdex_client::lines::SavedReport as ReportLine;
use simdex_client::text::escaped;

pub(super) async fn run(session: &mut Session, args: ReportArgs) -> Result<Outcome, Failure> {
    let (options, threshold) = (args.options()?, args.threshold.value);
    let reply = match (args.target.out, args.target.keep) {
        (Some(out), _) => {
            let out = absolute(&out)?;
            let call = session.client.save_report(&out, threshold, options);
            waiting("writing the report", call).await?.into()
        }
        (None, name) => {
            let name = name.unwrap_or_default();
            let call = session.client.keep_report(&name, threshold, options);
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
    let summary = reply.summary.as_ref();
    session.warn_if_incomplete(summary.and_then(|summary| summary.completeness.as_ref()));
    Ok(Outcome::Answered)
}
