//! Versions made from two branches: both are their parents where each brought text of its own.

use super::{Family, dated, sorted, start};
use crate::daemon::prose;

/// A draft, a branch with a passage of its own twice, and files made of them later, by name.
fn share() -> Vec<(String, String)> {
    let base = prose(50, 400);
    let (legal, sales) = (prose(51, 40), prose(52, 40));
    let remark = prose(54, 12);
    let with = |parts: &[&str]| parts.join(" ");
    [
        ("a draft", base.clone()),
        ("b legal", with(&[&base, &legal])),
        ("c sales", with(&[&sales, &base])),
        ("d sales, revised", with(&[&sales, &base, &remark])),
        ("e both", with(&[&sales, &base, &legal, &remark])),
        (
            "f after both",
            with(&[&sales, &base, &legal, &prose(53, 20)]),
        ),
    ]
    .map(|(name, text)| (format!("{name}.txt"), text))
    .to_vec()
}

fn pairs(edges: &[(&str, &str)]) -> Vec<(String, String)> {
    let file = |name: &str| format!("{name}.txt");
    edges.iter().map(|(a, b)| (file(a), file(b))).collect()
}

#[test]
fn what_was_made_from_two_branches_has_both_as_parents() {
    let files = share();
    let daemon = start(&files);
    dated(&daemon, &files, |at| at as u64);
    for asked in ["a draft.txt", "c sales.txt", "f after both.txt"] {
        let family = Family::of_file(&daemon, asked);
        let expected = pairs(&[
            ("a draft", "b legal"),
            ("a draft", "c sales"),
            ("b legal", "e both"),
            ("c sales", "d sales, revised"),
            ("d sales, revised", "e both"),
            ("e both", "f after both"),
        ]);
        assert_eq!(sorted(&family), expected, "from {asked}");
        let merged: Vec<_> = family
            .edges
            .iter()
            .filter(|edge| edge.version == 5)
            .collect();
        let [first, second] = merged[..] else {
            panic!("{merged:?}")
        };
        assert!(!first.is_second_parent && second.is_second_parent);
        // Forty words, and those of the remark, with some shingles across their ends.
        let length = |text: String| text.len() as u64;
        let (legal, sales) = (
            length(prose(51, 40)),
            length(prose(52, 40)) + length(prose(54, 12)),
        );
        let mut alone = [first, second].map(|edge| edge.shingles_of_parent_alone.unwrap());
        alone.sort_unstable();
        assert!(
            alone[0].abs_diff(legal) < 60 && alone[1].abs_diff(sales) < 60,
            "{alone:?}"
        );
        let others = family.edges.iter().filter(|edge| edge.version != 5);
        assert!(
            others
                .clone()
                .all(|edge| edge.shingles_of_parent_alone.is_none())
        );
        assert_eq!(family.summary.edges, 6);
    }
}

/// Two were cut from one: it has text of both, but was there before.
#[test]
fn what_two_were_cut_from_was_not_made_from_them() {
    let files: Vec<_> = share().into_iter().take(5).collect();
    let daemon = start(&files);
    dated(&daemon, &files, |at| 10 - at as u64);
    let family = Family::of_file(&daemon, "a draft.txt");
    assert_eq!(family.edges.len(), 4);
    // Without dates nothing tells which it was.
    dated(&daemon, &files, |_| 0);
    let family = Family::of_file(&daemon, "a draft.txt");
    assert_eq!(family.edges.len(), 4);
}
