//! Decodes what a report is to hold.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use simdex_proto::v1;
use tonic::Status;

use super::question::parse_path;
use crate::base::echo::echo;
use crate::engine::Engine;
use crate::reports::reporting::{LoadFileNames, ReportRequest, UncheckedReport};

/// Decodes a request for a report. What does not belong together is refused before anything is written.
pub(super) fn parse(
    engine: &Engine,
    threshold: Option<f64>,
    strict: bool,
    options: Option<v1::ReportOptions>,
) -> Result<ReportRequest, Status> {
    let v1::ReportOptions {
        load_file,
        kind,
        files,
        older_than_seconds,
        protected,
    } = options.unwrap_or_default();
    let asked = UncheckedReport {
        kind: echo(kind.as_bytes()),
        files: paths(files)?,
        older_than: older_than_seconds,
        protected: paths(protected)?,
        threshold,
        load_file: load_file.map(names),
    };
    let checked = asked.check();
    let checked = checked.map_err(|error| Status::invalid_argument(error.to_string()))?;
    checked.request(engine, strict).map_err(|path| {
        let path = echo(path.as_os_str().as_bytes());
        Status::not_found(format!("{path} is not a watched root"))
    })
}

fn paths(paths: Vec<Vec<u8>>) -> Result<Vec<PathBuf>, Status> {
    paths.into_iter().map(parse_path).collect()
}

fn names(load: v1::LoadFile) -> LoadFileNames {
    let names = [load.format, load.profile, load.encoding];
    let [format, profile, encoding] = names.map(|name| echo(name.as_bytes()));
    LoadFileNames {
        format,
        profile,
        encoding,
    }
}
