//! Faults of the machine and of single inputs: what is tried again, and what ends in a state.

use simdex_schema::{Reason, State};

use super::bed::{Bed, content, document, file, put};
use super::texts::Random;
use crate::text::MAX_TEXT;
use crate::{Change, Fault};

#[test]
fn a_text_longer_than_a_segment_takes_is_a_state_and_others_go_on() {
    let bed = Bed::memory();
    let mut random = Random::new(61);
    let (before, long, after) = (random.words(40), random.words(41), random.words(42));
    let change = |path: &str, text: &str| put(bed.index(), path, text, 0);
    let mut huge = change("a/2", &long);
    if let Change::File {
        content: Some(new), ..
    } = &mut huge
    {
        let document = new.document.as_mut().unwrap();
        document.text = Some(" ".repeat(MAX_TEXT + 1));
    }
    let changes = vec![change("a/1", &before), huge, change("a/3", &after)];
    bed.index().apply(&changes).unwrap();
    assert!(bed.id(&before).is_some() && bed.id(&after).is_some());
    assert_eq!(bed.index().document_by_hash(document(&long)).unwrap(), None);
    let record = bed.index().content(content(&long, 0)).unwrap().unwrap();
    assert_eq!(
        (record.state, record.reason, record.document),
        (State::TooLarge, Reason::code("store-limit"), None)
    );
    assert!(bed.index().file(&file("a/2")).unwrap().is_some());
}

#[test]
fn what_could_not_be_appended_is_applied_by_the_same_call_later() {
    let bed = Bed::memory();
    let mut random = Random::new(62);
    let (text, other) = (random.words(40), random.words(41));
    let away = bed.texts().with_extension("away");
    std::fs::rename(bed.texts(), &away).unwrap();
    // A directory that is missing would be made anew.
    std::fs::write(bed.texts(), "no directory").unwrap();
    let changes = [
        put(bed.index(), "a/1", &text, 0),
        put(bed.index(), "b/1", &other, 0),
    ];
    for _ in 0..3 {
        let failed = bed.index().apply(&changes).unwrap_err();
        assert_eq!(failed.fault(), Fault::Transient, "{failed}");
        assert_eq!(bed.id(&text), None);
    }
    std::fs::remove_file(bed.texts()).unwrap();
    std::fs::rename(&away, bed.texts()).unwrap();
    // Once more than needed: applied twice is applied once.
    for new in [2, 0] {
        let applied = bed.index().apply(&changes).unwrap();
        assert_eq!(
            (applied.new_documents, applied.unknown_content.len()),
            (new, 0)
        );
    }
    let id = bed.id(&text).unwrap();
    assert_eq!(bed.index().text(id).unwrap().unwrap(), text);
    let view = crate::View::Roots([1, 2].map(simdex_schema::RootId).into());
    assert_eq!(bed.index().files_of(id, &view).unwrap().len(), 1);
}
