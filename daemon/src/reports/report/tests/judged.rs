//! Judgements in a report: beside the numbers, using texts that the report reads anyway.

use std::collections::BTreeMap;

use simdex_judge::Model;
use simdex_schema::RootId;

use super::*;

/// High resemblance means `same`; otherwise the compression of the texts decides.
const MODEL: &str = "simdex-judge 3\nname ours\nnote of this test\nresemblance <= 0.95\n  mcd <= 0.0001\n    \
    version 0 30 0 0\n    template-only 0 0 30 0\n  same 30 0 0 0\n";

fn model(file: &str) -> Arc<Model> {
    Arc::new(Model::parse(file).unwrap())
}

/// The group of a contract with its drafts, gathered for judging.
fn judged_group() -> ReportGroup {
    let mut group = contract_group();
    for member in &mut group.members {
        let length = match member.document == document(DRAFT) {
            true => DRAFT.len(),
            false => CONTRACT.len(),
        };
        member.on_record = Some(Box::new(OnRecord {
            root: RootId(1),
            author: None,
            is_quoting: false,
            length: length as u64,
        }));
    }
    group
}

/// A report with these texts and this model: its folder, and how often each text was read.
fn judged(
    groups: Vec<ReportGroup>,
    model: Option<Arc<Model>>,
    account: &MemoryAccount,
) -> (tempfile::TempDir, Written, Vec<u32>) {
    let reads = std::cell::RefCell::new(BTreeMap::<DocumentHash, u32>::new());
    let text_of = |requested_files: &DocumentHash| {
        *reads.borrow_mut().entry(*requested_files).or_default() += 1;
        known(requested_files)
    };
    let folder = tempfile::tempdir().unwrap();
    let input = ReportInput {
        judge: model,
        account,
        ..input(groups, &text_of)
    };
    let done = keep(folder.path(), "report", &input).unwrap();
    verify(&folder.path().join("report")).unwrap();
    let reads = reads.borrow().values().copied().collect();
    (folder, done, reads)
}

fn lines(folder: &tempfile::TempDir, name: &str) -> Vec<serde_json::Value> {
    let lines = read(&folder.path().join("report"), name);
    let lines = lines.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn manifest(folder: &tempfile::TempDir) -> serde_json::Value {
    serde_json::from_str(&read(&folder.path().join("report"), "manifest.json")).unwrap()
}

#[test]
fn files_are_judged_against_their_principal_by_texts_that_are_read_once() {
    let (folder, done, reads) = judged(vec![judged_group()], Some(model(MODEL)), &ACCOUNT);
    assert_eq!(reads, [1, 1]);
    assert_eq!(done.unjudged, Some(0));
    let mut line = lines(&folder, "groups.jsonl").remove(0);
    let is_apart = line.as_object_mut().unwrap().remove("judged_apart");
    assert_eq!(is_apart, Some(true.into()));
    let members = line["members"].as_array_mut().unwrap();
    for (at, class) in [(1, "template-only"), (2, "same"), (3, "template-only")] {
        let judged = members[at].as_object_mut().unwrap().remove("judgement");
        let judged = judged.unwrap();
        assert_eq!(judged["class"], class, "{judged}");
        let by_rule = class != "same";
        assert_eq!(judged["rule_number"].as_u64() == Some(2), by_rule);
        assert_eq!(judged["signals"][0]["name"] == "resemblance", by_rule);
        assert_eq!(judged["model"]["name"] == "ours", by_rule);
    }
    // The principal has no judgement, and nothing else in the line differs.
    let (plain, _, _) = judged(vec![judged_group()], None, &ACCOUNT);
    assert_eq!(lines(&plain, "groups.jsonl"), [line]);
    for name in ["diffs.jsonl", "unread.jsonl"] {
        assert_eq!(lines(&plain, name), lines(&folder, name));
    }
}

#[test]
fn manifest_and_page_say_what_judged_and_which_groups_it_parts() {
    let together = ReportGroup {
        id: 8,
        members: judged_group().members[..1].to_vec(),
        ..judged_group()
    };
    let groups = vec![judged_group(), together];
    let (folder, _, _) = judged(groups.clone(), Some(model(MODEL)), &ACCOUNT);
    let told = manifest(&folder);
    assert_eq!(told["judge_model"]["name"], "ours");
    assert_eq!(told["judge_model"]["note"], "of this test");
    assert_eq!(
        (&told["groups_judged_apart"], &told["unjudged"]),
        (&1.into(), &0.into())
    );
    let page = read(&folder.path().join("report"), "report.html");
    for shown in [
        "<tr><th scope=\"row\">Judged by</th><td>ours <span class=\"path\">",
        "<th scope=\"col\">Judged</th>",
        "<details class=\"why\"><summary>template-only 0.912</summary>rule 2: ",
        "<td data-is=\"Judged\">same 1.000</td>",
        "<p class=\"apart\">Some of these files are judged neither",
        "<p id=\"apart\">1 group with files that are judged no versions of the principal: <a href=\"#g7\">7</a>.</p>",
    ] {
        assert!(page.contains(shown), "{shown} is not in {page}");
    }
    assert_eq!(page.matches("class=\"apart\"").count(), 1);
    let (plain, done, _) = judged(groups, None, &ACCOUNT);
    assert_eq!(done.unjudged, None);
    let page = read(&plain.path().join("report"), "report.html");
    assert!(!page.contains("Judged") && !page.contains("id=\"apart\""));
    let told = manifest(&plain);
    for key in ["judge_model", "groups_judged_apart", "unjudged"] {
        assert!(told.get(key).is_none(), "{told}");
    }
}

#[test]
fn a_text_that_is_not_kept_is_not_judged_and_its_group_not_told_to_be_together() {
    let mut group = judged_group();
    group.members[1].document = document("a text that is nowhere");
    group.members.truncate(2);
    let (folder, done, _) = judged(vec![group], Some(model(MODEL)), &ACCOUNT);
    assert_eq!((done.unjudged, done.without_text), (Some(0), 1));
    let line = lines(&folder, "groups.jsonl").remove(0);
    assert!(line.get("judged_apart").is_none(), "{line}");
    assert!(line["members"][1].get("judgement").is_none(), "{line}");
    let page = read(&folder.path().join("report"), "report.html");
    assert!(page.contains("<td data-is=\"Judged\">not judged: text not kept</td>"));
    assert!(page.contains("Not every file of this group was judged."));
}

#[test]
fn a_model_that_asks_where_files_lie_judges_copies_apart() {
    let by_folder = "simdex-judge 3\nname ours\nnote x\nsame-folder <= 0.5\n  template-only 0 0 30 0\n  \
        version 0 30 0 0\n";
    let mut group = judged_group();
    let at = group
        .members
        .iter()
        .position(|it| it.document == document(DRAFT))
        .unwrap();
    group.members[at].path = b"/share/draft.txt".to_vec();
    let (folder, _, reads) = judged(vec![group], Some(model(by_folder)), &ACCOUNT);
    assert_eq!(reads, [1, 1]);
    let line = lines(&folder, "groups.jsonl").remove(0);
    let judged = line["members"].as_array().unwrap().iter();
    let judged: Vec<_> = judged
        .map(|it| {
            (
                it["path"].as_str().unwrap(),
                it["judgement"]["class"].as_str(),
            )
        })
        .collect();
    let expected = [
        ("/share/contract.docx", None),
        ("/share/a/draft.txt", Some("template-only")),
        ("/share/copy.pdf", Some("same")),
        ("/share/draft.txt", Some("version")),
    ];
    assert_eq!(judged, expected);
}
