//! Lists, the status, and errands.

use super::{command, simctl};
use crate::fake::Daemon;

/// What people are told of lists of pairs and groups.
const PROMISE: &str = "simctl: found by mod_n: a match at exactly 0.8 is missed with a probability of at most 0.1 %, a better one less often";

#[test]
fn pairs_end_with_the_counts() {
    let daemon = Daemon::start();
    let asked = [
        "pairs",
        "--limit",
        "1",
        "--threshold",
        "0.7",
        "--judge",
        "off",
    ];
    let run = simctl(&daemon, &asked);
    assert_eq!(
        run.out,
        "\
RESEMBLANCE  CONTAINMENT OF A  CONTAINMENT OF B  RELATION        BASIS     A             B
0.750        0.875             0.840             near-duplicate  verified  /share/a.txt  /share/b.txt
"
    );
    assert_eq!(
        run.talk,
        format!(
            "simctl: 3 files, 1 container member, 2 documents, 1 group, 1 pair up to the limit\n{PROMISE}\n"
        )
    );
    let json = ["pairs", "--json", "--limit", "1", "--judge", "off"];
    let json = simctl(&daemon, &json).out;
    let (a0, b0) = ("a0".repeat(32), "b0".repeat(32));
    assert_eq!(
        json,
        format!(
            "{{\"type\":\"pair\",\"v\":1,\"a\":\"/share/a.txt\",\"b\":\"/share/b.txt\",\
             \"document_a\":\"{a0}\",\"document_b\":\"{b0}\",\"relation\":\"near-duplicate\",\
             \"resemblance\":0.75,\"containment_of_a\":0.875,\"containment_of_b\":0.84,\
             \"verified\":true}}\n\
             {{\"type\":\"summary\",\"v\":1,\"files_on_disk\":3,\"members\":1,\"states\":\
             {{\"indexed\":2,\"unreadable\":1}},\"member_states\":{{\"timed-out\":1}},\"documents\":2,\"groups\":1,\"pairs\":1,\
             \"suppressed\":0,\"truncated\":true,\"seconds\":0.25,\
             \"promise\":{{\"scheme\":\"mod_n\",\"threshold\":0.8,\"missed_at_most\":0.001}},\"complete\":true}}\n"
        )
    );
    assert_eq!(simctl(&daemon, &["pairs", "--threshold", "1"]).code, 1);
    assert_eq!(daemon.seen().after, None);
    simctl(&daemon, &["pairs", "--after", "/x/../a", "/b.eml!/c"]);
    let after = daemon.seen().after.clone().expect("it is passed on");
    assert_eq!(after.a, b"/a");
    assert_eq!(after.b, b"/b.eml!/c");
    assert_eq!(daemon.seen().listed[0], (Some(0.7), vec![]));
}

#[test]
fn pairs_by_containment_say_of_how_many_documents_some_may_be_missing() {
    let daemon = Daemon::start();
    let plain = simctl(&daemon, &["pairs"]);
    assert_eq!(daemon.seen().contained, None);
    let run = simctl(&daemon, &["pairs", "--containment-threshold", "0.9"]);
    assert_eq!(daemon.seen().contained, Some(0.9));
    let remark = "simctl: some files that contain 3 documents may be missing: long files are sampled too coarsely for short ones\n";
    assert_eq!(run.talk, plain.talk + remark);
    let json = simctl(
        &daemon,
        &["pairs", "--json", "--containment-threshold", "0.9"],
    );
    assert!(
        json.out.contains("\"uncertain\":3") && json.talk.is_empty(),
        "{json:?}"
    );
    assert_eq!(
        simctl(&daemon, &["groups", "--containment-threshold", "0.9"]).code,
        2
    );
}

#[test]
fn lists_of_files_and_stars_are_resumed_by_an_absolute_path() {
    let daemon = Daemon::start();
    for list in ["files", "groups"] {
        simctl(&daemon, &[list]);
        assert_eq!(daemon.seen().after_file, None);
        simctl(&daemon, &[list, "--after", "/x/../a.eml!/b"]);
        let after = daemon.seen().after_file.clone();
        assert_eq!(after.as_deref(), Some(&b"/a.eml!/b"[..]));
    }
    let flags = ["groups", "--kind", "components", "--after", "/a"];
    let refused = simctl(&daemon, &flags);
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .talk
            .contains("--after applies only to --kind stars"),
        "{}",
        refused.talk
    );
}

#[test]
fn a_group_lists_its_principal_and_its_members() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["groups"]);
    assert_eq!(
        run.out,
        "\
GROUP  RESEMBLANCE  CONTAINMENT OF MEMBER  CONTAINMENT OF PRINCIPAL  RELATION   JUDGED               PATH
    9  1.000        1.000                  -                         principal  apart                /share/a.txt
    9  0.999        0.999                  -                         contains   template-only 0.875  /share/b.txt
"
    );
    let json = simctl(&daemon, &["groups", "--json", "--judge", "off"]).out;
    let a0 = "a0".repeat(32);
    assert_eq!(
        json.lines().next(),
        Some(&*format!(
            "{{\"type\":\"group\",\"v\":1,\"id\":9,\"kind\":\"star\",\
                 \"principal\":\"/share/a.txt\",\"members\":[\
                 {{\"path\":\"/share/a.txt\",\"document\":\"{a0}\",\"relation\":null,\
                 \"resemblance\":1.0,\"containment_of_member\":1.0,\
                 \"containment_of_principal\":null}},\
                 {{\"path\":\"/share/b.txt\",\"document\":\"{a0}\",\"relation\":\"contains\",\
                 \"resemblance\":0.9996,\"containment_of_member\":0.9996,\
                 \"containment_of_principal\":null}}]}}"
        ))
    );
}

#[test]
fn components_and_cores_are_numbered_and_a_core_says_what_is_shared() {
    let daemon = Daemon::start();
    let components = simctl(&daemon, &["groups", "--kind", "components"]);
    assert_eq!(
        components.out,
        "\
GROUP        RELATION        PATH
component 1  longest         /share/a.txt
component 1  -               /share/b.txt
component 2  longest         /share/c.txt
component 2  identical-text  /share/d.txt
"
    );
    let cores = simctl(&daemon, &["groups", "--kind", "cores"]);
    assert_eq!(
        cores.out,
        "\
GROUP   SHARED OF 100  RELATION        PATH
core 1             87  longest         /share/a.txt
core 1             87  -               /share/b.txt
core 2             87  longest         /share/c.txt
core 2             87  identical-text  /share/d.txt
"
    );
    let json = simctl(&daemon, &["groups", "--kind", "cores", "--json"]).out;
    assert_eq!(json.matches("\"kind\":\"core\"").count(), 2);
    let misplaced = simctl(&daemon, &["groups", "--common", "90"]);
    assert_eq!(misplaced.code, 2);
}

#[test]
fn one_group_is_shown_by_a_file_of_it_or_by_its_id() {
    let daemon = Daemon::start();
    let all = simctl(&daemon, &["groups", "--json"]).out;
    let group = all.lines().next().expect("a group");
    let closing = r#"{"type":"completeness","v":1,"promise":{"scheme":"mod_n","threshold":0.8,"missed_at_most":0.001},"complete":true}"#;
    for of in [["--of", "/share/a.txt"], ["--id", "9"]] {
        let run = simctl(&daemon, &[&["groups", "--json"][..], &of].concat());
        assert_eq!(
            (run.code, run.out, run.talk.as_str()),
            (0, format!("{group}\n{closing}\n"), "")
        );
    }
    let alone = simctl(&daemon, &["groups", "--of", "/share/unlike.txt"]);
    assert_eq!(
        (alone.code, alone.out.as_str(), alone.talk.as_str()),
        (
            1,
            "",
            &*format!("simctl: /share/unlike.txt is in no group\n{PROMISE}\n")
        )
    );
    let pending = simctl(&daemon, &["groups", "--of", "/share/pending.txt"]);
    assert_eq!(
        (pending.code, pending.out.as_str(), pending.talk.as_str()),
        (
            1,
            "",
            &*format!("simctl: /share/pending.txt is in no group yet\n{PROMISE}\n")
        )
    );
    assert_eq!(simctl(&daemon, &["groups", "--id", "10"]).code, 2);
    assert_eq!(
        simctl(&daemon, &["groups", "--id", "9", "--limit", "1"]).code,
        2
    );
}

#[test]
fn what_is_not_complete_is_said_once_and_waited_for_on_demand() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["groups", "--threshold", "0.5"]);
    assert_eq!(
        run.talk,
        format!(
            "simctl: 3 files, 1 container member, 2 documents, 1 group, 1 pair\n\
             {}\n\
             simctl: the index is not complete: 5,218 changes queued, 312 documents not settled; \
             `--wait` waits until it is\n\
             simctl: 1 group marked apart: files there are judged no versions of the principal\n",
            PROMISE.replace("mod_n: ", "mod_n: of what is indexed, ")
        )
    );
    let json = simctl(&daemon, &["groups", "--threshold", "0.5", "--json"]);
    assert_eq!(json.talk, "");
    let end = "\"complete\":false,\"pending\":{\"queued\":5218,\"retrying\":0,\"unsettled\":312,\"crowded\":0,\"stale_roots\":0,\
               \"held_losses\":0,\"unreadable\":0,\"damaged\":0,\"moved\":0}}\n";
    assert!(json.out.ends_with(end), "{}", json.out);
    assert_eq!(daemon.seen().waits, 0);
    for verb in [
        &["groups"][..],
        &["pairs"],
        &["versions", "/share/a.txt"],
        &["report", "--keep", "x"],
        &["files"],
        &["show", "/share/a.txt"],
        &["compare", "/share/a.txt", "/share/b.txt"],
        &["calibrate"],
    ] {
        let run = simctl(&daemon, &[verb, &["--wait", "--strict"]].concat());
        let is_refused = verb[0] == "pairs" || verb[0] == "groups";
        assert!(run.code == 0 || is_refused, "{}", run.talk);
    }
    assert_eq!(daemon.seen().waits, 8);
    let compared = daemon.seen().compared.as_ref().map(|asked| asked.strict);
    let calibrated = daemon.seen().calibrated.as_ref().map(|asked| asked.strict);
    assert_eq!((compared, calibrated), (Some(true), Some(true)));
    let refused = simctl(&daemon, &["pairs", "--strict"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    let why = "the index is not complete: 1 text damaged";
    assert!(refused.talk.contains(why), "{}", refused.talk);
}

#[test]
fn files_show_states_and_escape_their_names() {
    let daemon = Daemon::start();
    let run = simctl(
        &daemon,
        &["files", "--state", "indexed", "--state", "unreadable"],
    );
    assert_eq!(
        run.out,
        "\
STATE       REASON             BYTES  CHARS  DOCUMENT      PATH
indexed     -                   1234   1200  a0a0a0a0a0a0  /share/a.txt
unreadable  permission-denied      -      -  -             /share/\\u{1b}[2J.pdf
"
    );
    assert_eq!(daemon.seen().states, ["indexed", "unreadable"]);
    let json = simctl(&daemon, &["files", "--json"]).out;
    assert_eq!(
        json.lines().nth(1),
        Some(
            r#"{"type":"file","v":1,"path":"/share/\u001b[2J.pdf","state":"unreadable","reason":"permission-denied","document":null,"content":null,"media_type":null,"bytes":null,"chars":null,"engine":null,"extractor":null,"warnings":[],"facts":{},"container":null,"role":null,"ordinal":null,"last_read":null,"modified":null,"group":null,"owner":null}"#
        )
    );
}

#[test]
fn roots_are_listed_and_the_loss_that_was_looked_at_is_confirmed() {
    let daemon = Daemon::start();
    let listed = simctl(&daemon, &["roots"]);
    let told = "simctl: /share is loss-held: 1500 files missing; check the share, and only if the loss is real \
                run `simctl roots confirm-loss /share --token 005fa109ff10`\n";
    assert_eq!(listed.talk, told);
    assert_eq!(
        listed.out,
        "\
ID  STATE      MODE         FILES  PENDING LOSS  PATH    DETAIL
 3  loss-held  poll (auto)   4000          1500  /share  1500 files vanished at once
"
    );
    assert_eq!(
        simctl(&daemon, &["roots", "--json"]).out,
        "{\"type\":\"root\",\"v\":1,\"id\":3,\"path\":\"/share\",\"mode\":\"poll\",\
         \"configured_mode\":\"auto\",\"state\":\"loss-held\",\
         \"detail\":\"1500 files vanished at once\",\"files\":4000,\"pending_loss\":1500,\
         \"loss_token\":\"005fa109ff10\"}\n"
    );
    // No terminal, and nobody who says what was looked at.
    let confirm = ["roots", "confirm-loss", "/share"];
    let run = simctl(&daemon, &confirm);
    assert_eq!((run.code, run.talk.as_str()), (2, told));
    let with = |token| simctl(&daemon, &[&confirm[..], &["--token", token]].concat());
    let run = with("005fa109ff11");
    assert_eq!(run.code, 2);
    assert!(
        run.talk.contains("has changed since it was shown"),
        "{}",
        run.talk
    );
    let run = with("005fa109ff10");
    assert_eq!(
        (run.code, run.talk.as_str()),
        (
            0,
            "simctl: removed 1500 files of /share from the index; nothing on the share was touched\n"
        )
    );
    let run = simctl(&daemon, &["roots", "confirm-loss", "/other"]);
    assert_eq!(
        (run.code, run.talk.as_str()),
        (
            2,
            "simctl: /other is not a watched root; watched are: /share\n"
        )
    );
}

#[test]
fn show_prints_all_that_is_on_record() {
    let daemon = Daemon::start();
    let text = simctl(&daemon, &["show", "/share/a.zip!/a.txt"]).out;
    for line in [
        "path                   /share/a.zip!/a.txt",
        "read by                plain 1",
        "group                  9",
        "inside                 /share/a.zip",
        "as                     entry, number 4",
        "charset                windows-1252",
        "file modified          2023-11-14T22:13:20Z",
        "modified               2020-01-02T03:04:05Z",
        "remark                 read with care",
    ] {
        assert!(text.contains(&format!("{line}\n")), "{line}: {text}");
    }
    let json = simctl(&daemon, &["show", "/share/a.zip!/a.txt", "--json"]).out;
    let file: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(file["container"], "/share/a.zip");
    assert_eq!(file["facts"]["charset"], "windows-1252");
    assert_eq!(
        (&file["group"], &file["complete"]),
        (&9.into(), &true.into())
    );
    assert_eq!(file["modified"], "2023-11-14T22:13:20Z");
}

#[test]
fn the_status_says_what_holds_memory_and_what_is_not_known_of_it() {
    let daemon = Daemon::start();
    let text = simctl(&daemon, &["status"]).out;
    let memory = "\nMEMORY HELD BY          BYTES     AT MOST\n\
                  unmerged postings   31.25 KiB           -\n\
                  cache of the store          -  512.00 MiB\n";
    assert!(text.contains(memory), "{text}");
    assert!(
        text.contains("\nresident memory        3.00 MiB\n")
            && text.contains("\njudging                shipped (abababababab)\n"),
        "{text}"
    );
    assert!(
        text.contains("the file is damaged; train again, or `simctl judge train --reset`"),
        "{text}"
    );
    let json = simctl(&daemon, &["status", "--json"]).out;
    let status: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(status["resident_bytes"], 3 << 20);
    assert_eq!(status["judge_model"]["name"], "shipped");
    assert_eq!(status["memory"][0]["bytes"], 32_000);
    assert!(status["memory"][1]["bytes"].is_null(), "it is not known");
    assert_eq!(status["memory_limit_bytes"], 256 << 20);
}

#[test]
fn the_status_says_how_fast_what_waits_is_done() {
    let daemon = Daemon::start();
    let text = simctl(&daemon, &["status"]).out;
    assert!(
        text.contains("\nreading                12.5 files a second, about 2 minutes left\n")
            || text
                .contains("\nreading                12.5 files a second, about 90 seconds left\n"),
        "{text}"
    );
    assert!(
        text.contains(
            "\nsettling               2.5 documents a second, more than 30 seconds left\n"
        ),
        "{text}"
    );
    let merging =
        "\nmerging                postings into the store, for 4 s; changes wait for it\n";
    assert!(text.contains(merging), "{text}");
    let json = simctl(&daemon, &["status", "--json"]).out;
    let status: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(status["merging_seconds"], 4.25);
    assert_eq!(status["reading"]["seconds_left"], 90.0);
    assert_eq!(status["reading"]["takes_longer"], false);
    assert_eq!(status["settling"]["takes_longer"], true);
}

#[test]
fn the_status_is_told_to_people_and_to_programs() {
    let daemon = Daemon::start();
    let text = simctl(&daemon, &["status"]).out;
    assert!(
        text.starts_with("daemon                 simdexd 0.1.0, stored format 1\n"),
        "{text}"
    );
    assert!(
        text.contains(
            "\nstates                 2 indexed, 1 unreadable\nmember states          1 timed-out\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("\nstore                  4.00 KiB\n"),
        "{text}"
    );
    assert!(
        text.contains(
            "mod_n, n = 1 to 64, windows of 20 bytes      4000       4000            9000"
        ),
        "{text}"
    );
    let data = "\ndata                   /var/lib/simdex (a new index, made at this start)\n";
    assert!(text.contains(data), "{text}");
    let alarm = "changes                NOT APPLIED; answers show what was applied before\n\
                 because                cannot write /var/lib/simdex/text/000001.seg: no storage space\n\
                 since                  1970-01-01T00:00:00Z\n\
                 tried again            1970-01-01T00:01:00Z\n";
    assert!(text.contains(alarm), "{text}");
    let complete = "complete               no: 5,218 changes queued, 312 documents not settled\n";
    assert!(text.contains(complete), "{text}");
    let json = simctl(&daemon, &["status", "--json"]).out;
    assert_eq!(json.lines().count(), 1);
    let status: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(status["type"], "status");
    assert_eq!(status["queued"], 2);
    assert_eq!(status["complete"], false);
    assert_eq!(status["pending"]["unsettled"], 312);
    assert_eq!(status["alarm"]["since"], "1970-01-01T00:00:00Z");
    assert_eq!(status["alarm"]["answering"], true);
    assert_eq!(status["summary"]["states"]["indexed"], 2);
    assert_eq!(status["roots"][0]["pending_loss"], 1500);
    assert_eq!(status["schemes"][0]["scheme"]["name"], "mod_n");
    assert_eq!(status["schemes"][0]["n_most"], 64);
}

#[test]
fn errands_reach_the_daemon() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["rescan", "/share"]);
    assert_eq!(run.code, 0);
    assert!(
        run.talk.starts_with("simctl: 1 root will be walked again"),
        "{}",
        run.talk
    );
    assert_eq!(daemon.seen().rescans, [b"/share"]);

    let run = simctl(&daemon, &["sync"]);
    assert_eq!(run.code, 2);
    assert_eq!(
        run.talk,
        "simctl: root /share holds back a loss of 1500 files; \
         see `simctl status` and `simctl roots`\n"
    );

    let run = simctl(&daemon, &["watch", "--after", "6"]);
    assert_eq!(run.code, 2, "a stream without end ended");
    let event = "7 1970-01-01T00:00:00Z file-indexed      /share/a.txt\n";
    assert_eq!(run.out, event);
    let ended = "simctl: the daemon stopped; once it runs again, watch first and then list files and groups again\n";
    assert_eq!(
        run.talk,
        format!("simctl: watching from event 6 on\n{ended}")
    );
    let run = simctl(&daemon, &["watch", "--after", "6", "--json"]);
    let event = r#"{"type":"event","v":1,"number":7,"at":"1970-01-01T00:00:00.000001Z","kind":"file-indexed","path":"/share/a.txt","group":null,"document":"HASH","detail":null}"#;
    let event = event.replace("HASH", &"ab".repeat(32));
    assert_eq!(run.out.lines().nth(1), Some(&*event));
}

#[test]
fn a_report_that_the_daemon_keeps_is_asked_for_and_said_to_be_there() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["report", "--keep", "2026", "--threshold", "0.9"]);
    assert_eq!((run.code, run.out.as_str()), (0, "/reports/2026\n"));
    let report = daemon.seen().report.clone().expect("asked for");
    assert_eq!(
        (&report.name[..], report.threshold),
        (&b"2026"[..], Some(0.9))
    );
    assert!(report.since.is_empty());
    let run = simctl(&daemon, &["report", "--keep", "2027", "--since", "2026"]);
    assert_eq!(run.code, 0, "{}", run.talk);
    assert_eq!(run.out, "/reports/2027\n/reports/2027/changes.jsonl\n");
    for said in [
        "simctl: 3 files found; 1 search reached a limit: there may be more\n",
        "simctl: since the earlier report: 2 files new, 1 file gone, 0 files changed\n",
        "the earlier report covers other roots",
    ] {
        assert!(run.talk.contains(said), "{}", run.talk);
    }
    let report = daemon.seen().report.take().expect("asked for");
    assert_eq!(
        (&report.name[..], &report.since[..]),
        (&b"2027"[..], &b"2026"[..])
    );
}

#[test]
fn a_report_is_written_here_and_over_nothing() {
    let daemon = Daemon::start();
    let out = daemon.dir.path().join("x/../report");
    let out = out.to_str().expect("UTF-8");
    let run = simctl(&daemon, &["report", "--out", out, "--threshold", "0.9"]);
    let made = daemon.dir.path().join("report");
    assert_eq!((run.code, run.out), (0, format!("{}\n", made.display())));
    let groups = std::fs::read_to_string(made.join("groups.jsonl"));
    assert_eq!(groups.expect("written"), "{}\n");
    let asked = daemon.seen().streamed.take().expect("asked for");
    assert_eq!(asked.threshold, Some(0.9));
    let again = simctl(&daemon, &["report", "--out", out]);
    assert_eq!(again.code, 2);
    assert!(daemon.seen().streamed.is_none(), "nothing is asked in vain");
    let no_report = daemon.dir.path().join("none").display().to_string();
    let beside = daemon.dir.path().join("b").display().to_string();
    let since = ["report", "--wait", "--out", &beside, "--since", &no_report];
    assert_eq!(simctl(&daemon, &since).code, 2);
    assert_eq!(daemon.seen().waits, 0, "nothing is waited for in vain");
}

#[test]
fn a_fifo_is_refused_and_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let daemon = Daemon::start();
    let fifo = daemon.dir.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RWXU, 0).expect("FIFO");
    let fifo = fifo.to_str().expect("UTF-8");
    for args in [
        &["find-similar", fifo][..],
        &["compare", fifo, "/share/a.txt"],
    ] {
        let run = simctl(&daemon, args);
        assert_eq!(run.code, 2);
        assert!(
            run.talk.contains("is not a regular file; name a file"),
            "{}",
            run.talk
        );
    }
}

#[test]
fn what_a_killed_report_left_is_removed_by_the_next_one_there() {
    let daemon = Daemon::start();
    let place = daemon.local_file("place", b"");
    std::fs::remove_file(&place).expect("removed");
    std::fs::create_dir(&place).expect("a directory");
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(&place).expect("listed");
        let name = |entry: std::fs::DirEntry| entry.file_name().into_string().expect("UTF-8");
        entries
            .map(|entry| name(entry.expect("an entry")))
            .collect()
    };
    let asked = |name: &str| place.join(name).display().to_string();
    daemon.seen().stalls = true;
    let mut child = command(&daemon.socket(), &["report", "--out", &asked("first")]);
    let mut child = child.spawn().expect("simctl runs");
    // Until the daemon has begun its answer: else the second run might get the one that stalls.
    while names().is_empty() || daemon.seen().stalls {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // While it is writing, its folder is left alone.
    let run = simctl(&daemon, &["report", "--out", &asked("second")]);
    assert_eq!(run.code, 0, "{}", run.talk);
    assert_eq!(names().len(), 2, "{:?}", names());
    child.kill().expect("killed");
    child.wait().expect("its end");
    assert_eq!(names().len(), 2, "a killed run removes nothing");
    let run = simctl(&daemon, &["report", "--out", &asked("third")]);
    assert_eq!(run.code, 0, "{}", run.talk);
    let mut left = names();
    left.sort();
    assert_eq!(left, ["second", "third"]);
}
