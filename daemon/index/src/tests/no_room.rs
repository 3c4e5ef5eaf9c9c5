//! A disk that has no room for runs of postings: what memory holds meanwhile, and what is applied all the same.

use std::cell::Cell;
use std::rc::Rc;

use super::bed::{Bed, content, put, seen};
use super::candidates::is_found;
use super::frail::{Access, HAS_NO_ROOM, hook};
use super::texts::Random;
use crate::{Fault, IndexError};

const BUFFER: usize = 2_000;
/// More than one of these documents has, by all schemes.
const POSTINGS_OF_ONE: usize = 600;

/// A bed without room for runs, until the result is dropped.
struct NoRoom;

impl NoRoom {
    fn new() -> Self {
        HAS_NO_ROOM.set(true);
        Self
    }
}

impl Drop for NoRoom {
    fn drop(&mut self) {
        HAS_NO_ROOM.set(false);
    }
}

fn unmerged(bed: &Bed) -> usize {
    bed.index().index.shared.unmerged()
}

fn try_put(bed: &Bed, at: usize, text: &str) -> Result<(), IndexError> {
    let change = put(bed.index(), &format!("a/{at}"), text, 0);
    bed.index().writer.apply(&[change]).map(drop)
}

fn assert_no_room<T: std::fmt::Debug>(tried: Result<T, IndexError>) {
    let error = tried.unwrap_err();
    assert!(error.is_disk_full(), "{error}");
    assert_eq!(error.fault(), Fault::Transient, "{error}");
}

fn assert_found(bed: &Bed, texts: &[String]) {
    assert!(texts.iter().all(|text| is_found(bed, text)));
}

/// A bed that took documents until their postings filled the buffer and found no room, and how many it took.
fn filled_without_room(texts: &[String]) -> (Bed, usize) {
    let mut bed = Bed::memory();
    bed.options.buffer_postings = BUFFER;
    bed.open();
    let taken = texts
        .iter()
        .enumerate()
        .position(|(at, text)| {
            try_put(&bed, at, text).unwrap();
            unmerged(&bed) >= BUFFER
        })
        .unwrap();
    assert!(unmerged(&bed) >= BUFFER);
    (bed, taken + 1)
}

fn texts() -> Vec<String> {
    let mut random = Random::new(47);
    (0..40).map(|_| random.words(120)).collect()
}

#[test]
fn while_merges_find_no_room_memory_holds_a_buffer_and_what_one_call_adds() {
    let texts = texts();
    let no_room = NoRoom::new();
    let (bed, taken) = filled_without_room(&texts);
    for (at, text) in texts.iter().enumerate().skip(taken) {
        assert_no_room(try_put(&bed, at, text));
        assert!(unmerged(&bed) < BUFFER + POSTINGS_OF_ONE);
    }
    assert_eq!(bed.id(&texts[taken]), None);
    assert_found(&bed, &texts[..taken]);
    // A removal, and a file whose content is known, add no postings.
    bed.remove("a/0");
    bed.index()
        .writer
        .apply(&[seen("b/1", content(&texts[1], 0))])
        .unwrap();
    drop(no_room);
    for (at, text) in texts.iter().enumerate().skip(1) {
        try_put(&bed, at, text).unwrap();
        assert!(unmerged(&bed) < BUFFER);
    }
    assert_found(&bed, &texts[1..]);
    bed.verify();
}

#[test]
fn an_index_opens_with_what_found_no_room_and_then_takes_no_more() {
    let texts = texts();
    let no_room = NoRoom::new();
    let (mut bed, taken) = filled_without_room(&texts);
    let before = unmerged(&bed);
    bed.open();
    assert_eq!(unmerged(&bed), before);
    assert_found(&bed, &texts[..taken]);
    assert_no_room(try_put(&bed, taken, &texts[taken]));
    assert_eq!(unmerged(&bed), before);
    drop(no_room);
    try_put(&bed, taken, &texts[taken]).unwrap();
    assert_found(&bed, &texts[..=taken]);
    bed.verify();
}

#[test]
fn an_index_does_not_open_with_more_postings_than_fill_the_buffer_twice() {
    let texts = texts();
    let mut bed = Bed::memory();
    bed.options.buffer_postings = usize::MAX / 2;
    bed.open();
    for (at, text) in texts.iter().enumerate() {
        try_put(&bed, at, text).unwrap();
    }
    let all = unmerged(&bed);
    let no_room = NoRoom::new();
    bed.options.buffer_postings = all / 2 - POSTINGS_OF_ONE;
    assert_no_room(bed.try_open());
    bed.options.buffer_postings = all / 2 + POSTINGS_OF_ONE;
    bed.open();
    assert_eq!(unmerged(&bed), all);
    drop(no_room);
    assert_found(&bed, &texts);
    bed.verify();
}

#[test]
fn a_merge_is_shown_while_it_is_under_way() {
    let texts = texts();
    let bed = Bed::memory();
    bed.put("a/0", &texts[0]);
    let (shared, shown) = (bed.index().index.shared.clone(), Rc::new(Cell::new(0)));
    let count = Rc::clone(&shown);
    let hooked = hook(move |access, _| {
        let is_shown = access == Access::Write && shared.state().merging_since.is_some();
        count.set(count.get() + u32::from(is_shown));
    });
    let merge = || {
        assert_eq!(bed.index().index.merges().under_way, None);
        let merged = bed.index().writer.merge();
        assert_eq!(bed.index().index.merges().under_way, None);
        merged
    };
    merge().unwrap();
    assert!(shown.take() > 0);
    bed.put("a/1", &texts[1]);
    assert_eq!(shown.take(), 0);
    let _no_room = NoRoom::new();
    assert_no_room(merge());
    assert!(shown.take() > 0);
    drop(hooked);
}
