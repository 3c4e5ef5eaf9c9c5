//! The verbs, one file each, and what they share: the connection, the printer, lists.

mod compare;
mod completions;
mod files;
mod find;
mod groups;
mod pairs;
mod report;
mod rescan;
mod roots;
mod show;
mod status;
mod sync;

use std::io::{BufWriter, StdoutLock};
use std::path::{Path, PathBuf};

use simdex_client::completeness::Completeness;
use simdex_client::wire::{self, Summary};
use simdex_client::{Client, FindKind, Listing, Reply, default_socket, shown};

use crate::cli::{Cli, Verb, Wanted};
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::{Printer, Record, json, summary_sentence, talk};
use crate::progress::waiting;

/// A connection and the place answers go to.
struct Session {
    client: Client,
    printer: Printer<BufWriter<StdoutLock<'static>>>,
}

/// Runs the verb that was typed.
pub(crate) async fn run(cli: Cli) -> Result<Outcome, Failure> {
    let Cli { global, verb } = cli;
    let mut printer = Printer::on_stdout(global.json);
    if let Verb::Completions { shell } = verb {
        completions::run(shell, &mut printer)?;
        return Ok(Outcome::Answered);
    }
    let socket = global.socket.unwrap_or_else(default_socket);
    let client = Client::connect(&socket).await?;
    let mut session = Session { client, printer };
    let outcome = ask(&mut session, verb).await?;
    session.printer.finish()?;
    Ok(outcome)
}

async fn ask(session: &mut Session, verb: Verb) -> Result<Outcome, Failure> {
    match verb {
        Verb::FindSimilar(args) => find::run(session, FindKind::Similar, args).await,
        Verb::Containing(args) => find::run(session, FindKind::Containing, args).await,
        Verb::ContainedIn(args) => find::run(session, FindKind::Contained, args).await,
        Verb::Versions(args) => find::run(session, FindKind::Versions, args).await,
        Verb::Compare {
            a,
            b,
            no_difference,
        } => compare::run(session, &a, &b, no_difference).await,
        Verb::Pairs(args) => pairs::run(session, args).await,
        Verb::Groups(args) => groups::run(session, args).await,
        Verb::Status => status::run(session).await,
        Verb::Files(args) => files::run(session, args).await,
        Verb::Show { file } => show::run(session, &file).await,
        Verb::Roots { verb } => roots::run(session, verb).await,
        Verb::Rescan { roots } => rescan::run(session, &roots).await,
        Verb::Sync => sync::run(session).await,
        Verb::Report {
            target,
            threshold,
            wanted,
        } => {
            session.want(&wanted).await?;
            report::run(session, target, threshold.value).await
        }
        Verb::Completions { .. } => Ok(Outcome::Answered),
    }
}

impl Session {
    /// Waits, where asked to, until the index is complete; from here on refuses what is not, where
    /// asked to.
    async fn want(&mut self, wanted: &Wanted) -> Result<(), Failure> {
        self.client = self.client.clone().strict(wanted.strict);
        if wanted.wait {
            let what = "waiting until the index is complete";
            waiting(what, self.client.wait()).await?;
        }
        Ok(())
    }

    /// Says what an answer for people lacks, in one line.
    fn tell(&self, completeness: Option<&wire::Completeness>) {
        let pending = completeness.and_then(|told| Completeness::from(told).pending);
        if let (Some(pending), false) = (pending, self.printer.is_json()) {
            let advice = pending.advice();
            talk(format!("the index is not complete: {pending}; {advice}"));
        }
    }

    /// The ids of the roots at `paths`.
    async fn root_ids(&self, paths: &[PathBuf]) -> Result<Vec<u32>, Failure> {
        let roots = self.client.roots_at(paths).await?;
        Ok(roots.iter().map(|root| root.id).collect())
    }

    /// Prints a list as it comes, at most `limit` items; returns their number and what closed it.
    async fn print<R, T>(
        &mut self,
        mut listing: Listing<R>,
        limit: Option<u64>,
        as_record: impl Fn(R::Item) -> T,
    ) -> Result<(u64, R::Closing), Failure>
    where
        R: Reply,
        T: Record,
    {
        let limit = limit.unwrap_or(u64::MAX);
        let mut printed = 0;
        let mut list = self.printer.list::<T>();
        while printed < limit {
            let Some(item) = listing.next().await? else {
                break;
            };
            list.record(&as_record(item))?;
            printed += 1;
        }
        list.end()?;
        Ok((printed, listing.closing().await?))
    }

    /// Closes a list with the counts that stand behind it.
    fn close(&mut self, summary: &Summary) -> Result<(), Failure> {
        if self.printer.is_json() {
            self.printer.line(&json::Summary::from(summary))?;
        } else {
            talk(summary_sentence(summary));
        }
        self.tell(summary.completeness.as_ref());
        Ok(())
    }
}

/// The absolute path of FILE, as it is shown; none where it is `-`, standard input.
fn path_unless_stdin(file: &Path) -> Result<Option<PathBuf>, Failure> {
    let named = file.as_os_str() != "-";
    Ok(named.then(|| shown(file)).transpose()?)
}
