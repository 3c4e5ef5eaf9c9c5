//! `folders`: folders, archives and roots that are copies of each other as a whole.

use std::convert::identity;

use simdex_client::lines::FolderCopiesSummary;
use simdex_client::text::{counted, grouped};
use simdex_client::wire;

use crate::cli::FoldersArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::progress::waiting;

/// Maximum number of files listed per folder that have no counterpart in the other.
const NAMED: u32 = 100;

pub(super) async fn run(session: &mut Session, args: FoldersArgs) -> Result<Outcome, Failure> {
    session
        .apply_completeness_flags(&args.list.completeness)
        .await?;
    let roots = session.root_ids(&args.list.roots.paths).await?;
    let exceptions = if args.exceptions { NAMED } else { 0 };
    let call = session
        .client
        .folder_copies(args.share, args.files, exceptions, roots);
    let listing = waiting("comparing folders", call).await?;
    let (count, summary) = session.print(listing, args.list.limit, identity).await?;
    let pairs = counted(summary.pairs, "pair");
    let files = counted(summary.files, "file");
    session.print_summary_line(
        &FolderCopiesSummary::from(&summary),
        &format!("{pairs} of folders in {files}"),
        missing(&summary).as_deref(),
        summary.completeness.as_ref(),
    )?;
    Ok(Outcome::of_search(count))
}

/// Which pairs may be missing, and why; `None` if all are listed.
fn missing(summary: &wire::FolderCopiesSummary) -> Option<String> {
    if summary.truncated {
        let said = "not all may be listed: more folders have files in common than are held, or lie deeper than 64; name \
                    fewer roots";
        return Some(said.to_owned());
    }
    let compared = match summary.too_common {
        0 => return None,
        1 => "1 text or name that more than 8 files carry was".to_owned(),
        some => format!(
            "{} texts or names that more than 8 files carry were",
            grouped(some)
        ),
    };
    Some(format!(
        "{compared} compared with the next folder alone: of folders that have only such in common not every pair is listed"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_missing_is_told_with_its_reason() {
        let told = |truncated, too_common| {
            missing(&wire::FolderCopiesSummary {
                truncated,
                too_common,
                ..wire::FolderCopiesSummary::default()
            })
        };
        assert_eq!(told(false, 0), None);
        assert_eq!(
            told(false, 1_200).unwrap(),
            "1,200 texts or names that more than 8 files carry were compared with the next folder alone: of folders that \
             have only such in common not every pair is listed"
        );
        assert!(
            told(false, 1)
                .unwrap()
                .starts_with("1 text or name that more than 8 files carry was")
        );
        assert!(told(true, 1).unwrap().contains("name fewer roots"));
    }
}
