//! Decodes what a report is to hold.

use simdex_proto::{defaults, v1};
use tonic::Status;

use super::admin::root_at;
use super::question::{self, parse_path};
use super::status::echo;
use crate::engine::Engine;
use crate::findings::{FindingKind, MOST_FILES, check_question};
use crate::report::LoadFile;
use crate::reporting::{ReportKind, ReportRequest};

/// Decodes a request for a report. What does not belong together is refused before anything is written.
pub(super) fn parse(
    engine: &Engine,
    threshold: Option<f64>,
    strict: bool,
    options: Option<v1::ReportOptions>,
) -> Result<ReportRequest, Status> {
    let options = options.unwrap_or_default();
    let load = options.load_file.clone().map(load_file).transpose()?;
    let kind = kind(engine, options)?;
    if load.is_some() && kind != ReportKind::Groups {
        return Err(Status::invalid_argument(
            "only a report of kind groups has a load file",
        ));
    }
    if threshold.is_some()
        && let ReportKind::Question(FindingKind::StaleVersions(_) | FindingKind::Duplicates) = &kind
    {
        return Err(Status::invalid_argument(
            "a report of kind stale-versions or duplicates takes no threshold",
        ));
    }
    let threshold = match &kind {
        ReportKind::Question(FindingKind::Leak(_)) => threshold.or(Some(defaults::CONTAINMENT)),
        _ => threshold,
    };
    Ok(ReportRequest {
        since: None,
        threshold: question::parse_threshold(engine, threshold)?,
        strict,
        load,
        kind,
    })
}

fn kind(engine: &Engine, options: v1::ReportOptions) -> Result<ReportKind, Status> {
    let v1::ReportOptions {
        load_file: _,
        kind,
        files,
        older_than_seconds,
        protected,
    } = options;
    let has = [
        !files.is_empty(),
        older_than_seconds.is_some(),
        !protected.is_empty(),
    ];
    check_question(&echo(kind.as_bytes()), has).map_err(Status::invalid_argument)?;
    Ok(ReportKind::Question(match kind.as_str() {
        "copies-of" if files.len() > MOST_FILES => {
            return Err(question::too_many(files.len(), "files"));
        }
        "copies-of" => {
            let files = files.into_iter().map(parse_path);
            FindingKind::CopiesOf(files.collect::<Result<_, _>>()?)
        }
        "stale-versions" => FindingKind::StaleVersions(older_than_seconds.unwrap_or_default()),
        "leak" => {
            question::check_root_count(protected.len())?;
            let roots = protected.into_iter().map(|path| root_at(engine, path));
            let ids = roots.map(|root| root.map(|root| root.id));
            FindingKind::Leak(ids.collect::<Result<_, _>>()?)
        }
        "duplicates" => FindingKind::Duplicates,
        // Other names were refused.
        _ => return Ok(ReportKind::Groups),
    }))
}

/// Decodes the names of a load file.
fn load_file(load: v1::LoadFile) -> Result<LoadFile, Status> {
    let names = [load.format, load.profile, load.encoding];
    let [format, profile, encoding] = names.map(|name| echo(name.as_bytes()));
    LoadFile::named(&format, &profile, &encoding)
        .map_err(|error| Status::invalid_argument(error.to_string()))
}
