//! `sync`: waits until every change made before is applied.

use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;
use crate::progress::waiting;
use simdex_client::lines::Sync;
use simdex_client::text::counted;

pub(super) async fn run(session: &mut Session) -> Result<Outcome, Failure> {
    let reply = waiting("waiting for the daemon", session.client.sync()).await?;
    if session.printer.is_json() {
        session.printer.line(&Sync {
            seconds: reply.seconds,
            files: reply.files,
            unreadable: reply.unreadable,
        })?;
    } else {
        let files = counted(reply.files, "file");
        eprint_line(format!("{files} up to date after {:.1} s", reply.seconds));
    }
    if reply.unreadable > 0 {
        let paths = counted(reply.unreadable, "path");
        eprint_line(format!(
            "{paths} cannot be read: answers lack what is there, or show its earlier state; see `simctl roots`"
        ));
    }
    Ok(Outcome::Answered)
}
