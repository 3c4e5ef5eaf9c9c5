//! Signing again when something prevents it: a merge that fails, hashes of an older canonical text, crowded documents,
//! a text that is not read, a store of an older format.

use std::sync::atomic::Ordering;

use rustix::io::Errno;
use simdex_schema::{FORMAT_VERSION, MetaRecord, Schemes, State, key};
use simdex_signature::{CANONICAL_VERSION, Sampling, SchemeKind};

use super::bed::{Bed, Clients, content, put, put_content, seen_file};
use super::readers::in_the_midst;
use super::resigned::{
    are_alike, bed, fill, fresh, have_the_same_postings, set_sampling, setting, sign_all, texts,
};
use super::super_shingles::meta_of_format_10;
use super::texts::Random;
use crate::document_text::text_reference;
use crate::store::Write;
use crate::unsettled::Effort;
use crate::{Cancel, FileChange, IndexError, NewContent, NewDocument, SignStep};

fn step(index: &Clients) -> Result<SignStep, IndexError> {
    index.writer.sign_some_anew(&Cancel::never())
}

#[test]
fn a_merge_that_fails_while_a_text_is_read_holds_signing_up_until_it_is_made_up_for() {
    let texts = texts(&mut Random::new(81));
    let sampling = setting(&[(0, 3)]);
    let bed = bed();
    fill(&bed, &texts, 0);
    let waiting = set_sampling(&bed, sampling);
    let left = bed.writes_left();
    let fail_to_merge = move |index: &Clients| {
        left.store(0, Ordering::SeqCst);
        assert!(index.writer.merge().is_err());
        left.store(i64::MAX, Ordering::SeqCst);
    };
    let mut said = None;
    let happened = in_the_midst(&bed, 0, fail_to_merge, || {
        said = Some(step(bed.index()).unwrap());
    });
    // Postings that were set aside are in no buffer that they could be removed from.
    assert!(happened && said == Some(SignStep::Busy), "{said:?}");
    assert_eq!(bed.index().index.signing_progress().waiting, waiting);
    bed.settle();
    assert_eq!(step(bed.index()).unwrap(), SignStep::Signed);
    bed.settle();
    sign_all(&bed);
    assert_eq!(bed.index().index.signing_progress().done, waiting);
    is_as_fresh(&bed, &texts, sampling);
}

#[test]
fn nothing_is_signed_before_a_merge_that_failed_was_made_up_for() {
    let texts = texts(&mut Random::new(82));
    let sampling = setting(&[(0, 0)]);
    let bed = bed();
    fill(&bed, &texts, texts.len() / 2);
    let waiting = set_sampling(&bed, sampling);
    bed.fail_after(0);
    assert!(bed.index().writer.merge().is_err());
    assert!(step(bed.index()).is_err(), "it merges first");
    assert_eq!(bed.index().index.signing_progress().waiting, waiting);
    bed.fail_after(i64::MAX);
    assert_eq!(step(bed.index()).unwrap(), SignStep::Signed);
    bed.settle();
    sign_all(&bed);
    is_as_fresh(&bed, &texts, sampling);
}

fn is_as_fresh(bed: &Bed, texts: &[String], sampling: Option<Sampling>) {
    let fresh = fresh(sampling, texts);
    for bed in [bed, &fresh] {
        bed.index().writer.merge().unwrap();
    }
    have_the_same_postings(bed, &fresh);
    are_alike(bed, &fresh, texts);
}

/// A file whose document states another length than its text has now.
fn put_as_long(index: &Clients, path: &str, text: &str, length: u64) -> FileChange {
    let file = seen_file(put(index, path, text, 0));
    let document = file.content.and_then(|content| {
        let NewContent { document, .. } = *content;
        document
    });
    let document = NewDocument {
        length,
        ..document.unwrap()
    };
    put_content(path, content(text, 0), State::Indexed, Some(document))
}

#[test]
fn documents_that_an_older_canonical_text_named_are_signed_once_each() {
    let mut bed = bed();
    bed.parameters.canonical = CANONICAL_VERSION - 1;
    bed.close_and_open();
    let mut random = Random::new(83);
    let texts: Vec<String> = (0..40).map(|_| random.words(120)).collect();
    for (at, text) in texts.iter().enumerate() {
        assert!(text.len() > 500, "another group than 400 bytes are of");
        let length = if at < 20 { 400 } else { text.len() as u64 };
        let change = put_as_long(bed.index(), &format!("a/{at}"), text, length);
        bed.index().writer.apply(&[change]).unwrap();
    }
    bed.settle();
    bed.close();
    bed.parameters.canonical = CANONICAL_VERSION;
    assert!(bed.open().rebuilt);
    bed.settle();
    assert_eq!(bed.index().index.signing_progress().waiting, 0);
    assert_eq!(
        set_sampling(&bed, setting(&[(0, 1), (500, 3)])),
        texts.len() as u64
    );
    for _ in 0..texts.len() {
        step(bed.index()).unwrap();
        bed.settle();
    }
    let signed = bed.index().index.signing_progress();
    assert_eq!((signed.waiting, signed.done), (0, texts.len() as u64));
    let rung = |bed: &Bed, text: &str| {
        let id = bed.id(text).unwrap();
        bed.reader().documents().stats(id).unwrap().rung.get()
    };
    assert_eq!([0, 20].map(|at| rung(&bed, &texts[at])), [1, 3]);
    bed.open();
    assert_eq!(
        bed.index().index.signing_progress().waiting,
        0,
        "of what is stored"
    );
}

#[test]
fn nothing_is_signed_while_many_crowded_documents_have_no_place() {
    let mut random = Random::new(84);
    let texts = texts(&mut random);
    for (crowded, expected) in [(16, SignStep::Signed), (17, SignStep::Busy)] {
        let bed = bed();
        fill(&bed, &texts, 0);
        let waiting = set_sampling(&bed, setting(&[(0, 0)]));
        for at in 0..crowded {
            let text = random.words(30);
            bed.put(&format!("b/{at}"), &text);
            let id = bed.id(&text).unwrap();
            let mut state = bed.index().index.shared.state_mut();
            state.unsettled.defer(id, Effort::Crowded);
        }
        assert_eq!(bed.index().index.unsettled().crowded, crowded);
        assert_eq!(step(bed.index()).unwrap(), expected);
        let waits = bed.index().index.signing_progress().waiting;
        assert_eq!(waits == waiting, expected == SignStep::Busy);
        bed.settle();
        assert_eq!(step(bed.index()).unwrap(), SignStep::Signed);
    }
}

#[test]
fn a_text_that_is_not_read_for_now_costs_no_other_its_signature() {
    let mut random = Random::new(85);
    // Unlike all others, so that none is compared with it.
    let alone = random.words(300);
    let texts = [vec![alone], texts(&mut random)].concat();
    let mut bed = bed();
    fill(&bed, &texts, texts.len() / 2);
    let waiting = set_sampling(&bed, setting(&[(0, 0)]));
    let id = bed.id(&texts[0]).unwrap();
    let record = bed.index().registry().document(id).unwrap().unwrap();
    let at = text_reference(&record).unwrap().unwrap();
    bed.index()
        .index
        .shared
        .texts
        .inject_error(&at, Errno::ACCESS);
    sign_all(&bed);
    let signed = bed.index().index.signing_progress();
    assert_eq!((signed.done, signed.unreadable), (waiting - 1, 1));
    let damaged = bed.reader().documents().damaged();
    assert!(damaged.is_empty(), "it is not damaged");
    // The next opening tries again.
    bed.open();
    assert_eq!(bed.index().index.signing_progress().waiting, 1);
    sign_all(&bed);
    assert_eq!(bed.index().index.signing_progress().unreadable, 0);
}

#[test]
fn what_does_not_change_with_the_rung_is_buffered_once() {
    let texts = texts(&mut Random::new(86));
    let mut bed = bed();
    bed.parameters.schemes = Schemes::of(&[
        SchemeKind::MinN,
        SchemeKind::SketchN,
        SchemeKind::SuperShingles,
    ]);
    bed.close_and_open();
    fill(&bed, &texts, texts.len() / 2);
    bed.index().writer.merge().unwrap();
    set_sampling(&bed, setting(&[(0, 3)]));
    assert_eq!(step(bed.index()).unwrap(), SignStep::Signed);
    let unmerged = |bed: &Bed| {
        let usage = bed.index().index.usage();
        let usage = usage.into_iter().map(|used| (used.scheme, used.unmerged));
        usage.collect::<Vec<_>>()
    };
    let before = unmerged(&bed);
    bed.open();
    assert_eq!(unmerged(&bed), before);
    assert!(before.iter().all(|(scheme, postings)| {
        (*postings > 0) == (*scheme == SchemeKind::ModN) || *scheme == SchemeKind::Chunks
    }));
}

#[test]
fn principals_that_are_signed_anew_are_in_no_list_twice() {
    let bed = bed();
    let mut random = Random::new(87);
    // Unlike each other, except for a head that all have.
    let head = random.words(40);
    let texts: Vec<String> = (0..90)
        .map(|_| format!("{head} {}", random.words(60)))
        .collect();
    fill(&bed, &texts, 0);
    let lists = &bed.index().index.shared.principal_lists;
    let mut kept = 0;
    for sampling in [setting(&[(0, 0)]), setting(&[(0, 2)]), None] {
        assert_eq!(set_sampling(&bed, sampling), texts.len() as u64);
        while step(bed.index()).unwrap() == SignStep::Signed {
            bed.settle();
            let (all, distinct) = lists.held_and_distinct();
            assert_eq!(all, distinct);
            kept += all;
        }
    }
    assert!(kept > texts.len(), "{kept}");
}

#[test]
fn a_store_of_format_8_to_10_becomes_one_of_the_present_and_nothing_is_signed() {
    // Format 9 ends before the list of template lines, and format 8 also before the size steps: these are absent.
    for (format, missing) in [(8, 2), (9, 1), (10, 0)] {
        becomes_one_of_the_present(format, missing);
    }
}

fn becomes_one_of_the_present(format: u8, missing: usize) {
    let texts = texts(&mut Random::new(88));
    let mut bed = bed();
    fill(&bed, &texts, texts.len() / 2);
    bed.index().writer.merge().unwrap();
    let records = |bed: &Bed| bed.index().index.shared.store.records().get(&key::meta());
    let present = records(&bed).unwrap().unwrap();
    assert_eq!(u32::from(present[0]), FORMAT_VERSION);
    let mut meta = meta_of_format_10(&MetaRecord::decode(&present).unwrap());
    let kept = meta.len() - missing;
    assert!(meta.split_off(kept).iter().all(|byte| *byte == 0));
    meta[0] = format;
    let put = Write::Put {
        key: key::meta(),
        value: meta,
    };
    let store = &bed.index().index.shared.store;
    store.records().apply(vec![put]).unwrap();
    let report = bed.open();
    assert_eq!((report.signed_again, report.rebuilt), (0, false));
    let stored = records(&bed).unwrap().unwrap();
    assert_eq!(u32::from(stored[0]), FORMAT_VERSION);
    assert_eq!(bed.reader().ladder().sampling, None);
    assert_eq!(bed.index().index.signing_progress().waiting, 0);
    bed.settle();
    is_as_fresh(&bed, &texts, None);
    assert!(set_sampling(&bed, setting(&[(0, 3)])) > 0);
    sign_all(&bed);
    is_as_fresh(&bed, &texts, setting(&[(0, 3)]));
}
