//! kill -9 at random moments while files change and syncs are acknowledged: nothing acknowledged is
//! lost, and the groups come back right.
//!
//! Twenty kills, as a release requires:
//! `SIMDEX_FAULT_ROUNDS=20 cargo test -p simdex-tests --test kill -- --nocapture`

use simdex_tests::fault::crash::Crash;
use simdex_tests::fault::rounds;

#[test]
fn nothing_acknowledged_is_lost_by_kill_9() {
    let mut crash = Crash::new(11, None).unwrap();
    for round in 0..rounds(3) {
        crash
            .kill()
            .unwrap_or_else(|error| panic!("kill {round}: {error:#}"));
        if round % 2 == 1 {
            crash.kill_at_start().unwrap();
        }
        crash
            .recover()
            .unwrap_or_else(|error| panic!("kill {round}: {error:#}"));
    }
    let figures = crash.finish().unwrap();
    eprintln!(
        "{} kills and {} more at start: {} syncs acknowledged, {} acknowledged files checked, 0 lost",
        figures.strikes, figures.at_start, figures.acknowledged, figures.checked
    );
}

#[test]
fn nothing_acknowledged_is_lost_by_kill_9_while_records_are_rewritten() {
    let mut crash = Crash::rewriting(14, None).unwrap();
    for round in 0..rounds(3) {
        crash
            .kill_while_rewriting()
            .unwrap_or_else(|error| panic!("kill {round}: {error:#}"));
        crash
            .recover()
            .unwrap_or_else(|error| panic!("kill {round}: {error:#}"));
    }
    crash.kill_once_rewritten().unwrap();
    crash.recover().unwrap();
    let figures = crash.finish().unwrap();
    eprintln!(
        "{} kills while records were rewritten: {} syncs acknowledged, {} acknowledged files checked, 0 lost",
        figures.strikes, figures.acknowledged, figures.checked
    );
}
