//! Report keeping: the directory that the config names, and the schedules.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::causes::causes;
use crate::config::Config;
use crate::edge::grpc::ReportKeeping;
use crate::engine::slot::EngineSlot;
use crate::host::Host;
use crate::reports::report::{ReportDir, ReportError};
use crate::reports::schedule::Scheduler;

/// Opens the directory and reads the schedules; nothing runs yet.
pub(super) fn keeping(host: &Host, slot: &Arc<EngineSlot>) -> anyhow::Result<ReportKeeping> {
    let reports = report_dir(&host.config, Some(&host.data_dir))?;
    for warning in warnings(&host.config, reports.as_ref()) {
        tracing::warn!("{warning}");
    }
    if let Some(Err(error)) = reports.as_ref().map(ReportDir::remove_left_over) {
        tracing::warn!(%error, "not checking for reports left by a killed daemon");
    }
    let reports = reports.map(Arc::new);
    let scheduler = scheduler(host, slot, reports.as_ref())?;
    Ok(ReportKeeping { reports, scheduler })
}

/// The report directory, if the config names one. Fails if reports would do harm there, or if there are schedules that
/// could not write to it. Used at the start and by `check-config`.
pub(crate) fn report_dir(
    config: &Config,
    data_dir: Option<&Path>,
) -> Result<Option<ReportDir>, ReportError> {
    let Some(path) = &config.report_dir else {
        return Ok(None);
    };
    let reports = ReportDir::open(path)?
        .keeping_free(config.store.reserve_mib.bytes())?
        .with_max_reports(config.store.kept_reports);
    let roots = config.roots.iter().map(|root| root.path.clone());
    let guarded: Vec<PathBuf> = roots.chain(data_dir.map(Path::to_owned)).collect();
    reports.check_apart(&guarded)?;
    if !config.schedules.is_empty() {
        reports.check_writable()?;
    }
    Ok(Some(reports))
}

/// Fails if there are schedules and no room for their reports. Used by `check-config` alone: a disk that is full at a start
/// may have room when a report is due.
pub(crate) fn check_room(config: &Config, reports: Option<&ReportDir>) -> Result<(), ReportError> {
    match reports.filter(|_| !config.schedules.is_empty()) {
        Some(reports) => reports.check_room(),
        None => Ok(()),
    }
}

/// Reasons why reports cannot be written now, or why the command of a schedule cannot run, each as a sentence. They do
/// not prevent the start, since they may be fixed meanwhile.
pub(crate) fn warnings(config: &Config, reports: Option<&ReportDir>) -> Vec<String> {
    let unwritable = reports.map(|reports| reports.check_writable());
    let full = reports.map(|reports| reports.check_room());
    let failed = [unwritable, full]
        .into_iter()
        .flatten()
        .filter_map(Result::err);
    let mut said: Vec<String> = failed.map(|error| causes(&error)).collect();
    for schedule in &config.schedules {
        let program = schedule.command.first();
        if let Some(program) = program.filter(|program| !is_program(Path::new(program))) {
            let name = &schedule.name;
            said.push(format!(
                "the schedule {name:?} runs {program}, which is no program that this user may run"
            ));
        }
    }
    said
}

/// Whether there is a file at this path that this user may execute.
fn is_program(path: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD};
    let may_run = rustix::fs::accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS);
    path.is_file() && may_run.is_ok()
}

/// What runs the schedules, if there are any.
fn scheduler(
    host: &Host,
    slot: &Arc<EngineSlot>,
    reports: Option<&Arc<ReportDir>>,
) -> anyhow::Result<Option<Arc<Scheduler>>> {
    let schedules = &host.config.schedules;
    let Some(reports) = reports.filter(|_| !schedules.is_empty()) else {
        return Ok(None);
    };
    let scheduler = Scheduler::new(schedules, Arc::clone(slot), Arc::clone(reports));
    Ok(Some(Arc::new(scheduler.map_err(anyhow::Error::msg)?)))
}
