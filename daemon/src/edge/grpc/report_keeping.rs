//! Where reports are kept, and what keeps them on schedule.

use std::sync::Arc;

use simdex_proto::v1;
use tonic::Status;

use crate::encode;
use crate::reports::report::ReportDir;
use crate::reports::schedule::Scheduler;

/// Report directory and scheduler, for the Admin service.
pub struct ReportKeeping {
    /// The directory for them.
    pub reports: Option<Arc<ReportDir>>,
    /// What runs the schedules; `None` where none is configured.
    pub scheduler: Option<Arc<Scheduler>>,
}

impl ReportKeeping {
    /// Refuses a name that a schedule gives its reports: who wrote those is told by their names.
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

    /// What is told of the schedules.
    pub(super) fn schedules(&self) -> Vec<v1::Schedule> {
        let told = self
            .scheduler
            .iter()
            .flat_map(|scheduler| scheduler.status());
        told.map(|told| encode::schedule(&told)).collect()
    }
}
