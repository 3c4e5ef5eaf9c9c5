//! Changes between two reports of one compliance question.

use simdex_index::Cancel;
use simdex_proto::lines::{JsonPath, Question};

use super::*;
use crate::read_side::findings::{Finding, FindingsSummary, Sums, TakeFinding};

fn leaked(path: &[u8], containment: f64) -> Finding {
    Finding {
        path: path.to_vec(),
        root: b"/share".to_vec(),
        relation: "contained-in",
        of: b"/vault/secret.txt".to_vec(),
        containment: Some(containment),
        verified: Some(true),
        ..Finding::default()
    }
}

/// Keeps a report of a kind with these findings, beside an earlier one.
fn kept(
    place: &Path,
    name: &str,
    (kind, found): (&'static str, &[Finding]),
    since: Option<&EarlierReport>,
) -> Result<Written, ReportError> {
    kept_within(place, name, (kind, found), since, &ACCOUNT)
}

fn kept_within(
    place: &Path,
    name: &str,
    (kind, found): (&'static str, &[Finding]),
    since: Option<&EarlierReport>,
    account: &MemoryAccount,
) -> Result<Written, ReportError> {
    let visit = |take: &mut TakeFinding<'_>| {
        found.iter().try_for_each(take)?;
        let sums = Sums::from([("cut_short", u64::from(name == "third"))]);
        Ok(FindingsSummary::from(sums))
    };
    let findings = Findings {
        kind,
        question: Question::default(),
        visit: &visit,
    };
    let report = ReportInput {
        findings: Some(findings),
        since,
        account,
        ..input(Vec::new(), &known)
    };
    keep(place, name, &report)
}

/// The page of a report of these findings, from the question to what was read.
fn question_on_page(kind: &'static str, question: Question, found: &[Finding]) -> String {
    let visit = |take: &mut TakeFinding<'_>| {
        found.iter().try_for_each(take)?;
        let sums = Sums::from([("found", found.len() as u64)]);
        Ok(FindingsSummary::from(sums))
    };
    let report = ReportInput {
        roots: vec!["/share".into(), "/vault".into()],
        stale_roots: vec!["/vault".into()],
        findings: Some(Findings {
            kind,
            question,
            visit: &visit,
        }),
        ..input(Vec::new(), &known)
    };
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), "report", &report).unwrap();
    let page = read(&folder.path().join("report"), "report.html");
    let (_, after) = page.split_once("<h2>What was asked</h2>\n").unwrap();
    after.split("<h2>What was read").next().unwrap().to_owned()
}

#[test]
fn the_page_states_the_parameters_and_sums_by_owner_and_root() {
    let protected = Question {
        protected: Some(vec![JsonPath::new(b"/vault")]),
        ..Question::default()
    };
    let of_anna = |path: &[u8], bytes| Finding {
        owner: Some(1001),
        owner_name: Some("anna<b>".to_owned()),
        bytes: Some(bytes),
        ..leaked(path, 0.5)
    };
    let found = [
        of_anna(b"/share/a", 1_000),
        leaked(b"/share/b", 0.5),
        // The same file, found for another protected document as well.
        of_anna(b"/share/a", 1_000),
        of_anna(b"/share/c", 20),
    ];
    let page = question_on_page("leak", protected, &found);
    assert_eq!(page, include_str!("../golden/question.html"));
}

#[test]
fn each_kind_of_question_states_the_parameters_that_it_has() {
    let copies = Question {
        files: Some(vec![
            JsonPath::new(b"/vault/<i>"),
            JsonPath::new(b"/vault/b"),
        ]),
        ..Question::default()
    };
    let page = question_on_page("copies-of", copies, &[]);
    for said in [
        "Files asked about</th><td><bdi class=\"path\">/vault/&lt;i&gt;</bdi>",
        "\"row\"></th><td><bdi class=\"path\">/vault/b</bdi>",
        "Folders searched</th><td><bdi class=\"path\">/share</bdi>",
        "\"row\"></th><td><bdi class=\"path\">/vault</bdi>",
        "of 0.8 or more",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    // Without files there is nothing to sum.
    assert!(!page.contains("By owner"), "{page}");
    let stale = Question {
        older_than_seconds: Some(2 * 86_400),
        containment: Some(0.6),
        ..Question::default()
    };
    let page = question_on_page("stale-versions", stale, &[]);
    let age = "Older than</th><td>2 days, dated before 2024-05-04 07:08 UTC</td>";
    assert!(page.contains(age), "{page}");
    let thresholds = "by 0.8 or more; one contains another from a share of 0.6 on";
    assert!(page.contains(thresholds), "{page}");
    let page = question_on_page("duplicates", Question::default(), &[]);
    assert!(page.contains("Folders searched") && !page.contains("Threshold"));
}

#[test]
fn the_page_counts_the_states_of_files_inside_containers_apart() {
    let page_of = |members: &[(&str, u64)]| {
        let mut report = input(vec![contract_group()], &known);
        let states = members.iter();
        report.summary.counts.member_states = states
            .map(|(state, count)| ((*state).to_owned(), *count))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        keep(folder.path(), "report", &report).unwrap();
        read(&folder.path().join("report"), "report.html")
    };
    let page = page_of(&[("indexed", 7), ("encrypted", 30)]);
    for said in [
        "<th scope=\"col\" class=\"r\">Inside containers</th>",
        "indexed</td><td class=\"r\">4</td><td class=\"r\">7</td>",
        "encrypted</td><td class=\"r\">0</td><td class=\"r\">30</td>",
        "all</td><td class=\"r\">6</td><td class=\"r\">37</td>",
    ] {
        assert!(page.contains(said), "{said}");
    }
    assert!(!page_of(&[]).contains("Inside containers"));
}

#[test]
fn what_changed_between_reports_of_a_question_is_told_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let earlier = [leaked(b"/share/z", 0.5), leaked(b"/share/<b>", 0.1 + 0.2)];
    kept(place, "first", ("leak", &earlier), None).unwrap();
    assert!(!place.join("first/changes.jsonl").exists());
    let reports = ReportDir::open(&place.canonicalize().unwrap()).unwrap();
    let previous = reports.earlier_report("first".as_ref(), &KEY).unwrap();
    let later = [leaked(b"/share/z", 0.75), leaked(b"/share/n\xff", 0.5)];
    kept(place, "second", ("leak", &later), Some(&previous)).unwrap();
    let second = place.join("second");
    verify(&second).unwrap();
    assert_eq!(
        read(&second, "changes.jsonl"),
        include_str!("../golden/finding-changes.jsonl")
    );
    let manifest: serde_json::Value =
        serde_json::from_str(&read(&second, "manifest.json")).unwrap();
    let since = &manifest["since"];
    for sum in ["findings_new", "findings_gone", "findings_changed"] {
        assert_eq!(since[sum], 1, "{sum}");
    }
    assert_eq!(since["caveats"], serde_json::json!([]));
    let page = read(&second, "report.html");
    let section = &page[page.find("id=\"changes\"").unwrap()..];
    assert!(section.contains("changed: containment") && section.contains("&lt;b&gt;"));
    // Over the same files nothing changed; the report says that a search reached a limit.
    let previous = reports.earlier_report("second".as_ref(), &KEY).unwrap();
    kept(place, "third", ("leak", &later), Some(&previous)).unwrap();
    let third = place.join("third");
    assert_eq!(read(&third, "changes.jsonl"), "");
    assert!(read(&third, "report.html").contains("a search of one of the reports reached a bound"));
}

#[test]
fn a_report_that_another_cannot_be_compared_with_is_refused_in_its_own_words() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let many: Vec<_> = (0..4_000)
        .map(|n| leaked(format!("/share/{n:04}").as_bytes(), 0.5))
        .collect();
    kept(place, "first", ("leak", &many), None).unwrap();
    let reports = ReportDir::open(&place.canonicalize().unwrap()).unwrap();
    let previous = reports.earlier_report("first".as_ref(), &KEY).unwrap();
    // Its list has other contents.
    let refused = kept(place, "other", ("duplicates", &many), Some(&previous)).unwrap_err();
    assert!(matches!(refused, ReportError::Earlier { .. }), "{refused}");
    let refused = ReportInput {
        since: Some(&previous),
        ..input(Vec::new(), &known)
    };
    let refused = keep(place, "groups", &refused).unwrap_err();
    assert!(matches!(refused, ReportError::Earlier { .. }), "{refused}");
    // The changes take more memory than there is: the report can be made without them.
    let budget = MemoryBudget::new(4 << 20);
    let account = budget.account(&Cancel::never());
    let later = many.iter().map(|it| Finding {
        containment: Some(0.6),
        ..it.clone()
    });
    let later: Vec<_> = later.collect();
    let requested_files = ("leak", &later[..]);
    let refused =
        kept_within(place, "much", requested_files, Some(&previous), &account).unwrap_err();
    assert!(matches!(refused, ReportError::Earlier { .. }), "{refused}");
    kept_within(place, "alone", requested_files, None, &account).unwrap();
    // So is one that was changed after it was written.
    fs::write(place.join("first/findings.jsonl"), "").unwrap();
    let refused = reports.earlier_report("first".as_ref(), &KEY).unwrap_err();
    assert!(matches!(refused, ReportError::Earlier { .. }), "{refused}");
}
