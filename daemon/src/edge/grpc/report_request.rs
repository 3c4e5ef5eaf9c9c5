//! Decodes a request for a report.

use std::path::PathBuf;

use simdex_proto::v1;
use tonic::{Code, Status};

use super::request_params::parse_path;
use super::status::Refused;
use crate::base::echo::echo;
use crate::engine::Engine;
use crate::reports::maker::{LoadFileNames, ReportRequest, UncheckedReport};

/// Decodes a request for a report, and the paths of the files that follow it. Contradictory parameters are refused
/// before anything is received or written.
pub(super) fn parse(
    engine: &Engine,
    threshold: Option<f64>,
    strict: bool,
    options: Option<v1::ReportOptions>,
) -> Result<(ReportRequest, Vec<PathBuf>), Status> {
    let v1::ReportOptions {
        load_file,
        kind,
        files,
        older_than_seconds,
        protected,
        with_judgement,
        roots,
        common,
        mining_seconds,
        containment,
        sent_files,
    } = options.unwrap_or_default();
    let sent_files = paths(sent_files)?;
    let unchecked = UncheckedReport {
        kind: bounded_name(kind)?,
        files: paths(files)?,
        sent_files: sent_files.clone(),
        older_than: older_than_seconds,
        protected: paths(protected)?,
        roots: paths(roots)?,
        common,
        mining_seconds,
        threshold,
        containment,
        load_file: load_file.map(names).transpose()?,
        with_judgement,
    };
    let checked = unchecked.check();
    let checked = checked.map_err(|error| {
        Refused::new(Code::InvalidArgument, &error.to_string()).advised(error.advice())
    })?;
    let request = checked.request(engine, strict);
    let request = request.map_err(|unknown| Status::not_found(unknown.to_string()))?;
    Ok((request, sent_files))
}

fn paths(paths: Vec<Vec<u8>>) -> Result<Vec<PathBuf>, Status> {
    paths.into_iter().map(parse_path).collect()
}

fn names(load: v1::LoadFile) -> Result<LoadFileNames, Status> {
    Ok(LoadFileNames {
        format: bounded_name(load.format)?,
        profile: bounded_name(load.profile)?,
        encoding: bounded_name(load.encoding)?,
    })
}

/// Longest name of a kind, format, profile or encoding, bytes.
const LONGEST_NAME: usize = 64;

/// A name that an error message may repeat; refused if it is longer than any valid one.
fn bounded_name(name: String) -> Result<String, Status> {
    if name.len() <= LONGEST_NAME {
        return Ok(name);
    }
    let said = echo(name.as_bytes());
    let refused = format!("\"{said}\" is longer than any name of a kind of report or load file");
    Err(Status::invalid_argument(refused))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_as_it_is_and_one_too_long_is_refused_in_short() {
        let odd = "no\tkind".to_owned();
        assert_eq!(bounded_name(odd.clone()).unwrap(), odd);
        let refused = bounded_name("k".repeat(1 << 20)).unwrap_err();
        assert!(refused.message().len() < 400, "{refused}");
    }
}
