//! What an opening does beyond reading, and what it holds meanwhile.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use simdex_schema::key;

use super::bed::{Bed, put_raw};
use super::frail::{Access, hook};
use super::texts::Random;

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
