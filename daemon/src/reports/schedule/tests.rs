//! Schedules under a simulated clock.

use super::*;

fn config(cron: &str, zone: &str) -> ScheduleConfig {
    let text = format!("name = \"weekly\"\ncron = {cron:?}\ntime_zone = {zone:?}");
    toml::from_str(&text).unwrap()
}

fn schedule(cron: &str, zone: &str) -> Arc<Schedule> {
    Arc::new(Schedule::parse(&config(cron, zone)).unwrap())
}

fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

#[test]
fn a_time_is_that_of_the_time_zone_whatever_its_clocks_do() {
    let nightly = schedule("30 2 * * *", "Europe/Zurich");
    let next = |after: &str| nightly.next_after(at(after)).unwrap().to_string();
    assert_eq!(next("2026-01-10T00:00:00Z"), "2026-01-10T01:30:00Z");
    assert_eq!(next("2026-07-10T00:00:00Z"), "2026-07-10T00:30:00Z");
    // 2:30 does not exist on 29 March 2026, and occurs twice on 25 October: one run each.
    for (day, before) in [
        ("03-29", "2026-03-28T12:00:00Z"),
        ("10-25", "2026-10-24T12:00:00Z"),
    ] {
        let (mut time, mut runs) = (at(before), 0);
        loop {
            time = nightly.next_after(time).unwrap();
            if time >= at(&format!("2026-{day}T12:00:00Z")) {
                break;
            }
            runs += 1;
        }
        assert_eq!(runs, 1, "{day}");
    }
    let monday_or_first = schedule("0 2 1 * mon", "UTC");
    let next = monday_or_first.next_after(at("2026-11-22T00:00:00Z"));
    assert_eq!(next, Some(at("2026-11-23T02:00:00Z")));
}

#[test]
fn runs_that_were_missed_are_caught_up_by_one() {
    let start = at("2026-11-22T12:00:00Z");
    let mut table = Timetable::new(schedule("0 2 * * *", "UTC"), None, start);
    assert_eq!(
        table.due(start),
        None,
        "nothing was missed before there was a schedule"
    );
    assert_eq!(table.next(), Some(at("2026-11-23T02:00:00Z")));
    let due = table.due(at("2026-11-23T02:00:00Z")).unwrap();
    assert_eq!(due, at("2026-11-23T02:00:00Z"));
    table.done(due);
    assert_eq!(table.due(at("2026-11-23T02:00:01Z")), None);
    // Three days missed, before this process started and during it.
    let back = at("2026-11-26T09:00:00Z");
    let again = Timetable::new(schedule("0 2 * * *", "UTC"), Some(due), start);
    for mut table in [table, again] {
        assert_eq!(table.due(back), Some(at("2026-11-26T02:00:00Z")));
        table.done(at("2026-11-26T02:00:00Z"));
        assert_eq!(table.due(back), None);
        assert_eq!(table.next(), Some(at("2026-11-27T02:00:00Z")));
        // A clock that is set back does not repeat a run.
        assert_eq!(table.due(at("2026-11-25T03:00:00Z")), None);
    }
}

#[test]
fn a_run_that_failed_is_tried_again_after_growing_pauses_until_the_next_is_due() {
    let start = at("2026-11-22T12:00:00Z");
    let mut table = Timetable::new(schedule("0 2 * * *", "UTC"), None, start);
    let due = at("2026-11-23T02:00:00Z");
    let (mut now, mut pauses) = (due, Vec::new());
    for _ in 0..9 {
        assert_eq!(table.due(now), Some(due));
        table.failed(due, now);
        let next = table.next().unwrap();
        assert_eq!(table.due(next - jiff::SignedDuration::from_secs(1)), None);
        pauses.push(next.duration_since(now).as_secs() / 60);
        now = next;
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    // Another process goes on, and knows where the report was written after all.
    let again = |last| {
        Timetable::new(schedule("0 2 * * *", "UTC"), last, start).with_failed(table.failed, now)
    };
    assert_eq!(again(None).due(now), Some(due));
    assert_eq!(again(Some(due)).due(now), None);
    let next = at("2026-11-24T02:00:00Z");
    assert_eq!(table.due(next), Some(next));
    table.done(next);
    assert_eq!(table.next(), Some(at("2026-11-25T02:00:00Z")));
}

#[test]
fn a_clock_that_was_far_ahead_is_noticed_and_one_set_back_a_little_is_not() {
    for (cron, ahead, back) in [
        ("0 2 * * *", "2026-11-24T03:00:00Z", "2026-11-25T03:00:00Z"),
        ("* * * * *", "2026-11-25T01:00:00Z", "2026-11-25T03:00:00Z"),
        ("0 2 1 * *", "2026-09-30T00:00:00Z", "2026-11-20T00:00:00Z"),
    ] {
        let schedule = schedule(cron, "UTC");
        let tried = schedule.last_until(at("2026-11-26T02:00:00Z"));
        let table = Timetable::new(schedule.clone(), tried, at("2026-01-01T00:00:00Z"));
        assert!(!table.is_ahead_of(at("2026-11-26T03:00:00Z")), "{cron}");
        assert!(!table.is_ahead_of(at(back)), "{cron}");
        assert!(table.is_ahead_of(at(ahead)), "{cron}");
        let far = Timetable::new(schedule, Some(at("2036-01-01T02:00:00Z")), at(ahead));
        assert!(far.is_ahead_of(at(ahead)), "{cron}");
    }
}

#[test]
fn a_run_is_known_by_its_name() {
    let schedule = schedule("0 2 * * *", "UTC");
    let due = at("2026-11-23T02:00:00Z");
    assert_eq!(schedule.run_name(due), "weekly-20261123T020000Z");
    assert_eq!(schedule.due_of("weekly-20261123T020000Z"), Some(due));
    for other in [
        "weekly-20261123T020000",
        "other-20261123T020000Z",
        "weekly",
        "weekly-x",
    ] {
        assert_eq!(schedule.due_of(other), None, "{other}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one refusal after another")]
fn what_cannot_be_is_refused_with_a_sentence() {
    let refused = |change: &dyn Fn(&mut ScheduleConfig)| {
        let mut config = config("0 2 * * mon", "UTC");
        change(&mut config);
        Schedule::parse(&config).unwrap_err()
    };
    let said = [
        (
            refused(&|c| c.cron = "0 2 30 2 *".into()),
            "never fires: no date matches",
        ),
        (
            refused(&|c| c.cron = "often".into()),
            "which is not one of five fields",
        ),
        (
            refused(&|c| c.cron = "* * * * * *".into()),
            "which is not one of five fields",
        ),
        (
            refused(&|c| c.time_zone = "Mars/Olympus".into()),
            "the time zone \"Mars/Olympus\"",
        ),
        (
            refused(&|c| c.kind = "all".into()),
            "is not a kind of report",
        ),
        (
            refused(&|c| c.kind = "leak".into()),
            "leak needs protected roots",
        ),
        (
            refused(&|c| c.older_than = Some("9x".into())),
            "has the age \"9x\"",
        ),
        (
            refused(&|c| c.load_file = Some("opt".into())),
            "is not a format of load files",
        ),
        (
            refused(&|c| c.profile = "relativity".into()),
            "has a profile or an encoding, but no load_file",
        ),
        (
            refused(&|c| c.encoding = "windows-1252".into()),
            "has a profile or an encoding, but no load_file",
        ),
        (refused(&|c| c.keep = 0), "let it keep at least 1"),
        (
            refused(&|c| c.command = vec!["sh".into()]),
            "by its absolute path",
        ),
        (
            refused(&|c| c.command_seconds = 0),
            "command_seconds beyond",
        ),
        (
            refused(&|c| c.threshold = Some(2.0)),
            "not a number from 0 to 1",
        ),
        (
            refused(&|c| (c.kind, c.threshold) = ("duplicates".into(), Some(0.9))),
            "takes no threshold",
        ),
        (
            refused(&|c| (c.kind, c.files) = ("copies-of".into(), vec!["/a".into(); 1_001])),
            "lists 1,001 files, and at most 1,000 are allowed",
        ),
        (
            refused(&|c| c.name = "../x".into()),
            "letters, digits and hyphens",
        ),
    ];
    for (said, part) in said {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn a_command_ends_in_time_or_is_killed_with_what_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = dir.path().join("a manifest; touch x");
    let run = |command: &[&str], time| {
        let command: Vec<_> = command.iter().map(|part| (*part).to_owned()).collect();
        command::run(&command, &manifest, time, &simdex_index::Cancel::never())
    };
    let long = Duration::from_secs(600);
    run(&["/usr/bin/touch"], long).unwrap();
    assert!(
        manifest.exists(),
        "the path is one argument, whatever is in it"
    );
    assert_eq!(run(&[], long), Ok(()));
    let failed = run(&["/bin/false"], long).unwrap_err();
    assert!(failed.contains("ended with"), "{failed}");
    let missing = run(&["/nowhere/program"], long).unwrap_err();
    assert!(missing.contains("cannot be run"), "{missing}");
    let killed = run(&["/bin/sh", "-c", "sleep 600 & wait"], Duration::ZERO).unwrap_err();
    assert!(killed.contains("was killed after"), "{killed}");
}
