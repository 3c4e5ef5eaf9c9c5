//! What a restart must know of the schedules beside their reports: when each was first seen, and which run failed.
//!
//! The file is a JSON array, with a hash as its last line ([`hashed_file`]). If it is missing or damaged, runs count as
//! missed from now on, as they do for a schedule that is new or has other times.

use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use simdex_index::safe_fs;

use crate::base::hashed_file;

/// The name of the file in the data directory.
const FILE: &str = "schedules";
/// The name of the file while it is being written.
const NEW: &str = "schedules.new";
/// The maximum size of the file, bytes.
const LONGEST: u64 = 1 << 20;
/// Most characters of an error that are kept.
const LONGEST_ERROR: usize = 1_000;

/// The record of a schedule; times are seconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ScheduleRecord {
    /// The configured name.
    pub(super) name: String,
    /// The cron expression and the time zone; if they change, it is another schedule.
    pub(super) times: String,
    /// When it was first seen.
    pub(super) since: i64,
    /// What went wrong the last time; empty if nothing did.
    pub(super) error: String,
    /// The run that failed and is to be tried again.
    pub(super) failed: Option<FailedRun>,
}

/// A run that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FailedRun {
    /// When it was due.
    pub(super) due: i64,
    /// How often it was tried.
    pub(super) attempts: u32,
    /// When it is tried again.
    pub(super) again: i64,
}

/// The records of a data directory.
#[derive(Debug)]
pub(super) struct Records {
    directory: PathBuf,
    records: Vec<ScheduleRecord>,
}

impl Records {
    /// Reads the records; there are none if the file is missing or damaged. The log reports damage.
    pub(super) fn open(directory: &Path) -> Self {
        let records = read(&directory.join(FILE)).unwrap_or_else(|error| {
            if error.kind() != ErrorKind::NotFound {
                tracing::warn!(%error, "the records of the schedules cannot be read: runs count as missed from now on");
            }
            Vec::new()
        });
        Self {
            directory: directory.to_owned(),
            records,
        }
    }

    /// The record of the schedule with this name and these times.
    pub(super) fn of(&self, name: &str, times: &str) -> Option<&ScheduleRecord> {
        let mut records = self.records.iter();
        records.find(|record| record.name == name && record.times == times)
    }

    /// Replaces the record of a schedule, power-safe; records whose names are not among `names` are dropped.
    ///
    /// # Errors
    /// The file cannot be written; the record is in force until the daemon ends.
    pub(super) fn put(&mut self, mut record: ScheduleRecord, names: &[String]) -> io::Result<()> {
        record.error = record.error.chars().take(LONGEST_ERROR).collect();
        if self.records.contains(&record) {
            return Ok(());
        }
        self.records
            .retain(|known| known.name != record.name && names.contains(&known.name));
        self.records.push(record);
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&self.records)? + "\n";
        hashed_file::replace(&self.directory, [FILE, NEW], &text)
    }
}

fn read(path: &Path) -> io::Result<Vec<ScheduleRecord>> {
    let mut text = String::new();
    safe_fs::open_read(path)?
        .take(LONGEST)
        .read_to_string(&mut text)?;
    match hashed_file::checked(&text) {
        Some((lines, true)) => Ok(serde_json::from_str(lines)?),
        _ => Err(io::Error::other(
            "its last line is not the hash of the others",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_back_and_a_damaged_file_is_as_none() {
        let dir = tempfile::tempdir().unwrap();
        let record = |name: &str| ScheduleRecord {
            name: name.to_owned(),
            times: "0 2 * * * UTC".to_owned(),
            since: 1_700_000_000,
            error: "blake3 was no hash\n".to_owned(),
            failed: Some(FailedRun {
                due: 1_700_000_100,
                attempts: 2,
                again: 1_700_000_200,
            }),
        };
        let names = ["a".to_owned(), "b".to_owned()];
        let mut records = Records::open(dir.path());
        records.put(record("gone"), &names).unwrap();
        for name in &names {
            records.put(record(name), &names).unwrap();
        }
        let again = Records::open(dir.path());
        assert_eq!(again.of("a", "0 2 * * * UTC"), Some(&record("a")));
        assert_eq!(again.of("a", "0 3 * * * UTC"), None);
        assert_eq!(again.of("gone", "0 2 * * * UTC"), None);
        let path = dir.path().join(FILE);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("17000001", "17000002")).unwrap();
        assert_eq!(Records::open(dir.path()).records, []);
    }
}
