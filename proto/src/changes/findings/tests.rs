//! Changes between lists of findings, planted and random.

use std::io::Cursor;

use super::*;
use crate::lines::{JsonPath, Line};

fn finding(kind: &str, path: &[u8], of: &str) -> Finding {
    let line = json!({
        "kind": kind, "path": "", "root": "/r", "owner": 1, "owner_name": null, "relation": "near-duplicate",
        "of": of, "document": "d", "content": "c", "bytes": 9, "modified": "2026-01-01T00:00:00Z",
        "resemblance": 0.1 + 0.2, "containment": 0.7, "containment_of_other": null, "verified": true,
    });
    Finding {
        path: JsonPath::new(path),
        ..serde_json::from_value(line).unwrap()
    }
}

fn list(findings: &[Finding]) -> Vec<u8> {
    let line = |it| serde_json::to_string(&Line::of(it)).unwrap() + "\n";
    findings.iter().map(line).collect::<String>().into_bytes()
}

fn compared(
    earlier: &[Finding],
    later: &[Finding],
) -> io::Result<(Vec<FindingChange>, FindingTotals)> {
    let (earlier, later) = (list(earlier), list(later));
    let hold: &mut ReserveBytes<'_> = &mut |_| Ok(());
    let mut comparer = FindingComparer::new(&earlier[..], 1_000, Cursor::new(&earlier), hold)?;
    for line in later.split_inclusive(|byte| *byte == b'\n') {
        comparer.line(line, hold)?;
    }
    let mut told = Vec::new();
    let totals = comparer.finish(hold, &mut |change| {
        told.push(change.clone());
        Ok(())
    })?;
    Ok((told, totals))
}

/// The reported changes, one word each: the change, the path, the file beside it and the fields.
fn told(earlier: &[Finding], later: &[Finding]) -> Vec<String> {
    let (changes, totals) = compared(earlier, later).unwrap();
    let count = |word| changes.iter().filter(|it| it.change == word).count() as u64;
    let right = FindingTotals {
        findings_new: count("finding-new"),
        findings_gone: count("finding-gone"),
        findings_changed: count("finding-changed"),
    };
    assert_eq!(totals, right);
    let words = changes.iter().map(|it| {
        assert_eq!(it.before.is_some(), it.change == "finding-changed");
        let (path, fields) = (&it.finding.path.path, it.fields.join("+"));
        let words = [it.change, path, &it.finding.of, &fields];
        words.join(" ").trim_end().to_owned()
    });
    words.collect()
}

#[test]
fn files_found_newly_no_more_and_with_other_facts_are_told_by_path() {
    let leak = |path: &[u8], of| finding("leak", path, of);
    let earlier = [leak(b"/z", "/p"), leak(b"/b\xff", "/p"), leak(b"/b", "/q")];
    let other_order = [earlier[2].clone(), earlier[0].clone(), earlier[1].clone()];
    assert_eq!(told(&earlier, &other_order), Vec::<String>::new());
    let mut changed = leak(b"/z", "/p");
    changed.document = Some("e".to_owned());
    changed.containment = Some(0.8);
    let later = [changed, leak(b"/b", "/p"), leak(b"/a", "/p")];
    let right = [
        "finding-new /a /p",
        "finding-new /b /p",
        "finding-gone /b /q",
        "finding-gone /b\u{fffd} /p",
        "finding-changed /z /p document+containment",
    ];
    assert_eq!(told(&earlier, &later), right);
}

#[test]
fn a_file_with_one_place_in_its_list_is_known_by_its_path_alone() {
    for (kind, right) in [
        ("duplicates", vec!["finding-changed /a /q of"]),
        ("stale-versions", vec!["finding-changed /a /q of"]),
        ("copies-of", vec!["finding-gone /a /p", "finding-new /a /q"]),
        ("leak", vec!["finding-gone /a /p", "finding-new /a /q"]),
    ] {
        let (earlier, later) = (finding(kind, b"/a", "/p"), finding(kind, b"/a", "/q"));
        assert_eq!(told(&[earlier], &[later]), right, "{kind}");
    }
}

#[test]
fn what_says_nothing_of_the_question_is_no_change() {
    let earlier = finding("leak", b"/a", "/p");
    let touched = Finding {
        modified: None,
        owner_name: Some("eve".to_owned()),
        ..earlier.clone()
    };
    let estimated = Finding {
        resemblance: Some(0.31),
        verified: Some(false),
        ..earlier.clone()
    };
    for later in [touched, estimated] {
        assert_eq!(
            told(std::slice::from_ref(&earlier), &[later]),
            Vec::<String>::new()
        );
    }
}

#[test]
fn a_file_that_is_listed_twice_is_told_as_often() {
    let one = finding("leak", b"/a", "/p");
    let twice = [one.clone(), one.clone()];
    assert_eq!(told(&twice, &twice), Vec::<String>::new());
    assert_eq!(told(&twice, &twice[..1]), ["finding-gone /a /p"]);
    assert_eq!(told(&[], &twice).len(), 2);
}

#[test]
fn lines_of_one_path_are_told_in_the_order_of_their_list() {
    let document = |number: u32| Finding {
        document: Some(number.to_string()),
        ..finding("leak", b"/a", "/p")
    };
    let earlier: Vec<_> = (0..40).map(document).collect();
    let (gone, _) = compared(&earlier, &[]).unwrap();
    let gone: Vec<_> = gone.into_iter().map(|change| change.finding).collect();
    assert_eq!(gone, earlier);
}

#[test]
fn what_changed_turns_the_earlier_list_into_the_later() {
    let mut state = 5_u64;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let mut drawn = || {
        let mut findings = Vec::new();
        for place in 0..24_u8 {
            if next(3) > 0 {
                let path = [b'/', b'a' + place / 2];
                let of = ["/p", "/q"][usize::from(place % 2)];
                let mut finding = finding("leak", &path, of);
                finding.document = Some(next(2).to_string());
                findings.insert(next(findings.len() as u64 + 1) as usize, finding);
            }
        }
        findings
    };
    let sorted = |findings: &[Finding]| {
        let mut lines: Vec<_> = findings
            .iter()
            .map(|it| list(std::slice::from_ref(it)))
            .collect();
        lines.sort();
        lines
    };
    for _ in 0..200 {
        let (earlier, later) = (drawn(), drawn());
        let mut now = earlier.clone();
        let (changes, _) = compared(&earlier, &later).unwrap();
        let mut remove = |finding: &Finding| {
            let at = now.iter().position(|it| it == finding).unwrap();
            now.remove(at);
        };
        for change in &changes {
            match (change.change, &change.before) {
                ("finding-gone", _) => remove(&change.finding),
                (_, Some(before)) => remove(before),
                _ => {}
            }
        }
        let came = changes.iter().filter(|it| it.change != "finding-gone");
        now.extend(came.map(|it| it.finding.clone()));
        assert_eq!(sorted(&now), sorted(&later));
    }
}

#[test]
fn what_is_no_list_of_findings_or_takes_too_much_is_refused() {
    let one = list(&[finding("leak", b"/a", "/p")]);
    let opened = |lines: &[u8], longest, most: u64| {
        let mut held = 0;
        let hold: &mut ReserveBytes<'_> = &mut |bytes| {
            held += bytes;
            match held > most {
                true => Err(io::ErrorKind::OutOfMemory.into()),
                false => Ok(()),
            }
        };
        let again = Cursor::new(lines.to_vec());
        let opened = FindingComparer::new(lines, longest, again, hold);
        opened.map(|_| ()).map_err(|error| error.kind())
    };
    assert_eq!(opened(&one, 1_000, 300), Ok(()));
    for (lines, longest) in [(&b"{}\n"[..], 1_000), (&one[..], 20)] {
        let refused = opened(lines, longest, 300);
        assert_eq!(refused, Err(io::ErrorKind::InvalidData));
    }
    let twice = [one.clone(), one].concat();
    let refused = opened(&twice, 1_000, 300);
    assert_eq!(refused, Err(io::ErrorKind::OutOfMemory));
}
