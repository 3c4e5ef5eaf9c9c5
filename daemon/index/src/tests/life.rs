//! Random lives of an index against the model; moves; ids of groups.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use simdex_schema::{GroupId, State};
use simdex_signature::Ratio;

use super::bed::{
    Bed, Finish, account, content, document, file, pairs, postings_in_runs, put, put_content,
    put_raw, seen, seen_file,
};
use super::model::Model;
use super::texts::{Random, pool};
use crate::{Cancel, FileChange, VisibleRoots};

/// One random change of one file, applied to the model as well.
fn change(bed: &Bed, model: &mut Model, random: &mut Random, pool: &[String]) -> FileChange {
    let path = format!("{}/f{}", random.pick(&["a", "b"]), random.below(24));
    let known: Vec<_> = model.files.keys().cloned().collect();
    if !known.is_empty() && random.once_in(3) {
        let key = random.pick(&known).clone();
        model.files.remove(&key);
        return FileChange::removal(key);
    }
    let (text, format) = (random.pick(pool).clone(), random.below(3) as u8);
    let change = put(bed.index(), &path, &text, format);
    model.files.insert(file(&path), (text, format));
    change
}

fn live(mut bed: Bed, seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let pool = pool(&mut random, 5, 160);
    let mut model = Model::default();
    for _ in 0..steps {
        let mut changes = Vec::new();
        for _ in 0..1 + random.below(4) {
            changes.push(change(&bed, &mut model, &mut random, &pool));
        }
        let applied = bed.index().writer.apply(&changes).unwrap();
        assert!(applied.unknown_content.is_empty());
        match random.below(12) {
            0 => bed.index().writer.merge().unwrap(),
            1 => {
                bed.open();
            }
            2 => {
                bed.close_and_open();
            }
            3 => drop(bed.index().writer.compact_texts(&Cancel::never()).unwrap()),
            4..7 => {
                bed.settle();
                model.check(bed.index(), &VisibleRoots::All, bed.parameters.threshold);
            }
            _ => {}
        }
    }
    bed.settle();
    for threshold in [0.7, 0.85, 0.5] {
        model.check(bed.index(), &VisibleRoots::All, threshold);
        model.check(
            bed.index(),
            &VisibleRoots::Roots([file("b/").root].into()),
            threshold,
        );
    }
    bed.index().writer.merge().unwrap();
    for usage in bed.index().index.usage() {
        let (postings, bytes) = postings_in_runs(bed.index(), usage.scheme);
        assert_eq!(
            (usage.postings, usage.bytes),
            (postings.len() as u64, bytes)
        );
    }
}

#[test]
fn whatever_happens_the_index_says_what_the_model_says() {
    for seed in 0..12 {
        live(Bed::memory(), seed, 60);
    }
}

#[test]
fn so_it_does_on_disk() {
    live(Bed::disk(), 100, 40);
}

#[test]
fn writers_settlers_mergers_and_readers_do_not_stand_in_each_others_way() {
    let (mut bed, mut random) = (Bed::memory(), Random::new(200));
    bed.options.buffer_postings = 3_000;
    bed.open();
    let pool = pool(&mut random, 5, 100);
    let mut model = Model::default();
    let done = AtomicBool::new(false);
    let busy = |work: &dyn Fn()| {
        while !done.load(Ordering::SeqCst) {
            work();
        }
    };
    let never = Cancel::never();
    std::thread::scope(|scope| {
        let _finish = Finish(&done);
        scope.spawn(|| {
            busy(&|| {
                bed.index().writer.settle_step(&never).unwrap();
            })
        });
        scope.spawn(|| {
            busy(&|| {
                bed.index().writer.merge().unwrap();
                bed.index().writer.compact_texts(&Cancel::never()).unwrap();
                bed.index().index.usage();
            })
        });
        scope.spawn(|| {
            busy(&|| {
                let (reader, account) = (bed.reader(), account(bed.index()));
                let (all, threshold) = (VisibleRoots::All, Ratio::new(0.5).unwrap());
                reader.groups().of_view(&all, threshold, &account).unwrap();
                let mut visit = |_| ControlFlow::Continue(());
                reader.files().visit(&all, &account, &mut visit).unwrap();
            })
        });
        for _ in 0..300 {
            let changes: Vec<_> = (0..3)
                .map(|_| change(&bed, &mut model, &mut random, &pool))
                .collect();
            bed.index().writer.apply(&changes).unwrap();
        }
    });
    bed.settle();
    model.check(bed.index(), &VisibleRoots::All, bed.parameters.threshold);
    bed.open();
    bed.settle();
    model.check(bed.index(), &VisibleRoots::All, bed.parameters.threshold);
}

#[test]
fn large_batches_settle_in_steps_to_the_same_graph() {
    let mut random = Random::new(5);
    let pool = pool(&mut random, 60, 60);
    let bed = Bed::memory();
    let mut model = Model::default();
    let files = pool.iter().enumerate().map(|(at, text)| {
        model
            .files
            .insert(file(&format!("a/{at:04}")), (text.clone(), 0));
        put(bed.index(), &format!("a/{at:04}"), text, 0)
    });
    bed.index()
        .writer
        .apply(&files.collect::<Vec<_>>())
        .unwrap();
    bed.index().writer.settle_step(&Cancel::never()).unwrap();
    assert!(!bed.index().writer.is_settled(), "one step is not enough");
    bed.settle();
    model.check(bed.index(), &VisibleRoots::All, 0.7);
}

#[test]
fn what_was_applied_before_is_settled_while_documents_keep_coming() {
    let mut random = Random::new(6);
    let bed = Bed::memory();
    let index = bed.index();
    let (gone, longest) = (random.words(80), random.words(120));
    bed.put("a/one", &gone);
    bed.put("a/two", &gone);
    bed.settle();
    let gone = bed.id(&gone).unwrap();
    assert!(
        index
            .reader()
            .groups()
            .of_document(gone)
            .group
            .is_some_and(|group| group.id.is_some())
    );
    bed.remove("a/one");
    bed.remove("a/two");
    bed.put("b/one", &longest);
    bed.put("b/two", &longest);
    let before = index.writer.end_epoch();
    let mut steps = 0;
    while !index.writer.is_settled_through(before) {
        // More than are settled in one step.
        for at in 0..150 {
            bed.put(&format!("c/{steps}/{at}"), &random.words(40));
        }
        index.writer.settle_step(&Cancel::never()).unwrap();
        assert!(index.index.unsettled().awaited > 0, "some always wait");
        steps += 1;
        assert!(steps < 10, "it starves");
    }
    let longest = bed.id(&longest).unwrap();
    assert!(
        index
            .reader()
            .groups()
            .of_document(longest)
            .group
            .is_some_and(|group| group.id.is_some())
    );
    assert!(
        !index.index.shared.state().stars.contains(gone),
        "no file carries it"
    );
}

#[test]
fn a_move_keeps_the_document_and_a_purge_forgets_it() {
    let mut random = Random::new(1);
    let (text, bed) = (random.words(50), Bed::memory());
    bed.put("a/old", &text);
    bed.settle();
    let id = bed.id(&text).unwrap();
    bed.remove("a/old");
    bed.settle();
    let moved = bed
        .index()
        .writer
        .apply(&[seen("b/new", content(&text, 0))])
        .unwrap();
    assert_eq!((moved.unknown_content.len(), bed.id(&text)), (0, Some(id)));
    assert_eq!(
        bed.reader()
            .files()
            .of_document(id, &VisibleRoots::All)
            .unwrap()
            .len(),
        1
    );
    bed.index().writer.merge().unwrap();
    assert_eq!(bed.id(&text), Some(id));

    bed.remove("b/new");
    bed.settle();
    bed.index().writer.merge().unwrap();
    assert_eq!(
        (
            bed.id(&text),
            bed.reader().documents().stats(id).map(|s| s.length)
        ),
        (None, None)
    );
    let late = bed
        .index()
        .writer
        .apply(&[seen("b/new", content(&text, 0))])
        .unwrap();
    assert_eq!(late.unknown_content, [file("b/new")]);
    assert_eq!(bed.index().registry().file(&file("b/new")).unwrap(), None);
    bed.put("b/new", &text);
    assert_ne!(bed.id(&text), Some(id), "ids are never used again");
}

#[test]
fn a_purged_document_leaves_no_content_that_names_it() {
    let (bed, text) = (Bed::memory(), Random::new(3).words(40));
    bed.put("a/x", &text);
    bed.settle();
    // Two purges: the first while the group has not noticed the loss yet.
    bed.remove("a/x");
    bed.index().writer.merge().unwrap();
    bed.settle();
    bed.index().writer.merge().unwrap();
    assert_eq!(
        bed.index().registry().content(content(&text, 0)).unwrap(),
        None
    );
    let left = crate::batch::Batch::new(bed.index().index.shared.store.records())
        .keys(&[])
        .unwrap();
    let kinds: Vec<u8> = left.iter().map(|key| key[0]).collect();
    assert_eq!(kinds, b"mrr", "all that is left is meta and the roots");
}

#[test]
fn a_content_extracted_anew_moves_its_files_to_the_other_document() {
    let (bed, mut random) = (Bed::memory(), Random::new(4));
    let (old, new) = (random.words(40), random.words(40));
    bed.put("a/x", &old);
    bed.put("b/y", &old);
    let fresh = seen_file(put(bed.index(), "a/x", &new, 0)).content.unwrap();
    let again = put_content("a/x", content(&old, 0), State::Partial, fresh.document);
    bed.index().writer.apply(&[again]).unwrap();
    bed.settle();
    assert_eq!(bed.index().index.live_documents(&VisibleRoots::All), 1);
    let id = bed.id(&new).unwrap();
    assert_eq!(
        bed.reader()
            .files()
            .of_document(id, &VisibleRoots::All)
            .unwrap()
            .len(),
        2
    );
    bed.index().writer.merge().unwrap();
    assert_eq!(bed.id(&old), None);
}

#[test]
fn files_without_text_are_no_group_and_never_equal() {
    let bed = Bed::memory();
    let bytes: Vec<u8> = (0..40_000u32)
        .flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    bed.index()
        .writer
        .apply(&[put_raw("a/1", &bytes), put_raw("a/2", &bytes)])
        .unwrap();
    bed.settle();
    let found = bed
        .reader()
        .groups()
        .of_view(&VisibleRoots::All, Ratio::ONE, &account(bed.index()))
        .unwrap()
        .groups;
    assert!(found.is_empty() && pairs(bed.index(), &VisibleRoots::All, Ratio::ONE).is_empty());
    let mut states = Vec::new();
    let mut visit = |file: crate::FileInfo| {
        states.push((file.state, file.document.is_some()));
        std::ops::ControlFlow::Continue(())
    };
    let (reader, account) = (bed.reader(), account(bed.index()));
    reader
        .files()
        .visit(&VisibleRoots::All, &account, &mut visit)
        .unwrap();
    assert_eq!(states, [(State::NoText, false); 2]);
}

/// Ids of the groups shown, by the text of their principal.
fn group_ids(bed: &Bed, texts: &[&str]) -> BTreeMap<usize, GroupId> {
    bed.settle();
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    let found = bed
        .reader()
        .groups()
        .of_view(&VisibleRoots::All, threshold, &account(bed.index()))
        .unwrap()
        .groups;
    let place = |id| {
        let hash = bed.reader().documents().stats(id).unwrap().hash;
        texts
            .iter()
            .position(|text| document(text) == hash)
            .unwrap()
    };
    found
        .iter()
        .map(|group| (place(group.principal), group.id.unwrap()))
        .collect()
}

#[test]
fn a_group_keeps_its_handle_through_changes_of_principal() {
    let mut random = Random::new(9);
    let mut bed = Bed::memory();
    let base = random.words(40);
    let longer = format!("{base} more");
    let longest = format!("{longer} words");
    let other = random.words(40);
    let texts = [&base[..], &longer, &longest, &other];
    bed.put("a/0", &base);
    bed.put("a/1", &longer);
    bed.put("a/3", &other);
    bed.put("b/3", &other);
    let first = group_ids(&bed, &texts);
    assert_eq!(first.keys().collect::<Vec<_>>(), [&1, &3]);
    // A longer document takes over the group and its id.
    bed.put("a/2", &longest);
    assert_eq!(
        group_ids(&bed, &texts),
        [(2, first[&1]), (3, first[&3])].into()
    );
    bed.open();
    assert_eq!(
        group_ids(&bed, &texts),
        [(2, first[&1]), (3, first[&3])].into()
    );
    // The principal is removed: the id passes on, and only then merging removes the document.
    bed.remove("a/2");
    bed.index().writer.merge().unwrap();
    assert_eq!(group_ids(&bed, &texts), first);
    bed.index().writer.merge().unwrap();
    bed.close_and_open();
    assert_eq!(group_ids(&bed, &texts), first);
    // A group that dissolves passes its id to no other.
    bed.remove("b/3");
    assert_eq!(group_ids(&bed, &texts), [(1, first[&1])].into());
    bed.put("b/3", &other);
    assert!(group_ids(&bed, &texts)[&3] > first[&3]);
}

#[test]
fn edits_of_many_files_at_once_keep_all_handles() {
    let (bed, mut random) = (Bed::memory(), Random::new(10));
    let bases: Vec<String> = (0..400).map(|_| random.words(30)).collect();
    let put_all = |format: &dyn Fn(&str, usize) -> String| {
        let files = bases.iter().enumerate().flat_map(|(at, base)| {
            [0, 1].map(|n| put(bed.index(), &format!("a/{at}-{n}"), &format(base, n), 0))
        });
        bed.index()
            .writer
            .apply(&files.collect::<Vec<_>>())
            .unwrap();
        bed.settle();
        let threshold = Ratio::new(bed.parameters.threshold).unwrap();
        bed.reader()
            .groups()
            .of_view(&VisibleRoots::All, threshold, &account(bed.index()))
            .unwrap()
            .groups
    };
    let ids = |found: &[crate::DocumentGroup]| {
        found
            .iter()
            .map(|g| g.id.unwrap())
            .collect::<std::collections::BTreeSet<_>>()
    };
    let before = put_all(&|base, n| format!("{base} first {n}"));
    assert_eq!(before.len(), 400);
    let after = put_all(&|base, n| format!("{base} second {n}"));
    assert_eq!(ids(&before), ids(&after));
}

#[test]
fn a_family_keeps_one_edge_per_member_in_whatever_order_it_comes() {
    let mut random = Random::new(11);
    // Short, so that their shingles are listed, except in the last order: counting every two in parts takes most of the
    // time.
    let bases = [random.words(40), random.words(60)];
    let orders: [(&str, Vec<usize>); 3] = [
        (&bases[0], (0..300).collect()),
        (&bases[0], (0..300).rev().collect()),
        (&bases[1], (0..300).map(|at| at * 77 % 300).collect()),
    ];
    for (base, order) in orders {
        let texts: Vec<String> = (0..300)
            .map(|at| format!("{base} {}", "x".repeat(at / 4) + &at.to_string()))
            .collect();
        let bed = Bed::memory();
        for some in order.chunks(50) {
            let files = some
                .iter()
                .map(|at| put(bed.index(), &format!("a/{at}"), &texts[*at], 0));
            bed.index()
                .writer
                .apply(&files.collect::<Vec<_>>())
                .unwrap();
            bed.settle();
        }
        let mut model = Model::default();
        for (at, text) in texts.iter().enumerate() {
            let key = file(&format!("a/{at}"));
            model.files.insert(key, (text.clone(), 0));
        }
        model.check(bed.index(), &VisibleRoots::All, bed.parameters.threshold);
        let threshold = Ratio::new(bed.parameters.threshold).unwrap();
        let groups =
            bed.reader()
                .groups()
                .of_view(&VisibleRoots::All, threshold, &account(bed.index()));
        let members: usize = groups
            .unwrap()
            .groups
            .iter()
            .map(|group| group.members.len())
            .sum();
        assert_eq!(bed.stored_edges(), members);
    }
}
