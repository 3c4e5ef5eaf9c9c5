//! Faults of the machine and of single inputs: what is tried again, and what becomes a state.

use rustix::io::Errno;
use simdex_schema::{Reason, State};

use super::bed::{Bed, content, document, file, put};
use super::texts::Random;
use crate::change::Delta;
use crate::document_text::text_reference;
use crate::text::MAX_TEXT;
use crate::{Fault, SeenFile};

/// An index of two families of two, not settled, in which reading the first text fails with this error; and all four
/// texts.
fn with_refusal(errno: Errno) -> (Bed, [String; 4]) {
    let bed = Bed::memory();
    let mut random = Random::new(63);
    let (one, other) = (random.words(300), random.words(300));
    let versions = [random.version(&one, 3), random.version(&other, 3)];
    let [one_again, other_again] = versions;
    let texts = [one, one_again, other, other_again];
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
    }
    let id = bed.id(&texts[0]).unwrap();
    let record = bed.reader().documents().record(id).unwrap().unwrap();
    let at = text_reference(&record).unwrap().unwrap();
    bed.index().index.shared.texts.inject_error(&at, errno);
    (bed, texts)
}

#[test]
fn a_text_that_the_disk_has_lost_costs_its_own_document_only() {
    for errno in [Errno::IO, Errno::UCLEAN, Errno::BADMSG, Errno::NODATA] {
        let (bed, [lost, ..]) = with_refusal(errno);
        bed.settle();
        assert_eq!(bed.stored_edges(), 1, "{errno:?}: the other family's");
        assert_eq!(bed.reader().documents().damaged().len(), 1, "{errno:?}");
        let error = bed
            .reader()
            .texts()
            .read_unaccounted(bed.id(&lost).unwrap())
            .unwrap_err();
        assert!(error.is_damaged_text(), "{errno:?}: {error}");
        let released = bed.index().writer.release_damaged_texts().unwrap();
        assert_eq!(released, [file("a/0")], "{errno:?}");
        let reader = bed.reader();
        assert_eq!(
            (
                reader.documents().damaged().len(),
                reader.documents().ever_damaged()
            ),
            (0, 1)
        );
        bed.put("a/0", &lost);
        bed.settle();
        assert_eq!(
            bed.stored_edges(),
            2,
            "{errno:?}: read anew, stored elsewhere"
        );
    }
}

#[test]
fn a_text_that_cannot_be_read_for_want_of_something_is_not_damaged() {
    for errno in [Errno::MFILE, Errno::NFILE, Errno::NOMEM] {
        let (bed, [text, ..]) = with_refusal(errno);
        let error = bed
            .reader()
            .texts()
            .read_unaccounted(bed.id(&text).unwrap())
            .unwrap_err();
        assert_eq!(error.fault(), Fault::Transient, "{error}");
        assert!(!error.is_damaged_text());
        assert!(bed.reader().documents().damaged().is_empty());
    }
}

#[test]
fn a_text_longer_than_a_segment_takes_is_a_state_and_others_go_on() {
    let bed = Bed::memory();
    let mut random = Random::new(61);
    let (before, long, after) = (random.words(40), random.words(41), random.words(42));
    let change = |path: &str, text: &str| put(bed.index(), path, text, 0);
    let mut huge = change("a/2", &long);
    if let Delta::File(SeenFile {
        content: Some(new), ..
    }) = &mut huge.0
    {
        let document = new.document.as_mut().unwrap();
        document.text = Some(" ".repeat(MAX_TEXT + 1));
    }
    let changes = vec![change("a/1", &before), huge, change("a/3", &after)];
    bed.index().writer.apply(&changes).unwrap();
    assert!(bed.id(&before).is_some() && bed.id(&after).is_some());
    assert_eq!(
        bed.reader().documents().with_hash(document(&long)).unwrap(),
        None
    );
    let record = bed
        .index()
        .registry()
        .content(content(&long, 0))
        .unwrap()
        .unwrap();
    assert_eq!(
        (record.state, record.reason, record.document),
        (State::TooLarge, Reason::StoreLimit.into(), None)
    );
    assert!(bed.index().registry().file(&file("a/2")).unwrap().is_some());
}

#[test]
fn what_could_not_be_appended_is_applied_by_the_same_call_later() {
    let bed = Bed::memory();
    let mut random = Random::new(62);
    let (text, other) = (random.words(40), random.words(41));
    let away = bed.texts().with_extension("away");
    std::fs::rename(bed.texts(), &away).unwrap();
    // A missing directory would be created again.
    std::fs::write(bed.texts(), "no directory").unwrap();
    let changes = [
        put(bed.index(), "a/1", &text, 0),
        put(bed.index(), "b/1", &other, 0),
    ];
    for _ in 0..3 {
        let failed = bed.index().writer.apply(&changes).unwrap_err();
        assert_eq!(failed.fault(), Fault::Transient, "{failed}");
        assert_eq!(bed.id(&text), None);
    }
    std::fs::remove_file(bed.texts()).unwrap();
    std::fs::rename(&away, bed.texts()).unwrap();
    // Once more than needed: applied twice is the same as applied once.
    for new in [2, 0] {
        let applied = bed.index().writer.apply(&changes).unwrap();
        assert_eq!(
            (applied.new_documents, applied.unknown_content.len()),
            (new, 0)
        );
    }
    let id = bed.id(&text).unwrap();
    assert_eq!(
        bed.reader().texts().read_unaccounted(id).unwrap().unwrap(),
        text
    );
    let view = crate::VisibleRoots::Roots([1, 2].map(simdex_schema::RootId).into());
    assert_eq!(
        bed.reader().files().of_document(id, &view).unwrap().len(),
        1
    );
}
