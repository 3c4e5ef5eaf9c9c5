//! The thread that makes due reports, one after another, and their status.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use simdex_index::Cancel;

use super::records::{Records, ScheduleRecord};
use super::thread::SchedulerThread;
use super::{Schedule, Timetable, command, runs};
use crate::base::causes::causes;
use crate::base::report_files::MANIFEST;
use crate::base::schedule_status::ScheduleStatus;
use crate::config::ScheduleConfig;
use crate::engine::Engine;
use crate::engine::slot::EngineSlot;
use crate::reports::maker::{self, KeptPlace, ReportingError};
use crate::reports::report::{EarlierReport, ReportDir, ReportError};

/// Longest sleep: a clock change is noticed within this time.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);

/// Longest wait of a due report for walks and files under way, such as those of the start. After it the report is made
/// all the same, and says that it is not complete.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);

/// Runs all schedules on a thread of its own.
pub struct Scheduler {
    slot: Arc<EngineSlot>,
    reports: Arc<ReportDir>,
    cancel: Cancel,
    entries: Mutex<Vec<Entry>>,
    /// Read once there is an index; only the scheduler's thread uses them.
    records: Mutex<Option<Records>>,
}

struct Entry {
    /// Shared with the run that is under way.
    schedule: Arc<Schedule>,
    /// Unknown until the index was asked for earlier runs.
    timetable: Option<Timetable>,
    /// When it was first seen, seconds since 1970.
    first_seen: i64,
    status: ScheduleStatus,
}

impl Scheduler {
    /// A scheduler of these schedules, whose reports go into this directory; nothing runs yet.
    ///
    /// # Errors
    /// The first invalid schedule, in words.
    pub fn new(
        schedules: &[ScheduleConfig],
        slot: Arc<EngineSlot>,
        reports: Arc<ReportDir>,
    ) -> Result<Self, String> {
        let entries = schedules.iter().map(|config| {
            let schedule = Arc::new(Schedule::parse(config)?);
            let status = ScheduleStatus {
                name: config.name.clone(),
                ..ScheduleStatus::default()
            };
            Ok(Entry {
                schedule,
                timetable: None,
                first_seen: 0,
                status,
            })
        });
        Ok(Self {
            slot,
            reports,
            cancel: Cancel::never(),
            entries: Mutex::new(entries.collect::<Result<_, String>>()?),
            records: Mutex::default(),
        })
    }

    /// Whether a report of this name would be mistaken for one of a schedule.
    pub fn is_run_name(&self, name: &str) -> bool {
        let entries = self.lock();
        let mut schedules = entries.iter().map(|entry| &entry.schedule);
        schedules.any(|schedule| schedule.due_of(name).is_some())
    }

    /// Starts the thread; it ends when the handle is dropped.
    pub fn start(self: &Arc<Self>) -> std::io::Result<SchedulerThread> {
        let (stop, stopped) = channel();
        let scheduler = Arc::clone(self);
        let thread = std::thread::Builder::new().name("schedules".to_owned());
        let thread = thread.spawn(move || scheduler.work(&stopped))?;
        Ok(SchedulerThread::new(self.cancel.clone(), stop, thread))
    }

    fn work(&self, stopped: &Receiver<()>) {
        loop {
            self.run_due(Timestamp::now);
            // Reports and their commands may have taken long: what is due by now waits no longer.
            let pause = self.until_next(Timestamp::now()).min(LONGEST_SLEEP);
            // At least a second: a run that is not possible yet is not retried constantly.
            let pause = pause.max(Duration::from_secs(1));
            if stopped.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    }

    /// The time until the next run; very long if there is none.
    fn until_next(&self, now: Timestamp) -> Duration {
        let entries = self.lock();
        let next = entries.iter().filter_map(|entry| entry.status.next).min();
        let until = |next: Timestamp| Duration::try_from(next.duration_since(now));
        next.map_or(Duration::MAX, |next| until(next).unwrap_or_default())
    }

    /// Makes the reports that are due, at most one for each schedule. Each is asked at its turn, since those before it
    /// and their commands may have taken long: of two of its runs that are due by then, the later one is made.
    pub fn run_due(&self, clock: impl Fn() -> Timestamp) {
        let count = self.lock().len();
        for at in 0..count {
            let Ok(engine) = self.slot.get() else {
                // The index is being reopened: what is due stays due.
                return;
            };
            if self.cancel.check().is_err() {
                return;
            }
            if let Some((schedule, due)) = self.due(&engine, at, clock()) {
                let done = self.make_report(&engine, &schedule, due);
                if done.is_err() && self.cancel.check().is_err() {
                    // The daemon stops: this run is due again at the next start.
                    return;
                }
                let report = done.as_ref().ok().map(|run| run.path.clone());
                self.record_outcome(at, (due, clock()), done);
                // The command may take long, and an engine that is ending must not be held up.
                drop(engine);
                if let Some(report) = report {
                    self.run_command(at, &schedule, &report);
                }
            }
        }
    }

    /// The due run of a schedule, if there is one.
    fn due(
        &self,
        engine: &Engine,
        at: usize,
        now: Timestamp,
    ) -> Option<(Arc<Schedule>, Timestamp)> {
        if !self.knows_runs(at, now) {
            self.load_last_run(engine, at, now);
        }
        let mut entries = self.lock();
        let entry = entries.get_mut(at)?;
        let timetable = entry.timetable.as_ref()?;
        entry.status.next = timetable.next();
        let due = timetable.due(now)?;
        Some((Arc::clone(&entry.schedule), due))
    }

    /// Whether the earlier runs of a schedule are known, from a clock that was not far ahead of this one.
    fn knows_runs(&self, at: usize, now: Timestamp) -> bool {
        let entries = self.lock();
        let timetable = entries.get(at).and_then(|entry| entry.timetable.as_ref());
        timetable.is_some_and(|timetable| !timetable.is_ahead_of(now))
    }

    /// Looks up the earlier runs of a schedule. No lock is held while the index is asked, so that status
    /// requests never wait for it.
    fn load_last_run(&self, engine: &Engine, at: usize, now: Timestamp) {
        let schedule = self.lock().get(at).map(|it| Arc::clone(&it.schedule));
        let Some(schedule) = schedule else {
            return;
        };
        let last = runs::adopt(engine, &self.reports, &schedule)
            .and_then(|()| runs::last(engine.index.registry(), &self.reports, &schedule, now));
        let record = self.record(engine, &schedule);
        let mut entries = self.lock();
        let Some(entry) = entries.get_mut(at) else {
            return;
        };
        match last {
            Ok(last) => {
                (entry.status.last, entry.status.report) = last.clone().unzip();
                let last = last.map(|(due, _)| due);
                // A later time was recorded under a wrong clock.
                let first =
                    Timestamp::from_second(record.since).map_or(now, |first| first.min(now));
                let table = Timetable::new(schedule, last, first).with_failed(record.failed, now);
                entry.timetable = Some(table);
                entry.first_seen = first.as_second();
                entry.status.error = record.error;
            }
            Err(error) => entry.status.error = causes(&error),
        }
        drop(entries);
        self.write_record(at);
    }

    /// The record of a schedule; in that of a new one, the time at which it was first seen is later than any other.
    fn record(&self, engine: &Engine, schedule: &Schedule) -> ScheduleRecord {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let records = records.get_or_insert_with(|| Records::open(&engine.data_dir));
        let known = records.of(schedule.name(), &schedule.times()).cloned();
        known.unwrap_or_else(|| ScheduleRecord {
            since: i64::MAX,
            ..ScheduleRecord::default()
        })
    }

    /// Records what is needed about a schedule after a restart.
    fn write_record(&self, at: usize) {
        let entries = self.lock();
        let names: Vec<_> = entries.iter().map(|it| it.status.name.clone()).collect();
        let known = entries.get(at);
        let known = known.and_then(|entry| Some((entry, entry.timetable.as_ref()?)));
        let Some((entry, timetable)) = known else {
            return;
        };
        let record = ScheduleRecord {
            name: entry.status.name.clone(),
            times: entry.schedule.times(),
            since: entry.first_seen,
            error: entry.status.error.clone(),
            failed: timetable.failed,
        };
        drop(entries);
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Err(error)) = records.as_mut().map(|it| it.put(record, &names)) {
            tracing::warn!(%error, "the records of the schedules cannot be written: a run missed before the next start may not be caught up");
        }
    }

    /// Keeps the report of a run and removes those beyond the number kept. Ends with the engine.
    fn make_report(
        &self,
        engine: &Engine,
        schedule: &Schedule,
        due: Timestamp,
    ) -> Result<Run, String> {
        let name = schedule.run_name(due);
        let cancel = self.cancel.clone().or(engine.ending());
        self.wait_until_settled(engine, &cancel);
        let questions = &engine.index.reader().memory().requests;
        let account = questions.lasting_account_of(None, &cancel);
        let mut request = schedule.request(engine)?;
        let since = self.earlier_report(engine, schedule, due);
        let mut no_changes = since.map(|since| request.since = since).err();
        let keep = |request| {
            let place = KeptPlace {
                reports: &self.reports,
                name: OsStr::new(&name),
                uid: None,
            };
            maker::keep(engine, &place, request, &account)
        };
        let mut kept = keep(request.clone());
        if let Err(ReportingError::Report(ReportError::Earlier { source })) = &kept {
            // An earlier report that cannot be read does not keep a later one from being made.
            no_changes = Some(causes(source));
            request.since = None;
            kept = keep(request);
        }
        let path = kept.map_err(|error| causes(&error))?.path;
        tracing::info!(report = name, "a report on schedule was written");
        let removed = self.remove_old(engine, schedule, &path);
        let trouble = removed.err().or(no_changes);
        Ok(Run { path, trouble })
    }

    /// Waits for walks and files under way, so that a run caught up at the start is not made of what was known before.
    /// The wait ends after [`LONGEST_WAIT`]: a share may hang.
    fn wait_until_settled(&self, engine: &Engine, cancel: &Cancel) {
        let waiting = cancel.clone().until(Instant::now() + LONGEST_WAIT);
        if engine.wait_until_settled(&waiting).is_err() && cancel.check().is_ok() {
            tracing::warn!("a report on schedule is made although the index is not complete");
        }
    }

    /// The last report of a schedule before this run, if its changes are wanted and there is one.
    fn earlier_report(
        &self,
        engine: &Engine,
        schedule: &Schedule,
        due: Timestamp,
    ) -> Result<Option<Arc<EarlierReport>>, String> {
        if !schedule.is_since_last() {
            return Ok(None);
        }
        let last = runs::last(engine.index.registry(), &self.reports, schedule, due);
        let Some((_, path)) = last.map_err(|error| causes(&error))? else {
            return Ok(None);
        };
        let name = path.file_name().unwrap_or_default();
        let earlier = self.reports.earlier_report(name, engine.own_reports.key());
        let earlier = earlier.map_err(|error| causes(&error))?;
        Ok(Some(Arc::new(earlier)))
    }

    /// Runs the command of a schedule after its report.
    fn run_command(&self, at: usize, schedule: &Schedule, report: &Path) {
        let (command, time) = (&schedule.config.command, schedule.command_time());
        let outcome = command::run(command, &report.join(MANIFEST), time, &self.cancel);
        if let Err(error) = outcome {
            self.record_trouble(at, error);
        }
    }

    /// Removes the reports of a schedule beyond the number kept, the oldest first, except the one just
    /// `written`. One that cannot be removed does not keep others from being removed.
    fn remove_old(
        &self,
        engine: &Engine,
        schedule: &Schedule,
        written: &Path,
    ) -> Result<(), String> {
        let known = runs::recorded_reports(engine.index.registry(), &self.reports, schedule);
        let mut known = known.map_err(|error| error.to_string())?;
        known.sort();
        let old = known.len().saturating_sub(schedule.reports_kept());
        let mut trouble = None;
        for (_, path) in known.iter().take(old).filter(|(_, path)| path != written) {
            let name = path.file_name().unwrap_or_default();
            if let Err(error) = self.reports.remove(name, engine.own_reports.key()) {
                trouble = trouble.or(Some(causes(&error)));
            }
        }
        let forgotten = engine.writer().forget_reports(maker::may_be_there);
        forgotten.map_err(|error| error.to_string())?;
        trouble.map_or(Ok(()), Err)
    }

    fn record_outcome(
        &self,
        at: usize,
        (due, ended): (Timestamp, Timestamp),
        done: Result<Run, String>,
    ) {
        let mut entries = self.lock();
        let Some(entry) = entries.get_mut(at) else {
            return;
        };
        if let Some(timetable) = &mut entry.timetable {
            match &done {
                Ok(_) => timetable.done(due),
                Err(_) => timetable.failed(due, ended),
            }
            entry.status.next = timetable.next();
        }
        let trouble = match done {
            Ok(run) => {
                (entry.status.last, entry.status.report) = (Some(due), Some(run.path));
                run.trouble
            }
            Err(error) => Some(error),
        };
        entry.status.error.clear();
        drop(entries);
        match trouble {
            Some(error) => self.record_trouble(at, error),
            None => self.write_record(at),
        }
    }

    /// Records what went wrong in a run; the first such error is shown.
    fn record_trouble(&self, at: usize, error: String) {
        if let Some(Entry { status, .. }) = self.lock().get_mut(at) {
            tracing::warn!(schedule = status.name, error, "a report on schedule failed");
            if status.error.is_empty() {
                status.error = error;
            }
        }
        self.write_record(at);
    }

    /// The status of each schedule.
    pub fn status(&self) -> Vec<ScheduleStatus> {
        let entries = self.lock();
        entries.iter().map(|entry| entry.status.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A report that was written.
struct Run {
    path: PathBuf,
    /// What went wrong afterwards.
    trouble: Option<String>,
}
