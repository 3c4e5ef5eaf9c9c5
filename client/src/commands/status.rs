//! `status`: what the daemon holds and watches.

use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use simdex_client::lines::Status;

pub(super) async fn run(session: &mut Session) -> Result<Outcome, Failure> {
    let status = session.client.status().await?;
    if session.printer.is_json() {
        session.printer.line(&Status::from(&status))?;
    } else {
        session.printer.status(&status)?;
    }
    Ok(Outcome::Answered)
}
