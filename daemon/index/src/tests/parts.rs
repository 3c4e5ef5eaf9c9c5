//! Large changes of groups and of damaged documents are made in parts, between which others are applied.

use simdex_schema::{GroupId, RootId};
use simdex_signature::Ratio;

use super::bed::{Bed, account, content, file, put, seen};
use super::frail::LONGEST;
use super::model::Model;
use super::texts::Random;
use crate::batch::LONG_BATCH;
use crate::{Cancel, VisibleRoots};

/// Three times the number of documents that settling changes in one batch, in tests.
const MAX_WRITES: usize = 12;

/// A principal with twelve members, longest first.
fn family(random: &mut Random) -> Vec<String> {
    let base = random.words(100);
    let text = |at: usize| format!("{base} {}{at:02}", "x".repeat(40 - at));
    (0..13).map(text).collect()
}

fn with(texts: &[String]) -> (Bed, Model) {
    let (bed, mut model) = (Bed::memory(), Model::default());
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at:02}"), text);
        let key = file(&format!("a/{at:02}"));
        model.files.insert(key, (text.clone(), 0));
    }
    bed.settle();
    (bed, model)
}

/// The id of the one group, and its principal's text among these.
fn group_of(bed: &Bed, texts: &[String]) -> (GroupId, usize) {
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    let reader = bed.reader();
    let found = reader
        .groups()
        .of_view(&VisibleRoots::All, threshold, &account(bed.index()));
    let [group] = &found.unwrap().groups[..] else {
        panic!("one group");
    };
    let leads = |text: &String| bed.id(text) == Some(group.principal);
    (group.id.unwrap(), texts.iter().position(leads).unwrap())
}

/// The longest batch written while everything is settled.
fn longest_to_settle(bed: &Bed) -> usize {
    LONGEST.set(0);
    bed.settle();
    LONGEST.get()
}

#[test]
fn a_principal_of_many_that_is_removed_leaves_them_in_parts_and_passes_its_id_on() {
    let texts = family(&mut Random::new(301));
    let (bed, mut model) = with(&texts);
    let (id, principal) = group_of(&bed, &texts);
    assert_eq!(principal, 0);
    bed.remove("a/00");
    model.files.remove(&file("a/00"));
    let longest = longest_to_settle(&bed);
    assert!(longest <= MAX_WRITES, "{longest} writes");
    assert_eq!(group_of(&bed, &texts), (id, 1));
    model.check(bed.index(), &VisibleRoots::All, bed.parameters.threshold);
    bed.verify();
}

#[test]
fn a_removal_that_breaks_off_between_two_parts_loses_no_group_id() {
    let texts = family(&mut Random::new(302));
    for parts in 0..4 {
        for is_there_again in [false, true] {
            let (mut bed, mut model) = with(&texts);
            let (id, _) = group_of(&bed, &texts);
            bed.remove("a/00");
            bed.fail_after(parts);
            assert!(bed.index().writer.settle_step(&Cancel::never()).is_err());
            bed.fail_after(i64::MAX);
            match is_there_again {
                true => bed.put("a/00", &texts[0]),
                false => {
                    model.files.remove(&file("a/00"));
                    bed.open();
                }
            }
            bed.settle();
            let principal = usize::from(!is_there_again);
            assert_eq!(group_of(&bed, &texts), (id, principal), "after {parts}");
            model.check(bed.index(), &VisibleRoots::All, bed.parameters.threshold);
            bed.verify();
        }
    }
}

#[test]
fn a_document_that_displaces_many_does_so_in_parts() {
    let mut random = Random::new(303);
    let (head, trunk, tail) = (random.words(15), random.words(70), random.words(15));
    let text = |at: usize| format!("{head} {trunk} {}{at:02}", "x".repeat(40 - at));
    let mut texts = vec![format!("{head} {trunk} {tail} {}", "x".repeat(60))];
    texts.extend((1..13).map(text));
    let (bed, mut model) = with(&texts);
    let (_, principal) = group_of(&bed, &texts);
    assert_eq!(principal, 0);
    // Near the principal, and near none of its members.
    let longer = format!("{} {trunk} {tail} {}", random.words(14), "x".repeat(90));
    bed.put("b/longer", &longer);
    model.files.insert(file("b/longer"), (longer.clone(), 0));
    let longest = longest_to_settle(&bed);
    assert!(longest <= MAX_WRITES, "{longest} writes");
    let leader = bed.reader().groups().of_document(bed.id(&longer).unwrap());
    let members = leader.group.map(|group| group.members.len());
    assert_eq!(members, Some(1), "it took the principal alone");
    model.check(bed.index(), &VisibleRoots::All, bed.parameters.threshold);
    bed.verify();
}

#[test]
fn a_damaged_document_of_many_files_is_released_in_parts() {
    let (bed, mut random) = (Bed::memory(), Random::new(304));
    let (text, other) = (random.words(40), random.words(40));
    bed.put("a/first", &text);
    bed.put("b/other", &other);
    let files = 2 * LONG_BATCH;
    let copies = (0..files).map(|at| seen(&format!("a/{at:05}"), content(&text, 0)));
    let applied = bed.index().writer.apply(&copies.collect::<Vec<_>>());
    assert!(applied.unwrap().unknown_content.is_empty());
    let further = put(bed.index(), "b/further", &text, 1);
    bed.index().writer.apply(&[further]).unwrap();
    let damaged = &bed.index().index.shared.damaged;
    damaged
        .documents()
        .extend([&text, &other].map(|text| bed.id(text).unwrap()));
    LONGEST.set(0);
    let mut released = bed.index().writer.release_damaged_texts().unwrap();
    assert!(LONGEST.get() <= 3 * LONG_BATCH, "{}", LONGEST.get());
    released.sort();
    released.dedup();
    assert_eq!(released.len(), files + 3);
    assert!(released.iter().any(|key| key.root == RootId(2)));
    assert_eq!((bed.id(&text), bed.id(&other)), (None, None));
    for text in [content(&text, 0), content(&text, 1), content(&other, 0)] {
        assert_eq!(bed.index().registry().content(text).unwrap(), None);
    }
    let counts = bed.reader();
    let counts = counts
        .file_totals()
        .count(&VisibleRoots::All, &Cancel::never())
        .unwrap();
    assert_eq!(counts.documents, 0);
    assert_eq!(counts.files_on_disk, released.len() as u64);
    bed.settle();
    bed.verify();
}
