//! Planted trees, and every pair against the definition.

use super::*;
use proptest::prelude::*;

/// A root with ten folders of `files` files each; file `at` carries what `document` says, if anything.
fn plant(tree: &mut Tree, files: u64, document: impl Fn(u64) -> Option<u64>) -> FolderId {
    let root = tree.add_folder(None);
    for folder in 0..10 {
        let inside = tree.add_folder(Some(root));
        let carried = (0..files).filter_map(|at| document(folder * files + at));
        carried.for_each(|document| tree.add_file(inside, document));
    }
    root
}

#[test]
fn a_mirrored_tree_is_one_line() {
    let mut tree = Tree::default();
    let one = plant(&mut tree, 1_000, Some);
    // One file in a hundred is another, and one in a hundred is not there.
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
    };
    assert_eq!((found.pairs, found.truncated), (vec![right], false));
    assert!(tree.copies(0.5, 2, &mut |_| false).is_none());
}

#[test]
fn a_copy_beside_its_original_is_found_and_a_common_file_joins_nothing() {
    let mut tree = Tree::default();
    let root = tree.add_folder(None);
    let folders: Vec<FolderId> = (0..20).map(|_| tree.add_folder(Some(root))).collect();
    for (at, &folder) in (0..).zip(&folders) {
        // The licence that lies in each, and texts of its own.
        tree.add_file(folder, 0);
        (1..6).for_each(|own| tree.add_file(folder, 100 * (at % 19) + own));
    }
    let found = tree.copies(0.5, 2, &mut |_| true).unwrap();
    let pairs: Vec<_> = found
        .pairs
        .iter()
        .map(|pair| (pair.a, pair.b, pair.shared_a))
        .collect();
    assert_eq!(pairs, [(folders[0], folders[19], 6)]);
}

fn holds(tree: &Tree, outer: FolderId, inner: FolderId) -> bool {
    tree.upwards(inner).any(|folder| folder == outer)
}

/// Two trees of one folder in another, 2,000 deep, with the same files at their ends: each of the 2,000 pairs lies
/// in those above it. Were all of them looked for, of each pair and for every two folders above it, the test would
/// take an hour.
#[test]
fn deep_folders_cost_their_depth_for_a_pair() {
    let mut tree = Tree::default();
    let mut chain = || {
        let mut folder = tree.add_folder(None);
        for _ in 0..2_000 {
            folder = tree.add_folder(Some(folder));
        }
        (0..5).for_each(|document| tree.add_file(folder, document));
        folder
    };
    let ends = (chain(), chain());
    let found = tree.copies(0.5, 2, &mut |_| true).unwrap().pairs;
    assert_eq!(found.len(), 1);
    assert!(holds(&tree, found[0].a, ends.0) && holds(&tree, found[0].b, ends.1));
    assert_eq!(found[0].in_common(), 5);
}

proptest! {
    #[test]
    fn every_pair_is_counted_exactly_and_none_lies_in_another(
        folders in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
        files in prop::collection::vec((any::<prop::sample::Index>(), 0u64..12), 0..60),
    ) {
        let mut tree = Tree::default();
        tree.add_folder(None);
        for (at, parent) in folders.iter().enumerate() {
            let parent = parent.index(at + 1) as FolderId;
            tree.add_folder(Some(parent));
        }
        for (folder, document) in &files {
            let folder = folder.index(folders.len() + 1) as FolderId;
            tree.add_file(folder, *document);
        }
        let within = |folder: FolderId| -> Vec<u64> {
            let inside = tree.files.iter().filter(|file| holds(&tree, folder, file.folder));
            inside.map(|file| file.document).collect()
        };
        let found = tree.copies(0.5, 1, &mut |_| true).unwrap().pairs;
        for pair in &found {
            prop_assert!(!holds(&tree, pair.a, pair.b) && !holds(&tree, pair.b, pair.a));
            let (a, b) = (within(pair.a), within(pair.b));
            prop_assert_eq!((pair.files_a, pair.files_b), (a.len() as u64, b.len() as u64));
            let shared = |own: &[u64], other: &[u64]| own.iter().filter(|of| other.contains(of)).count();
            prop_assert_eq!(pair.shared_a, shared(&a, &b) as u64);
            prop_assert_eq!(pair.shared_b, shared(&b, &a) as u64);
            prop_assert!(pair.share() >= 0.5);
            let others = found.iter().filter(|other| *other != pair);
            let inside = others.filter(|other| holds(&tree, other.a, pair.a) && holds(&tree, other.b, pair.b));
            prop_assert_eq!(inside.count(), 0);
        }
    }
}
