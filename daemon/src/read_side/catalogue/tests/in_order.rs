//! Lists of many groups, which are met on a walk over the files, and of a few, which are sorted by path.

use std::path::Path;

use super::*;

/// Families of two documents each, and the files that carry them.
fn families(count: usize) -> (Opened, tempfile::TempDir) {
    let mut seed = 41;
    let families = (0..count).flat_map(|_| {
        let text = words(&mut seed, 160).join(" ");
        [format!("{text} edited"), text]
    });
    let (opened, dir) = opened_of(&families.collect::<Vec<_>>());
    opened.writer.settle(&Cancel::never()).unwrap();
    (opened, dir)
}

/// The first file of each group, and how many contents were looked up before the first group.
fn listed(
    index: &Index,
    after: Option<&str>,
    between: &mut dyn FnMut(),
) -> (Vec<String>, u64, UnsettledCounts) {
    let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
    let asked = GroupSelection {
        after: after.map(Path::new),
        ..all_groups()
    };
    let begun = index.work().contents_read;
    let (mut firsts, mut reads) = (Vec::new(), None);
    let listed = visit_groups(index.reader(), asked, &account, &mut |group| {
        reads.get_or_insert(index.work().contents_read - begun);
        firsts.push(group.members[0].file.path.display().to_string());
        between();
        ControlFlow::Continue(())
    });
    let listed = listed.unwrap();
    assert_eq!(listed.items, firsts.len() as u64);
    (firsts, reads.unwrap_or_default(), listed.unsettled)
}

#[test]
fn no_group_is_looked_up_before_the_one_that_is_listed_and_a_resumed_list_is_its_rest() {
    // More than are sorted, and not more.
    for count in [40, 8] {
        let (opened, _dir) = families(count);
        // A copy of a principal, which comes behind it, and files whose order is another as they are shown.
        let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
        let mut files = Vec::new();
        let list = &mut |file: FileInfo| {
            files.push(file.key.clone());
            ControlFlow::Continue(())
        };
        let reader = opened.index.reader();
        reader
            .files()
            .visit(&VisibleRoots::All, &account, list)
            .unwrap();
        for (from, to) in [(0, &b"~copy.txt"[..]), (4, b"a.eml\0x"), (8, b"a.eml b")] {
            let record = opened.index.registry().file(&files[from]).unwrap().unwrap();
            let mut key = files[from].clone();
            key.path = to.to_vec();
            let copy = FileChange::file(simdex_index::SeenFile::without_content(key, record));
            opened.writer.apply(&[copy]).unwrap();
        }
        opened.writer.settle(&Cancel::never()).unwrap();
        let (all, reads, unsettled) = listed(&opened.index, None, &mut || ());
        assert_eq!((all.len(), unsettled), (count, UnsettledCounts::default()));
        let stored = |path: &String| super::super::stored(path.as_ref());
        assert!(all.is_sorted_by_key(stored), "{all:?}");
        assert!(
            count == 8 || reads < 12,
            "{reads} contents before the first group"
        );
        for (at, after) in all.iter().enumerate() {
            let (rest, reads, _) = listed(&opened.index, Some(after), &mut || ());
            assert_eq!(rest, all[at + 1..], "after {after}");
            assert!(count == 8 || reads < 12, "{reads} contents after {after}");
        }
    }
}

#[test]
fn documents_that_lose_their_principal_while_many_groups_are_listed_count_as_unsettled() {
    let (opened, _dir) = families(20);
    let (all, _, _) = listed(&opened.index, None, &mut || ());
    let last = all.last().unwrap().strip_prefix("/data/").unwrap();
    let key = simdex_schema::FileKey {
        root: RootId(1),
        path: last.as_bytes().to_vec(),
    };
    for is_settled in [false, true] {
        let mut removal = Some(FileChange::removal(key.clone()));
        let record = opened.index.registry().file(&key).unwrap().unwrap();
        let (rest, _, unsettled) = listed(&opened.index, None, &mut || {
            if let Some(removal) = removal.take() {
                opened.writer.apply(&[removal]).unwrap();
                if is_settled {
                    opened.writer.settle(&Cancel::never()).unwrap();
                }
            }
        });
        assert_eq!(rest, all[..all.len() - 1]);
        // One of the two is left, and alone: only a settled group tells that it changed.
        assert_eq!(unsettled.awaited > 0, is_settled, "{unsettled:?}");
        let file = simdex_index::SeenFile::without_content(key.clone(), record);
        opened.writer.apply(&[FileChange::file(file)]).unwrap();
        opened.writer.settle(&Cancel::never()).unwrap();
    }
}
