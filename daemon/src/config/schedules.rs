//! Reports on schedule, as they are configured.

use std::path::PathBuf;

use serde::Deserialize;

use super::Config;

/// Schedules that a config may have at most.
const MOST: usize = 100;

/// One scheduled report.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleConfig {
    /// The name that its reports begin with: letters, digits and hyphens.
    pub name: String,
    /// Five fields: minute, hour, day of the month, month, day of the week.
    pub cron: String,
    /// A name of the IANA time zone database.
    #[serde(default = "utc")]
    pub time_zone: String,
    /// The kind of the reports.
    #[serde(default = "groups")]
    pub kind: String,
    /// For `copies-of` the files it asks about; for a report of groups, the only files whose groups are reported.
    #[serde(default)]
    pub files: Vec<PathBuf>,
    /// Least age of a stale version, such as `90d`.
    pub older_than: Option<String>,
    /// Roots whose text must not be elsewhere.
    #[serde(default)]
    pub protected: Vec<PathBuf>,
    /// Roots covered by the reports; all roots if none is given.
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    /// For `cores`: the least number of fingerprints, of 100, that all documents of a core share.
    pub common: Option<u32>,
    /// For `cores`: seconds spent searching for them.
    pub mining_seconds: Option<u32>,
    /// Least resemblance, or for `leak` least share; the daemon's threshold if not set, for `leak` and `stale-versions`
    /// 0.5.
    pub threshold: Option<f64>,
    /// For `copies-of`, `stale-versions` and `leak`: least containment, of the text asked about, of the older one, or of
    /// either; the threshold if not set, for `stale-versions` the daemon's.
    pub containment: Option<f64>,
    /// Format of a load file.
    pub load_file: Option<String>,
    /// Names of its fields.
    #[serde(default)]
    pub profile: String,
    /// The encoding of a DAT file.
    #[serde(default)]
    pub encoding: String,
    /// Whether the files of groups are judged; if not set, those of reports that have groups with a principal are.
    pub judge: Option<bool>,
    /// Whether each report says what changed since the last one of this schedule.
    #[serde(default)]
    pub since_last: bool,
    /// Number of reports of this schedule that are kept; older ones are removed.
    #[serde(default = "keep")]
    pub keep: u32,
    /// A program and its arguments, run after each report with the path of the manifest as one more argument.
    #[serde(default)]
    pub command: Vec<String>,
    /// The program is killed after this many seconds.
    #[serde(default = "command_seconds")]
    pub command_seconds: u64,
}

fn utc() -> String {
    "UTC".to_owned()
}

fn groups() -> String {
    "groups".to_owned()
}

fn keep() -> u32 {
    12
}

fn command_seconds() -> u64 {
    60
}

impl Config {
    /// Reports what is wrong with the schedules together, if anything. The scheduler checks each one by itself.
    pub(super) fn check_schedules(&self) -> Result<(), String> {
        if self.schedules.len() > MOST {
            return Err(format!("there are more than {MOST} schedules"));
        }
        if !self.schedules.is_empty() && self.report_dir.is_none() {
            return Err(
                "there are schedules and no report_dir; name a directory for their reports"
                    .to_owned(),
            );
        }
        for (at, schedule) in self.schedules.iter().enumerate() {
            let name = &schedule.name;
            let said = |reason: String| format!("the schedule {name:?} {reason}");
            if self.schedules[..at].iter().any(|other| other.name == *name) {
                return Err(said("is defined twice; rename one".to_owned()));
            }
            let is_root = |path: &&PathBuf| self.roots.iter().any(|root| root.path == **path);
            if let Some(path) = schedule.protected.iter().find(|path| !is_root(path)) {
                let path = path.display();
                return Err(said(format!("protects {path}, which is none of the roots")));
            }
            if let Some(path) = schedule.roots.iter().find(|path| !is_root(path)) {
                let path = path.display();
                return Err(said(format!("is of {path}, which is none of the roots")));
            }
            let is_below =
                |path: &&PathBuf| self.roots.iter().any(|root| path.starts_with(&root.path));
            if let Some(path) = schedule.files.iter().find(|path| !is_below(path)) {
                let path = path.display();
                return Err(said(format!(
                    "asks about {path}, which is not below any of the roots"
                )));
            }
        }
        Ok(())
    }
}
