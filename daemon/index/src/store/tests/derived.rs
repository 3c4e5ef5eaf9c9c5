//! Damaged or partly restored derived data, and shortcuts, cost nothing else.

use std::fs;
use std::path::Path;

use super::{
    LONG, RUN, SMALL, assert_filled, assert_records, filled, real_probe, shell, snapshot, unclean,
};
use crate::Cancel;
use crate::store::sled_support::seal::TreeId;
use crate::store::{CheckedStore, SledStore, Store, open_checked};

fn opened(dir: &Path) -> CheckedStore {
    open_checked(dir, SMALL, real_probe(dir), LONG, &Cancel::never()).unwrap()
}

#[test]
fn runs_that_were_restored_in_part_cost_nothing_else() {
    let (_temp, dir) = filled();
    let db = fs::read(dir.join(format!("runs/{RUN:06}/db"))).unwrap();
    for number in [3, 8] {
        fs::create_dir(dir.join(format!("runs/{number:06}"))).unwrap();
    }
    fs::write(dir.join("runs/000008/db"), &db[..db.len() / 2]).unwrap();
    for is_clean in [true, false] {
        if !is_clean {
            unclean(&dir);
        }
        let opened = opened(&dir);
        assert_eq!(opened.damage, None);
        assert_filled(&opened.store);
        let postings = opened.store.postings();
        for number in postings
            .runs()
            .unwrap()
            .into_iter()
            .filter(|run| *run != RUN)
        {
            assert!(postings.run(number).unwrap().is_none());
            postings.drop_run(number).unwrap();
        }
        assert_eq!(fs::read_dir(dir.join("runs")).unwrap().count(), 1);
        opened.store.close().unwrap();
        fs::create_dir(dir.join("runs/000003")).unwrap();
    }
}

#[test]
fn a_damaged_block_of_postings_costs_its_run_and_nothing_else() {
    let (_temp, dir) = filled();
    let store = SledStore::open(&dir, SMALL).unwrap();
    store.put_raw(TreeId::Postings(RUN), b"key", b"no seal at all");
    store.close().unwrap();
    unclean(&dir);
    let opened = opened(&dir);
    assert_eq!(opened.damage, None);
    assert!(opened.store.postings().runs().unwrap().is_empty());
    assert_records(&opened.store);
}

#[test]
fn a_store_is_given_up_only_once_it_was_examined_without_its_snapshots() {
    let (_temp, dir) = filled();
    // sled writes a snapshot when it opens an existing database.
    SledStore::open(&dir, SMALL).unwrap().close().unwrap();
    assert!(snapshot(&dir).exists());
    unclean(&dir);
    let finds = format!(
        "ls '{}'/snap.* > /dev/null 2>&1 && exit 65; exit 0",
        dir.display()
    );
    let opened = open_checked(&dir, SMALL, shell(&finds), LONG, &Cancel::never()).unwrap();
    assert_eq!(opened.damage, None);
    assert_filled(&opened.store);
}
