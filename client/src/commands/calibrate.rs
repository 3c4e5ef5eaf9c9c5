//! `calibrate`: how coarsely documents of each size may be sampled.

use std::path::PathBuf;

use simdex_client::lines::Calibration;

use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::progress::waiting;

pub(super) async fn run(
    session: &mut Session,
    precision: Option<f64>,
    threshold: Option<f64>,
    roots: &[PathBuf],
) -> Result<Outcome, Failure> {
    let roots = session.root_ids(roots).await?;
    let asked = session.client.calibrate(precision, threshold, roots);
    let reply = waiting("measuring", asked).await?;
    if session.printer.is_json() {
        session.printer.line(&Calibration::from(&reply))?;
    } else {
        session.printer.calibration(&reply)?;
    }
    session.warn_if_incomplete(reply.completeness.as_ref());
    Ok(Outcome::Answered)
}
