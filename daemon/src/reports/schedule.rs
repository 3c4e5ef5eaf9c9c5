//! Scheduled reports: when one is due, and what it contains.
//!
//! Times follow from the cron expression in its time zone alone. A run is named by the time it was due. The latest
//! report with such a name in the index tells which run was the last, and a record in the data directory tells when the
//! schedule was first seen ([`records`]). So runs missed while the daemon was away are caught up by one, even if there
//! was no run before. A run that failed is tried again after growing pauses, until the next one is due.
//!
//! [`Scheduler`] runs them, one after another, on a thread of its own.

mod command;
mod records;
mod runs;
mod scheduler;
#[cfg(test)]
mod tests;
mod thread;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use simdex_proto::age::parse_age;

use crate::config::ScheduleConfig;
use crate::engine::Engine;
use crate::reports::maker::{
    CheckedReport, LoadFileNames, ReportRequest, UncheckedReport, is_of_groups,
};

use records::FailedRun;
pub use scheduler::Scheduler;
pub use thread::SchedulerThread;

/// Longest name, bytes.
const LONGEST_NAME: usize = 64;
/// Seconds until a failed run is tried again: the first pause, and the longest.
const FIRST_PAUSE: i64 = 60;
const LONGEST_PAUSE: i64 = 3_600;
/// The format of a run's time in its name, UTC.
const RUN: &str = "%Y%m%dT%H%M%SZ";

/// Says what is wrong with the first invalid schedule, if any, as a sentence without its full stop.
pub fn check(schedules: &[ScheduleConfig]) -> Result<(), String> {
    for config in schedules {
        let name = &config.name;
        let said = |reason: String| format!("the schedule {name:?} {reason}");
        Schedule::parse(config).map_err(said)?;
    }
    Ok(())
}

/// A scheduled report.
#[derive(Debug)]
pub struct Schedule {
    config: ScheduleConfig,
    cron: Cron,
    zone: TimeZone,
    report: CheckedReport,
}

impl Schedule {
    /// Parses a schedule; an error is the rest of a sentence about it.
    pub fn parse(config: &ScheduleConfig) -> Result<Self, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let name = &config.name;
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(plain) {
            return Err("must be named by at most 64 letters, digits and hyphens".to_owned());
        }
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let cron = parser.parse(&config.cron).map_err(|error| {
            let cron = &config.cron;
            format!("has the cron expression {cron:?}, which is not one of five fields ({error})")
        })?;
        let zone = TimeZone::get(&config.time_zone).map_err(|_| {
            let zone = &config.time_zone;
            format!("has the time zone {zone:?}, which is not known; name one like Europe/Zurich")
        })?;
        let schedule = Self {
            cron,
            zone,
            report: report(config)?,
            config: config.clone(),
        };
        schedule.check()?;
        Ok(schedule)
    }

    fn check(&self) -> Result<(), String> {
        let config = &self.config;
        if config.keep == 0 {
            return Err("keeps no report; let it keep at least 1".to_owned());
        }
        if !(1..=3_600).contains(&config.command_seconds) {
            return Err("has command_seconds beyond 1 to 3600".to_owned());
        }
        if config.since_last && !self.report.is_comparable() {
            return Err(
                "has since_last: components and cores have nothing that stays from one report to the next"
                    .to_owned(),
            );
        }
        let program = config.command.first();
        if let Some(program) = program.filter(|program| !Path::new(program).is_absolute()) {
            return Err(format!(
                "runs {program:?}; name the program by its absolute path"
            ));
        }
        // Every date but 29 February occurs within a year.
        match self.next_after(Timestamp::UNIX_EPOCH) {
            Some(_) => Ok(()),
            None => Err(format!("never fires: no date matches {:?}", config.cron)),
        }
    }

    /// The configured name, from which its reports are named.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// The cron expression and its time zone.
    fn times(&self) -> String {
        format!("{} {}", self.config.cron, self.config.time_zone)
    }

    /// The first time after this one.
    pub fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        let found = self.cron.find_next_occurrence(&self.local(time), false);
        found.ok().map(|found: Zoned| found.timestamp())
    }

    /// The last time up to this one.
    pub fn last_until(&self, time: Timestamp) -> Option<Timestamp> {
        let found = self.cron.find_previous_occurrence(&self.local(time), true);
        found.ok().map(|found: Zoned| found.timestamp())
    }

    fn local(&self, time: Timestamp) -> Zoned {
        time.to_zoned(self.zone.clone())
    }

    /// The name of the report of the run due at this time.
    pub fn run_name(&self, due: Timestamp) -> String {
        format!("{}-{}", self.config.name, due.strftime(RUN))
    }

    /// When the run whose report has this name was due; `None` for another name.
    pub fn due_of(&self, name: &str) -> Option<Timestamp> {
        let time = name.strip_prefix(&self.config.name)?.strip_prefix('-')?;
        let time = jiff::civil::DateTime::strptime(RUN, time).ok()?;
        let due = time.to_zoned(TimeZone::UTC).ok()?.timestamp();
        (self.run_name(due) == name).then_some(due)
    }

    /// The request for its reports.
    ///
    /// # Errors
    /// A sentence about what this engine lacks.
    fn request(&self, engine: &Engine) -> Result<ReportRequest, String> {
        let request = self.report.request(engine, false);
        request.map_err(|unknown| unknown.to_string())
    }

    /// Whether each report lists changes since the one before.
    fn is_since_last(&self) -> bool {
        self.config.since_last
    }

    fn reports_kept(&self) -> usize {
        self.config.keep as usize
    }

    fn command_time(&self) -> Duration {
        Duration::from_secs(self.config.command_seconds)
    }
}

/// The report that a schedule asks for.
fn report(config: &ScheduleConfig) -> Result<CheckedReport, String> {
    let age = |text: &String| {
        let seconds = parse_age(text);
        seconds.ok_or_else(|| format!("has the age {text:?}; write one like 90d or 2y"))
    };
    let load_file = config.load_file.as_ref().map(|format| LoadFileNames {
        format: format.clone(),
        profile: config.profile.clone(),
        encoding: config.encoding.clone(),
    });
    if load_file.is_none() && !(config.profile.is_empty() && config.encoding.is_empty()) {
        return Err("has a profile or an encoding, but no load_file".to_owned());
    }
    let unchecked = UncheckedReport {
        kind: config.kind.clone(),
        files: config.files.clone(),
        // Those who edit the config need not be those who may read a file, and nobody sends it.
        sent_files: Vec::new(),
        older_than: config.older_than.as_ref().map(age).transpose()?,
        protected: config.protected.clone(),
        roots: config.roots.clone(),
        common: config.common,
        mining_seconds: config.mining_seconds,
        threshold: config.threshold,
        containment: config.containment,
        load_file,
        with_judgement: config.judge.unwrap_or_else(|| is_of_groups(&config.kind)),
    };
    let checked = unchecked.check();
    checked.map_err(|error| format!("is wrong: {error}"))
}

/// A schedule and its past runs.
#[derive(Clone, Debug)]
pub struct Timetable {
    schedule: Arc<Schedule>,
    /// The time from which missed runs count: that of the last run or attempt, or the start.
    since: Timestamp,
    /// The run that failed last, until another is due.
    failed: Option<FailedRun>,
}

impl Timetable {
    /// The timetable of a schedule whose last run was due at `last`; runs due before it was first seen do not count.
    pub fn new(schedule: Arc<Schedule>, last: Option<Timestamp>, first_seen: Timestamp) -> Self {
        Self {
            schedule,
            since: last.map_or(first_seen, |last| last.max(first_seen)),
            failed: None,
        }
    }

    /// The timetable with a run that failed in an earlier process, unless its report was written since.
    fn with_failed(self, failed: Option<FailedRun>, now: Timestamp) -> Self {
        // A run that is due in the future failed under a wrong clock.
        let failed = failed.filter(|failed| failed.due <= now.as_second());
        let due = failed.and_then(|failed| Timestamp::from_second(failed.due).ok());
        match due.filter(|due| *due > self.since) {
            Some(since) => Self {
                since,
                failed,
                ..self
            },
            None => self,
        }
    }

    /// When the next run is due, or was due; or when a failed run is tried again, if that is sooner.
    pub fn next(&self) -> Option<Timestamp> {
        let again = self
            .failed
            .and_then(|failed| Timestamp::from_second(failed.again).ok());
        let next = self.schedule.next_after(self.since);
        [again, next].into_iter().flatten().min()
    }

    /// The run that is due now: the latest of those that were missed or, if there is none, a failed one after its
    /// pause.
    pub fn due(&self, now: Timestamp) -> Option<Timestamp> {
        let next = self.schedule.next_after(self.since);
        if next.is_some_and(|next| next <= now) {
            return self.schedule.last_until(now);
        }
        let failed = self
            .failed
            .filter(|failed| failed.again <= now.as_second())?;
        Timestamp::from_second(failed.due).ok()
    }

    /// Whether the clock was wrong when the last run was tried: more than a day and a run ahead of `now`. What was
    /// run before must then be looked up again.
    pub fn is_ahead_of(&self, now: Timestamp) -> bool {
        let day = jiff::SignedDuration::from_hours(24);
        let after_next = self.schedule.next_after(now);
        let after_next = after_next.and_then(|next| self.schedule.next_after(next));
        self.since.duration_since(now) > day && after_next.is_some_and(|run| run <= self.since)
    }

    /// Notes that a run is done.
    pub fn done(&mut self, due: Timestamp) {
        self.since = self.since.max(due);
        self.failed = None;
    }

    /// Notes that a run failed now: it is tried again after a minute, then after pauses that double up to an hour.
    pub fn failed(&mut self, due: Timestamp, now: Timestamp) {
        self.since = self.since.max(due);
        let before = self.failed.filter(|failed| failed.due == due.as_second());
        let attempts = before.map_or(0, |failed| failed.attempts);
        let pause = (FIRST_PAUSE << attempts.min(6)).min(LONGEST_PAUSE);
        self.failed = Some(FailedRun {
            due: due.as_second(),
            attempts: attempts.saturating_add(1),
            again: now.as_second().saturating_add(pause),
        });
    }
}
