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
            r#""fingerprints":40000,"fingerprints_now":10000,"complete":true}"#,
            "\n"
        )
    );
    let asked = daemon.seen().calibrated.clone().expect("asked");
    assert_eq!((asked.precision, asked.threshold), (Some(0.9), Some(0.7)));
    assert_eq!(asked.roots.len(), 1);
    let refused = simctl(&daemon, &["calibrate", "--precision", "2"]);
    assert_eq!(refused.code, 2);
}
