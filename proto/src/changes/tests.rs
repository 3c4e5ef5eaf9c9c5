//! Changes between lists of groups, planted and random.

use std::collections::BTreeSet;

use super::*;

fn group(id: u64, files: &[(&[u8], &str)]) -> GroupFiles {
    let owned = |(path, document): &(&[u8], &str)| (path.to_vec(), (*document).to_owned());
    let mut files: Vec<_> = files.iter().map(owned).collect();
    let principal = files[0].0.clone();
    files.sort();
    GroupFiles {
        id,
        principal,
        files,
    }
}

fn lines(groups: &[GroupFiles]) -> Vec<u8> {
    let member = |(path, document): &(Vec<u8>, String)| {
        let path = JsonPath::new(path);
        let path = serde_json::to_string(&path).unwrap();
        let path = path.trim_matches(['{', '}']).to_owned();
        format!("{{{path},\"document\":\"{document}\"}}")
    };
    let line = |group: &GroupFiles| {
        let members: Vec<_> = group.files.iter().map(member).collect();
        let principal = serde_json::to_string(&lossy(&group.principal)).unwrap();
        let exact = exact(&group.principal);
        let exact = exact.map(|it| format!(",\"principal_bytes\":\"{it}\""));
        format!(
            "{{\"type\":\"group\",\"id\":{},\"principal\":{principal}{},\"members\":[{}]}}\n",
            group.id,
            exact.unwrap_or_default(),
            members.join(",")
        )
    };
    groups.iter().map(line).collect::<String>().into_bytes()
}

/// The reported changes, one word each: the kind, and the path or the number of files.
fn told(earlier: &[GroupFiles], later: &[GroupFiles]) -> (Vec<String>, ChangeTotals) {
    let lines = lines(earlier);
    let mut comparer = Comparer::new(GroupReader::new(&lines[..], 10_000)).unwrap();
    let mut told = Vec::new();
    let mut take = |change: &Change| {
        let path = change.path.as_ref();
        let path = path.map(|path| serde_json::to_value(path).unwrap()["path"].to_string());
        let of = path
            .or(change.files.map(|files| files.to_string()))
            .unwrap();
        told.push(format!("{} {} {of}", change.change, change.group));
        Ok(())
    };
    for group in later {
        comparer.group(group, &mut take).unwrap();
    }
    let totals = comparer.finish(&mut take).unwrap();
    (told, totals)
}

#[test]
fn groups_and_files_that_came_and_went_are_told_and_what_stayed_is_not() {
    let earlier = [
        group(1, &[(b"/a", "x"), (b"/b", "x"), (b"/c", "y")]),
        group(2, &[(b"/d\xff", "z"), (b"/e", "z")]),
        group(3, &[(b"/s", "s"), (b"/t", "s")]),
        group(4, &[(b"/u", "u"), (b"/v", "u")]),
    ];
    assert_eq!(
        told(&earlier, &earlier),
        (Vec::new(), ChangeTotals::default())
    );
    let later = [
        group(1, &[(b"/a", "x"), (b"/b", "w"), (b"/c2", "y")]),
        group(9, &[(b"/c", "y"), (b"/c1", "y")]),
        group(3, &[(b"/s", "s"), (b"/t", "s")]),
    ];
    let (told, totals) = told(&earlier, &later);
    let right = [
        "file-changed 1 \"/b\"",
        "file-left 1 \"/c\"",
        "file-joined 1 \"/c2\"",
        "group-new 9 2",
        "file-joined 9 \"/c\"",
        "file-joined 9 \"/c1\"",
        "group-gone 2 2",
        "file-left 2 \"/d\u{fffd}\"",
        "file-left 2 \"/e\"",
        "group-gone 4 2",
        "file-left 4 \"/u\"",
        "file-left 4 \"/v\"",
    ];
    assert_eq!(told, right);
    let right = ChangeTotals {
        groups_new: 1,
        groups_gone: 2,
        groups_changed: 1,
        files_joined: 3,
        files_left: 5,
        files_changed: 1,
    };
    assert_eq!(totals, right);
}

/// A list of groups made with `next`, which returns a number below its argument.
fn drawn(next: &mut impl FnMut(u64) -> u64) -> Vec<GroupFiles> {
    let mut groups = Vec::new();
    for principal in 0..12 {
        if next(3) == 0 {
            continue;
        }
        let mut files = vec![(vec![b'/', b'a' + principal], "d".to_owned())];
        for file in 0..6 {
            if next(2) == 0 {
                files.push((vec![b'/', b'n' + file], next(2).to_string()));
            }
        }
        let principal = files[0].0.clone();
        groups.push(GroupFiles {
            id: 1,
            principal,
            files,
        });
    }
    groups
}

/// Every file with its group and its document.
fn listed(groups: &[GroupFiles]) -> BTreeSet<(Vec<u8>, Vec<u8>, String)> {
    let of = |group: &GroupFiles| {
        let principal = group.principal.clone();
        let files = group.files.clone().into_iter();
        files.map(move |(path, document)| (principal.clone(), path, document))
    };
    groups.iter().flat_map(of).collect()
}

#[test]
fn what_left_and_joined_turns_the_earlier_list_into_the_later() {
    let mut state = 5_u64;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    for _ in 0..200 {
        let (earlier, later) = (drawn(&mut next), drawn(&mut next));
        let lines = lines(&earlier);
        let mut comparer = Comparer::new(GroupReader::new(&lines[..], 10_000)).unwrap();
        let mut now = listed(&earlier);
        let mut take = |change: &Change| {
            let Some(path) = &change.path else {
                return Ok(());
            };
            let path = serde_json::to_value(path).unwrap()["path"]
                .as_str()
                .unwrap()
                .to_owned();
            let of = |document: &String| {
                let principal = change.principal.clone().into_bytes();
                (principal, path.clone().into_bytes(), document.clone())
            };
            if let Some(was) = &change.document_before {
                assert!(now.remove(&of(was)));
            }
            if let Some(is) = &change.document {
                assert!(now.insert(of(is)));
            }
            Ok(())
        };
        later
            .iter()
            .for_each(|group| comparer.group(group, &mut take).unwrap());
        comparer.finish(&mut take).unwrap();
        assert_eq!(now, listed(&later));
    }
}

#[test]
fn what_is_no_list_of_groups_is_refused() {
    let groups = [group(1, &[(b"/b", "x")]), group(2, &[(b"/a", "x")])];
    for (text, longest) in [
        (lines(&groups), 10_000),
        (b"{}\n".to_vec(), 10_000),
        (lines(&groups[..1]), 20),
    ] {
        let mut reader = GroupReader::new(&text[..], longest);
        let refused = loop {
            match reader.next_group() {
                Ok(Some(_)) => {}
                other => break other,
            }
        };
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}

#[test]
fn two_groups_of_one_principal_are_read() {
    // A file that changed while a report was made may lead two of its groups.
    let twice = [
        group(1, &[(b"/a", "x"), (b"/b", "x")]),
        group(2, &[(b"/a", "y"), (b"/c", "y")]),
    ];
    let (changes, totals) = told(&twice, &twice);
    assert!(
        totals.files_left <= 4 && totals.groups_gone <= 1,
        "{changes:?}"
    );
    let (_, totals) = told(&twice, &[]);
    assert_eq!((totals.groups_gone, totals.files_left), (2, 4));
    let (_, totals) = told(&[], &twice);
    assert_eq!((totals.groups_new, totals.files_joined), (2, 4));
}
