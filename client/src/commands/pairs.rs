//! `pairs`: every pair of near-duplicates.

use std::convert::identity;

use crate::cli::ListArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;

pub(super) async fn run(session: &mut Session, args: ListArgs) -> Result<Outcome, Failure> {
    session.apply_completeness_flags(&args.wanted).await?;
    let roots = session.root_ids(&args.roots.paths).await?;
    let pairs = session.client.pairs(args.threshold.value, roots).await?;
    let (count, summary) = session.print(pairs, args.limit, identity).await?;
    session.print_summary(&summary)?;
    Ok(Outcome::of_search(count))
}
