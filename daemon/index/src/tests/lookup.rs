//! From a document to its group and back, and to its files; how many documents are not settled yet.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use simdex_schema::{FileKey, GroupId, State};
use simdex_signature::Ratio;

use super::bed::{Bed, account, content, file, put};
use super::frail::{Access, hook};
use super::texts::Random;
use crate::reader::files::FirstContents;
use crate::registry::Carried;
use crate::{Cancel, FileInfo, VisibleRoots};

/// Two versions of one text, a copy of another, and one that is alone.
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
    let listed =
        bed.reader()
            .groups()
            .of_view(&VisibleRoots::All, threshold, &account(bed.index()));
    let listed = listed.unwrap().groups;
    assert_eq!(listed.len(), 2);
    for text in &texts {
        let id = bed.id(text).unwrap();
        let holds = |group: &&crate::DocumentGroup| {
            group.principal == id || group.members.iter().any(|member| member.document == id)
        };
        let expected = listed.iter().find(holds);
        let found = bed.reader().groups().of_document(id).group;
        let named = expected.and_then(|group| group.id);
        assert_eq!(named, bed.reader().shared.state().group_id_of(id), "{text}");
        assert_eq!(named, found.as_ref().and_then(|group| group.id));
        let by_id = named.and_then(|group| bed.reader().groups().by_id(group).group);
        assert_eq!(format!("{found:?}"), format!("{by_id:?}"));
        assert_eq!(format!("{found:?}"), format!("{:?}", expected.cloned()));
    }
    let unknown = bed.reader().groups().by_id(GroupId(99));
    assert!(unknown.group.is_none() && !unknown.is_unsettled);
}

#[test]
fn a_group_that_shrinks_to_one_file_is_no_group_any_more() {
    let bed = Bed::memory();
    let texts = fill(&bed);
    bed.settle();
    let id = bed.id(&texts[2]).unwrap();
    let group = bed.reader().shared.state().group_id_of(id).unwrap();
    bed.remove("b/copy");
    let found = bed.reader().groups().of_document(id);
    assert!(found.group.is_none() && found.is_unsettled);
    let found = bed.reader().groups().by_id(group);
    assert!(found.group.is_none() && found.is_unsettled);
    bed.settle();
    assert_eq!(bed.reader().shared.state().group_id_of(id), None);
    let found = bed.reader().groups().by_id(group);
    assert!(found.group.is_none() && !found.is_unsettled);
}

#[test]
fn a_group_whose_members_went_is_listed_no_more_before_it_is_settled() {
    let bed = Bed::memory();
    let texts = fill(&bed);
    bed.settle();
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    // The longer of the two versions leads the other.
    bed.remove("a/0");
    let listed =
        bed.reader()
            .groups()
            .of_view(&VisibleRoots::All, threshold, &account(bed.index()));
    let listed = listed.unwrap().groups;
    let principals: Vec<_> = listed.iter().map(|group| group.principal).collect();
    assert_eq!(principals, [bed.id(&texts[2]).unwrap()]);
}

#[test]
fn a_group_whose_id_passes_on_is_not_settled_rather_than_unknown() {
    let (bed, base) = (Bed::memory(), Random::new(51).words(60));
    let texts = ["a longer end", "an end", "end"].map(|end| format!("{base} {end}"));
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
    }
    bed.settle();
    let (reader, ids) = (
        bed.reader(),
        texts.each_ref().map(|text| bed.id(text).unwrap()),
    );
    let group = reader.shared.state().group_id_of(ids[0]).unwrap();
    bed.remove("a/0");
    let is_unsettled = |found: crate::GroupLookup| {
        assert!(found.group.is_none() && found.unsettled.awaited > 0);
        found.is_unsettled
    };
    assert!(
        is_unsettled(reader.groups().by_id(group)),
        "its principal went"
    );
    // The step ends early once the principal is removed: its members have no place yet.
    bed.fail_after(1);
    assert!(bed.index().writer.settle_step(&Cancel::never()).is_err());
    bed.fail_after(i64::MAX);
    assert!(is_unsettled(reader.groups().by_id(group)));
    assert!(is_unsettled(reader.groups().of_document(ids[1])));
    let unknown = reader.groups().by_id(GroupId(99));
    assert!(unknown.group.is_none() && !unknown.is_unsettled);
    bed.settle();
    let found = reader.groups().by_id(group).group.unwrap();
    assert_eq!((found.principal, found.members.len()), (ids[1], 1));
}

#[test]
fn what_is_not_settled_is_counted_until_it_is() {
    let bed = Bed::memory();
    fill(&bed);
    assert_eq!(
        bed.index().index.unsettled().awaited,
        4,
        "documents, and not files"
    );
    bed.settle();
    assert_eq!(bed.index().index.unsettled().awaited, 0);
    bed.remove("a/0");
    assert_eq!(
        bed.index().index.unsettled().awaited,
        1,
        "its star does not know it yet"
    );
    bed.settle();
    assert_eq!(bed.index().index.unsettled().awaited, 0);
}

#[test]
fn the_files_of_a_document_are_visited_in_one_order_however_few_keys_are_held() {
    let bed = Bed::memory();
    for at in 0..60_u8 {
        let path = format!("{}/{:02}/{at}", ["a", "b"][usize::from(at % 2)], at % 7);
        let change = put(bed.index(), &path, "one text of many files", at % 5);
        bed.index().writer.apply(&[change]).unwrap();
    }
    let id = bed.id("one text of many files").unwrap();
    let of_content = |format: u8| {
        let mut names = Vec::new();
        let hash = content("one text of many files", format);
        let visit = &mut |file: crate::FileInfo| {
            names.push(file.path);
            ControlFlow::Continue(())
        };
        bed.reader()
            .files()
            .visit_of_content(hash, &VisibleRoots::All, visit)
            .unwrap();
        names
    };
    assert!(of_content(3).len() == 12 && of_content(3).is_sorted() && of_content(5).is_empty());
    let files = bed.reader().files();
    let roots = files.roots(&VisibleRoots::All).unwrap();
    let visited = |most: usize, limit: usize| {
        let mut keys = Vec::new();
        let mut visit = |_: &Path, key: FileKey| {
            keys.push(key);
            Ok(match keys.len() < limit {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        };
        let index = bed.index();
        let carried = Carried::Document(id);
        index
            .registry()
            .visit_keys_of(carried, &roots, most, &mut visit)
            .unwrap();
        keys
    };
    let all = visited(usize::MAX, usize::MAX);
    assert!(all.len() == 60 && all.is_sorted_by_key(|key| (key.root, key.path.clone())));
    for most in [1, 100, 1_000, 5_000] {
        assert_eq!(visited(most, usize::MAX), all, "{most}");
        assert_eq!(visited(most, 37), all[..37], "{most}");
    }
}

/// Calls its argument for each file of a list.
type Visiting<'a> = dyn Fn(&mut dyn FnMut(FileInfo) -> ControlFlow<()>) + 'a;

#[test]
fn a_file_that_is_overwritten_while_the_files_of_its_document_are_visited_is_not_one_of_them() {
    let bed = Bed::memory();
    let mut random = Random::new(6);
    let [text, other] = [random.words(60), random.words(60)];
    for path in ["a/1", "a/2", "a/3"] {
        bed.put(path, &text);
    }
    let (id, index) = (bed.id(&text).unwrap(), bed.index());
    let visited = |visit: &Visiting| {
        let mut paths = Vec::new();
        visit(&mut |file| {
            // Right after the first: the keys of all were read.
            if paths.is_empty() {
                bed.put("a/2", &other);
            }
            paths.push(file.path.display().to_string());
            ControlFlow::Continue(())
        });
        bed.put("a/2", &text);
        paths
    };
    let expected = ["/data/a/1", "/data/a/3"];
    let of_document = |visit: &mut dyn FnMut(FileInfo) -> ControlFlow<()>| {
        index
            .reader()
            .files()
            .visit_of_document(id, &VisibleRoots::All, visit)
            .unwrap();
    };
    assert_eq!(visited(&of_document), expected);
    let of_content = |visit: &mut dyn FnMut(FileInfo) -> ControlFlow<()>| {
        let content = content(&text, 0);
        index
            .reader()
            .files()
            .visit_of_content(content, &VisibleRoots::All, visit)
            .unwrap();
    };
    assert_eq!(visited(&of_content), expected);
}

#[test]
fn looking_up_one_copy_takes_as_many_reads_as_there_are_contents_and_not_as_there_are_copies() {
    let text = Random::new(53).words(30);
    let reads = |copies: usize| {
        let bed = Bed::memory();
        let paths: Vec<String> = (0..copies).map(|at| format!("a/{at:03}")).collect();
        paths.iter().for_each(|path| bed.put(path, &text));
        let other_bytes = put(bed.index(), "b/other", &text, 1);
        bed.index().writer.apply(&[other_bytes]).unwrap();
        let state = |path: &str| {
            let (count, index) = (Rc::new(Cell::new(0)), bed.index());
            let counted = Rc::clone(&count);
            let hooked = hook(move |access, _| {
                counted.set(counted.get() + usize::from(access == Access::Read));
            });
            let file = index.reader().files().get(&file(path), &VisibleRoots::All);
            drop(hooked);
            (file.unwrap().unwrap().state, count.get())
        };
        assert_eq!(state(&paths[0]).0, State::Indexed);
        assert_eq!(state("b/other").0, State::IdenticalText);
        let (last, reads) = state(&paths[copies - 1]);
        assert_eq!(last, State::IdenticalBytes);
        reads
    };
    assert_eq!(reads(5), reads(60));
}

#[test]
fn a_list_of_files_remembers_only_documents_of_several() {
    let (bed, mut random) = (Bed::memory(), Random::new(52));
    let text = random.words(30);
    for at in 0..40 {
        bed.put(&format!("a/{at}"), &random.words(30));
    }
    let account = account(bed.index());
    let listed = |view: &VisibleRoots| {
        let (mut first, mut files) = (FirstContents::of(&account), 0);
        let visit = &mut |_| {
            files += 1;
            ControlFlow::Continue(())
        };
        let reader = bed.reader();
        reader
            .files()
            .visit_knowing(view, None, &mut first, visit)
            .unwrap();
        (files, first.contents.len())
    };
    assert_eq!(listed(&VisibleRoots::All), (40, 0));
    bed.put("a/x", &text);
    bed.put("b/x", &text);
    assert_eq!(listed(&VisibleRoots::All), (42, 1));
    assert_eq!(
        listed(&VisibleRoots::Roots([simdex_schema::RootId(1)].into())),
        (41, 0)
    );
}

#[test]
fn a_list_of_files_begins_anywhere_with_the_states_of_the_whole_list() {
    let (bed, mut random) = (Bed::memory(), Random::new(53));
    let texts: Vec<String> = (0..3).map(|_| random.words(30)).collect();
    for at in 0..24 {
        let root = ["a", "b"][at % 2];
        bed.put(&format!("{root}/{}", at / 2), &texts[at % 3]);
    }
    let (reader, account) = (bed.reader(), account(bed.index()));
    for view in [
        VisibleRoots::All,
        VisibleRoots::Roots([simdex_schema::RootId(2)].into()),
    ] {
        let mut all = Vec::new();
        let visit = &mut |file: FileInfo| {
            all.push((file.path, file.state));
            ControlFlow::Continue(())
        };
        reader.files().visit(&view, &account, visit).unwrap();
        assert!(all.iter().any(|(_, state)| *state == State::IdenticalBytes));
        let paths = all.iter().map(|(path, _)| path.as_os_str().as_bytes());
        let mut places: Vec<Vec<u8>> = paths.map(<[u8]>::to_vec).collect();
        let behind = |path: &Vec<u8>| [&path[..], b"!"].concat();
        places.extend(places.iter().map(behind).collect::<Vec<_>>());
        places.extend([b"".to_vec(), b"/".to_vec(), b"~".to_vec()]);
        for from in places {
            let mut listed = Vec::new();
            let visit = &mut |file: FileInfo| {
                listed.push((file.path, file.state));
                ControlFlow::Continue(())
            };
            reader
                .files()
                .visit_from(&view, &from, &account, visit)
                .unwrap();
            let is_before = |(path, _): &&(PathBuf, State)| path.as_os_str().as_bytes() < &from[..];
            let right: Vec<_> = all.iter().skip_while(is_before).cloned().collect();
            assert_eq!(listed, right, "{from:?}");
        }
    }
}

#[test]
fn the_roots_are_read_once_for_a_list_of_documents_and_again_when_one_is_added() {
    let bed = Bed::memory();
    let texts = fill(&bed);
    let reads = Rc::new(Cell::new(0));
    let counted = Rc::clone(&reads);
    let hooked = hook(move |access, key| {
        if access == Access::Read && key.first() == Some(&simdex_schema::key::prefix::ROOT) {
            counted.set(counted.get() + 1);
        }
    });
    let files = || {
        let all = texts.iter().map(|text| {
            let id = bed.id(text).unwrap();
            let files = bed.reader().files();
            let first = files.first_of_document(id, &VisibleRoots::All).unwrap();
            let of_document = files.of_document(id, &VisibleRoots::All).unwrap();
            assert_eq!(first.unwrap().path, of_document[0].path);
            of_document.len()
        });
        all.sum::<usize>()
    };
    assert_eq!(files(), 5);
    assert_eq!(reads.get(), 2, "each of the two roots once");
    bed.index().writer.add_root(Path::new("/data/c")).unwrap();
    reads.set(0);
    assert_eq!(files(), 5);
    assert_eq!(reads.get(), 3);
    drop(hooked);
    let roots = bed.reader().files().roots(&VisibleRoots::All).unwrap();
    assert_eq!(roots.len(), 3);
}
