//! Pages, texts that are not aligned, and changes since an earlier report.

use super::*;

#[test]
fn groups_beyond_the_first_page_stand_on_others_that_the_list_leads_to() {
    let groups = (1..=4).map(|id| {
        let copy = |n| {
            let path = format!("/share/{id}/{n:03}.txt");
            member(path.as_bytes(), CONTRACT, "identical-text", Some(1.0))
        };
        group(id, (0..250).map(copy).collect())
    });
    written(groups.collect(), |report, _| {
        let [first, second] = ["report.html", "report-0002.html"].map(|name| read(report, name));
        for (page, id, other) in [(&first, 1, 4), (&first, 3, 4), (&second, 4, 1)] {
            assert!(page.contains(&format!("id=\"g{id}\"")), "{page}");
            assert!(!page.contains(&format!("id=\"g{other}\"")));
        }
        assert!(first.contains("href=\"report-0002.html#g4\""));
        assert!(first.contains("rel=\"next\" href=\"report-0002.html\">Page 2</a>"));
        assert!(second.contains("rel=\"prev\" href=\"report.html\">Page 1</a>"));
        assert!(read(report, "manifest.json").contains("report-0002.html"));
        assert!(first.ends_with("</html>\n") && second.ends_with("</html>\n"));
    });
}

#[test]
fn texts_of_too_many_lines_are_not_aligned_and_said_so() {
    // Each line takes 256 bytes while two texts are aligned, so that these would take more than half of it.
    let account = MemoryBudget::new(1 << 20).account(&Cancel::never());
    let short_lines = "a\n".repeat(2_100);
    let text_of = |requested_files: &DocumentHash| {
        let text = if *requested_files == document(CONTRACT) {
            CONTRACT
        } else {
            &short_lines
        };
        Ok(Some(HeldText::new(text.to_owned(), None)))
    };
    let folder = tempfile::tempdir().unwrap();
    let report = ReportInput {
        account: &account,
        ..input(vec![contract_group()], &text_of)
    };
    let done = keep(folder.path(), "report", &report).unwrap();
    assert_eq!((done.diffs, done.without_text), (0, 0));
    let out = folder.path().join("report");
    verify(&out).unwrap();
    let line = read(&out, "diffs.jsonl");
    assert!(
        line.contains("\"diff\":null,\"left_out\":\"too-many-lines\""),
        "{line}"
    );
    assert!(read(&out, "report.html").contains("too many lines to align"));
}

#[test]
fn a_search_for_common_words_that_was_ended_is_told() {
    // Few words in no common order: more has to be distinguished in one place than is searched.
    let words = |step: u32| -> String {
        let word = |at: u32| format!("{} ", at.wrapping_mul(step) % 7919 % 5);
        (0..20_000).map(word).collect()
    };
    let texts = [words(3), words(5)];
    let text_of = |requested_files: &DocumentHash| {
        let text = &texts[usize::from(*requested_files != document(CONTRACT))];
        Ok(Some(HeldText::new(text.clone(), None)))
    };
    let folder = tempfile::tempdir().unwrap();
    let done = keep(
        folder.path(),
        "report",
        &input(vec![contract_group()], &text_of),
    );
    assert_eq!(done.unwrap().diffs, 1);
    let out = folder.path().join("report");
    verify(&out).unwrap();
    let lines = read(&out, "diffs.jsonl");
    assert_eq!(
        lines.matches("\"words_cut_short\":true").count(),
        1,
        "{lines}"
    );
    assert!(read(&out, "report.html").contains(" at most</small>"));
}

#[test]
fn a_block_that_moved_is_shown_as_moved_and_lines_otherwise() {
    let lines = |order: [usize; 5]| -> String {
        let line = |at: usize| {
            format!(
                "Clause {at}: whatever is agreed in writing counts from the day number {at} on.\n"
            )
        };
        order
            .into_iter()
            .flat_map(|part| (part * 4..part * 4 + 4).map(line))
            .collect()
    };
    for (order, is_moved) in [([0, 2, 3, 1, 4], true), ([0, 1, 2, 3, 5], false)] {
        let texts = [lines([0, 1, 2, 3, 4]), lines(order)];
        let text_of = |requested_files: &DocumentHash| {
            let text = &texts[usize::from(*requested_files != document(CONTRACT))];
            Ok(Some(HeldText::new(text.clone(), None)))
        };
        let folder = tempfile::tempdir().unwrap();
        keep(
            folder.path(),
            "report",
            &input(vec![contract_group()], &text_of),
        )
        .unwrap();
        let page = read(&folder.path().join("report"), "report.html");
        assert_eq!(page.contains("<span class=\"moved\">"), is_moved, "{page}");
        assert_eq!(page.contains("Compared by words"), is_moved);
        assert!(page.contains("<small>by lines ") && page.contains("; by words "));
    }
}

#[test]
fn what_changed_since_an_earlier_report_is_told_and_shown() {
    let place = tempfile::tempdir().unwrap();
    let of = |path: &[u8], text: &str| member(path, text, "identical-bytes", Some(1.0));
    let gone = group(
        9,
        vec![of(b"/share/<b>", HOSTILE), of(b"/share/b2", HOSTILE)],
    );
    keep(
        place.path(),
        "first",
        &input(vec![contract_group(), gone], &known),
    )
    .unwrap();
    let reports = ReportDir::open(&place.path().canonicalize().unwrap()).unwrap();
    let previous = reports.earlier_report("first".as_ref(), &KEY).unwrap();
    let mut changed = contract_group();
    changed.members.remove(3);
    changed.members.push(of(b"/share/n\xff.txt", CONTRACT));
    let new = group(11, vec![of(b"/share/q", DRAFT), of(b"/share/r", DRAFT)]);
    let later = ReportInput {
        since: Some(&previous),
        ..input(vec![changed, new], &known)
    };
    keep(place.path(), "second", &later).unwrap();
    let second = place.path().join("second");
    verify(&second).unwrap();
    assert_eq!(
        read(&second, "changes.jsonl"),
        include_str!("../golden/changes.jsonl")
    );
    let manifest: serde_json::Value =
        serde_json::from_str(&read(&second, "manifest.json")).unwrap();
    assert_eq!(manifest["since"]["groups_new"], 1);
    assert_eq!(manifest["since"]["files_left"], 3);
    assert_eq!(manifest["since"]["caveats"], serde_json::json!([]));
    let page = read(&second, "report.html");
    let section = &page[page.find("id=\"changes\"").unwrap()..];
    assert!(section.contains("&lt;b&gt;") && !section.contains("<b>/share"));
    // A report over the same groups says that nothing changed.
    let previous = reports.earlier_report("second".as_ref(), &KEY).unwrap();
    let same = ReportInput {
        since: Some(&previous),
        threshold: 0.7,
        ..later
    };
    keep(place.path(), "third", &same).unwrap();
    assert_eq!(read(&place.path().join("third"), "changes.jsonl"), "");
    // Another threshold is mentioned, since groups may differ because of it.
    let page = read(&place.path().join("third"), "report.html");
    assert!(page.contains("the earlier report was made at another threshold"));
    // A report that was changed since is not compared.
    fs::write(second.join("groups.jsonl"), "").unwrap();
    let refused = reports.earlier_report("second".as_ref(), &KEY).unwrap_err();
    assert!(matches!(refused, ReportError::Earlier { .. }), "{refused}");
}

#[test]
fn documents_whose_hashes_begin_alike_have_diffs_of_their_own() {
    let alike = |last: u8| {
        let mut hash = [7; 32];
        hash[31] = last;
        let path = format!("/share/{last}.txt");
        ReportMember {
            document: DocumentHash(hash),
            ..member(path.as_bytes(), DRAFT, "near-duplicate", Some(0.9))
        }
    };
    let text_of = |requested_files: &DocumentHash| {
        let text = match requested_files.0[0] {
            7 => DRAFT,
            _ => CONTRACT,
        };
        Ok(Some(HeldText::new(text.to_owned(), None)))
    };
    let members = vec![plain_member(), alike(1), alike(2)];
    let folder = tempfile::tempdir().unwrap();
    let done = keep(
        folder.path(),
        "report",
        &input(vec![group(7, members)], &text_of),
    )
    .unwrap();
    assert_eq!(done.diffs, 2);
    assert_eq!(verify(&folder.path().join("report")).unwrap().diffs, 2);
}

#[test]
fn the_list_says_so_where_not_every_path_is_searched() {
    let of = |files: usize| {
        let copy = |n| {
            let path = format!("/share/{n:05}.txt");
            member(path.as_bytes(), CONTRACT, "identical-text", Some(1.0))
        };
        group(1, (0..files).map(copy).collect())
    };
    for (files, is_partial) in [(201, false), (202, true)] {
        written(vec![of(files)], |report, _| {
            let page = read(report, "report.html");
            assert_eq!(
                page.contains("<p class=\"soft\" id=\"partial\">"),
                is_partial
            );
            assert!(
                page.contains("byId(\"partial\")"),
                "the script looks for it"
            );
        });
    }
}

#[test]
fn names_that_take_much_of_the_page_are_cut_and_not_all_shown() {
    let name = |at: usize| format!("/share/{at:04}{}", "\u{1}".repeat(4_000)).into_bytes();
    let files = move |visit: &mut VisitFile<'_>| {
        (0..2_000).try_for_each(|at| {
            visit(&ReportFile {
                path: &name(at),
                state: "timed-out",
                is_unread: true,
                ..ReportFile::default()
            })
        })
    };
    let folder = tempfile::tempdir().unwrap();
    let budget = MemoryBudget::new(2 << 20);
    for (place, account) in [("a", &*ACCOUNT), ("b", &budget.account(&Cancel::never()))] {
        let report = ReportInput {
            files: &files,
            account,
            ..input(vec![contract_group()], &known)
        };
        keep(folder.path(), place, &report).unwrap();
        let out = folder.path().join(place);
        let page = read(&out, "report.html");
        assert!(page.len() < 16 << 20, "{}", page.len());
        assert!(page.contains("more files, see <a href=\"unread.jsonl\">"));
        let lines = read(&out, "unread.jsonl");
        assert_eq!(lines.lines().count(), 2_000);
        assert!(lines.len() > 2_000 * 4_000, "whole paths");
    }
    assert_eq!(budget.used(), 0);
}

#[test]
fn an_earlier_report_that_takes_too_much_memory_is_what_cannot_be_compared_with() {
    let place = tempfile::tempdir().unwrap();
    let copy = |at: usize| {
        let path = format!("/share/{at:06}.txt");
        member(path.as_bytes(), CONTRACT, "identical-bytes", Some(1.0))
    };
    let large = group(9, (0..10_000).map(copy).collect());
    keep(place.path(), "first", &input(vec![large], &known)).unwrap();
    let reports = ReportDir::open(&place.path().canonicalize().unwrap()).unwrap();
    let previous = reports.earlier_report("first".as_ref(), &KEY).unwrap();
    let account = MemoryBudget::new(2 << 20).account(&Cancel::never());
    let mut later = ReportInput {
        since: Some(&previous),
        account: &account,
        ..input(vec![contract_group()], &known)
    };
    let refused = keep(place.path(), "second", &later).unwrap_err();
    assert!(matches!(refused, ReportError::Earlier { .. }), "{refused}");
    // As a schedule then does.
    later.since = None;
    keep(place.path(), "second", &later).unwrap();
}
