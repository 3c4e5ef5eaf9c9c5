//! Power cuts at random moments while files change and syncs are acknowledged: the data directory
//! lies on an ext4 of its own whose journal is dropped, so what no fsync wrote is lost. A kill alone
//! cannot show that.
//!
//! Needs root and a loop device. Twenty cuts, as a release requires:
//! `SIMDEX_FAULT_ROUNDS=20 cargo test -p simdex-tests --test power -- --nocapture`

use simdex_tests::fault::crash::Crash;
use simdex_tests::fault::disk::Disk;
use simdex_tests::fault::rounds;

#[test]
fn nothing_acknowledged_is_lost_by_power_cuts() {
    let disk = match Disk::with_power() {
        Ok(disk) => disk,
        Err(reason) => return eprintln!("skipped, no power can be cut here: {reason:#}"),
    };
    let mut crash = Crash::new(12, Some(disk.path().join("data"))).unwrap();
    for round in 0..rounds(4) {
        crash
            .strike(|| disk.cut())
            .unwrap_or_else(|error| panic!("cut {round}: {error:#}"));
        disk.restore().unwrap();
        if round % 2 == 1 {
            crash.kill_at_start().unwrap();
        }
        crash
            .recover()
            .unwrap_or_else(|error| panic!("cut {round}: {error:#}"));
    }
    let figures = crash.finish().unwrap();
    eprintln!(
        "{} power cuts and {} kills at start: {} syncs acknowledged, {} acknowledged files checked, 0 lost",
        figures.strikes, figures.at_start, figures.acknowledged, figures.checked
    );
}

#[test]
fn what_a_killed_daemon_wrote_lasts_once_it_is_acknowledged() {
    let disk = match Disk::with_power() {
        Ok(disk) => disk,
        Err(reason) => return eprintln!("skipped, no power can be cut here: {reason:#}"),
    };
    let mut crash = Crash::still(13, Some(disk.path().join("data"))).unwrap();
    for round in 0..rounds(2) {
        crash
            .strike_after_kill(|| disk.cut())
            .unwrap_or_else(|error| panic!("cut {round}: {error:#}"));
        disk.restore().unwrap();
        crash
            .recover()
            .unwrap_or_else(|error| panic!("cut {round}: {error:#}"));
    }
    crash.finish().unwrap();
}

#[test]
fn nothing_acknowledged_is_lost_by_power_cuts_while_records_are_rewritten() {
    let disk = match Disk::with_power() {
        Ok(disk) => disk,
        Err(reason) => return eprintln!("skipped, no power can be cut here: {reason:#}"),
    };
    let mut crash = Crash::rewriting(15, Some(disk.path().join("data"))).unwrap();
    for round in 0..rounds(3) {
        crash
            .strike_while_rewriting(|| disk.cut())
            .unwrap_or_else(|error| panic!("cut {round}: {error:#}"));
        disk.restore().unwrap();
        crash
            .recover()
            .unwrap_or_else(|error| panic!("cut {round}: {error:#}"));
    }
    let figures = crash.finish().unwrap();
    eprintln!(
        "{} power cuts while records were rewritten: {} syncs acknowledged, {} acknowledged files checked, 0 lost",
        figures.strikes, figures.acknowledged, figures.checked
    );
}
