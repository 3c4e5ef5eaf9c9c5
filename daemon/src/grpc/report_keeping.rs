//! Where reports are kept, and what keeps them on schedule.

use std::sync::Arc;

use simdex_proto::v1;

use crate::encode;
use crate::report::ReportDir;
use crate::schedule::Scheduler;

/// What keeps reports.
pub struct ReportKeeping {
    /// The directory for them.
    pub reports: Option<Arc<ReportDir>>,
    /// The schedules.
    pub scheduler: Option<Arc<Scheduler>>,
}

impl ReportKeeping {
    /// What is told of the schedules.
    pub(super) fn schedules(&self) -> Vec<v1::Schedule> {
        let told = self
            .scheduler
            .iter()
            .flat_map(|scheduler| scheduler.status());
        told.map(|told| encode::schedule(&told)).collect()
    }
}
