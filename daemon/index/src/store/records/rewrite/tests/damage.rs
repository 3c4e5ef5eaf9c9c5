//! Damage to rewritten records is noticed, like damage to others.

use std::fs;

use super::{assert_alone, rewritten};
use crate::store::tests::{
    LONG, SMALL, assert_filled, link, open_after_crash, real_probe, unclean,
};
use crate::store::{StoreError, copy_aside, damaged_settings, open_checked};
use crate::{Cancel, safe_fs};

#[test]
fn a_store_that_was_rewritten_is_probed_copied_and_locked_like_any_other() {
    let (temp, dir) = rewritten();
    let copied = temp.path().join("copy");
    fs::create_dir(&copied).unwrap();
    let observed = copy_aside(&dir, &copied).unwrap();
    let locked = open_checked(&dir, SMALL, None, LONG, &Cancel::never());
    assert!(matches!(locked, Err(StoreError::Locked { .. })));
    drop(observed);
    for dir in [copied, dir] {
        let _ = fs::remove_file(dir.join("CLEAN"));
        let opened = open_checked(&dir, SMALL, real_probe(&dir), LONG, &Cancel::never()).unwrap();
        assert_eq!(opened.damage, None);
        assert_filled(&opened.store);
        assert_alone(&dir, "000001");
    }
}

#[test]
fn damage_to_a_store_that_was_rewritten_is_noticed() {
    let (_temp, dir) = rewritten();
    let records = std::path::Path::new("records/000001");
    let settings = dir.join(records).join("conf");
    assert!(damaged_settings(&dir, records).unwrap().is_empty());
    let whole = fs::read(&settings).unwrap();
    fs::write(&settings, b"nothing sled wrote").unwrap();
    let of_a_run = dir.join("runs/000007/conf");
    let of_run_whole = fs::read(&of_a_run).unwrap();
    fs::write(&of_a_run, b"nor this").unwrap();
    let damaged = [settings.clone(), of_a_run.clone()];
    assert_eq!(damaged_settings(&dir, records).unwrap(), damaged);
    fs::write(&of_a_run, of_run_whole).unwrap();
    // It makes the rest suspect.
    let opened = open_checked(&dir, SMALL, real_probe(&dir), LONG, &Cancel::never()).unwrap();
    assert_eq!(opened.damage, None);
    opened.store.close().unwrap();
    assert_eq!(fs::read(&settings).unwrap(), whole);
    fs::remove_dir_all(dir.join("records")).unwrap();
    let opened = open_checked(&dir, SMALL, None, LONG, &Cancel::never()).unwrap();
    let damage = opened.damage.unwrap();
    assert!(
        damage.reason.contains("records are missing"),
        "{}",
        damage.reason
    );
}

#[test]
fn damage_anywhere_in_rewritten_records_is_noticed_or_harmless() {
    let (temp, dir) = rewritten();
    let name = "records/000001/db";
    let whole = fs::read(dir.join(name)).unwrap();
    for step in 1..16 {
        let case = temp.path().join(format!("case-{step}"));
        fs::create_dir(&case).unwrap();
        let _observed = copy_aside(&dir, &case).unwrap();
        let mut damaged = whole.clone();
        damaged[whole.len() / 16 * step] ^= 0x04;
        fs::write(case.join(name), damaged).unwrap();
        unclean(&case);
        let opened = open_after_crash(&case);
        if opened.damage.is_none() {
            assert_filled(&opened.store);
        }
    }
}

#[test]
fn what_is_planted_among_generations_is_refused() {
    for name in [
        "records/9",
        "records/000002.new",
        "records/000001/db",
        "records/000001/blobs/9",
    ] {
        for planted in [safe_fs::make_fifo, link] {
            let (_temp, dir) = rewritten();
            let path = dir.join(name);
            let _ = fs::remove_file(&path);
            planted(&path);
            let error = open_checked(&dir, SMALL, None, LONG, &Cancel::never());
            let error = error.err().unwrap_or_else(|| panic!("{name} is opened"));
            assert!(matches!(error, StoreError::Io { .. }), "{name}: {error}");
        }
    }
}
