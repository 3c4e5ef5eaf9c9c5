//! Reports over small made-up shares.
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::LazyLock;

use simdex_index::MemoryBudget;
use simdex_proto::completeness::Pending;
use simdex_proto::lines::Scheme;

mod found;
mod growth;
mod judged;
mod pages;
mod verification;

use super::*;
use crate::read_side::catalogue::ListCounts;

const CONTRACT: &str =
    "Supply agreement\n\nThe supplier delivers within 30 days.\nPrices are fixed.\n";
const DRAFT: &str =
    "Supply agreement\r\n\nThe supplier delivers within 45 days.\nPrices are fixed.";

fn document(text: &str) -> DocumentHash {
    DocumentHash(*blake3::hash(text.as_bytes()).as_bytes())
}

fn member(
    path: &[u8],
    text: &str,
    relation: &'static str,
    resemblance: Option<f64>,
) -> ReportMember {
    ReportMember {
        path: path.to_vec(),
        document: document(text),
        relation: Some(relation),
        resemblance,
        containment_of_member: resemblance,
        containment_of_principal: resemblance,
        modified: Some(1_700_000_000),
        bytes: Some(1234),
        is_requested: false,
        on_record: None,
    }
}

pub(super) fn plain_member() -> ReportMember {
    member(b"/share/a.txt", CONTRACT, "identical-bytes", Some(1.0))
}

fn group(id: u64, members: Vec<ReportMember>) -> ReportGroup {
    ReportGroup {
        id,
        kind: "star",
        common: None,
        principal: members[0].path.clone(),
        members,
    }
}

pub(super) fn contract_group() -> ReportGroup {
    let near = Some(0.875);
    group(
        7,
        vec![
            member(
                b"/share/contract.docx",
                CONTRACT,
                "identical-bytes",
                Some(1.0),
            ),
            member(b"/share/z/draft-\xff.txt", DRAFT, "near-duplicate", near),
            member(b"/share/copy.pdf", CONTRACT, "identical-text", Some(1.0)),
            member(b"/share/a/draft.txt", DRAFT, "near-duplicate", near),
        ],
    )
}

pub(super) fn input<'a>(groups: Vec<ReportGroup>, text_of: &'a TextOf<'a>) -> ReportInput<'a> {
    ReportInput {
        created: "2024-05-06T07:08:09Z".parse().unwrap(),
        version: "0.1.0",
        threshold: 0.8,
        scheme: SchemeInUse {
            scheme: Scheme {
                name: "mod_n".to_owned(),
                n: 1,
                window: 20,
                unit: "bytes".to_owned(),
                canonical: 1,
            },
            n_most: 64,
        },
        roots: vec!["/share".into()],
        stale_roots: Vec::new(),
        summary: ListSummary {
            counts: ListCounts {
                files_on_disk: 6,
                states: BTreeMap::from([("indexed".to_owned(), 4), ("no-text".to_owned(), 2)]),
                documents: 2,
                ..ListCounts::default()
            },
            groups: Some(groups.len() as u64),
            completeness: Pending::default().into(),
            ..ListSummary::default()
        },
        completeness: &|| Pending::default().into(),
        seconds: &|| 0.5,
        groups,
        requested_files: None,
        clusters: None,
        findings: None,
        files: &two_unread,
        load: None,
        since: None,
        judge: None,
        key: &KEY,
        text_of,
        account: &ACCOUNT,
    }
}

fn two_unread(visit: &mut VisitFile<'_>) -> io::Result<()> {
    let read = ReportFile {
        path: b"/share/contract.docx",
        state: "indexed",
        ..ReportFile::default()
    };
    visit(&read)?;
    visit(&ReportFile {
        path: b"/share/<locked>\xff.pdf",
        state: "encrypted",
        reason: "password-needed",
        is_unread: true,
        ..read
    })?;
    visit(&ReportFile {
        path: b"/share/x",
        state: "timed-out",
        is_unread: true,
        ..read
    })
}

/// The key, different in every run.
static KEY: LazyLock<ReportKey> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    ReportKey::open(dir.path()).unwrap()
});

static ACCOUNT: LazyLock<MemoryAccount> =
    LazyLock::new(|| MemoryBudget::new(64 << 20).account(&Cancel::never()));

/// Writes a report into a folder of a directory and gives it its name.
pub(super) fn keep(
    dir: &Path,
    name: &str,
    input: &ReportInput<'_>,
) -> Result<Written, ReportError> {
    let reports = ReportDir::open(&dir.canonicalize().unwrap())?;
    let folder = reports.begin(name.as_ref())?;
    let written = write(&folder, input)?;
    folder.publish()?;
    Ok(written)
}

pub(super) fn known(document_asked: &DocumentHash) -> io::Result<Option<HeldText>> {
    let texts = [CONTRACT, DRAFT, HOSTILE];
    let found = texts
        .into_iter()
        .find(|text| document(text) == *document_asked);
    Ok(found.map(|text| HeldText::new(text.to_owned(), None)))
}

const HOSTILE: &str =
    "Supply agreement\n<script>alert(1)</script>\u{202e}\n\u{1b}[2JPrices \"are\" fixed.\n";

pub(super) fn read(report: &Path, name: &str) -> String {
    fs::read_to_string(report.join(name)).unwrap()
}

/// Writes a report, verifies it, and hands it to `look`.
fn written(groups: Vec<ReportGroup>, look: impl FnOnce(&Path, &Written)) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let done = keep(folder.path(), "report", &input(groups, &known)).unwrap();
    let verified = verify(&out).unwrap();
    assert_eq!(verified.files + 1, done.files);
    assert_eq!(verified.diffs, done.diffs);
    look(&out, &done);
}

#[test]
fn groups_are_lines_with_the_principal_first_and_paths_in_order() {
    let lone = group(
        3,
        vec![member(
            b"/share/b.txt",
            CONTRACT,
            "identical-bytes",
            Some(1.0),
        )],
    );
    written(vec![contract_group(), lone], |report, _| {
        let lines = read(report, "groups.jsonl");
        assert_eq!(lines, include_str!("golden/groups.jsonl"));
    });
}

#[test]
fn the_manifest_tells_everything_but_html_in_fixed_order() {
    written(vec![contract_group()], |report, _| {
        let text = read(report, "manifest.json");
        // The page changes with every word in it, and so does the hash of all lines.
        let changes = ["report.html", "daemon_mark", "manifest_blake3"];
        let stable = |line: &&str| !changes.iter().any(|word| line.contains(word));
        let stable: String = text
            .lines()
            .filter(stable)
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(stable, include_str!("golden/manifest.json"));
    });
}

#[test]
fn a_report_that_is_not_complete_says_so_and_why() {
    let pending = Pending {
        queued: 5_218,
        unsettled: 312,
        ..Pending::default()
    };
    let told = Completeness::from(pending);
    let met = told.clone().with_damaged(1);
    let met_last = met.clone();
    let met = move || met.clone();
    let mut report = input(vec![contract_group()], &known);
    report.summary.completeness = told;
    report.completeness = &met;
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), "report", &report).unwrap();
    let out = folder.path().join("report");
    assert!(verify(&out).is_ok());
    let manifest: serde_json::Value = serde_json::from_str(&read(&out, "manifest.json")).unwrap();
    let said: Completeness = serde_json::from_value(manifest).unwrap();
    assert_eq!(said, met_last);
    let page = read(&out, "report.html");
    let known_first =
        page.find("When it was made: 5,218 changes queued, 312 documents not settled.");
    let known_last = page.find("5,218 changes queued, 312 documents not settled, 1 text damaged.");
    assert!(known_first < known_last && known_first.is_some(), "{page}");
    written(vec![contract_group()], |report, _| {
        assert!(!read(report, "report.html").contains("not complete"));
    });
}

#[test]
fn each_diff_belongs_to_named_files_and_applies() {
    written(vec![contract_group()], |report, done| {
        assert_eq!((done.diffs, done.without_text), (1, 0));
        let line: serde_json::Value = serde_json::from_str(&read(report, "diffs.jsonl")).unwrap();
        assert_eq!(line["files"][0]["path"], "/share/a/draft.txt");
        assert_eq!(
            line["files"][1]["path_bytes"],
            "L3NoYXJlL3ovZHJhZnQt/y50eHQ="
        );
        let diff = read(report, line["diff"].as_str().unwrap());
        assert_eq!(
            crate::read_side::difference::apply(&diff, CONTRACT).unwrap(),
            DRAFT
        );
        assert_eq!(read(report, line["to_text"].as_str().unwrap()), DRAFT);
    });
}

#[test]
fn every_file_that_was_not_read_is_named_with_its_reason() {
    written(vec![contract_group()], |report, _| {
        assert_eq!(
            read(report, "unread.jsonl"),
            "{\"type\":\"unread\",\"v\":1,\"path\":\"/share/<locked>\u{fffd}.pdf\",\
             \"path_bytes\":\"L3NoYXJlLzxsb2NrZWQ+/y5wZGY=\",\"state\":\"encrypted\",\
             \"reason\":\"password-needed\"}\n\
             {\"type\":\"unread\",\"v\":1,\"path\":\"/share/x\",\"state\":\"timed-out\",\"reason\":null}\n"
        );
        let page = read(report, "report.html");
        for part in [
            "<td class=\"w\">encrypted</td><td class=\"w\">password-needed</td>",
            "/share/&lt;locked&gt;<i class=\"u\">\\xFF</i>.pdf",
            "<td class=\"w\">timed-out</td>",
        ] {
            assert!(page.contains(part), "{part} is missing in {page}");
        }
    });
}

#[test]
fn the_page_shows_what_differs() {
    written(vec![contract_group()], |report, _| {
        let page = read(report, "report.html");
        for part in [
            "<del>30</del> days",
            "<ins>45</ins> days",
            "<i class=\"u\">CR</i>",
            "<i class=\"u\">no line end</i>",
            "draft-<i class=\"u\">\\xFF</i>.txt",
            "aria-label=\"diff as a file: draft.txt, diffs/7/",
            "aria-label=\"diff as a file: draft-\\xFF.txt, diffs/7/",
            "<td class=\"r\" data-is=\"Resemblance\">0.875</td>",
            "2023-11-14 22:13",
            "Files on disk: 6. Compared: 4. Opened as containers: 0. Not compared: 2.",
        ] {
            assert!(page.contains(part), "{part} is missing in {page}");
        }
    });
}

#[test]
fn markup_and_controls_in_names_and_texts_are_inert() {
    let name = b"/share/<script>alert(2)</script>\n\xe2\x80\xae&\"'.txt";
    let hostile = member(name, HOSTILE, "near-duplicate", Some(0.9));
    let principal = member(b"/share/<b>.txt", CONTRACT, "identical-bytes", Some(1.0));
    written(vec![group(1, vec![principal, hostile])], |report, _| {
        let page = read(report, "report.html");
        // The data of the list, and the script that the policy allows.
        assert_eq!(page.matches("<script").count(), 2);
        assert!(!page.contains("<b>.txt"));
        let data = page.split("id=\"groups-data\">").nth(1).unwrap();
        let data: serde_json::Value =
            serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
        assert_eq!(data[0][2], "/share/<b>.txt");
        assert_eq!(
            data[0][6][0],
            "/share/<script>alert(2)</script>\\u{a}\\u{202e}&\"'.txt"
        );
        assert!(!page.contains(['\u{202e}', '\u{1b}']));
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
        assert!(
            page.contains("<i class=\"u\">U+000A</i><i class=\"u\">U+202E</i>&amp;&quot;&#39;.txt")
        );
        assert!(page.contains("default-src 'none'"));
        let links: Vec<_> = page
            .split("href=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap())
            .collect();
        assert!(
            links
                .iter()
                .all(|link| !link.contains(':') && !link.starts_with('/')),
            "{links:?}"
        );
    });
}

#[test]
fn a_text_that_is_not_kept_is_said_so() {
    let absent = member(b"/share/x", "never stored", "near-duplicate", Some(0.9));
    let mut with_absent = contract_group();
    with_absent.members.push(absent.clone());
    let mut lost = vec![
        absent,
        member(b"/share/y", CONTRACT, "near-duplicate", None),
    ];
    lost[0].path = b"/share/w".to_vec();
    written(vec![with_absent, group(8, lost)], |report, done| {
        assert_eq!((done.diffs, done.without_text), (1, 2));
        let page = read(report, "report.html");
        assert!(page.contains("text not kept"));
        assert!(page.contains("The text of the principal is not kept"));
        assert!(page.contains("not measured"));
        assert!(
            read(report, "diffs.jsonl")
                .contains("\"group\":8,\"diff\":null,\"left_out\":\"text-not-kept\"")
        );
    });
}

#[test]
fn what_exists_is_never_touched() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    fs::create_dir(&out).unwrap();
    let refused = keep(folder.path(), "report", &input(vec![], &known));
    assert!(matches!(refused, Err(ReportError::Exists { .. })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_appears_meanwhile_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let text_of = |document: &DocumentHash| {
        fs::create_dir_all(&out)?;
        known(document)
    };
    let refused = keep(
        folder.path(),
        "report",
        &input(vec![contract_group()], &text_of),
    );
    assert!(
        matches!(refused, Err(ReportError::Exists { .. })),
        "{refused:?}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
}

#[test]
fn a_failure_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let broken = |requested_files: &DocumentHash| {
        if *requested_files == document(DRAFT) {
            return Err(io::Error::other("torn segment"));
        }
        known(requested_files)
    };
    let failed = keep(
        folder.path(),
        "report",
        &input(vec![contract_group()], &broken),
    )
    .unwrap_err();
    assert!(failed.to_string().contains("torn segment"));
    let mut headless = contract_group();
    headless.principal = b"/elsewhere".to_vec();
    let failed = keep(folder.path(), "report", &input(vec![headless], &known)).unwrap_err();
    assert!(matches!(failed, ReportError::NoPrincipal { id: 7 }));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn only_the_owner_may_read() {
    written(vec![contract_group()], |report, _| {
        let mode = |name: &str| {
            fs::metadata(report.join(name))
                .unwrap()
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(
            (mode(""), mode("diffs/7"), mode("text")),
            (0o700, 0o700, 0o700)
        );
        assert_eq!((mode("manifest.json"), mode("report.html")), (0o600, 0o600));
    });
}

#[test]
fn a_report_that_nobody_waits_for_any_more_stops_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cancel = Cancel::never();
    let count = std::cell::Cell::new(0);
    let text_of = |document: &DocumentHash| {
        count.set(count.get() + 1);
        cancel.cancel();
        known(document)
    };
    let second = group(
        9,
        vec![member(b"/share/b", DRAFT, "identical-bytes", Some(1.0))],
    );
    let input = ReportInput {
        account: &MemoryBudget::new(64 << 20).account(&cancel),
        ..input(vec![contract_group(), second], &text_of)
    };
    let refused = keep(folder.path(), "report", &input);
    assert!(
        matches!(refused, Err(ReportError::Cancelled)),
        "{refused:?}"
    );
    assert_eq!(count.get(), 1, "no second text is asked for");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_order_of_the_input_does_not_show() {
    let second = group(
        9,
        vec![member(b"/share/b", DRAFT, "identical-bytes", Some(1.0))],
    );
    let mut turned = contract_group();
    turned.members.reverse();
    let mut pages = Vec::new();
    for groups in [vec![contract_group(), second.clone()], vec![second, turned]] {
        written(groups, |report, _| {
            pages.push([read(report, "report.html"), read(report, "manifest.json")]);
        });
    }
    assert_eq!(pages[0], pages[1]);
}

#[test]
fn a_report_stops_at_the_room_that_is_kept_free_and_leaves_nothing_behind() {
    use crate::host::disk::{DiskGuard, Space};
    const KEPT: u64 = 1 << 20;
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().canonicalize().unwrap();
    // Room for folders and a little more, beyond what is kept free and as much again.
    let space = Space {
        available: 2 * KEPT + (30 << 10),
        total: 1 << 30,
    };
    let disk = DiskGuard::measured_by(&place, KEPT, Box::new(move |_| Ok(space)));
    let reports = ReportDir::open(&place).unwrap().watched_by(disk);
    let folder = reports.begin("r".as_ref()).unwrap();
    let long = "A line of a long text.\n".repeat(4_000);
    let text_of = |_: &DocumentHash| Ok(Some(HeldText::new(long.clone(), None)));
    let refused = write(&folder, &input(vec![contract_group()], &text_of)).unwrap_err();
    assert!(matches!(refused, ReportError::NoRoom { .. }), "{refused}");
    assert!(refused.advice().unwrap().contains("remove reports"));
    drop(folder);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
}

#[test]
fn a_report_that_holds_more_than_it_may_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let budget = MemoryBudget::new(2 << 20);
    let account = budget.account_of(7, &Cancel::never());
    let path = |at: usize| format!("/share/{at:06}.txt").into_bytes();
    let of = |at| member(&path(at), CONTRACT, "identical-bytes", Some(1.0));
    let groups = vec![group(9, (0..20_000).map(of).collect())];
    let mut input = ReportInput {
        account: &account,
        ..input(groups, &known)
    };
    keep(folder.path(), "without", &input).unwrap();
    assert_eq!(budget.used(), 0);
    input.load = Some(LoadFile::named("csv", "", "").unwrap());
    let refused = keep(folder.path(), "with", &input).unwrap_err();
    assert!(
        matches!(&refused, ReportError::Memory(_)) && refused.to_string().contains("MiB"),
        "{refused:?}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(budget.used(), 0);
}
