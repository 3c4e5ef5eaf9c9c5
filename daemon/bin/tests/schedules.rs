//! Reports on schedule over a real engine, by a clock of the test's own.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::daemon::{Daemon, program, prose};
use simdex_index::Cancel;
use simdexd::config::{Config, RootConfig, RootMode, ScheduleConfig};
use simdexd::engine::Engine;
use simdexd::engine::slot::EngineSlot;
use simdexd::reports::report::{ReportDir, verify};
use simdexd::reports::schedule::{Schedule, Scheduler};

/// An engine that knows two versions of a text, and a directory for reports.
struct Bed {
    dir: tempfile::TempDir,
    slot: Arc<EngineSlot>,
    reports: Arc<ReportDir>,
}

impl Bed {
    fn new() -> Self {
        Self::with_roots(&["share"])
    }

    fn with_roots(roots: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for name in [roots, &["reports", "told"]].concat() {
            fs::create_dir(top.join(name)).unwrap();
        }
        fs::write(top.join("share/a.txt"), prose(1, 400)).unwrap();
        fs::write(top.join("share/b.txt"), prose(1, 420)).unwrap();
        let engine = engine(&top, roots);
        engine.sync(&Cancel::never()).unwrap();
        let reports = ReportDir::open(&top.join("reports")).unwrap();
        Self {
            slot: Arc::new(EngineSlot::holding(Arc::new(engine))),
            reports: Arc::new(reports),
            dir,
        }
    }

    fn place(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    fn scheduler(&self, more: &str) -> Scheduler {
        let text = format!("name = \"nightly\"\ncron = \"0 2 * * *\"\nkeep = 2\n{more}");
        let schedule: ScheduleConfig = toml::from_str(&text).unwrap();
        let (slot, reports) = (Arc::clone(&self.slot), Arc::clone(&self.reports));
        Scheduler::new(&[schedule], slot, reports).unwrap()
    }

    fn names(&self, folder: &str) -> Vec<String> {
        names(&self.place(folder))
    }
}

fn engine(top: &Path, roots: &[&str]) -> Engine {
    let root = |name: &&str| RootConfig {
        path: top.join(name),
        mode: RootMode::Poll,
    };
    let config = Config {
        data_dir: Some(top.join("data")),
        roots: roots.iter().map(root).collect(),
        ..Config::default()
    };
    Engine::start(config, program()).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

fn at(day: u32, time: &str) -> jiff::Timestamp {
    format!("2026-11-{day}T{time}:00Z").parse().unwrap()
}

fn run(day: u32) -> String {
    format!("nightly-202611{day}T020000Z")
}

#[test]
fn what_is_due_is_written_once_kept_as_long_as_asked_and_caught_up_after_a_pause() {
    let bed = Bed::new();
    let told = bed.place("told");
    let command = format!("command = [\"/bin/cp\", \"-t\", {told:?}]");
    let scheduler = bed.scheduler(&command);
    scheduler.run_due(|| at(22, "12:00"));
    assert!(bed.names("reports").is_empty());
    assert_eq!(scheduler.status()[0].next, Some(at(23, "02:00")));
    for day in [23, 24, 25] {
        scheduler.run_due(|| at(day, "02:00"));
        scheduler.run_due(|| at(day, "02:01"));
    }
    assert_eq!(bed.names("reports"), [run(24), run(25)]);
    let status = scheduler.status().remove(0);
    assert_eq!(
        (status.last, status.next),
        (Some(at(25, "02:00")), Some(at(26, "02:00")))
    );
    assert_eq!(
        (status.report, status.error.as_str()),
        (Some(bed.place("reports").join(run(25))), "")
    );
    let report = bed.place("reports").join(run(25));
    verify(&report).unwrap();
    let mode = fs::metadata(report.join("manifest.json"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    // The command was given the path of the manifest.
    let manifest = fs::read(report.join("manifest.json")).unwrap();
    assert_eq!(fs::read(told.join("manifest.json")).unwrap(), manifest);
    // Another process, three runs later: one report.
    let again = bed.scheduler("");
    again.run_due(|| at(28, "09:00"));
    again.run_due(|| at(28, "09:01"));
    assert_eq!(bed.names("reports"), [run(25), run(28)]);
    assert_eq!(again.status()[0].next, Some(at(29, "02:00")));
}

#[test]
fn the_first_run_is_caught_up_too_and_one_that_failed_is_tried_again_and_told_after_a_restart() {
    let bed = Bed::new();
    bed.scheduler("").run_due(|| at(22, "12:00"));
    assert!(bed.names("reports").is_empty());
    // Another process, after the first run was due; the place of its report is taken.
    fs::create_dir(bed.place("reports").join(run(23))).unwrap();
    let scheduler = bed.scheduler("");
    scheduler.run_due(|| at(23, "03:00"));
    let said = |scheduler: &Scheduler| scheduler.status().remove(0).error;
    assert!(said(&scheduler).contains("exists already"));
    fs::remove_dir(bed.place("reports").join(run(23))).unwrap();
    let again = bed.scheduler("");
    again.run_due(|| at(23, "03:00"));
    assert!(
        said(&again).contains("exists already"),
        "the pause is not over"
    );
    assert!(bed.names("reports").is_empty());
    again.run_due(|| at(23, "03:02"));
    assert_eq!(
        (said(&again).as_str(), bed.names("reports")),
        ("", vec![run(23)])
    );
    assert_eq!(again.status()[0].next, Some(at(24, "02:00")));
    let last = bed.scheduler("");
    last.run_due(|| at(23, "03:03"));
    assert_eq!(
        (said(&last).as_str(), bed.names("reports")),
        ("", vec![run(23)])
    );
    // With other times it is another schedule: nothing of it was missed.
    let later = "name = \"nightly\"\ncron = \"0 1 * * *\"";
    let (slot, reports) = (Arc::clone(&bed.slot), Arc::clone(&bed.reports));
    let later = Scheduler::new(&[toml::from_str(later).unwrap()], slot, reports).unwrap();
    later.run_due(|| at(25, "03:00"));
    assert_eq!(bed.names("reports"), [run(23)]);
    assert_eq!(later.status()[0].next, Some(at(26, "01:00")));
}

#[test]
fn a_report_that_a_crash_kept_from_the_index_is_known_from_the_next_start_on() {
    let bed = Bed::new();
    let scheduler = bed.scheduler("");
    scheduler.run_due(|| at(22, "12:00"));
    scheduler.run_due(|| at(23, "02:00"));
    // As though the daemon had died when the report had its name and the index had not heard of it.
    let engine = bed.slot.get().unwrap();
    engine.writer().forget_reports(|_| false).unwrap();
    // Somebody else's folder of such a name is none.
    fs::create_dir(bed.place("reports").join(run(21))).unwrap();
    let again = bed.scheduler("");
    again.run_due(|| at(23, "12:00"));
    let status = again.status().remove(0);
    let report = bed.place("reports").join(run(23));
    assert_eq!(
        (status.last, status.report, status.error.as_str()),
        (Some(at(23, "02:00")), Some(report), "")
    );
    for day in [24, 25] {
        again.run_due(|| at(day, "02:00"));
    }
    assert_eq!(bed.names("reports"), [run(21), run(24), run(25)]);
}

#[test]
fn a_report_without_a_count_of_groups_is_known_after_a_crash_too() {
    let bed = Bed::with_roots(&["share", "other"]);
    fs::write(bed.place("other").join("c.txt"), prose(1, 410)).unwrap();
    bed.slot.get().unwrap().sync(&Cancel::never()).unwrap();
    // Over some roots alone, a question does not count the groups.
    let share = bed.place("share");
    let duplicates = format!("kind = \"duplicates\"\nroots = [{share:?}]");
    let scheduler = bed.scheduler(&duplicates);
    scheduler.run_due(|| at(22, "12:00"));
    scheduler.run_due(|| at(23, "02:00"));
    let report = bed.place("reports").join(run(23));
    let manifest = fs::read_to_string(report.join("manifest.json")).unwrap();
    assert!(!manifest.contains("\"groups\":"), "{manifest}");
    let engine = bed.slot.get().unwrap();
    engine.writer().forget_reports(|_| false).unwrap();
    let again = bed.scheduler(&duplicates);
    again.run_due(|| at(23, "12:00"));
    let status = again.status().remove(0);
    assert_eq!(
        (status.last, status.report, status.error.as_str()),
        (Some(at(23, "02:00")), Some(report), "")
    );
}

#[test]
fn a_clock_that_was_ahead_for_a_while_stops_no_later_run() {
    let bed = Bed::new();
    let scheduler = bed.scheduler("");
    let ahead = |day: u32, time: &str| -> jiff::Timestamp {
        format!("2036-01-{day:02}T{time}:00Z").parse().unwrap()
    };
    scheduler.run_due(|| ahead(1, "12:00"));
    scheduler.run_due(|| ahead(2, "02:00"));
    let of_ahead = "nightly-20360102T020000Z".to_owned();
    assert_eq!(bed.names("reports"), [of_ahead.as_str()]);
    // The clock is put right.
    scheduler.run_due(|| at(22, "12:00"));
    assert_eq!(scheduler.status()[0].next, Some(at(23, "02:00")));
    scheduler.run_due(|| at(23, "02:00"));
    scheduler.run_due(|| at(23, "02:01"));
    assert_eq!(bed.names("reports"), [run(23), of_ahead]);
    assert_eq!(scheduler.status()[0].error, "");
    scheduler.run_due(|| at(24, "02:00"));
    assert!(bed.names("reports").contains(&run(24)));
}

#[test]
fn each_report_says_what_changed_since_the_last_one() {
    let bed = Bed::new();
    let scheduler = bed.scheduler("since_last = true");
    scheduler.run_due(|| at(22, "12:00"));
    scheduler.run_due(|| at(23, "02:00"));
    let file = |day: u32, name: &str| {
        let report = bed.place("reports").join(run(day));
        verify(&report).unwrap();
        fs::read_to_string(report.join(name))
    };
    assert!(file(23, "changes.jsonl").is_err(), "there was none before");
    fs::rename(bed.place("share/b.txt"), bed.place("share/c.txt")).unwrap();
    bed.slot.get().unwrap().sync(&Cancel::never()).unwrap();
    scheduler.run_due(|| at(24, "02:00"));
    let told: Vec<serde_json::Value> = file(24, "changes.jsonl")
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let joined = told.iter().filter(|line| line["change"] == "file-joined");
    let left = told.iter().filter(|line| line["change"] == "file-left");
    let manifest: serde_json::Value =
        serde_json::from_str(&file(24, "manifest.json").unwrap()).unwrap();
    let since = &manifest["since"];
    assert_eq!(since["files_joined"], joined.count());
    assert_eq!(since["files_left"], left.count());
    assert!(since["files_left"].as_u64() > Some(0));
    let before = verify(&bed.place("reports").join(run(23))).unwrap();
    assert_eq!(since["manifest"], before.manifest);
    let page = file(24, "report.html").unwrap();
    assert!(page.contains("What changed since the last report") && page.contains("share/c.txt"));
    assert_eq!(scheduler.status()[0].error, "");
    // What somebody changed is not compared with, and said so; the report is written.
    let groups = bed.place("reports").join(run(24)).join("groups.jsonl");
    fs::write(&groups, "").unwrap();
    scheduler.run_due(|| at(25, "02:00"));
    let error = scheduler.status().remove(0).error;
    assert!(
        error.contains("the earlier report cannot be compared"),
        "{error}"
    );
    assert!(file(25, "changes.jsonl").is_err());
    scheduler.run_due(|| at(26, "02:00"));
    assert_eq!(file(26, "changes.jsonl").unwrap(), "");
    assert_eq!(scheduler.status()[0].error, "");
}

#[test]
fn the_files_of_a_report_on_schedule_are_judged_unless_the_config_says_otherwise() {
    for (more, is_judged) in [
        ("", true),
        ("judge = true", true),
        ("judge = false", false),
        ("kind = \"components\"", false),
    ] {
        let bed = Bed::new();
        let scheduler = bed.scheduler(more);
        scheduler.run_due(|| at(22, "12:00"));
        scheduler.run_due(|| at(23, "02:00"));
        assert_eq!(scheduler.status()[0].error, "");
        let report = bed.place("reports").join(run(23));
        verify(&report).unwrap();
        let manifest = fs::read(report.join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
        assert_eq!(manifest["judge_model"]["name"] == "shipped", is_judged);
        assert_eq!(manifest["unjudged"] == 0, is_judged, "{manifest}");
        let groups = fs::read_to_string(report.join("groups.jsonl")).unwrap();
        assert_eq!(groups.contains("\"judged_apart\":"), is_judged, "{groups}");
    }
}

#[test]
fn a_report_of_a_question_says_what_changed_since_the_last_one_too() {
    let bed = Bed::new();
    let share = |name: &str| bed.place("share").join(name);
    let more = "since_last = true\nkind = \"duplicates\"";
    let scheduler = bed.scheduler(more);
    fs::copy(share("a.txt"), share("a2.txt")).unwrap();
    let sync = || bed.slot.get().unwrap().sync(&Cancel::never()).unwrap();
    sync();
    scheduler.run_due(|| at(22, "12:00"));
    scheduler.run_due(|| at(23, "02:00"));
    fs::remove_file(share("a2.txt")).unwrap();
    fs::copy(share("b.txt"), share("b2.txt")).unwrap();
    sync();
    scheduler.run_due(|| at(24, "02:00"));
    let report = bed.place("reports").join(run(24));
    verify(&report).unwrap();
    let lines = fs::read_to_string(report.join("changes.jsonl")).unwrap();
    let told: Vec<_> = lines
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let path = line["path"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{} {path}", line["change"].as_str().unwrap())
        })
        .collect();
    assert_eq!(told, ["finding-gone a2.txt", "finding-new b2.txt"]);
    assert_eq!(scheduler.status()[0].error, "");
    // A schedule whose question has changed starts again, and says so.
    let scheduler = bed.scheduler("since_last = true");
    scheduler.run_due(|| at(25, "02:00"));
    let error = scheduler.status().remove(0).error;
    assert!(error.contains("it is of kind duplicates"), "{error}");
    verify(&bed.place("reports").join(run(25))).unwrap();
}

#[test]
fn a_report_is_there_and_the_next_one_known_while_its_command_runs() {
    let bed = Bed::new();
    let gate = bed.place("told/gate");
    let wait = format!("while [ ! -e {gate:?} ]; do sleep 0.02; done; exit 3");
    let scheduler = bed.scheduler(&format!("command = [\"/bin/sh\", \"-c\", {wait:?}]"));
    scheduler.run_due(|| at(22, "12:00"));
    std::thread::scope(|scope| {
        scope.spawn(|| scheduler.run_due(|| at(23, "02:00")));
        let status = loop {
            let status = scheduler.status().remove(0);
            if status.last.is_some() {
                break status;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(!gate.exists());
        let expected = (Some(at(23, "02:00")), Some(at(24, "02:00")));
        assert_eq!((status.last, status.next), expected);
        assert_eq!(status.report, Some(bed.place("reports").join(run(23))));
        fs::write(&gate, "").unwrap();
    });
    assert!(scheduler.status()[0].error.contains("ended with"));
}

#[test]
fn a_schedule_behind_one_that_takes_long_goes_by_the_time_at_its_own_turn() {
    let bed = Bed::new();
    let slow = bed.place("told/done");
    let schedule = |name: &str, cron: &str, more: &str| -> ScheduleConfig {
        let text = format!("name = {name:?}\ncron = {cron:?}\n{more}");
        toml::from_str(&text).unwrap()
    };
    let command = format!("command = [\"/bin/touch\", {slow:?}]");
    let schedules = [
        schedule("nightly", "0 2 * * *", &command),
        schedule("hourly", "0 * * * *", ""),
    ];
    let (slot, reports) = (Arc::clone(&bed.slot), Arc::clone(&bed.reports));
    let scheduler = Scheduler::new(&schedules, slot, reports).unwrap();
    scheduler.run_due(|| at(23, "01:30"));
    assert!(bed.names("reports").is_empty());
    // The report of the first, and its command, take more than an hour.
    let clock = || match slow.exists() {
        false => at(23, "02:00"),
        true => at(23, "03:05"),
    };
    scheduler.run_due(clock);
    assert_eq!(
        bed.names("reports"),
        ["hourly-20261123T030000Z".to_owned(), run(23)]
    );
    scheduler.run_due(clock);
    assert_eq!(bed.names("reports").len(), 2);
    assert_eq!(scheduler.status()[1].next, Some(at(23, "04:00")));
}

#[test]
fn what_fails_is_told_and_what_is_not_ours_stays() {
    let bed = Bed::new();
    let scheduler = bed.scheduler("command = [\"/bin/false\"]");
    scheduler.run_due(|| at(22, "12:00"));
    scheduler.run_due(|| at(23, "02:00"));
    assert!(
        scheduler.status()[0]
            .error
            .contains("/bin/false ended with")
    );
    assert_eq!(scheduler.status()[0].last, Some(at(23, "02:00")));
    let scheduler = bed.scheduler("");
    // The place of the next report is taken.
    fs::create_dir(bed.place("reports").join(run(24))).unwrap();
    scheduler.run_due(|| at(24, "02:00"));
    let status = scheduler.status().remove(0);
    assert!(status.error.contains("exists already"), "{}", status.error);
    assert_eq!(status.last, Some(at(23, "02:00")));
    scheduler.run_due(|| at(24, "02:30"));
    scheduler.run_due(|| at(25, "02:00"));
    assert_eq!(scheduler.status()[0].error, "");
    // Somebody's note in the report that goes now.
    let old = bed.place("reports").join(run(23));
    fs::write(old.join("note.txt"), "mine").unwrap();
    scheduler.run_due(|| at(26, "02:00"));
    assert!(!scheduler.status()[0].error.is_empty());
    assert_eq!(names(&old), ["note.txt"]);
    assert_eq!(bed.names("reports"), [run(23), run(24), run(25), run(26)]);
}

#[test]
fn a_running_daemon_tells_of_its_schedules() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().canonicalize().unwrap();
    let daemon = Daemon::with(&[], |config| {
        config.report_dir = Some(path.clone());
        let text = "name = \"yearly\"\ncron = \"0 2 1 1 *\"\ntime_zone = \"Europe/Zurich\"";
        config.schedules = vec![toml::from_str(text).unwrap()];
    });
    // The thread asks the index for earlier runs right at the start.
    let next = loop {
        let status = daemon.wait(daemon.client.status()).unwrap();
        assert_eq!(status.schedules[0].name, "yearly");
        if let Some(next) = status.schedules[0].next {
            break next;
        }
    };
    let next = jiff::Timestamp::from_second(next).unwrap().to_string();
    assert!(next.ends_with("-01-01T01:00:00Z"), "{next}");
    assert!(names(&path).is_empty());
}

#[test]
fn components_and_cores_of_some_roots_are_reported_on_schedule() {
    for (kind, more) in [
        ("components", ""),
        ("cores", "common = 50\nmining_seconds = 30\n"),
    ] {
        let bed = Bed::new();
        let share = bed.place("share");
        let config = format!("kind = \"{kind}\"\nroots = [{share:?}]\n{more}");
        let scheduler = bed.scheduler(&config);
        scheduler.run_due(|| at(22, "12:00"));
        scheduler.run_due(|| at(23, "02:00"));
        assert_eq!(scheduler.status()[0].error, "");
        let report = bed.place("reports").join(run(23));
        verify(&report).unwrap();
        let manifest = fs::read_to_string(report.join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        assert_eq!(
            (&manifest["kind"], &manifest["groups"]),
            (&kind.into(), &1.into())
        );
        let (scheme, threshold) = match kind {
            "cores" => ("min_n", serde_json::Value::Null),
            _ => ("mod_n", 0.8.into()),
        };
        assert_eq!(manifest["scheme"]["name"], scheme);
        assert!(kind != "cores" || manifest["scheme"]["n"] == 100);
        assert_eq!(
            manifest.get("threshold").cloned().unwrap_or_default(),
            threshold
        );
        let lines = fs::read_to_string(report.join("groups.jsonl")).unwrap();
        assert!(
            lines.contains("a.txt") && lines.contains("b.txt"),
            "{lines}"
        );
        // Nothing of them stays from one report to the next.
        let text = format!("name = \"n\"\ncron = \"0 2 * * *\"\nsince_last = true\n{config}");
        let schedule: ScheduleConfig = toml::from_str(&text).unwrap();
        let refused = Schedule::parse(&schedule).unwrap_err();
        assert!(refused.contains("have nothing that stays"), "{refused}");
    }
}

#[test]
fn a_run_that_is_caught_up_at_the_start_waits_for_the_first_walk() {
    let bed = Bed::new();
    bed.scheduler("").run_due(|| at(22, "12:00"));
    let Bed { dir, slot, reports } = bed;
    let engine_before = slot.take("a restart").unwrap();
    Arc::into_inner(engine_before).unwrap().close().unwrap();
    let top = dir.path().canonicalize().unwrap();
    for number in 0..200 {
        fs::write(top.join(format!("share/{number}.txt")), prose(number, 300)).unwrap();
    }
    let engine = engine(&top, &["share"]);
    engine.watch().unwrap();
    let bed = Bed {
        slot: Arc::new(EngineSlot::holding(Arc::new(engine))),
        reports,
        dir,
    };
    bed.scheduler("").run_due(|| at(23, "03:00"));
    assert_eq!(bed.names("reports"), [run(23)]);
    let manifest = bed.place("reports").join(run(23)).join("manifest.json");
    let manifest = fs::read_to_string(manifest).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["files_on_disk"], 202);
    assert_eq!(manifest["complete"], true, "{}", manifest["pending"]);
}
