//! Lists of pairs, groups and files that continue where an earlier one ended.

use std::path::PathBuf;

use super::*;
use crate::read_side::catalogue::{PairStep, files, files_after, visit_pairs};

#[test]
fn a_list_of_pairs_resumes_after_the_last_one_seen() {
    let (opened, _dir) = opened_of(&versions());
    let index = opened.index.reader();
    opened.writer.settle(&Cancel::never()).unwrap();
    let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
    let list = |after: Option<&PairPlace>, most: usize| {
        let asked = PairSelection {
            after,
            ..all_pairs()
        };
        let mut listed = Vec::new();
        let visit = &mut |pair: Pair| {
            listed.push((pair.a.path, pair.b.path));
            match listed.len() < most {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        };
        let counted = pairs(index, asked, &account, visit).unwrap();
        assert_eq!(counted.pairs, listed.len() as u64);
        listed
    };
    let all = list(None, usize::MAX);
    // In pages of 150, each starting at the last pair of the one before.
    let (mut paged, mut after): (Vec<_>, Option<PairPlace>) = (Vec::new(), None);
    loop {
        let page = list(after.as_ref(), 150);
        let Some((a, b)) = page.last() else { break };
        after = Some(PairPlace::of(a.as_os_str(), b.as_os_str()));
        paged.extend(page);
    }
    assert!(all.len() > 700, "{}", all.len());
    assert_eq!(paged, all);
}

#[test]
fn a_list_of_pairs_ends_at_its_limit_and_says_so() {
    let (opened, _dir) = opened_of(&versions());
    opened.writer.settle(&Cancel::never()).unwrap();
    let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
    let list = |limit| {
        let asked = PairSelection {
            limit,
            ..all_pairs()
        };
        let mut listed = Vec::new();
        let visit = &mut |pair: Pair| {
            listed.push((pair.a.path, pair.b.path));
            ControlFlow::Continue(())
        };
        let counted = pairs(opened.index.reader(), asked, &account, visit).unwrap();
        assert_eq!(counted.pairs, listed.len() as u64);
        (listed, counted.truncated)
    };
    let (all, truncated) = list(None);
    assert!(all.len() > 3 && !truncated);
    for limit in [1, 2, all.len()] {
        assert_eq!(list(Some(limit as u64)), (all[..limit].to_vec(), true));
    }
    assert_eq!(list(Some(all.len() as u64 + 1)), (all, false));
}

#[test]
fn a_list_with_containment_says_how_far_the_search_before_its_first_pair_is() {
    let (opened, _dir) = opened_of(&versions());
    opened.writer.settle(&Cancel::never()).unwrap();
    let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
    let searched = |containment| {
        let asked = PairSelection {
            containment,
            ..all_pairs()
        };
        let (mut searched, mut files_done) = (Vec::new(), false);
        let visit = &mut |step: PairStep| {
            match step {
                PairStep::ContainersSearched { documents } => {
                    assert!(!files_done);
                    searched.push(documents);
                }
                PairStep::Pair(_) | PairStep::FileDone { .. } => files_done = true,
            }
            ControlFlow::Continue(())
        };
        visit_pairs(opened.index.reader(), asked, &account, visit).unwrap();
        searched
    };
    assert!(searched(None).is_empty());
    let documents = opened.index.live_documents(&VisibleRoots::All);
    let all: Vec<u64> = (0..documents).collect();
    assert_eq!(searched(Some(Ratio::FOUR_FIFTHS)), all);
}

#[test]
fn a_list_of_groups_resumes_after_any_of_them() {
    let (opened, _dir) = opened_of(&versions());
    let index = opened.index.reader();
    opened.writer.settle(&Cancel::never()).unwrap();
    let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
    let list = |after: Option<&PathBuf>| {
        let asked = GroupSelection {
            after: after.map(|path| &**path),
            ..all_groups()
        };
        let mut listed = Vec::new();
        let visit = &mut |group: Group| {
            listed.push((group.members[0].file.path.clone(), group.members.len()));
            ControlFlow::Continue(())
        };
        let counted = visit_groups(index, asked, &account, visit).unwrap();
        assert_eq!(counted.items, listed.len() as u64);
        listed
    };
    let all = list(None);
    assert!(all.len() > 20, "{}", all.len());
    for (at, (path, _)) in all.iter().enumerate() {
        assert_eq!(list(Some(path)), all[at + 1..]);
    }
    // Resumes after a group that no longer exists.
    let between = PathBuf::from(format!("{}!", all[3].0.display()));
    assert_eq!(list(Some(&between)), all[4..]);
}

#[test]
fn a_list_of_files_resumes_after_any_of_them_with_all_counts() {
    let (opened, _dir) = opened_of(&versions());
    let index = opened.index.reader();
    let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
    let mut all = Vec::new();
    let counts = files(index, &VisibleRoots::All, &account, &mut |file| {
        all.push((file.path.clone(), file.state));
        ControlFlow::Continue(())
    });
    let counts = counts.unwrap();
    for (at, (seen, _)) in all.iter().enumerate() {
        let mut rest = Vec::new();
        let visit = &mut |file: &FileInfo| {
            rest.push((file.path.clone(), file.state));
            ControlFlow::Continue(())
        };
        let counted = files_after(index, &VisibleRoots::All, seen.as_os_str(), &account, visit);
        assert_eq!(counted.unwrap(), counts);
        assert_eq!(rest, all[at + 1..]);
    }
}
