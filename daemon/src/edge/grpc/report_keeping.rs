//! The directory where reports are kept, and the scheduler.

use std::sync::Arc;

use simdex_proto::v1;
use tonic::Status;

use crate::encode;
use crate::reports::report::ReportDir;
use crate::reports::schedule::Scheduler;

/// Report directory and scheduler, for the Admin service.
pub struct ReportKeeping {
    /// The directory for kept reports.
    pub reports: Option<Arc<ReportDir>>,
    /// The scheduler; `None` if no schedule is configured.
    pub scheduler: Option<Arc<Scheduler>>,
}

impl ReportKeeping {
    /// Refuses a name of the form that a schedule gives its reports: the name of a report shows what wrote it.
    pub(super) fn check_name(&self, name: &[u8]) -> Result<(), Status> {
        let is_taken = |scheduler: &Arc<Scheduler>| {
            std::str::from_utf8(name).is_ok_and(|name| scheduler.is_run_name(name))
        };
        match self.scheduler.as_ref().is_some_and(is_taken) {
            true => Err(Status::invalid_argument(
                "a schedule keeps reports of that name; choose another",
            )),
            false => Ok(()),
        }
    }

    /// The status of the schedules.
    pub(super) fn schedules(&self) -> Vec<v1::Schedule> {
        let statuses = self
            .scheduler
            .iter()
            .flat_map(|scheduler| scheduler.status());
        statuses.map(|status| encode::schedule(&status)).collect()
    }
}
