//! Lists made while files move: what they lack is counted, and what is not requested is not read.

use std::fs;
use std::ops::ControlFlow;

use simdex_index::{Cancel, MemoryAccount, VisibleRoots, Work};
use simdexd::read_side::catalogue::PairStep;
use simdexd::read_side::lists::{self, ListError, ListRequest};
use simdexd::write_side::watch::Hint;

use crate::Bed;

fn account(bed: &Bed) -> MemoryAccount {
    let questions = &bed.engine.index.reader().memory().requests;
    questions.account(&Cancel::never())
}

/// Two pairs of near-duplicates, `d` and `e`, `m` and `z`.
fn with_pairs() -> Bed {
    let bed = Bed::new(&[]);
    for (name, family) in [("d", "one"), ("e", "one"), ("m", "two"), ("z", "two")] {
        let text: String = (0..200).map(|at| format!("{family}{at} ")).collect();
        fs::write(bed.path(&format!("{name}.txt")), text + name).unwrap();
    }
    bed.engine.sync(&Cancel::never()).unwrap();
    bed
}

#[test]
fn a_list_of_pairs_says_that_files_moved_while_it_was_made() {
    let bed = with_pairs();
    // The pairs listed, and how many files moved; the renaming takes place once the first pair is listed.
    let list = |strict, renaming: Option<[&str; 2]>| {
        let request = ListRequest {
            view: bed.engine.roots.view(),
            threshold: bed.engine.threshold(),
            strict,
        };
        let (options, mut pairs) = (lists::PairOptions::default(), 0);
        let mut visit = |step| {
            let PairStep::Pair(_) = step else {
                return ControlFlow::Continue(());
            };
            if let (0, Some([from, to])) = (pairs, renaming) {
                bed.rename(from, to);
                bed.engine.sync(&Cancel::never()).unwrap();
            }
            pairs += 1;
            ControlFlow::Continue(())
        };
        let listed = lists::pairs(&bed.engine, &request, &options, &account(&bed), &mut visit);
        listed.map(|summary| {
            let pending = summary.completeness.pending;
            assert_eq!((summary.pairs, summary.groups), (Some(pairs), Some(2)));
            (pairs, pending.map_or(0, |pending| pending.moved))
        })
    };
    assert_eq!(list(true, None).unwrap(), (2, 0));
    assert_eq!(list(false, Some(["z.txt", "a.txt"])).unwrap(), (1, 1));
    let refused = list(true, Some(["m.txt", "0.txt"]));
    assert!(matches!(refused, Err(ListError::Incomplete(told)) if told.pending.moved == 1));
    assert_eq!(list(true, None).unwrap(), (2, 0), "made anew");
}

#[test]
fn a_list_of_files_says_that_files_moved_while_it_was_made() {
    let bed = with_pairs();
    let (view, mut files) = (bed.engine.roots.view(), 0);
    let listed = lists::files(
        &bed.engine,
        (&view, false),
        None,
        &account(&bed),
        &mut |_| {
            if files == 0 {
                bed.rename("z.txt", "a.txt");
                bed.engine.sync(&Cancel::never()).unwrap();
            }
            files += 1;
            ControlFlow::Continue(())
        },
    );
    // The store reads some files ahead: the last may be listed by its old name, and is not by its new one.
    assert!((3..=4).contains(&files));
    let told = listed.unwrap().completeness;
    assert_eq!(told.pending.map(|pending| pending.moved), Some(1));
}

#[test]
fn a_list_of_files_says_that_one_was_renamed_onto_another_and_not_that_two_had_nothing_in_common() {
    for (is_renamed, right) in [(true, 1), (false, 0)] {
        let bed = with_pairs();
        let (view, mut files) = (bed.engine.roots.view(), 0);
        let listed = lists::files(
            &bed.engine,
            (&view, false),
            None,
            &account(&bed),
            &mut |_| {
                if files == 0 {
                    match is_renamed {
                        true => bed.rename("z.txt", "d.txt"),
                        false => {
                            fs::remove_file(bed.path("z.txt")).unwrap();
                            fs::write(bed.path("a.txt"), "a text that was nowhere before").unwrap();
                        }
                    }
                    bed.engine.sync(&Cancel::never()).unwrap();
                }
                files += 1;
                ControlFlow::Continue(())
            },
        );
        let pending = listed.unwrap().completeness.pending;
        assert_eq!(pending.map_or(0, |pending| pending.moved), right);
    }
}

#[test]
fn a_list_of_files_is_not_complete_while_what_left_a_name_may_be_on_its_way_to_another() {
    let bed = with_pairs();
    let (view, root) = (bed.engine.roots.view(), bed.root());
    let mut walk = None;
    let listed = lists::files(
        &bed.engine,
        (&view, false),
        None,
        &account(&bed),
        &mut |_| {
            if walk.is_none() {
                bed.rename("z.txt", "a.txt");
                bed.hint(Hint::Removed(bed.path("z.txt")));
                // It is to find the other name, and is not over when the list is.
                walk = Some(root.walk_turns.take(|| Cancel::never().check()).unwrap());
            }
            ControlFlow::Continue(())
        },
    );
    let pending = listed.unwrap().completeness.pending;
    assert_eq!(pending.map(|pending| pending.moved), Some(1));
}

#[test]
fn the_files_of_one_root_are_listed_without_reading_a_text() {
    let bed = Bed::over(&["share", "other"], &["a.txt", "b.txt"]);
    fs::write(
        bed.top.join("other/c.txt"),
        "a text that is long enough to be a document",
    )
    .unwrap();
    bed.engine.sync(&Cancel::never()).unwrap();
    let list = |view: &VisibleRoots| {
        let mut visit = |_: &_| ControlFlow::Continue(());
        let summary =
            lists::files(&bed.engine, (view, false), None, &account(&bed), &mut visit).unwrap();
        (
            summary.counts.files_on_disk,
            summary.counts.documents,
            summary.groups,
        )
    };
    let before = bed.engine.index.work();
    assert_eq!(
        list(&VisibleRoots::Roots([bed.root().id].into())),
        (2, 2, None)
    );
    assert_eq!(list(&bed.engine.roots.view()), (3, 3, Some(1)));
    let after = bed.engine.index.work();
    // Records of contents are part of a list; nothing else is read for it.
    let contents_read = after.contents_read;
    assert_eq!(
        after,
        Work {
            contents_read,
            ..before
        }
    );
}
