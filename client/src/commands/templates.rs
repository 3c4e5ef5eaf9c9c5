//! `templates`: text that recurs in many documents of a root.

use std::convert::identity;

use simdex_client::lines::TemplatesSummary;
use simdex_client::text::counted;

use crate::cli::TemplatesArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;
use crate::progress::waiting;

pub(super) async fn run(session: &mut Session, args: TemplatesArgs) -> Result<Outcome, Failure> {
    session.apply_completeness_flags(&args.wanted).await?;
    let roots = session.root_ids(&args.roots).await?;
    let asked = session
        .client
        .templates(args.min_documents, args.limit, roots);
    let listing = waiting("seeking templates", asked).await?;
    let (count, summary) = session.print(listing, None, identity).await?;
    if session.printer.is_json() {
        session.printer.line(&TemplatesSummary::from(&summary))?;
    } else {
        let templates = counted(summary.templates, "template");
        eprint_line(format!(
            "{templates} in {}",
            counted(summary.documents, "document")
        ));
        if summary.truncated {
            eprint_line(
                "not all are listed; --limit lists more, a higher --min-documents finds fewer",
            );
        }
    }
    session.warn_if_incomplete(summary.completeness.as_ref());
    Ok(Outcome::of_search(count))
}
