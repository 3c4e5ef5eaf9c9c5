//! `rescan`: scans roots again.

use std::path::PathBuf;

use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;
use simdex_client::lines::Rescan;
use simdex_client::text::counted;

pub(super) async fn run(session: &mut Session, paths: &[PathBuf]) -> Result<Outcome, Failure> {
    let named = session.client.roots_at(paths).await?;
    let roots = session.client.rescan(&named).await?;
    if session.printer.is_json() {
        session.printer.line(&Rescan { roots })?;
    } else {
        let count = counted(u64::from(roots), "root");
        eprint_line(format!(
            "{count} will be walked again; `simctl sync` waits for the end"
        ));
    }
    Ok(Outcome::Answered)
}
