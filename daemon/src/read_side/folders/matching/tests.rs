//! Planted trees, and all pairs checked against the definition.

use super::*;
use proptest::prelude::*;

/// A file that resembles only files that carry the same document.
fn plain(document: u64) -> FileIdentity {
    revision(document, document, document)
}

fn revision(document: u64, group: u64, name: u64) -> FileIdentity {
    FileIdentity {
        document,
        group,
        name,
    }
}

/// The counts of what is listed.
fn pairs(found: MatchedFolders) -> Vec<FolderPair> {
    found.pairs.iter().map(|found| found.counts).collect()
}

/// A root with ten folders of `files` files each; file `at` carries what `document` says, if anything.
fn plant(tree: &mut Tree, files: u64, document: impl Fn(u64) -> Option<u64>) -> FolderId {
    let root = tree.add_folder(None);
    for folder in 0..10 {
        let inside = tree.add_folder(Some(root));
        let identity = (0..files).filter_map(|at| document(folder * files + at));
        identity.for_each(|document| tree.add_file(inside, plain(document)));
    }
    root
}

#[test]
fn a_mirrored_tree_is_one_line() {
    let mut tree = Tree::default();
    let one = plant(&mut tree, 1_000, Some);
    // One file in a hundred differs, and one in a hundred is missing.
    let other = plant(&mut tree, 1_000, |at| match at % 100 {
        7 => None,
        9 => Some(1_000_000 + at),
        _ => Some(at),
    });
    plant(&mut tree, 100, |at| Some(2_000_000 + at));
    let found = tree.copies(0.5, 2, &mut |_| true).unwrap();
    let right = FolderPair {
        a: one,
        b: other,
        files_a: 10_000,
        files_b: 9_900,
        shared_a: 9_800,
        shared_b: 9_800,
        revised: 0,
    };
    assert!(!found.truncated);
    assert_eq!(pairs(found), [right]);
    assert!(tree.copies(0.5, 2, &mut |_| false).is_none());
}

#[test]
fn a_copy_beside_its_original_is_found_and_a_common_file_joins_nothing() {
    let mut tree = Tree::default();
    let root = tree.add_folder(None);
    let folders: Vec<FolderId> = (0..20).map(|_| tree.add_folder(Some(root))).collect();
    for (at, &folder) in (0..).zip(&folders) {
        // The licence file of each folder, and texts of its own.
        tree.add_file(folder, plain(0));
        (1..6).for_each(|own| tree.add_file(folder, plain(100 * (at % 19) + own)));
    }
    let found = tree.copies(0.5, 2, &mut |_| true).unwrap();
    let found: Vec<_> = pairs(found)
        .iter()
        .map(|pair| (pair.a, pair.b, pair.shared_a))
        .collect();
    assert_eq!(found, [(folders[0], folders[19], 6)]);
}

/// Ten folders of 100 files each: in the copy nine in ten files were revised, one in a hundred was moved to
/// another depth, and one in a hundred is new.
#[test]
fn a_mirrored_tree_whose_files_were_revised_is_one_line_with_the_revisions_counted() {
    let mut tree = Tree::default();
    let one = plant(&mut tree, 100, |_| None);
    let other = plant(&mut tree, 100, |_| None);
    for at in 0..1_000 {
        let folder = at as FolderId / 100;
        tree.add_file(one + 1 + folder, revision(at, at, at));
        let identity = match at % 100 {
            7 => revision(8_000 + at, 8_000 + at, at),
            10.. => revision(4_000 + at, at, at),
            _ => revision(at, at, at),
        };
        let copied = if at % 100 == 50 {
            other
        } else {
            other + 1 + folder
        };
        tree.add_file(copied, identity);
    }
    let found = tree.copies(0.5, 2, &mut |_| true).unwrap();
    let right = FolderPair {
        a: one,
        b: other,
        files_a: 1_000,
        files_b: 1_000,
        shared_a: 990,
        shared_b: 990,
        revised: 900,
    };
    assert!(!found.truncated);
    assert_eq!(pairs(found), [right]);
}

/// 40 documents of one template are one group: files of one name are evidence for their folders if all were revised;
/// if the names changed too, nothing is.
#[test]
fn of_a_large_group_files_of_one_name_speak_for_their_folders() {
    for (renamed, listed) in [(0, 1), (1_000, 0)] {
        let mut tree = Tree::default();
        let folders = [tree.add_folder(None), tree.add_folder(None)];
        for at in 0..20 {
            tree.add_file(folders[0], revision(at, 0, at));
            tree.add_file(folders[1], revision(500 + at, 0, renamed + at));
        }
        let found = tree.copies(0.5, 2, &mut |_| true).unwrap();
        let counts: Vec<_> = pairs(found).iter().map(|pair| pair.revised).collect();
        assert_eq!(counts, vec![20; listed]);
    }
}

/// A hundred letters of one form, and a quarter as many beside other texts: not a version of the whole.
#[test]
fn a_file_is_a_revision_of_one_file_alone() {
    let mut tree = Tree::default();
    let folders = [tree.add_folder(None), tree.add_folder(None)];
    for at in 0..100 {
        tree.add_file(folders[0], revision(at, 0, at));
        let group = if at < 25 { 0 } else { 500 + at };
        tree.add_file(folders[1], revision(500 + at, group, at));
    }
    assert!(tree.copies(0.5, 2, &mut |_| true).unwrap().pairs.is_empty());
    let found = pairs(tree.copies(0.2, 2, &mut |_| true).unwrap());
    let counts = found
        .iter()
        .map(|pair| (pair.shared_a, pair.shared_b, pair.revised));
    assert_eq!(counts.collect::<Vec<_>>(), [(25, 25, 25)]);
}

/// Ten yearly copies of a tree whose files were revised each year, one group per file.
#[test]
fn files_of_one_name_in_many_folders_speak_for_neighbours_and_that_is_told() {
    let mut tree = Tree::default();
    for year in 0..10 {
        let folder = tree.add_folder(None);
        (0..20).for_each(|at| tree.add_file(folder, revision(100 * year + at, at, at)));
    }
    let found = tree.copies(0.5, 2, &mut |_| true).unwrap();
    assert_eq!((found.truncated, found.too_common), (false, 20));
    let found = pairs(found);
    let neighbours: Vec<_> = found.iter().map(|pair| (pair.a, pair.b)).collect();
    assert_eq!(
        neighbours,
        (0..9).map(|year| (year, year + 1)).collect::<Vec<_>>()
    );
    assert!(found.iter().all(|pair| pair.revised == 20));
}

/// Twelve copies of a tree, and three more that each lack a file of their own.
#[test]
fn copies_of_a_folder_are_one_line_however_many_there_are() {
    let mut tree = Tree::default();
    let roots: Vec<FolderId> = (0..15)
        .map(|copy| {
            plant(&mut tree, 5, |at| {
                (copy % 5 != 4 || at != copy).then_some(at)
            })
        })
        .collect();
    let found = tree.copies(0.5, 2, &mut |_| true).unwrap();
    let (exact, rest): (Vec<_>, Vec<_>) = found.pairs.iter().partition(|found| found.is_exact);
    let whole: Vec<FolderId> = (0..15)
        .filter(|copy| copy % 5 != 4)
        .map(|copy| roots[copy])
        .collect();
    let mut listed = vec![exact[0].counts.a, exact[0].counts.b];
    listed.extend(&exact[0].further);
    listed.sort_unstable();
    assert_eq!((exact.len(), listed), (1, whole.clone()));
    assert_eq!(
        (exact[0].counts.files_a, exact[0].counts.shared_b),
        (50, 50)
    );
    // Each of the others is beside one of the class.
    let lacking: Vec<_> = rest
        .iter()
        .map(|found| found.counts.b.max(found.counts.a))
        .collect();
    assert_eq!(rest.len(), 3, "{lacking:?}");
    for found in rest {
        let (a, b) = (found.counts.a, found.counts.b);
        assert!(whole.contains(&a) != whole.contains(&b) && found.further.is_empty());
        assert_eq!(found.counts.in_common(), 49);
    }
}

/// A part of a tree that lies elsewhere too is told of beside the copies of the whole.
#[test]
fn a_further_copy_of_a_part_is_told_of() {
    let mut tree = Tree::default();
    for _ in 0..10 {
        plant(&mut tree, 5, Some);
    }
    let alone = tree.add_folder(None);
    (0..5).for_each(|at| tree.add_file(alone, plain(at)));
    let found = tree.copies(0.5, 2, &mut |_| true).unwrap().pairs;
    let sizes: Vec<_> = found
        .iter()
        .map(|found| (found.counts.files_a, 2 + found.further.len()))
        .collect();
    assert_eq!(sizes, [(50, 10), (5, 2)]);
    assert_eq!(found[1].counts.b, alone);
}

#[test]
fn a_folder_backed_up_inside_itself_is_one_line() {
    let mut tree = Tree::default();
    let project = tree.add_folder(None);
    let backup = tree.add_folder(Some(project));
    for place in [project, backup] {
        let nested = tree.add_folder(Some(place));
        (0..25).for_each(|document| tree.add_file(place, plain(document)));
        (25..50).for_each(|document| tree.add_file(nested, plain(document)));
    }
    // Two copies that lie inside the backup alone.
    let inner = [backup, backup].map(|place| tree.add_folder(Some(place)));
    for (place, document) in inner
        .into_iter()
        .flat_map(|place| [(place, 90), (place, 91)])
    {
        tree.add_file(place, plain(document));
    }
    let found = pairs(tree.copies(0.5, 2, &mut |_| true).unwrap());
    let sides: Vec<_> = found.iter().map(|pair| (pair.a, pair.b)).collect();
    assert_eq!(sides, [(project, backup), (inner[0], inner[1])]);
    let first = found[0];
    assert_eq!([first.files_a, first.files_b], [50, 54]);
    assert_eq!([first.shared_a, first.shared_b], [50, 50]);
    let alone = tree
        .exceptions(&tree.contents(), &first, 10)
        .map(|side| side.len());
    assert_eq!(alone, [0, 4]);
}

fn holds(tree: &Tree, outer: FolderId, inner: FolderId) -> bool {
    tree.upwards(inner).any(|folder| folder == outer)
}

/// Two trees of nested folders, 2,000 deep, with the same files at their ends: each of the 2,000 pairs is nested
/// in those above it. If all of them were searched, for each pair and for every two folders above it, the test
/// would take an hour.
/// The steps of a search among so many folders of eight files, whose file `at` is what `identity` says.
fn steps(folders: u64, identity: impl Fn(u64, u64) -> FileIdentity) -> u64 {
    let mut tree = Tree::default();
    let root = tree.add_folder(None);
    for folder in 0..folders {
        let inside = tree.add_folder(Some(root));
        (0..8).for_each(|at| tree.add_file(inside, identity(folder, at)));
    }
    tree.copies(0.1, 1, &mut |_| true).unwrap().steps
}

#[test]
fn a_search_takes_steps_in_proportion_to_the_files() {
    let form = |folder: u64, at: u64| revision(folder * 8 + at, 7, 7);
    for (what, identity) in [
        (
            "strangers",
            (|folder, at| plain(folder * 8 + at)) as fn(u64, u64) -> FileIdentity,
        ),
        ("copies of one folder", |_, at| plain(at)),
        ("pairs of copies", |folder, at| plain(folder / 2 * 8 + at)),
        ("one file in all", |folder, at| {
            plain(if at == 0 { 0 } else { folder * 8 + at })
        }),
        ("forms of one template", form),
        ("neighbours that overlap", |folder, at| {
            plain(folder * 4 + at)
        }),
        ("revisions under their names", |folder, at| {
            revision(folder * 8 + at, at, at)
        }),
    ] {
        let [few, many] = [250, 1_000].map(|folders| steps(folders, identity));
        assert!(many <= 5 * few + 100, "{what}: {few} became {many}");
    }
}

#[test]
fn deep_folders_cost_their_depth_for_a_pair() {
    let mut tree = Tree::default();
    let mut chain = || {
        let mut folder = tree.add_folder(None);
        for _ in 0..2_000 {
            folder = tree.add_folder(Some(folder));
        }
        (0..5).for_each(|document| tree.add_file(folder, plain(document)));
        folder
    };
    let ends = (chain(), chain());
    let found = pairs(tree.copies(0.5, 2, &mut |_| true).unwrap());
    assert_eq!(found.len(), 1);
    assert!(holds(&tree, found[0].a, ends.0) && holds(&tree, found[0].b, ends.1));
    assert_eq!(found[0].in_common(), 5);
}

proptest! {
    #[test]
    fn every_pair_is_counted_exactly_and_none_lies_in_another(
        folders in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
        files in prop::collection::vec((any::<prop::sample::Index>(), 0u64..16, 0u64..4), 0..60),
    ) {
        let mut tree = Tree::default();
        tree.add_folder(None);
        for (at, parent) in folders.iter().enumerate() {
            let parent = parent.index(at + 1) as FolderId;
            tree.add_folder(Some(parent));
        }
        for (folder, document, name) in &files {
            let folder = folder.index(folders.len() + 1) as FolderId;
            // The first eight documents are single, and so are four groups of two.
            tree.add_file(folder, revision(*document, (*document).max(8) / 2 + document.min(&8), *name));
        }
        let is_on_side = |own: FolderId, other: FolderId, folder: FolderId| {
            let is_inside = holds(&tree, own, other) && holds(&tree, other, folder);
            holds(&tree, own, folder) && !is_inside
        };
        let within = |own: FolderId, other: FolderId| -> Vec<FileIdentity> {
            let files = tree.files.iter();
            let inside = files.filter(|file| is_on_side(own, other, file.folder));
            inside.map(|file| file.identity).collect()
        };
        let found = pairs(tree.copies(0.5, 1, &mut |_| true).unwrap());
        for pair in &found {
            prop_assert!(pair.a != pair.b);
            let (a, b) = (within(pair.a, pair.b), within(pair.b, pair.a));
            prop_assert_eq!((pair.files_a, pair.files_b), (a.len() as u64, b.len() as u64));
            let others = |own: &[FileIdentity], other: &[FileIdentity]| -> Vec<FileIdentity> {
                let same = |of: &&FileIdentity| other.iter().any(|file| file.document == of.document);
                own.iter().filter(|of| !same(of)).copied().collect()
            };
            let (own, mut left) = (others(&a, &b), others(&b, &a));
            let identical = (a.len() - own.len(), b.len() - left.len());
            // Each of the other folder's files is matched at most once within its group.
            let revised = own.iter().filter(|of| {
                let taken = left.iter().position(|file| file.group == of.group);
                taken.map(|at| left.remove(at)).is_some()
            });
            let revised = revised.count() as u64;
            prop_assert_eq!(pair.revised, revised);
            prop_assert_eq!(pair.shared_a, identical.0 as u64 + revised);
            prop_assert_eq!(pair.shared_b, identical.1 as u64 + revised);
            prop_assert!(pair.share() >= 0.5);
            let others = found.iter().filter(|other| *other != pair);
            let inside = others.filter(|other| {
                let is_inside = |of: FolderId, other_of: FolderId| {
                    is_on_side(other.a, other.b, of) && is_on_side(other.b, other.a, other_of)
                };
                is_inside(pair.a, pair.b) || is_inside(pair.b, pair.a)
            });
            prop_assert_eq!(inside.count(), 0);
        }
    }
}
