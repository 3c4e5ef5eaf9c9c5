//! `files`: every file seen, with its state.

use std::convert::identity;

use simdex_client::shown;

use crate::cli::FilesArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;

pub(super) async fn run(session: &mut Session, args: FilesArgs) -> Result<Outcome, Failure> {
    session
        .apply_completeness_flags(&args.list.completeness)
        .await?;
    let roots = session.root_ids(&args.list.roots.paths).await?;
    let after = args.after.as_deref().map(shown).transpose()?;
    let files = session
        .client
        .files_after(after.as_deref(), args.states, roots);
    let files = files.await?;
    let (count, summary) = session.print(files, args.list.limit, identity).await?;
    session.print_summary(&summary)?;
    Ok(Outcome::of_search(count))
}
