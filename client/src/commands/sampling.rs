//! `sampling`: shows how coarsely documents of each size are sampled, or resets that to their length's default.

use simdex_client::lines::Sampling;
use simdex_client::wire::{self, SamplingGroup};

use crate::cli::SamplingArgs;
use crate::commands::Session;
use crate::commands::confirm::{can_ask, says_yes};
use crate::exit_code::Outcome;
use crate::failure::Failure;

pub(super) async fn run(session: &mut Session, args: &SamplingArgs) -> Result<Outcome, Failure> {
    if !args.reset {
        let sampling = session.client.sampling().await?;
        return show(session, &sampling);
    }
    if !args.yes {
        require_somebody()?;
        ask("have all documents sampled by their length alone again, which signs them again?")
            .await?;
    }
    choose(session, None).await
}

/// Sets the sampling of all documents, and shows the setting in force afterwards.
pub(super) async fn choose(
    session: &mut Session,
    groups: Option<Vec<SamplingGroup>>,
) -> Result<Outcome, Failure> {
    let sampling = session.client.set_sampling(groups).await?;
    show(session, &sampling)
}

/// Fails if nobody can be asked.
pub(super) fn require_somebody() -> Result<(), Failure> {
    match can_ask() {
        true => Ok(()),
        false => Err(unconfirmed()),
    }
}

/// Asks before the documents of the whole index are signed again.
pub(super) async fn ask(question: &str) -> Result<(), Failure> {
    match says_yes(question).await? {
        true => Ok(()),
        false => Err(unconfirmed()),
    }
}

fn unconfirmed() -> Failure {
    Failure::Unconfirmed {
        loss: "it was not confirmed that all documents are to be signed again, and nothing was changed"
            .to_owned(),
        advice: "say yes, or run it with --yes".to_owned(),
    }
}

fn show(session: &mut Session, sampling: &wire::Sampling) -> Result<Outcome, Failure> {
    if session.printer.is_json() {
        session.printer.line(&Sampling::from(sampling))?;
    } else {
        session.printer.sampling(sampling)?;
    }
    Ok(Outcome::Answered)
}
