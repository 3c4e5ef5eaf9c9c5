//! `roots`: the watched roots; `roots confirm-loss`: takes a held loss as real.

use std::path::PathBuf;

use simdex_client::wire::Root;

use crate::cli::RootsVerb;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;
use simdex_client::lines::ConfirmedLoss;
use simdex_client::lines::{exact, lossy};
use simdex_client::text::{counted, escaped};

pub(super) async fn run(
    session: &mut Session,
    verb: Option<RootsVerb>,
) -> Result<Outcome, Failure> {
    match verb {
        Some(RootsVerb::ConfirmLoss { root }) => confirm_loss(session, root).await,
        None => list(session).await,
    }
}

async fn list(session: &mut Session) -> Result<Outcome, Failure> {
    let roots = session.client.roots().await?;
    let mut list = session.printer.list::<Root>();
    for root in &roots {
        list.record(root)?;
    }
    list.end()?;
    Ok(Outcome::Answered)
}

async fn confirm_loss(session: &mut Session, path: PathBuf) -> Result<Outcome, Failure> {
    for root in session.client.roots_at(&[path]).await? {
        // The daemon removes what is told here, and nothing where it finds another loss.
        eprint_line(format!(
            "{} is {}: {} missing",
            escaped(&root.path),
            root.state,
            counted(root.pending_loss, "file")
        ));
        let removed = session.client.confirm_loss(&root).await?;
        if session.printer.is_json() {
            let (root, root_bytes) = (lossy(&root.path), exact(&root.path));
            session.printer.line(&ConfirmedLoss {
                root,
                root_bytes,
                removed,
            })?;
        } else {
            eprint_line(format!(
                "removed {} of {}",
                counted(removed, "file"),
                escaped(&root.path)
            ));
        }
    }
    Ok(Outcome::Answered)
}
