//! Counts of files and groups: what a list would show, without making it again.

use std::cell::Cell;
use std::rc::Rc;

use simdex_schema::{DocId, FileRecord, FileStat, RootId, RootRecord, State, StoredReason};
use simdex_signature::Ratio;

use super::bed::{Bed, Clients, account, content, file, put, put_content, put_raw, seen_file};
use super::frail::{Access, hook};
use super::texts::{Random, pool};
use crate::{Cancel, FileChange, FileCounts, SeenFile, VisibleRoots};

fn listed(index: &Clients, view: &VisibleRoots) -> FileCounts {
    let (mut counts, mut documents) = (FileCounts::default(), std::collections::BTreeSet::new());
    let list = &mut |file: crate::FileInfo| {
        counts.add(&file);
        documents.extend(file.document.map(|(id, _)| id));
        std::ops::ControlFlow::Continue(())
    };
    index
        .reader()
        .files()
        .visit(view, &account(index), list)
        .unwrap();
    counts.documents = documents.len() as u64;
    counts
}

/// The counts, and how many records are read for them.
fn counted(index: &Clients, view: &VisibleRoots) -> (FileCounts, u64) {
    let reads = Rc::new(Cell::new(0));
    let noted = Rc::clone(&reads);
    let _hooked = hook(move |access, _| noted.set(noted.get() + u64::from(access == Access::Read)));
    let counts = index
        .reader()
        .file_totals()
        .count(view, &Cancel::never())
        .unwrap();
    (counts, reads.get())
}

fn views() -> [VisibleRoots; 4] {
    let [one, two] = [RootId(1), RootId(2)].map(|root| VisibleRoots::Roots([root].into()));
    [VisibleRoots::All, one, two, VisibleRoots::Roots([].into())]
}

/// The maintained number of groups equals that found by examining all documents.
fn check_groups(index: &Clients) {
    let state = index.index.shared.state();
    let texts = state.table.visible_texts(&state.grouped);
    let heads = texts
        .iter()
        .filter(|id| state.heads_group(DocId(*id), &state.grouped));
    assert_eq!(state.shown.len(), heads.count() as u64);
}

/// Counts equal those of a list, in every view.
fn check(index: &Clients) {
    check_groups(index);
    for view in views() {
        let counts = index
            .reader()
            .file_totals()
            .count(&view, &Cancel::never())
            .unwrap();
        assert_eq!(counts, listed(index, &view), "{view:?}");
        if let VisibleRoots::Roots(roots) = view {
            let on_disk = roots
                .iter()
                .map(|root| index.registry().files_on_disk(*root));
            assert_eq!(on_disk.sum::<u64>(), counts.files_on_disk);
        }
    }
}

/// Draws changes of few files, few texts and few contents, so that most of them interact.
struct Changes {
    random: Random,
    texts: Vec<String>,
}

impl Changes {
    fn path(&mut self) -> String {
        format!("{}/{}", self.random.pick(&["a", "b"]), self.random.below(8))
    }

    fn put(&mut self, index: &Clients, path: &str) -> FileChange {
        let text = self.random.pick(&self.texts).clone();
        put(index, path, &text, self.random.below(2) as u8)
    }

    /// A content known or not, with another state or another document than before.
    fn read_again(&mut self, index: &Clients, path: &str) -> FileChange {
        let [of, text] = [0; 2].map(|_| self.random.pick(&self.texts).clone());
        let hash = content(&of, self.random.below(2) as u8);
        let content = seen_file(put(index, path, &text, 0)).content;
        let document = content.unwrap().document;
        let document = document.filter(|_| !self.random.once_in(3));
        let state = [State::Indexed, State::Partial, State::NoText];
        put_content(path, hash, *self.random.pick(&state), document)
    }

    fn unread(&mut self, path: &str) -> FileChange {
        let state = *self.random.pick(&[State::Unreadable, State::Skipped]);
        let record = FileRecord::unread(FileStat::default(), state, StoredReason::None);
        FileChange::file(SeenFile::without_content(file(path), record))
    }

    fn container(&mut self, index: &Clients, path: &str) -> FileChange {
        let holder = seen_file(self.put(index, path));
        let names = ["one", "two", "three"].map(|name| holder.key.member(name.as_bytes()));
        let members = names.into_iter().take(self.random.below(4));
        let members = members.map(|key| {
            let member = match self.random.below(4) {
                0 => self.unread(path),
                1 => self.read_again(index, path),
                _ => self.put(index, path),
            };
            let member = seen_file(member);
            SeenFile { key, ..member }
        });
        let members = members.collect();
        FileChange::container(holder, members)
    }

    fn next(&mut self, index: &Clients) -> FileChange {
        let path = self.path();
        match self.random.below(12) {
            0..4 => self.put(index, &path),
            4 | 5 => self.read_again(index, &path),
            6 => self.unread(&path),
            7 | 8 => self.container(index, &path),
            9 => put_raw(&path, &[self.random.below(2) as u8; 600]),
            _ => FileChange::removal(file(&path)),
        }
    }
}

/// Makes the second root sort before or after the first one.
fn rename_second_root(index: &Clients, path: &str) {
    let (id, record) = index.registry().roots().unwrap().pop().unwrap();
    let path = path.as_bytes().to_vec();
    index
        .writer
        .put_root(id, &RootRecord { path, ..record })
        .unwrap();
}

#[test]
fn counts_are_those_of_a_list_whatever_changes() {
    for seed in 0..12 {
        let mut bed = Bed::memory();
        let mut random = Random::new(seed);
        let texts = (0..3).map(|_| random.words(30)).collect();
        let mut changes = Changes { random, texts };
        for step in 0..120 {
            let batch = 1 + changes.random.below(3);
            let batch: Vec<_> = (0..batch).map(|_| changes.next(bed.index())).collect();
            bed.index().writer.apply(&batch).unwrap();
            match changes.random.below(30) {
                0 => {
                    let text = changes.random.pick(&changes.texts).clone();
                    let damaged = &bed.index().index.shared.damaged;
                    damaged.documents().extend(bed.id(&text));
                    bed.index().writer.release_damaged_texts().unwrap();
                }
                1 => rename_second_root(bed.index(), ["/data/0", "/data/b"][step % 2]),
                2 => drop(bed.open()),
                3 => {
                    bed.settle();
                    bed.close_and_open();
                }
                _ => {}
            }
            // Not each time, so that what is in doubt stays so.
            if !changes.random.once_in(3) {
                check(bed.index());
            }
        }
        check(bed.index());
    }
}

#[test]
fn groups_are_counted_with_every_change_of_files_and_places() {
    let mut most = 0;
    for seed in 0..16 {
        let bed = Bed::memory();
        let mut random = Random::new(300 + seed);
        let texts = pool(&mut random, 3, 8);
        let mut changes = Changes { random, texts };
        for _ in 0..80 {
            let batch = 1 + changes.random.below(3);
            let batch: Vec<_> = (0..batch).map(|_| changes.next(bed.index())).collect();
            bed.index().writer.apply(&batch).unwrap();
            check_groups(bed.index());
            match changes.random.below(12) {
                0..4 => drop(bed.index().writer.settle_step(&Cancel::never()).unwrap()),
                4 => bed.settle(),
                5 => {
                    let view = changes.random.pick(&views()).clone();
                    bed.index().writer.set_grouped_view(view);
                }
                6 => bed.index().writer.merge().unwrap(),
                _ => {}
            }
            check_groups(bed.index());
            most = most.max(bed.index().index.shared.state().shown.len());
        }
        bed.index().writer.set_grouped_view(VisibleRoots::All);
        bed.settle();
        let state = bed.index().index.shared.state();
        assert_eq!(state.shown.len(), state.group_ids.len() as u64);
    }
    assert!(most > 3, "{most} groups at once");
}

#[test]
fn counting_groups_looks_at_no_document() {
    let bed = Bed::memory();
    for (at, text) in pool(&mut Random::new(96), 4, 20).iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
    }
    let index = bed.index();
    let count = |view: &VisibleRoots| {
        let threshold = index.index.shared.threshold();
        // A count that went from document to document would notice the cancellation.
        let asked = Cancel::never();
        asked.cancel();
        index
            .reader()
            .groups()
            .count_maintained(view, threshold, &asked)
    };
    assert!(!index.writer.is_settled());
    assert!(count(&VisibleRoots::All).unwrap().is_some());
    assert!(
        count(&VisibleRoots::Roots([RootId(1)].into())).is_err(),
        "of the same documents"
    );
}

#[test]
fn what_changes_while_it_is_counted_is_counted_next_time() {
    let base = Random::new(97).words(40);
    for at in 0..12 {
        let bed = Bed::memory();
        for path in ["a/1", "a/2", "a/3", "b/1"] {
            let format = path.len() as u8 + path.as_bytes()[2];
            let change = put(bed.index(), path, &base, format);
            bed.index().writer.apply(&[change]).unwrap();
        }
        let (index, left) = (bed.weak(), Cell::new(at));
        let hooked = hook(move |_, _| {
            if left.replace(left.get() - 1) == 0 {
                let index = index.upgrade().unwrap();
                index
                    .writer
                    .apply(&[FileChange::removal(file("a/1"))])
                    .unwrap();
            }
        });
        let counts = bed
            .reader()
            .file_totals()
            .count(&VisibleRoots::All, &Cancel::never());
        let counts = counts.unwrap();
        assert_eq!(counts.states.values().sum::<u64>(), counts.files_on_disk);
        assert_eq!(counts.member_states.values().sum::<u64>(), counts.members);
        drop(hooked);
        check(bed.index());
    }
}

#[test]
fn counting_after_a_change_reads_no_more_of_many_files_than_of_few() {
    let reads = |files: usize| {
        let bed = Bed::memory();
        let mut random = Random::new(98);
        let mut changes = Vec::new();
        for at in 0..files {
            // Some texts are in several files, on disk and in other bytes.
            let text = random.words(30);
            for copy in 0..1 + at % 3 {
                let path = format!("{}/{at}/{copy}", ["a", "b"][at % 2]);
                changes.push(put(bed.index(), &path, &text, copy as u8));
            }
        }
        bed.index().writer.apply(&changes).unwrap();
        check(bed.index());
        let mut reads = Vec::new();
        for change in [
            put(bed.index(), "a/new", &random.words(30), 0),
            put(bed.index(), "a/new", &random.words(30), 0),
            FileChange::removal(file("a/2/0")),
            FileChange::removal(file("b/1/1")),
        ] {
            bed.index().writer.apply(&[change]).unwrap();
            for view in views() {
                reads.push(counted(bed.index(), &view).1);
            }
        }
        check(bed.index());
        reads
    };
    let few = reads(10);
    // The records of two roots, and the first file of two contents.
    assert!(few.iter().all(|reads| *reads <= 4), "{few:?}");
    assert_eq!(few, reads(1_000));
}

/// Three contents of each of these texts, in two roots.
fn put_copies(bed: &Bed, texts: usize) {
    let mut random = Random::new(99);
    let mut changes = Vec::new();
    for at in 0..texts {
        let text = random.words(30);
        for copy in 0..3 {
            let path = format!("{}/{at}/{copy}", ["a", "b"][(at + copy) % 2]);
            changes.push(put(bed.index(), &path, &text, copy as u8));
        }
    }
    bed.index().writer.apply(&changes).unwrap();
}

#[test]
fn the_first_count_after_a_start_looks_up_no_copies() {
    let mut bed = Bed::memory();
    put_copies(&bed, 400);
    bed.close_and_open();
    for view in views() {
        // The records of the roots.
        assert!(counted(bed.index(), &view).1 <= 2, "{view:?}");
    }
    check(bed.index());
}

#[test]
fn the_first_count_after_many_changes_finds_most_copies_looked_up() {
    let bed = Bed::memory();
    put_copies(&bed, 400);
    bed.settle();
    let (_, reads) = counted(bed.index(), &VisibleRoots::All);
    assert!(reads < 400, "{reads} reads");
    check(bed.index());
}

#[test]
fn groups_that_are_kept_are_counted_without_being_made() {
    let bed = Bed::memory();
    for (at, text) in pool(&mut Random::new(96), 4, 60).iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
    }
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    let reader = bed.reader();
    let count = |view: &VisibleRoots, threshold| {
        let counted = reader
            .groups()
            .count_maintained(view, threshold, &Cancel::never());
        counted.unwrap()
    };
    let listed = || {
        let listed = reader
            .groups()
            .of_view(&VisibleRoots::All, threshold, &account(bed.index()));
        let listed = listed.unwrap().groups;
        let files = |id| reader.files().count_of_document(id, &VisibleRoots::All);
        let is_shown = |group: &&crate::DocumentGroup| {
            let members = group.members.iter().map(|member| files(member.document));
            let own = files(group.principal);
            own > 0 && own + members.sum::<u64>() > 1
        };
        listed.iter().filter(is_shown).count() as u64
    };
    let one = VisibleRoots::Roots([RootId(1)].into());
    assert_eq!(
        count(&VisibleRoots::All, threshold),
        Some(listed()),
        "unsettled"
    );
    bed.settle();
    let groups = listed();
    assert!(groups > 2);
    // Everything served is in one root.
    assert_eq!(count(&VisibleRoots::All, threshold), Some(groups));
    assert_eq!(count(&one, threshold), Some(groups));
    // So they are while something waits.
    for path in ["a/0", "a/1", "a/7"] {
        bed.remove(path);
        assert_eq!(count(&VisibleRoots::All, threshold), Some(listed()));
    }
    bed.put("b/other", "a text that is only here");
    assert_eq!(count(&VisibleRoots::All, threshold), Some(listed()));
    // Others would have to be computed.
    let before = bed.index().index.work();
    assert_eq!(count(&VisibleRoots::All, Ratio::new(0.5).unwrap()), None);
    assert_eq!(count(&one, threshold), None);
    assert_eq!(bed.index().index.work(), before);
}
