//! Groups, components and pairs of documents that thousands of files carry.

use std::ops::ControlFlow;

use simdex_index::store::MemoryStore;
use simdex_index::{
    Cancel, FileChange, FileInfo, Index, IndexError, IndexReader, MemoryAccount, MemoryBudget,
    Opened, Options, UnsettledCounts, VisibleRoots,
};
use simdex_proto::v1::find_reply::Part;
use simdex_schema::meta::Parameters;
use simdex_schema::{RootId, Schemes};
use simdex_signature::{Ratio, SchemeKind};

use super::{
    Group, GroupSelection, Pair, PairPlace, PairSelection, group_by_id, pairs, visit_clusters,
    visit_groups, visit_principals, visit_whole_groups,
};
use crate::config::Config;
use crate::encode;
use crate::read_side::answering::AnswerContext;
use crate::read_side::clusters::{Cluster, ClusterRequest, Clusters, KeptClusters, clusters};
use crate::read_side::query::tests::{change, opened_of, similar, words};
use crate::read_side::query::{Relation, Subject, find};

mod in_order;
mod resumed;

/// Files of the first text and of the second, which is nearly the same; enough to take several parts.
const FILES: [usize; 2] = [2_300, 1_200];

fn index() -> (IndexReader, tempfile::TempDir) {
    let words = |count: usize| -> String { (0..count).map(|at| format!("word{at} ")).collect() };
    let texts = [words(200), words(195)];
    let copies = texts.iter().zip(FILES);
    let copies: Vec<String> = copies
        .flat_map(|(text, files)| std::iter::repeat_n(text.clone(), files))
        .collect();
    let (opened, dir) = opened_of(&copies);
    opened.writer.settle(&Cancel::never()).unwrap();
    (opened.index.reader().clone(), dir)
}

fn threshold() -> Ratio {
    Ratio::new(0.8).unwrap()
}

fn all_groups() -> GroupSelection<'static> {
    GroupSelection::all(&VisibleRoots::All, threshold())
}

fn all_pairs() -> PairSelection<'static> {
    PairSelection {
        view: &VisibleRoots::All,
        threshold: threshold(),
        containment: None,
        after: None,
        limit: None,
    }
}

/// For each part, whether it continues the one before and how many files it has; and the paths of all files.
fn parts_of(index: &IndexReader, account: &MemoryAccount) -> (Vec<(bool, usize)>, Vec<String>) {
    let (mut parts, mut paths) = (Vec::new(), Vec::new());
    let visit = &mut |part: Group| {
        parts.push((part.is_continued, part.members.len()));
        let members = part.members.iter();
        paths.extend(members.map(|member| member.file.path.display().to_string()));
        ControlFlow::Continue(())
    };
    let listed = visit_groups(index, all_groups(), account, visit).unwrap();
    assert_eq!(listed.items, 1);
    (parts, paths)
}

#[test]
fn a_large_group_is_visited_in_parts_and_is_whole_where_that_is_wanted() {
    let (index, _dir) = index();
    let budget = MemoryBudget::new(64 << 20);
    let account = budget.account(&Cancel::never());
    let (parts, paths) = parts_of(&index, &account);
    let right = [(false, 1_000), (true, 1_000), (true, 1_000), (true, 500)];
    assert_eq!(parts, right);
    // The principal's files first; those of a document by path.
    let (first, second) = paths.split_at(FILES[0]);
    assert!(first.is_sorted() && second.is_sorted());
    let mut distinct = paths.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), paths.len());
    let mut whole = Vec::new();
    let visit = &mut |group: Group| {
        assert!(
            !group.is_continued && budget.used() > 3 << 20,
            "held and counted"
        );
        let members = group.members.iter();
        whole.extend(members.map(|member| member.file.path.display().to_string()));
        ControlFlow::Continue(())
    };
    visit_whole_groups(&index, &VisibleRoots::All, threshold(), &account, visit).unwrap();
    assert_eq!((whole, budget.used()), (paths, 0));
}

#[test]
fn principals_are_those_of_the_groups_that_are_listed() {
    // Two groups; a document of one file, and none like it, is no group.
    let words = |name: &str| -> String { (0..200).map(|at| format!("{name}{at} ")).collect() };
    let texts = ["beta", "alone", "alpha", "beta", "alpha"].map(words);
    let (opened, _dir) = opened_of(&texts);
    opened.writer.settle(&Cancel::never()).unwrap();
    let index = opened.index.reader();
    let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
    let (mut of_groups, mut principals) = (Vec::new(), Vec::new());
    visit_groups(index, all_groups(), &account, &mut |group| {
        of_groups.extend(group.members.first().map(|first| first.document));
        ControlFlow::Continue(())
    })
    .unwrap();
    visit_principals(
        index,
        &VisibleRoots::All,
        threshold(),
        &account,
        &mut |document| {
            principals.push(document);
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert_eq!((principals.len(), &principals), (2, &of_groups));
}

#[test]
fn a_group_that_is_wanted_whole_and_takes_too_much_is_refused() {
    let (index, _dir) = index();
    let budget = MemoryBudget::new(2 << 20);
    let account = budget.account(&Cancel::never());
    let visit = &mut |_| ControlFlow::Continue(());
    let refused = visit_whole_groups(&index, &VisibleRoots::All, threshold(), &account, visit);
    let refused = refused.err().unwrap();
    assert!(
        matches!(refused, IndexError::TooMuchMemory { .. }),
        "{refused}"
    );
    // In parts it is still listed.
    assert_eq!(parts_of(&index, &account).0.len(), 4);
    // The pairs of one file are held at once.
    let refused = pairs(&index, all_pairs(), &account, &mut |_| {
        ControlFlow::Continue(())
    });
    let refused = refused.err().unwrap();
    assert!(
        matches!(refused, IndexError::TooMuchMemory { .. }),
        "{refused}"
    );
    assert_eq!(budget.used(), 0);
}

#[test]
fn a_large_component_is_visited_in_parts() {
    let (index, _dir) = index();
    let budget = MemoryBudget::new(2 << 20);
    let account = budget.account(&Cancel::never());
    let documents = index.documents().with_text(&VisibleRoots::All);
    assert_eq!(documents.len(), 2);
    for common in [None, Some(90)] {
        let clusters = Clusters {
            clusters: vec![Cluster {
                documents: documents.clone(),
                common,
            }],
            ..Clusters::default()
        };
        let mut parts = Vec::new();
        let count = visit_clusters(
            &index,
            &VisibleRoots::All,
            &clusters,
            &account,
            &mut |part| {
                parts.push((part.is_continued, part.members.len(), part.common));
                ControlFlow::Continue(())
            },
        );
        assert_eq!(count.unwrap(), 1);
        let right = [(false, 1_000), (true, 1_000), (true, 1_000), (true, 500)];
        assert_eq!(
            parts,
            right.map(|(goes_on, files)| (goes_on, files, common))
        );
    }
}

#[test]
fn the_pairs_of_one_file_are_given_back_as_they_are_visited() {
    let (index, _dir) = index();
    let budget = MemoryBudget::new(64 << 20);
    let account = budget.account(&Cancel::never());
    let of_first = FILES[0] - 1 + FILES[1];
    let mut used = Vec::new();
    let visit = &mut |_| {
        used.push(budget.used());
        match used.len() < of_first {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    };
    pairs(&index, all_pairs(), &account, visit).unwrap();
    assert_eq!(used.len(), of_first);
    assert!(used.is_sorted_by(|before, after| before >= after));
    assert!(
        used[0] > 6 << 20 && used[of_first - 1] <= 1 << 20,
        "{used:?}"
    );
}

/// Versions of some texts, shuffled; every fifth has a second file and every seventh a third.
fn versions() -> Vec<String> {
    let mut seed = 23;
    let bases: Vec<Vec<String>> = (0..30).map(|_| words(&mut seed, 160)).collect();
    let version = |at: usize| {
        let mut version = bases[at * 7 % 30].clone();
        version[at % 160] = format!("edited{at}");
        version.join(" ")
    };
    let mut texts: Vec<String> = (0..180).map(version).collect();
    texts.extend((0..180).step_by(5).map(version));
    texts.extend((0..180).step_by(7).map(version));
    texts
}

#[test]
fn pairs_of_many_files_are_those_of_each_document_alone_by_path() {
    let (opened, _dir) = opened_of(&versions());
    let index = opened.index.reader();
    opened.writer.settle(&Cancel::never()).unwrap();
    let budget = MemoryBudget::new(64 << 20);
    let account = budget.account(&Cancel::never());
    let mut listed = Vec::new();
    let counted = pairs(index, all_pairs(), &account, &mut |pair| {
        if pair.relation == Relation::NearDuplicate {
            listed.push((pair.a.path, pair.b.path, pair.resemblance));
        }
        ControlFlow::Continue(())
    });
    assert!(counted.unwrap().pairs > listed.len() as u64, "copies");
    let search = index.pairs().search(&VisibleRoots::All, threshold());
    let mut expected = Vec::new();
    let visit = &mut |file: FileInfo| {
        let (id, _) = file.document.unwrap();
        let partners = search.filtered_partners_of(id, &|_| Ok(true), &account);
        for (other, edge) in partners.unwrap().iter().copied() {
            let visit = &mut |other: FileInfo| {
                let is_later = other.path > file.path;
                let pair = || (file.path.clone(), other.path, edge.resemblance());
                expected.extend(is_later.then(pair));
                ControlFlow::Continue(())
            };
            index
                .files()
                .visit_of_document(other, &VisibleRoots::All, visit)
                .unwrap();
        }
        ControlFlow::Continue(())
    };
    index
        .files()
        .visit(&VisibleRoots::All, &account, visit)
        .unwrap();
    expected.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    assert!(listed.len() > 600, "{}", listed.len());
    assert_eq!(listed, expected);
    drop(search);
    assert_eq!(budget.used(), 0);
}

/// The pairs of near-duplicates of all files after a position, by displayed path.
fn shown_pairs(
    index: &IndexReader,
    after: Option<&PairPlace>,
    visit: &mut dyn FnMut(&str),
) -> Vec<[String; 2]> {
    let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
    let asked = PairSelection {
        after,
        ..all_pairs()
    };
    let mut listed = Vec::new();
    pairs(index, asked, &account, &mut |pair| {
        let names = [pair.a.path, pair.b.path].map(|path| path.display().to_string());
        visit(&names[0]);
        if pair.relation == Relation::NearDuplicate {
            listed.push(names);
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    listed
}

/// Three copies of a text, of which a fourth file is a longer version: that one leads their group.
#[test]
fn copies_are_paired_at_every_threshold_whatever_the_groups() {
    let text = words(&mut 7, 200).join(" ");
    let longer = format!("{text} and a little more");
    let texts = [text.clone(), text.clone(), text, longer];
    let (opened, _dir) = opened_of(&texts);
    opened.writer.settle(&Cancel::never()).unwrap();
    let budget = MemoryBudget::new(64 << 20);
    let account = budget.account(&Cancel::never());
    let listed = |threshold: f64| {
        let mut listed = Vec::new();
        let request = PairSelection {
            threshold: Ratio::new(threshold).unwrap(),
            ..all_pairs()
        };
        let visit = &mut |pair: Pair| {
            listed.push((pair.a.path, pair.b.path));
            ControlFlow::Continue(())
        };
        let counted = pairs(opened.index.reader(), request, &account, visit).unwrap();
        assert_eq!(counted.pairs, listed.len() as u64);
        listed
    };
    let (low, exact) = (listed(0.5), listed(1.0));
    assert_eq!((low.len(), exact.len()), (5, 2), "{low:?} {exact:?}");
    assert!(exact.iter().all(|pair| low.contains(pair)), "{low:?}");
}

#[test]
fn files_that_have_another_order_as_they_are_shown_are_paired() {
    let (opened, _dir) = opened_of(&[]);
    let (index, mut seed) = (opened.index.reader(), 29);
    let mut changes: Vec<FileChange> = (0..80)
        .map(|number| change(index, number, &words(&mut seed, 160).join(" ")))
        .collect();
    // Before the files that are searched one by one, and after them.
    let pairs = [
        ("!m.eml\0x", "!m.eml b"),
        ("!x!-1", "!x!/1"),
        ("m.eml\0x", "m.eml b"),
        ("x!-1", "x!/1"),
    ];
    for (first, second) in pairs {
        let text = words(&mut seed, 160).join(" ");
        for (path, text) in [(first, text.clone()), (second, format!("{text} edited"))] {
            let mut file = change(index, 0, &text).into_file().unwrap();
            file.key.path = path.as_bytes().to_vec();
            changes.push(FileChange::file(file));
        }
    }
    opened.writer.apply(&changes).unwrap();
    opened.writer.settle(&Cancel::never()).unwrap();
    let listed = shown_pairs(index, None, &mut |_| ());
    let right = [
        ["/data/!m.eml!/x", "/data/!m.eml b"],
        ["/data/!x!-1", "/data/!x!!/1"],
        ["/data/m.eml!/x", "/data/m.eml b"],
        ["/data/x!-1", "/data/x!!/1"],
    ];
    assert_eq!(listed, right);
    for (at, [a, b]) in listed.iter().enumerate() {
        let place = PairPlace::of(a.as_ref(), b.as_ref());
        let rest = shown_pairs(index, Some(&place), &mut |_| ());
        assert_eq!(rest, listed[at + 1..]);
    }
}

#[test]
fn a_file_copied_while_pairs_are_listed_takes_none_from_the_others() {
    let texts = versions();
    let (opened, _dir) = opened_of(&texts);
    let (index, writer) = (opened.index.reader(), &opened.writer);
    writer.settle(&Cancel::never()).unwrap();
    let before = shown_pairs(index, None, &mut |_| ());
    // The list is past the only file of this document, and past those that are searched one by one.
    let mut copies = vec![change(index, 1, &texts[1])];
    let listed = shown_pairs(index, None, &mut |a| {
        if a > "/data/2"
            && let Some(copy) = copies.pop()
        {
            let mut file = copy.into_file().unwrap();
            file.key.path = b"30~.txt".to_vec();
            writer.apply(&[FileChange::file(file)]).unwrap();
        }
    });
    assert!(copies.is_empty());
    let (of_copy, others): (Vec<_>, Vec<_>) = listed
        .into_iter()
        .partition(|pair| pair.iter().any(|path| path == "/data/30~.txt"));
    assert_eq!(others, before);
    let later = ["/data/30~.txt", "/data/61.txt"].map(str::to_owned);
    assert!(of_copy.contains(&later), "{of_copy:?}");
}

#[test]
fn a_group_whose_principal_goes_while_groups_are_listed_is_not_left_out_in_silence() {
    let words = |name: &str, count: usize| -> String {
        (0..count).map(|at| format!("{name}{at} ")).collect()
    };
    let lengths = [200, 199, 198];
    let families = ["one", "two"].map(|name| lengths.map(|count| words(name, count)));
    let (opened, _dir) = opened_of(families.as_flattened());
    let (index, writer) = (opened.index.reader(), &opened.writer);
    writer.settle(&Cancel::never()).unwrap();
    let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
    let list = |visit: &mut dyn FnMut(Group) -> ControlFlow<()>| {
        visit_groups(index, all_groups(), &account, visit).unwrap()
    };
    let mut keys = Vec::new();
    let listed = list(&mut |group| {
        keys.extend(group.members.into_iter().map(|member| member.file.key));
        ControlFlow::Continue(())
    });
    assert_eq!(
        (listed.items, listed.unsettled),
        (2, UnsettledCounts::default())
    );
    // While the first is visited the second loses its principal: two documents of it remain.
    let mut visited = 0;
    let listed = list(&mut |_| {
        visited += 1;
        let removal = FileChange::removal(keys[3].clone());
        writer.apply(&[removal]).unwrap();
        ControlFlow::Continue(())
    });
    assert_eq!((visited, listed.items, listed.unsettled.awaited), (1, 1, 2));
    // Until it is settled again, a list knows from the beginning that something is missing.
    assert!(list(&mut |_| ControlFlow::Continue(())).unsettled.awaited > 0);
    writer.settle(&Cancel::never()).unwrap();
    let listed = list(&mut |_| ControlFlow::Continue(()));
    assert_eq!(
        (listed.items, listed.unsettled),
        (2, UnsettledCounts::default())
    );
}

#[test]
fn a_group_whose_principal_went_is_not_called_unknown_before_it_is_settled() {
    let words = |count: usize| -> String { (0..count).map(|at| format!("word{at} ")).collect() };
    let (opened, _dir) = opened_of(&[200, 199, 198].map(words));
    let (index, writer) = (opened.index.reader(), &opened.writer);
    writer.settle(&Cancel::never()).unwrap();
    let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
    let mut listed = Vec::new();
    visit_groups(index, all_groups(), &account, &mut |group| {
        listed.push(group);
        ControlFlow::Continue(())
    })
    .unwrap();
    let (id, principal) = (listed[0].id, listed[0].members[0].file.key.clone());
    let find = |id| group_by_id(index, &VisibleRoots::All, id, &account).unwrap();
    let files = |id| find(id).group.map(|(group, _)| group.members.len());
    assert_eq!((listed.len(), files(id)), (1, Some(3)));
    writer.apply(&[FileChange::removal(principal)]).unwrap();
    let found = find(id);
    assert!(found.group.is_none() && found.is_unsettled && found.unsettled.awaited > 0);
    assert!(!find(simdex_schema::GroupId(99)).is_unsettled);
    writer.settle(&Cancel::never()).unwrap();
    assert_eq!(files(id), Some(2));
}

/// Enough documents of one root that begin with the same words for the posting lists of these to be long, and a pair
/// of another root that begins with them too; returned with the words.
fn common_words() -> (Opened, tempfile::TempDir, String) {
    let (dir, mut seed) = (tempfile::tempdir().unwrap(), 7);
    let parameters = Parameters {
        schemes: Schemes::default(),
        ..Config::default().parameters()
    };
    let store = Box::<MemoryStore>::default();
    let opened = Index::open(store, dir.path(), parameters, Options::default()).unwrap();
    let (index, writer) = (opened.index.reader(), &opened.writer);
    for root in ["/common", "/pair"] {
        writer.add_root(std::path::Path::new(root)).unwrap();
    }
    let common = words(&mut seed, 6).join(" ");
    let own = words(&mut seed, 12).join(" ");
    let mut beginning = |number| {
        let text = format!("{common} {}", words(&mut seed, 3).join(" "));
        change(index, number, &text)
    };
    let mut changes: Vec<_> = (0..26_000).map(&mut beginning).collect();
    for (number, end) in ["", " too"].iter().enumerate() {
        let pair = change(index, number, &format!("{common} {own}{end}"));
        let mut file = pair.into_file().unwrap();
        file.key.root = RootId(2);
        changes.push(FileChange::file(file));
    }
    writer.apply(&changes).unwrap();
    writer.merge().unwrap();
    (opened, dir, common)
}

#[test]
fn what_a_search_skips_is_counted_whatever_is_listed() {
    let (opened, _dir, _) = common_words();
    let (index, view) = (
        opened.index.reader(),
        VisibleRoots::Roots([RootId(2)].into()),
    );
    let never = Cancel::never();
    let account = index.memory().requests.account(&never);
    let go_on = &mut |_| ControlFlow::Continue(());
    let asked = GroupSelection {
        view: &view,
        ..all_groups()
    };
    let groups = visit_groups(index, asked, &account, go_on).unwrap();
    let asked = PairSelection {
        view: &view,
        ..all_pairs()
    };
    let pairs = pairs(index, asked, &account, &mut |_| ControlFlow::Continue(()));
    let pairs = pairs.unwrap();
    assert_eq!((groups.items, pairs.pairs), (1, 1));
    assert!(groups.common_lists_skipped > 0 && pairs.common_lists_skipped > 0);
    let asked = ClusterRequest::Components {
        threshold: threshold(),
    };
    let kept = KeptClusters::default();
    let components = clusters(index, &kept, &view, &asked, &account).unwrap();
    assert!(components.clusters.common_lists_skipped > 0);
}

#[test]
fn the_summary_of_a_question_counts_the_lists_that_found_no_further_documents() {
    let (opened, _dir, common) = common_words();
    let (index, never) = (opened.index.reader(), Cancel::never());
    let account = index.memory().requests.account(&never);
    let counted = [200, 300, 450, 900].map(|own| {
        let text = format!("{common} {}", words(&mut 8, own).join(" "));
        let subject = Subject::from_text(index, text, &account).unwrap();
        let params = similar(SchemeKind::ModN, 0.1);
        let mut answer = find(index, &subject, &params, &never).unwrap();
        assert!(!answer.summary.truncated);
        answer.summary.unverified = 1_000;
        let reply = encode::find_replies(answer, AnswerContext::default()).last();
        let Some(Part::Summary(summary)) = reply.and_then(|reply| reply.part) else {
            panic!("no summary");
        };
        assert_eq!(summary.suppressed, summary.common_lists);
        assert!(summary.truncated, "the rest may reach the threshold");
        summary.suppressed
    });
    assert!(counted.iter().any(|lists| *lists > 0), "{counted:?}");
}
