//! What an opening does beyond reading, and what it holds meanwhile.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use simdex_schema::key;

use super::bed::{Bed, file, put_raw};
use super::frail::{Access, hook};
use super::texts::Random;
use crate::{Cancel, IndexError};

#[test]
fn documents_to_be_signed_again_are_held_one_at_a_time() {
    const DOCUMENTS: usize = 20;
    let mut random = Random::new(41);
    let mut bed = Bed::memory();
    for at in 0..DOCUMENTS {
        let bytes = random.words(3_000).into_bytes();
        bed.index()
            .writer
            .apply(&[put_raw(&format!("a/{at}"), &bytes)])
            .unwrap();
    }
    let read: Rc<RefCell<BTreeMap<Vec<u8>, usize>>> = Rc::default();
    let seen = Rc::clone(&read);
    let hooked = hook(move |access, key| {
        if access == Access::Read && key.first() == Some(&key::prefix::DOCUMENT) {
            *seen.borrow_mut().entry(key.to_vec()).or_default() += 1;
        }
    });
    assert_eq!(bed.open().signed_again, DOCUMENTS as u64);
    drop(hooked);
    // Once in the scan, which keeps none, and once when it is signed.
    let read = read.borrow();
    assert_eq!(read.values().copied().collect::<Vec<_>>(), [2; DOCUMENTS]);
}

#[test]
fn an_opening_that_is_stopped_lets_go_of_no_document_whose_text_is_missing() {
    let mut random = Random::new(42);
    let mut bed = Bed::memory();
    let texts: Vec<String> = (0..4).map(|_| random.words(60)).collect();
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
    }
    let (dir, away) = (bed.texts(), bed.texts().with_extension("away"));
    std::fs::rename(&dir, &away).unwrap();
    // The second look at a document is that which signs it again.
    let (stop, mut seen) = (Cancel::never(), BTreeMap::new());
    let stopping = stop.clone();
    let hooked = hook(move |access, key| {
        if access == Access::Read && key.first() == Some(&key::prefix::DOCUMENT) {
            let times = seen.entry(key.to_vec()).or_insert(0);
            *times += 1;
            if *times == 2 {
                stopping.cancel();
            }
        }
    });
    let stopped = bed.open_unless(&stop);
    assert!(matches!(stopped, Err(IndexError::Cancelled)), "{stopped:?}");
    drop(hooked);
    std::fs::remove_dir_all(&dir).unwrap();
    std::fs::rename(&away, &dir).unwrap();
    let report = bed.open();
    assert_eq!((report.damaged_texts, report.missing_texts), (0, 0));
    for (at, text) in texts.iter().enumerate() {
        let known = bed.index().registry().file(&file(&format!("a/{at}")));
        assert!(known.unwrap().is_some());
        let id = bed.id(text).unwrap();
        assert_eq!(bed.index().reader().text(id).unwrap().as_ref(), Some(text));
    }
}
