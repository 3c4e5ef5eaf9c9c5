//! Calibration: its table, its line, its request, and how it is applied.

use simdex_client::wire::set_sampling_request::Chosen;
use simdex_client::wire::{SamplingGroup, SamplingGroups};

use super::simctl;
use crate::fake::Daemon;

#[test]
fn a_calibration_is_a_table_of_sizes_and_what_the_setting_comes_to() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["calibrate"]);
    assert_eq!((run.code, run.talk.as_str()), (0, ""));
    assert_eq!(
        run.out,
        "\
FROM BYTES  DOCUMENTS  BYTES  PAIRS  PRECISION AT n = 1, 2, 4, 8, 16, 32, 64  RECALL         n  FOUND FROM BYTES  INTERVAL
         0         40  80000     60  1.000 0.960 -                            1.000 0.980 -  2                29     0.090

recommended            the n listed for each size; `simctl calibrate --apply` puts them into force
predicted              precision 0.960 (between 0.897 and 0.960), recall 0.980 (60 similar pairs)
on other documents     precision 0.950 (between 0.887 and 0.950), recall - (50 similar pairs)
does it hold?          As far as is known: the precisions lie 0.010 apart, within 0.03, but so few pairs tell no more than a precision between 0.897 and 0.960. But it is not shown to reach 0.95: an index samples long texts more coarsely than recommended.
documents sampled      40
fingerprints           about 40000, now 10000
postings               about 200.00 KiB once merged, now 50.00 KiB
false matches          at most 1 of 1,000 fingerprints that no document holds is found before texts are compared
"
    );
    let asked = daemon.seen().calibrated.clone().expect("asked");
    assert_eq!((asked.precision, asked.threshold), (None, None));
    assert!(asked.roots.is_empty());
}

#[test]
fn the_evidence_is_written_as_a_page_and_never_over_another_file() {
    let daemon = Daemon::start();
    let page = daemon.local_file("beside", b"").with_file_name("page.html");
    let name = page.display().to_string();
    let run = simctl(&daemon, &["calibrate", "--report", &name]);
    let told = format!("simctl: the evidence is in {name}\n");
    assert_eq!((run.code, run.talk), (0, told));
    let written = std::fs::read_to_string(&page).expect("a page");
    assert_eq!(written.matches("<svg").count(), 2);
    assert!(
        written.contains("the precisions lie 0.010 apart"),
        "{written}"
    );
    daemon.seen().calibrated = None;
    let again = simctl(&daemon, &["calibrate", "--report", &name]);
    let why = format!("simctl: cannot write {name} (");
    assert!(
        again.code == 2 && again.talk.starts_with(&why),
        "{}",
        again.talk
    );
    assert!(daemon.seen().calibrated.is_none(), "it was measured first");
    assert_eq!(std::fs::read_to_string(&page).expect("a page"), written);
}

#[test]
fn a_page_without_a_folder_is_refused_before_anything_is_measured() {
    let daemon = Daemon::start();
    let file = daemon.local_file("beside", b"");
    for page in [
        file.with_file_name("nowhere").join("page.html"),
        file.join("page.html"),
    ] {
        let name = page.display().to_string();
        let run = simctl(&daemon, &["calibrate", "--report", &name]);
        let why = format!("simctl: cannot write {name} (");
        assert!(run.code == 2 && run.talk.starts_with(&why), "{}", run.talk);
        assert!(daemon.seen().calibrated.is_none(), "it was measured first");
    }
}

#[test]
fn what_some_roots_recommend_is_not_said_to_be_applicable() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["calibrate", "/share"]);
    assert_eq!(run.code, 0);
    assert!(!run.out.contains("--apply"), "{}", run.out);
    assert!(run.out.contains("is measured on all roots"), "{}", run.out);
}

#[test]
fn a_calibration_as_json_is_one_object() {
    let daemon = Daemon::start();
    let flags = ["--precision", "0.9", "--threshold", "0.7", "--json"];
    let run = simctl(&daemon, &[&["calibrate", "/share"], &flags[..]].concat());
    assert_eq!(
        run.out,
        concat!(
            r#"{"type":"calibration","v":1,"groups":[{"from_bytes":0,"documents":40,"bytes":80000,"#,
            r#""pairs":60,"steps":[{"precision":1.0,"recall":1.0,"precision_low":0.9375,"precision_high":1.0},{"precision":0.96,"recall":0.98,"precision_low":0.8975,"precision_high":0.96},"#,
            r#"{"precision":null,"recall":null,"precision_low":null,"precision_high":null}],"n":2,"shortest_excerpt_bytes":29,"interval_width":0.09}],"predicted":{"precision":0.96,"recall":0.98,"precision_low":0.8975,"precision_high":0.96},"#,
            r#""checked":{"precision":0.95,"recall":null,"precision_low":0.8875,"precision_high":0.95},"pairs":60,"checked_pairs":50,"sampled":40,"#,
            r#""fingerprints":40000,"fingerprints_now":10000,"required_precision":0.95,"threshold":0.8,"#,
            r#""posting_bytes":204800,"posting_bytes_now":51200,"false_match_rate":0.001,"complete":true}"#,
            "\n"
        )
    );
    let asked = daemon.seen().calibrated.clone().expect("asked");
    assert_eq!((asked.precision, asked.threshold), (Some(0.9), Some(0.7)));
    assert_eq!(asked.roots.len(), 1);
    let refused = simctl(&daemon, &["calibrate", "--precision", "2"]);
    assert_eq!(refused.code, 2);
}

/// What the daemon was told to sample by, as the line of its answer has it.
const APPLIED: &str = concat!(
    r#"{"type":"sampling","v":1,"chosen":true,"groups":[{"from_bytes":0,"n":2}],"waiting":30,"done":10,"unreadable":1,"#,
    r#""per_second":15.0,"seconds_left":2.0,"shortest_excerpt_bytes":458,"false_match_rate":0.0,"#,
    r#""widths":[{"from_bytes":0,"n":1,"interval_width":0.0},{"from_bytes":513,"n":2,"interval_width":0.1291},{"from_bytes":1026,"n":4,"interval_width":0.1292}]}"#,
    "\n"
);

#[test]
fn a_calibration_is_applied_where_that_is_asked_for_and_confirmed() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["calibrate", "--apply", "--yes", "--json"]);
    assert_eq!((run.code, run.talk.as_str()), (0, ""));
    assert!(run.out.ends_with(APPLIED), "{}", run.out);
    assert_eq!(run.out.lines().count(), 2);
    let chosen = daemon.seen().sampling.take().expect("chosen");
    let group = SamplingGroup {
        from_bytes: 0,
        n: 2,
    };
    let groups = vec![group];
    assert_eq!(chosen, Chosen::Groups(SamplingGroups { groups }));
    // Nobody is at a terminal here, and nothing is measured in vain.
    daemon.seen().calibrated = None;
    let refused = simctl(&daemon, &["calibrate", "--apply"]);
    assert_eq!(
        (refused.code, refused.talk.as_str()),
        (
            2,
            "simctl: it was not confirmed that all documents are to be signed again, and nothing was changed; \
             say yes, or run it with --yes\n"
        )
    );
    let seen = daemon.seen();
    assert!(seen.calibrated.is_none() && seen.sampling.is_none());
}

#[test]
fn the_sampling_in_force_is_shown_and_reset() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["sampling"]);
    assert_eq!(
        run.out,
        "\
sampling               by length, some 512 fingerprints a document
re-signing             10 documents; nothing waits
shortest excerpt found 458 bytes, with a probability of 99.9 %
width of estimates     at 0.8, of the shortest documents of a size: 0.000 from 0 bytes on (n = 1), 0.129 from 513 bytes on (n = 2 to 4); results are counted on whole texts
false matches          none
"
    );
    assert!(daemon.seen().sampling.is_none());
    let refused = simctl(&daemon, &["sampling", "--reset"]);
    assert_eq!(refused.code, 2);
    assert!(daemon.seen().sampling.is_none());
    let reset = simctl(&daemon, &["sampling", "--reset", "--yes"]);
    assert_eq!(reset.code, 0);
    assert_eq!(daemon.seen().sampling, Some(Chosen::ByLength(true)));
    let applied = simctl(&daemon, &["calibrate", "--apply", "--yes"]);
    assert!(
        applied
            .out
            .contains("sampling               as chosen: n = 2 from 0 bytes on\n")
    );
    let told = "re-signing             10 documents, 30 wait (15.0 a second, about 2 seconds left); \
                1 document as before, not read\n";
    assert!(applied.out.contains(told), "{}", applied.out);
}
