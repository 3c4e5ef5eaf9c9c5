//! `report`: has a report directory written; prints its path.

use std::io::Write;
use std::path::Path;

use simdex_client::absolute;

use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::json::Report;
use crate::output::text::escaped;
use crate::output::{summary_sentence, talk};
use crate::progress::waiting;

pub(super) async fn run(
    session: &mut Session,
    out: &Path,
    threshold: Option<f64>,
) -> Result<Outcome, Failure> {
    let out = absolute(out)?;
    let call = session.client.run_report(&out, threshold);
    let report = waiting("writing the report", call).await?;
    if session.printer.is_json() {
        session.printer.line(&Report::from(&report))?;
    } else {
        writeln!(session.printer, "{}", escaped(&report.out))?;
        if let Some(summary) = &report.summary {
            talk(summary_sentence(summary));
        }
    }
    Ok(Outcome::Answered)
}
