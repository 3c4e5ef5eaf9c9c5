//! What all steps of ingestion read: the records, the reports of this daemon, and a limit of the config.

use simdex_extract::Pool;
use simdex_index::Registry;

use super::framesets::Framesets;
use super::own_report::OwnReports;
use super::records::Records;
use crate::config::ExtractConfig;
use crate::write_side::roots::Root;

/// The records and limits by which files are ingested.
#[derive(Clone, Copy)]
pub(super) struct IngestContext<'a> {
    pub(super) records: Records<'a>,
    pub(super) own_reports: &'a OwnReports,
    /// Longest file that is read, bytes.
    pub(super) input_bytes: u64,
}

impl<'a> IngestContext<'a> {
    /// A context with the limits of the config.
    pub(super) fn new(
        registry: &'a Registry,
        pool: &'a Pool,
        own_reports: &'a OwnReports,
        limits: &ExtractConfig,
    ) -> Self {
        Self {
            records: Records { registry, pool },
            own_reports,
            input_bytes: limits.input_mib.bytes(),
        }
    }

    /// Framesets below a root.
    pub(super) fn framesets<'r>(&'r self, root: &'r Root) -> Framesets<'r> {
        Framesets {
            records: self.records,
            root,
            input_bytes: self.input_bytes,
        }
    }
}
