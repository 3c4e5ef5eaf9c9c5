//! The daemon's state, and the results of operating it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    JsonPath, JudgeModel, Sampling, Scheme, Summary, UnreadFile, completeness, date, exact, filled,
    lossy,
};
use crate::completeness::Completeness;
use crate::v1;

/// What the daemon holds and watches.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Version of the daemon's program.
    pub version: String,
    /// Version of the stored format.
    pub format: u32,
    /// Path of the index's data directory.
    pub data_dir: String,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_dir_bytes: Option<String>,
    /// Whether the data directory was new and empty when the daemon started, or its damaged index was set aside.
    pub new_index: bool,
    /// Then: the config's own data directory, if it holds an index and the command line named another directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_of_config: Option<String>,
    /// Where the damaged store is that this index was begun in place of, until all roots have been walked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<String>,
    /// Then: what was wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    /// Time since its start.
    pub uptime_seconds: f64,
    /// Changes seen but not yet applied.
    pub queued: u64,
    /// Least resemblance of a near-duplicate.
    pub threshold: f64,
    /// Bytes of the store on disk.
    pub store_bytes: u64,
    /// Bytes of extracted text on disk.
    pub text_bytes: u64,
    /// Largest message sent or accepted, in bytes.
    pub max_message_bytes: u64,
    /// The confinement of the workers.
    pub sandbox: String,
    /// Set while changes are not applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alarm: Option<Alarm>,
    /// Resident memory of the daemon, workers apart.
    pub resident_bytes: Option<u64>,
    /// The parts that hold memory.
    pub memory: Vec<MemoryUse>,
    /// The memory budget, in bytes.
    pub memory_limit_bytes: Option<u64>,
    /// The speed of reading files; left out while none waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<Pace>,
    /// The speed of settling documents; left out while all are settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settling: Option<Pace>,
    /// Seconds since the merge that is under way began; left out while none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merging_seconds: Option<f64>,
    /// Cost of each scheme.
    pub schemes: Vec<SchemeUsage>,
    /// The watched trees.
    pub roots: Vec<Root>,
    /// Reports on schedule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<Schedule>,
    /// The model in force; null while there is no index.
    pub judge_model: Option<JudgeModel>,
    /// Why that is the shipped one although one was trained; left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_model_fallback: Option<String>,
    /// How coarsely documents of each size are sampled; null while there is no index.
    pub sampling: Option<Sampling>,
    /// Counts over all roots.
    pub summary: Option<Summary>,
    /// What keeps the index from being complete.
    #[serde(flatten)]
    pub completeness: Completeness,
}

/// A report on schedule.
#[derive(Clone, Debug, Serialize)]
pub struct Schedule {
    /// The configured name of the schedule.
    pub name: String,
    /// When it runs next (RFC 3339).
    pub next: Option<String>,
    /// When its last report was due (RFC 3339).
    pub last: Option<String>,
    /// Where that report is.
    pub report: Option<String>,
    /// The error of the last run.
    pub error: Option<String>,
}

impl From<&v1::Schedule> for Schedule {
    fn from(schedule: &v1::Schedule) -> Self {
        let report = Some(&schedule.report).filter(|report| !report.is_empty());
        Self {
            name: schedule.name.clone(),
            next: date(schedule.next),
            last: date(schedule.last),
            report: report.map(|report| lossy(report)),
            error: filled(&schedule.error),
        }
    }
}

impl From<&v1::StatusReply> for Status {
    fn from(status: &v1::StatusReply) -> Self {
        Self {
            version: status.version.clone(),
            format: status.format,
            data_dir: lossy(&status.data_dir),
            data_dir_bytes: exact(&status.data_dir),
            new_index: status.new_index,
            index_of_config: filled(&lossy(&status.index_of_config)),
            set_aside: filled(&lossy(&status.set_aside)),
            damage: filled(&status.damage),
            uptime_seconds: status.uptime_seconds,
            queued: status.queued,
            threshold: status.threshold,
            store_bytes: status.store_bytes,
            text_bytes: status.text_bytes,
            max_message_bytes: status.max_message_bytes,
            sandbox: status.sandbox.clone(),
            alarm: status.alarm.as_ref().map(Into::into),
            resident_bytes: status.resident_bytes,
            memory: status.memory.iter().map(Into::into).collect(),
            memory_limit_bytes: status.memory_limit_bytes,
            reading: status.reading.as_ref().map(Into::into),
            settling: status.settling.as_ref().map(Into::into),
            merging_seconds: status.merging_seconds,
            schemes: status.schemes.iter().map(Into::into).collect(),
            roots: status.roots.iter().map(Into::into).collect(),
            schedules: status.schedules.iter().map(Into::into).collect(),
            judge_model: status.judge_model.as_ref().map(Into::into),
            judge_model_fallback: filled(&status.judge_model_fallback),
            sampling: status.sampling.as_ref().map(Into::into),
            summary: status.summary.as_ref().map(Into::into),
            completeness: completeness(status.completeness.as_ref()),
        }
    }
}

/// Why changes are not applied.
#[derive(Clone, Debug, Serialize)]
pub struct Alarm {
    /// The cause, for people.
    pub reason: String,
    /// Start of the trouble (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Time of the next attempt (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_attempt: Option<String>,
    /// Whether queries are answered meanwhile.
    pub answering: bool,
}

impl From<&v1::Alarm> for Alarm {
    fn from(alarm: &v1::Alarm) -> Self {
        Self {
            reason: alarm.reason.clone(),
            since: date(Some(alarm.since)),
            next_attempt: date(alarm.next_attempt),
            answering: alarm.answering,
        }
    }
}

/// The memory held by a part of the daemon.
#[derive(Clone, Debug, Serialize)]
pub struct MemoryUse {
    /// The part, for people.
    pub holder: String,
    /// Bytes it holds, if known.
    pub bytes: Option<u64>,
    /// Its limit, if it has one.
    pub limit: Option<u64>,
}

impl From<&v1::MemoryUse> for MemoryUse {
    fn from(part: &v1::MemoryUse) -> Self {
        Self {
            holder: part.holder.clone(),
            bytes: part.bytes,
            limit: part.limit,
        }
    }
}

/// The speed of some work: of settling over the last ten seconds, of reading over the last minute.
#[derive(Clone, Debug, Serialize)]
pub struct Pace {
    /// Files or documents per second.
    pub per_second: f64,
    /// Seconds until all waiting work is done; null if that is not known.
    pub seconds_left: Option<f64>,
    /// Whether it takes longer than that: some of it takes more work than the rest, and is done last.
    pub takes_longer: bool,
}

impl From<&v1::Pace> for Pace {
    fn from(pace: &v1::Pace) -> Self {
        Self {
            per_second: pace.per_second,
            seconds_left: pace.seconds_left,
            takes_longer: pace.takes_longer,
        }
    }
}

/// The cost of a scheme.
#[derive(Clone, Debug, Serialize)]
pub struct SchemeUsage {
    /// The scheme, with the least n in use.
    pub scheme: Option<Scheme>,
    /// Postings in the store.
    pub postings: u64,
    /// Bytes of posting values in the store.
    pub bytes: u64,
    /// Time spent signing since the start.
    pub sign_seconds: f64,
    /// The greatest n in use; the scheme's own n is the least.
    pub n_most: u64,
    /// Postings not yet in the store.
    pub unmerged: u64,
}

impl From<&v1::SchemeUsage> for SchemeUsage {
    fn from(usage: &v1::SchemeUsage) -> Self {
        Self {
            scheme: usage.scheme.as_ref().map(Into::into),
            postings: usage.postings,
            bytes: usage.bytes,
            sign_seconds: usage.sign_seconds,
            n_most: usage.n_most,
            unmerged: usage.unmerged,
        }
    }
}

/// A watched tree.
#[derive(Clone, Debug, Serialize)]
pub struct Root {
    /// Number of the root in the index.
    pub id: u32,
    /// Absolute path of the tree.
    #[serde(flatten)]
    pub path: JsonPath,
    /// `native` or `poll`: the watch mode in use.
    pub mode: String,
    /// `auto`, `native` or `poll`: the configured watch mode.
    pub configured_mode: String,
    /// `watching`, `scanning`, `stalled`, `stale`, `replaced` or `loss-held`.
    pub state: String,
    /// Why its state or mode is what it is.
    pub detail: Option<String>,
    /// Number of its files.
    pub files: u64,
    /// Missing files whose removal awaits confirmation.
    pub pending_loss: u64,
    /// Identifies the held loss that a confirmation would accept; `None` if there is none.
    pub loss_token: Option<String>,
}

impl From<&v1::Root> for Root {
    fn from(root: &v1::Root) -> Self {
        Self {
            id: root.id,
            path: JsonPath::new(&root.path),
            mode: root.mode.clone(),
            configured_mode: root.configured_mode.clone(),
            state: root.state.clone(),
            detail: filled(&root.detail),
            files: root.files,
            pending_loss: root.pending_loss,
            loss_token: filled(&root.loss_token),
        }
    }
}

/// A rescan was started.
#[derive(Clone, Debug, Serialize)]
pub struct Rescan {
    /// Number of roots to be walked.
    pub roots: u32,
}

/// A held loss was confirmed.
#[derive(Clone, Debug, Serialize)]
pub struct ConfirmedLoss {
    /// Path of the root.
    pub root: String,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_bytes: Option<String>,
    /// Files removed from the index.
    pub removed: u64,
}

/// Everything seen before the call has been applied.
#[derive(Clone, Debug, Serialize)]
pub struct Sync {
    /// Time the call took.
    pub seconds: f64,
    /// Files applied during the call.
    pub files: u64,
    /// Paths that are inaccessible: changes there are not applied.
    pub unreadable: u64,
    /// Files that are not up to date, since a fault of the machine kept them from being read, or they changed whenever
    /// they were.
    pub unsteady: u64,
    /// Documents that were not waited for, since they share much with very many others: they may be in no group yet.
    pub crowded: u64,
}

/// A report was written.
#[derive(Clone, Debug, Serialize)]
pub struct SavedReport {
    /// Its directory: on the client's machine with `--out`, on the daemon's with `--keep`.
    pub out: String,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_bytes: Option<String>,
    /// The BLAKE3 at the end of its manifest, in hexadecimal.
    pub manifest: String,
    /// The counts of the report.
    pub summary: Option<Summary>,
    /// For a question: its totals by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub findings: BTreeMap<String, u64>,
    /// For `copies-of`: the files asked about whose text was not compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_not_compared: Vec<UnreadFile>,
}

impl From<&v1::RunReportReply> for SavedReport {
    fn from(report: &v1::RunReportReply) -> Self {
        Self {
            out: lossy(&report.out),
            out_bytes: exact(&report.out),
            manifest: report.manifest.clone(),
            summary: report.summary.as_ref().map(Into::into),
            findings: report.findings.clone().into_iter().collect(),
            files_not_compared: report.not_compared.iter().map(Into::into).collect(),
        }
    }
}

impl From<&v1::FileNotCompared> for UnreadFile {
    fn from(file: &v1::FileNotCompared) -> Self {
        Self::new(&file.path, &file.state, &file.reason)
    }
}

impl From<UnreadFile> for v1::FileNotCompared {
    fn from(file: UnreadFile) -> Self {
        Self {
            path: file.path.bytes(),
            state: file.state,
            reason: file.reason.unwrap_or_default(),
        }
    }
}
