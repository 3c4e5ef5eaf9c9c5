//! `folders`: folders, archives and roots that are copies of each other as a whole.

use std::convert::identity;

use simdex_client::lines::FolderCopiesSummary;
use simdex_client::text::counted;

use crate::cli::FoldersArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;
use crate::progress::waiting;

pub(super) async fn run(session: &mut Session, args: FoldersArgs) -> Result<Outcome, Failure> {
    session.apply_completeness_flags(&args.wanted).await?;
    let roots = session.root_ids(&args.roots.paths).await?;
    let asked = session.client.folder_copies(args.share, args.files, roots);
    let listing = waiting("comparing folders", asked).await?;
    let (count, summary) = session.print(listing, args.limit, identity).await?;
    if session.printer.is_json() {
        session.printer.line(&FolderCopiesSummary::from(&summary))?;
    } else {
        let pairs = counted(summary.pairs, "pair");
        eprint_line(format!(
            "{pairs} of folders in {}",
            counted(summary.files, "file")
        ));
        if summary.truncated {
            eprint_line(
                "not all may be listed: more folders have files in common than are held; name fewer roots",
            );
        }
    }
    session.warn_if_incomplete(summary.completeness.as_ref());
    Ok(Outcome::of_search(count))
}
