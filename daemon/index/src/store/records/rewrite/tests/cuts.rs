//! Wherever a rewrite is interrupted, nothing committed is lost and nothing is left behind.

use std::fs;

use super::{PART, assert_alone};
use crate::store::records::rewrite::RewriteStage;
use crate::store::tests::model::{Model, delete, put, records_of, rewrite};
use crate::store::tests::{RECORDS, SMALL, copy_dir, filled};
use crate::store::{SledStore, Store as _};

#[test]
fn a_kill_at_any_step_loses_nothing_that_was_committed() {
    let (temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    let mut cases: Vec<(RewriteStage, std::path::PathBuf, Model)> = Vec::new();
    let rewritten = store.all_records().rewrite(PART, &mut |stage| {
        if matches!(
            stage,
            RewriteStage::Copying | RewriteStage::Read | RewriteStage::Copied
        ) {
            let number = cases.len() as u32;
            let keys = [number, RECORDS - 1 - number].map(u32::to_be_bytes);
            let batch = vec![put(&keys[0], b"new"), delete(&keys[1])];
            store.records().apply(batch).unwrap();
            store.commit().unwrap();
        }
        let case = temp.path().join(format!("case-{}", cases.len()));
        copy_dir(&dir, &case);
        cases.push((stage, case, records_of(&store)));
        true
    });
    assert!(rewritten.unwrap());
    for (stage, case, expected) in cases {
        let store = SledStore::open(&case, SMALL).unwrap();
        assert_eq!(records_of(&store), expected, "{stage:?}");
        let current = match stage {
            RewriteStage::Current => "000001",
            _ => "",
        };
        assert_alone(&case, current);
        store.close().unwrap();
    }
}

#[test]
fn a_kill_while_the_old_records_are_removed_loses_nothing() {
    for rewritten_before in [false, true] {
        let (temp, dir) = filled();
        let store = SledStore::open(&dir, SMALL).unwrap();
        if rewritten_before {
            rewrite(&store, PART);
        }
        let whole = temp.path().join("whole");
        let expected = records_of(&store);
        let rewritten = store.all_records().rewrite(PART, &mut |stage| {
            if stage == RewriteStage::Current {
                copy_dir(&dir, &whole);
            }
            true
        });
        assert!(rewritten.unwrap());
        let (old, current) = match rewritten_before {
            false => (whole.clone(), "000001"),
            true => (whole.join("records/000001"), "000002"),
        };
        let of_sled = |name: &str| ["db", "conf"].contains(&name) || name.starts_with("snap.");
        let files = fs::read_dir(&old)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let files: Vec<_> = files
            .filter(|path| of_sled(&path.file_name().unwrap().to_string_lossy()))
            .collect();
        assert!(files.len() >= 3, "{files:?}");
        // In whatever order they were removed.
        for gone in 1..1 << files.len() {
            let case = temp.path().join(format!("case-{rewritten_before}-{gone}"));
            copy_dir(&whole, &case);
            for (at, path) in files.iter().enumerate() {
                if gone >> at & 1 == 1 {
                    fs::remove_file(case.join(path.strip_prefix(&whole).unwrap())).unwrap();
                }
            }
            let store = SledStore::open(&case, SMALL).unwrap();
            assert_eq!(records_of(&store), expected);
            assert_alone(&case, current);
            store.close().unwrap();
        }
    }
}
