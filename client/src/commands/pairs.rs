//! `pairs`: every pair of near-duplicates, and on request of documents one of which contains the other.

use std::path::PathBuf;

use simdex_client::text::counted;
use simdex_client::wire::{Pair, PairPlace};
use simdex_client::{PairOptions, path_bytes, shown};

use crate::cli::PairsArgs;
use crate::commands::first_judged::FirstJudged;
use crate::commands::{Session, UNJUDGED_ADVICE};
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;
use crate::progress::ListBar;

pub(super) async fn run(session: &mut Session, args: PairsArgs) -> Result<Outcome, Failure> {
    let PairsArgs {
        after,
        judge,
        threshold,
        containment_threshold,
        list: args,
    } = args;
    let after = after.as_deref().map(place).transpose()?.flatten();
    session.apply_completeness_flags(&args.completeness).await?;
    session.client = session.client.clone().judged(judge.items());
    let roots = session.root_ids(&args.roots.paths).await?;
    let bar = ListBar::new();
    let mut client = session.client.clone();
    if !bar.is_hidden() {
        let shown = bar.clone();
        client = client.with_progress(move |progress| shown.show(progress));
    }
    let options = PairOptions {
        threshold: threshold.value,
        containment_threshold,
        after,
        limit: args.limit,
    };
    let pairs = client.pairs_with(options, roots).await;
    let pairs = pairs.inspect_err(|_| bar.end())?;
    let mut judged = FirstJudged::default();
    let noting = |pair: Pair| {
        judged.note(pair.not_judged());
        pair
    };
    let listed = session
        .print_with_progress(&bar, &[], pairs, args.limit, noting)
        .await;
    bar.end();
    let (count, summary) = listed?;
    session.print_summary(&summary)?;
    session.remark_first_judged(&judged, "pair");
    session.remark_unjudged(summary.unjudged, "pair", UNJUDGED_ADVICE);
    if let (Some(uncertain @ 1..), false) = (summary.uncertain, session.printer.is_json()) {
        let documents = counted(uncertain, "document");
        eprint_line(format!(
            "some files that contain {documents} may be missing: long files are sampled too coarsely for short ones"
        ));
    }
    Ok(Outcome::of_search(count))
}

/// The sort position of a pair of files, which need not exist any more.
fn place(files: &[PathBuf]) -> Result<Option<PairPlace>, Failure> {
    let [a, b] = files else { return Ok(None) };
    Ok(Some(PairPlace {
        a: path_bytes(&shown(a)?),
        b: path_bytes(&shown(b)?),
    }))
}
