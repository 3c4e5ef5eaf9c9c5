//! `groups`: every group of near-duplicates, its members around their principal.

use std::convert::identity;

use crate::cli::ListArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;

pub(super) async fn run(session: &mut Session, args: ListArgs) -> Result<Outcome, Failure> {
    let roots = session.root_ids(&args.roots.paths).await?;
    let groups = session.client.groups(args.threshold.value, roots).await?;
    let (count, summary) = session.print(groups, args.limit, identity).await?;
    session.close(&summary)?;
    Ok(Outcome::of_search(count))
}
