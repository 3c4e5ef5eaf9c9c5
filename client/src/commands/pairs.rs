//! `pairs`: every pair of near-duplicates.

use std::convert::identity;

use crate::cli::PairsArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;

pub(super) async fn run(session: &mut Session, args: PairsArgs) -> Result<Outcome, Failure> {
    let PairsArgs { judge, list: args } = args;
    session.apply_completeness_flags(&args.wanted).await?;
    session.client = session.client.clone().judged(judge.is_on());
    let roots = session.root_ids(&args.roots.paths).await?;
    let pairs = session.client.pairs(args.threshold.value, roots).await?;
    let (count, summary) = session
        .print_without(judge.hidden(), pairs, args.limit, identity)
        .await?;
    session.print_summary(&summary)?;
    session.remark_unjudged(&summary, "pair");
    Ok(Outcome::of_search(count))
}
