//! Report keeping: the directory that the config names, and the schedules.

use std::path::PathBuf;
use std::sync::Arc;

use crate::edge::grpc::ReportKeeping;
use crate::engine::slot::EngineSlot;
use crate::host::Host;
use crate::reports::report::ReportDir;
use crate::reports::schedule::Scheduler;

/// Opens the directory and reads the schedules; nothing runs yet.
pub(super) fn keeping(host: &Host, slot: &Arc<EngineSlot>) -> anyhow::Result<ReportKeeping> {
    let reports = report_dir(host)?;
    let scheduler = scheduler(host, slot, reports.as_ref())?;
    Ok(ReportKeeping { reports, scheduler })
}

/// The directory for reports, if the config names one.
fn report_dir(host: &Host) -> anyhow::Result<Option<Arc<ReportDir>>> {
    let Some(path) = &host.config.report_dir else {
        return Ok(None);
    };
    let kept_free = host.config.store.reserve_mib.bytes();
    let most = host.config.store.kept_reports;
    let reports = ReportDir::open(path)?
        .keeping_free(kept_free)?
        .holding_at_most(most);
    let roots = host.config.roots.iter().map(|root| root.path.clone());
    let guarded: Vec<PathBuf> = roots.chain([host.data_dir.clone()]).collect();
    reports.check_apart(&guarded)?;
    reports.remove_left_over()?;
    Ok(Some(Arc::new(reports)))
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
    reports.check_writable()?;
    let scheduler = Scheduler::new(schedules, Arc::clone(slot), Arc::clone(reports));
    Ok(Some(Arc::new(scheduler.map_err(anyhow::Error::msg)?)))
}
