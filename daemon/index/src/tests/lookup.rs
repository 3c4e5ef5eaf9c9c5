//! From a document to its group and back, and how many documents are not settled yet.

use simdex_schema::GroupId;
use simdex_signature::Ratio;

use super::bed::Bed;
use super::texts::Random;
use crate::{Cancel, View};

/// Two versions of one text, a copy of another, and one that stands alone.
fn fill(bed: &Bed) -> [String; 4] {
    let mut random = Random::new(5);
    let base = random.words(80);
    let texts = [
        base.clone(),
        format!("{base} and one word more"),
        random.words(90),
        random.words(70),
    ];
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
    }
    bed.put("b/copy", &texts[2]);
    texts
}

#[test]
fn a_document_leads_to_the_group_that_lists_it_and_so_does_its_handle() {
    let bed = Bed::memory();
    let texts = fill(&bed);
    bed.settle();
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    let listed = bed.index().groups(&View::All, threshold, &Cancel::never());
    let listed = listed.unwrap().groups;
    assert_eq!(listed.len(), 2);
    for text in &texts {
        let id = bed.id(text).unwrap();
        let holds = |group: &&crate::GroupView| {
            group.principal == id || group.members.iter().any(|member| member.document == id)
        };
        let expected = listed.iter().find(holds);
        let found = bed.index().group_of(id);
        let named = expected.and_then(|group| group.id);
        assert_eq!(named, bed.index().group_id_of(id), "{text}");
        assert_eq!(named, found.as_ref().and_then(|group| group.id));
        let by_handle = named.and_then(|handle| bed.index().group_by_id(handle));
        assert_eq!(format!("{found:?}"), format!("{by_handle:?}"));
        assert_eq!(format!("{found:?}"), format!("{:?}", expected.cloned()));
    }
    assert!(bed.index().group_by_id(GroupId(99)).is_none());
}

#[test]
fn a_group_that_shrinks_to_one_file_is_no_group_any_more() {
    let bed = Bed::memory();
    let texts = fill(&bed);
    bed.settle();
    let id = bed.id(&texts[2]).unwrap();
    let handle = bed.index().group_id_of(id).unwrap();
    bed.remove("b/copy");
    assert!(bed.index().group_of(id).is_none(), "before it is settled");
    bed.settle();
    assert_eq!(bed.index().group_id_of(id), None);
    assert!(bed.index().group_by_id(handle).is_none());
}

#[test]
fn what_is_not_settled_is_counted_until_it_is() {
    let bed = Bed::memory();
    fill(&bed);
    assert_eq!(bed.index().unsettled(), 4, "documents, and not files");
    bed.settle();
    assert_eq!(bed.index().unsettled(), 0);
    bed.remove("a/0");
    assert_eq!(bed.index().unsettled(), 1, "its star does not know it yet");
    bed.settle();
    assert_eq!(bed.index().unsettled(), 0);
}
