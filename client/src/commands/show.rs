//! `show`: one file, or a member of a container, with everything on record about it.

use std::path::Path;

use crate::cli::CompletenessArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use simdex_client::lines::DescribedFile;

pub(super) async fn run(
    session: &mut Session,
    file: &Path,
    completeness: &CompletenessArgs,
) -> Result<Outcome, Failure> {
    session.apply_completeness_flags(completeness).await?;
    let reply = session.client.describe_file(file).await?;
    if session.printer.is_json() {
        session.printer.line(&DescribedFile::from(&reply))?;
    } else {
        session.printer.file(&reply.file.unwrap_or_default())?;
    }
    session.warn_if_incomplete(reply.completeness.as_ref());
    Ok(Outcome::Answered)
}
