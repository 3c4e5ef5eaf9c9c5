//! `folders`: folders, archives and roots that are copies of each other as a whole.

use std::convert::identity;

use simdex_client::lines::FolderCopiesSummary;
use simdex_client::text::counted;

use crate::cli::FoldersArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::progress::waiting;

pub(super) async fn run(session: &mut Session, args: FoldersArgs) -> Result<Outcome, Failure> {
    session.apply_completeness_flags(&args.wanted).await?;
    let roots = session.root_ids(&args.roots.paths).await?;
    let asked = session.client.folder_copies(args.share, args.files, roots);
    let listing = waiting("comparing folders", asked).await?;
    let (count, summary) = session.print(listing, args.limit, identity).await?;
    let pairs = counted(summary.pairs, "pair");
    let files = counted(summary.files, "file");
    session.print_closing(
        &FolderCopiesSummary::from(&summary),
        &format!("{pairs} of folders in {files}"),
        summary.truncated.then_some(
            "not all may be listed: more folders have files in common than are held; name fewer roots",
        ),
        summary.completeness.as_ref(),
    )?;
    Ok(Outcome::of_search(count))
}
