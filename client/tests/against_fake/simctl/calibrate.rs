//! Calibration: its table, its line, its request.

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
FROM BYTES  DOCUMENTS  BYTES  PAIRS  PRECISION AT n = 1, 2, 4, 8, 16, 32, 64  RECALL         n
         0         40  80000     60  1.000 0.960 -                            1.000 0.980 -  2

predicted              precision 0.960, recall 0.980 (60 pairs)
on other documents     precision 0.950, recall - (50 pairs)
documents sampled      40
fingerprints           about 40000, now 10000
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
fn a_calibration_as_json_is_one_object() {
    let daemon = Daemon::start();
    let flags = ["--precision", "0.9", "--threshold", "0.7", "--json"];
    let run = simctl(&daemon, &[&["calibrate", "/share"], &flags[..]].concat());
    assert_eq!(
        run.out,
        concat!(
            r#"{"type":"calibration","v":1,"groups":[{"from_bytes":0,"documents":40,"bytes":80000,"#,
            r#""pairs":60,"steps":[{"precision":1.0,"recall":1.0},{"precision":0.96,"recall":0.98},"#,
            r#"{"precision":null,"recall":null}],"n":2}],"predicted":{"precision":0.96,"recall":0.98},"#,
            r#""checked":{"precision":0.95,"recall":null},"pairs":60,"checked_pairs":50,"sampled":40,"#,
            r#""fingerprints":40000,"fingerprints_now":10000,"required_precision":0.95,"threshold":0.8,"complete":true}"#,
            "\n"
        )
    );
    let asked = daemon.seen().calibrated.clone().expect("asked");
    assert_eq!((asked.precision, asked.threshold), (Some(0.9), Some(0.7)));
    assert_eq!(asked.roots.len(), 1);
    let refused = simctl(&daemon, &["calibrate", "--precision", "2"]);
    assert_eq!(refused.code, 2);
}
