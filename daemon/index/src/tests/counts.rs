//! Counts of files and groups: what a list would show, without listing it again.

use std::cell::Cell;
use std::rc::Rc;

use simdex_schema::RootId;
use simdex_signature::Ratio;

use super::bed::Bed;
use super::frail::{Access, hook};
use super::texts::{Random, pool};
use crate::{Cancel, FileCounts, Index, View};

fn listed(index: &Index, view: &View) -> FileCounts {
    let (mut counts, mut documents) = (FileCounts::default(), std::collections::BTreeSet::new());
    let list = &mut |file: crate::FileView| {
        counts.add(&file);
        documents.extend(file.document.map(|(id, _)| id));
        std::ops::ControlFlow::Continue(())
    };
    index.files(view, list).unwrap();
    counts.documents = documents.len() as u64;
    counts
}

/// What is counted, and how often the store was read for it.
fn counted(index: &Index, view: &View) -> (FileCounts, u64) {
    let reads = Rc::new(Cell::new(0));
    let noted = Rc::clone(&reads);
    let _hooked = hook(move |access, _| noted.set(noted.get() + u64::from(access == Access::Read)));
    let counts = index.count_files(view, &Cancel::never()).unwrap();
    (counts, reads.get())
}

#[test]
fn counts_are_those_of_a_list_and_cost_nothing_twice() {
    let bed = Bed::memory();
    let texts = pool(&mut Random::new(95), 2, 40);
    let (all, one) = (View::All, View::Roots([RootId(1)].into()));
    for (at, text) in texts.iter().enumerate() {
        let root = ["a", "b"][at % 2];
        for copy in 0..1 + at % 3 {
            bed.put(&format!("{root}/{copy}/{at}"), text);
        }
        for view in [&all, &one] {
            let (counts, reads) = counted(bed.index(), view);
            assert_eq!(counts, listed(bed.index(), view));
            assert!(reads > 0);
            assert_eq!(counted(bed.index(), view), (counts, 0));
        }
    }
    bed.remove("a/0/0");
    bed.settle();
    bed.index().merge().unwrap();
    assert_eq!(counted(bed.index(), &all).0, listed(bed.index(), &all));
}

#[test]
fn groups_that_are_kept_are_counted_without_being_made() {
    let bed = Bed::memory();
    for (at, text) in pool(&mut Random::new(96), 4, 60).iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
    }
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    assert_eq!(
        bed.index().group_count(&View::All, threshold),
        None,
        "not settled"
    );
    bed.settle();
    let groups = bed
        .index()
        .groups(&View::All, threshold, &Cancel::never())
        .unwrap()
        .groups;
    assert!(groups.len() > 2);
    let count = |view: &View, threshold| bed.index().group_count(view, threshold);
    assert_eq!(count(&View::All, threshold), Some(groups.len() as u64));
    // Others are made for the question.
    assert_eq!(count(&View::All, Ratio::new(0.5).unwrap()), None);
    assert_eq!(count(&View::Roots([RootId(1)].into()), threshold), None);
}
