//! `templates`: text that recurs in many documents of a root.

use std::convert::identity;

use simdex_client::lines::TemplatesSummary;
use simdex_client::text::counted;

use crate::cli::TemplatesArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::progress::waiting;

pub(super) async fn run(session: &mut Session, args: TemplatesArgs) -> Result<Outcome, Failure> {
    session.apply_completeness_flags(&args.wanted).await?;
    let roots = session.root_ids(&args.roots).await?;
    let asked = session
        .client
        .templates(args.min_documents, args.limit, roots);
    let listing = waiting("seeking templates", asked).await?;
    let (count, summary) = session.print(listing, None, identity).await?;
    let templates = counted(summary.templates, "template");
    let documents = counted(summary.documents, "document");
    session.print_closing(
        &TemplatesSummary::from(&summary),
        &format!("{templates} in {documents}"),
        summary.truncated.then_some(
            "not all are listed; --limit lists more, a higher --min-documents finds fewer",
        ),
        summary.completeness.as_ref(),
    )?;
    Ok(Outcome::of_search(count))
}
