//! `roots`: the watched roots; `roots confirm-loss`: accepts a held loss as real.

use std::path::PathBuf;

use simdex_client::wire::Root;

use crate::cli::RootsVerb;
use crate::commands::Session;
use crate::commands::confirm::{can_ask, says_yes};
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
        Some(RootsVerb::ConfirmLoss { root, token }) => confirm_loss(session, root, token).await,
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
    if !session.printer.is_json() {
        let waiting = roots.iter().filter(|root| !root.loss_token.is_empty());
        waiting.for_each(|root| eprint_line(format!("{}; {}", loss(root), how_to_confirm(root))));
        roots.iter().filter_map(stale).for_each(eprint_line);
    }
    Ok(Outcome::Answered)
}

async fn confirm_loss(
    session: &mut Session,
    path: PathBuf,
    token: Option<String>,
) -> Result<Outcome, Failure> {
    for root in session.client.roots_at(&[path]).await? {
        // The loss may have changed since a person looked at it, so a given token is passed on as it is.
        let token = match &token {
            Some(token) => token.clone(),
            None => ask(&root).await?,
        };
        let removed = session.client.confirm_loss(&root, &token).await?;
        if session.printer.is_json() {
            let (root, root_bytes) = (lossy(&root.path), exact(&root.path));
            session.printer.line(&ConfirmedLoss {
                root,
                root_bytes,
                removed,
            })?;
        } else {
            eprint_line(format!(
                "removed {} of {} from the index; nothing on the share was touched",
                counted(removed, "file"),
                escaped(&root.path)
            ));
        }
    }
    Ok(Outcome::Answered)
}

/// Shows a loss to the person at the terminal, who accepts it as real; returns its token.
async fn ask(root: &Root) -> Result<String, Failure> {
    if root.loss_token.is_empty() {
        // No loss is held; the daemon's answer will say so.
        return Ok(String::new());
    }
    if !can_ask() {
        return Err(Failure::Unconfirmed {
            loss: loss(root),
            advice: how_to_confirm(root),
        });
    }
    match says_yes(&format!("{}: forget what is missing?", loss(root))).await? {
        true => Ok(root.loss_token.clone()),
        false => Err(Failure::Unconfirmed {
            loss: format!("{}, and nothing was removed", loss(root)),
            advice: how_to_confirm(root),
        }),
    }
}

/// Why a root is stale, if it is, and what helps: the table may cut it.
fn stale(root: &Root) -> Option<String> {
    let (path, why) = (escaped(&root.path), &root.detail);
    (root.state == "stale").then(|| {
        format!(
            "{path} is stale ({why}) and its files keep their last state; mount it again, make it readable, or remove it \
             from the config"
        )
    })
}

/// What the person would confirm.
fn loss(root: &Root) -> String {
    let path = escaped(&root.path);
    match root.state.as_str() {
        "replaced" => format!("{path} is replaced ({})", root.detail),
        state => {
            let missing = counted(root.pending_loss, "file");
            format!("{path} is {state}: {missing} missing")
        }
    }
}

fn how_to_confirm(root: &Root) -> String {
    let (path, token) = (escaped(&root.path), &root.loss_token);
    format!(
        "check the share, and only if the loss is real run \
         `simctl roots confirm-loss {path} --token {token}`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_root_is_stale_is_told_in_a_line_of_its_own() {
        let root = |state: &str| Root {
            path: b"/share".to_vec(),
            state: state.to_owned(),
            detail: "the directory is missing".to_owned(),
            ..Root::default()
        };
        let told = stale(&root("stale")).unwrap();
        assert!(
            told.starts_with("/share is stale (the directory is missing) and its files keep"),
            "{told}"
        );
        assert_eq!(stale(&root("watching")), None);
    }
}
