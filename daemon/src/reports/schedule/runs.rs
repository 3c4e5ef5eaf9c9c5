//! The reports of a schedule: those recorded in the index, and those that a crash kept from being recorded.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use simdex_index::{IndexError, Registry};

use super::Schedule;
use crate::engine::Engine;
use crate::reports::maker::ReportingError;
use crate::reports::report::ReportDir;

/// The reports of a schedule that the index has recorded: when each was due, and its path.
pub(super) fn recorded_reports(
    registry: &Registry,
    reports: &ReportDir,
    schedule: &Schedule,
) -> Result<Vec<(Timestamp, PathBuf)>, IndexError> {
    let mut found = Vec::new();
    registry.reports_after(0, &mut |_, record| {
        let path = Path::new(OsStr::from_bytes(&record.out));
        let is_here = path.parent() == Some(reports.path());
        let name = path.file_name().and_then(OsStr::to_str).filter(|_| is_here);
        let due = name.and_then(|name| schedule.due_of(name));
        found.extend(due.map(|due| (due, path.to_owned())));
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// The last report of a schedule before now.
pub(super) fn last(
    registry: &Registry,
    reports: &ReportDir,
    schedule: &Schedule,
    now: Timestamp,
) -> Result<Option<(Timestamp, PathBuf)>, ReportingError> {
    // A report that is due later was made under a wrong clock.
    let mut known = recorded_reports(registry, reports, schedule)?;
    known.retain(|(due, _)| *due <= now);
    Ok(known.into_iter().max())
}

/// Records the reports of a schedule that are complete but not recorded: a report gets its name first, and a
/// crash may come before it is recorded in the index. Such a report bears the mark of this daemon.
pub(super) fn adopt(
    engine: &Engine,
    reports: &ReportDir,
    schedule: &Schedule,
) -> Result<(), ReportingError> {
    let known = recorded_reports(engine.index.registry(), reports, schedule)?;
    for name in reports.names()? {
        let is_run = name
            .to_str()
            .is_some_and(|name| schedule.due_of(name).is_some());
        let path = reports.path().join(&name);
        if !is_run || known.iter().any(|(_, known)| *known == path) {
            continue;
        }
        if let Some(groups) = reports.groups_in(&name, engine.own_reports.key()) {
            let now = Timestamp::now().as_microsecond().unsigned_abs();
            engine.writer().put_report(now, &path, groups)?;
            tracing::info!(report = %path.display(), "a report that was finished before a crash is now listed");
        }
    }
    Ok(())
}
