//! Reports of compliance questions, asked of a real daemon with two roots.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::daemon::{Daemon, code, prose};
use serde_json::Value;
use simdex_client::{Caveat, EarlierReport, Error, FindingTotals, SavedReport, Totals, wire};
use simdexd::config::{Config, Mebibytes, RootConfig, RootMode};
use tonic::Code;

mod copies;
mod cost;
mod duplicates;
mod sent;
mod stale;
mod superseded;
mod thresholds;

const DAY: u64 = 86_400;

/// Two roots: `share` with a plan in three versions, its copy and a hard link; `vault` with a secret that a note of
/// `share` quotes.
struct Shares {
    daemon: Daemon,
    vault: tempfile::TempDir,
    place: tempfile::TempDir,
}

impl Shares {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut Config)) -> Self {
        let plan = |versions: u64| {
            let added: Vec<_> = (1..versions).map(|number| prose(90 + number, 20)).collect();
            format!("{} {}", prose(1, 400), added.join(" "))
        };
        let secret = prose(7, 300);
        let files = [
            ("plan-1.txt", plan(1)),
            ("plan-2.txt", plan(2)),
            ("plan-3.txt", plan(3)),
            ("copy/plan-1.txt", plan(1)),
            ("note.txt", format!("{} {secret}", prose(8, 2_000))),
            ("other.txt", prose(3, 400)),
        ];
        let vault = tempfile::tempdir().unwrap();
        let inside = vault.path().canonicalize().unwrap();
        fs::write(inside.join("secret.txt"), &secret).unwrap();
        let daemon = Daemon::with(&[], |config| {
            config.roots.push(RootConfig {
                path: inside,
                mode: RootMode::Poll,
            });
            change(config);
        });
        fs::create_dir(daemon.path("copy")).unwrap();
        for (name, text) in files {
            fs::write(daemon.path(name), text).unwrap();
        }
        fs::hard_link(daemon.path("other.txt"), daemon.path("same.txt")).unwrap();
        for (name, days) in [
            ("plan-1.txt", 300),
            ("copy/plan-1.txt", 200),
            ("plan-2.txt", 100),
        ] {
            let file = fs::File::options()
                .write(true)
                .open(daemon.path(name))
                .unwrap();
            let age = Duration::from_secs(days * DAY);
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        daemon.sync();
        let place = tempfile::tempdir().unwrap();
        Self {
            daemon,
            vault,
            place,
        }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.place.path().canonicalize().unwrap().join(name)
    }

    fn ask(&self, name: &str, options: wire::ReportOptions) -> Result<SavedReport, Error> {
        let out = self.out(name);
        let client = &self.daemon.client;
        self.daemon
            .wait(client.download_report(&out, None, options))
    }

    /// The findings of a report that is whole, and its manifest.
    fn found(&self, options: wire::ReportOptions) -> (Vec<Value>, Value) {
        let kind = options.kind.clone();
        let name = format!(
            "{kind}-{}",
            fs::read_dir(self.place.path()).unwrap().count()
        );
        self.ask(&name, options).unwrap();
        let out = self.out(&name);
        simdexd::reports::report::verify(&out).unwrap();
        let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
        let findings = read("findings.jsonl");
        let findings = findings
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let manifest: Value = serde_json::from_str(&read("manifest.json")).unwrap();
        assert_eq!(manifest["kind"], kind);
        assert!(read("report.html").contains("</html>"));
        (findings.collect(), manifest)
    }

    /// A path of a finding without the folder of its root.
    fn short<'a>(&self, path: &'a Value) -> &'a str {
        let path = Path::new(path.as_str().unwrap());
        let roots = [
            self.daemon.path(""),
            self.vault.path().canonicalize().unwrap(),
        ];
        let below = roots.iter().find_map(|root| path.strip_prefix(root).ok());
        below.unwrap().to_str().unwrap()
    }

    /// File, relation and other file of each finding.
    fn triples<'a>(&self, findings: &'a [Value]) -> Vec<(&'a str, &'a str, &'a str)> {
        let triple = |finding: &'a Value| {
            let relation = finding["relation"].as_str().unwrap();
            (
                self.short(&finding["path"]),
                relation,
                self.short(&finding["of"]),
            )
        };
        findings.iter().map(triple).collect()
    }
}

fn of_kind(kind: &str) -> wire::ReportOptions {
    wire::ReportOptions {
        kind: kind.to_owned(),
        ..wire::ReportOptions::default()
    }
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

#[test]
fn copies_are_found_by_root_and_owner() {
    let shares = Shares::new();
    let daemon = &shares.daemon;
    let (found, manifest) = shares.found(wire::ReportOptions {
        files: vec![bytes(&daemon.path("plan-1.txt"))],
        ..of_kind("copies-of")
    });
    assert_eq!(
        shares.triples(&found),
        [
            ("copy/plan-1.txt", "identical-bytes", "plan-1.txt"),
            ("plan-2.txt", "near-duplicate", "plan-1.txt"),
            ("plan-3.txt", "near-duplicate", "plan-1.txt"),
        ]
    );
    let owner = rustix::process::getuid().as_raw();
    assert!(found.iter().all(|finding| finding["owner"] == owner));
    assert_eq!(found[1]["containment_of_other"], 1.0);
    assert_eq!(manifest["findings"]["copies"], 3);
    let asked = manifest["question"]["files"][0]["path"].as_str().unwrap();
    assert_eq!(Path::new(asked), daemon.path("plan-1.txt"));
}

#[test]
fn of_a_file_that_is_not_compared_the_files_of_the_same_bytes_are_found() {
    let shares = Shares::with(|config| config.extract.raw_mib = Mebibytes(0));
    let daemon = &shares.daemon;
    let noise = |seed: u32| -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..100_000).map(|_| next()).collect()
    };
    for (name, seed) in [("a.bin", 1), ("copy/a.bin", 1), ("b.bin", 2)] {
        fs::write(daemon.path(name), noise(seed)).unwrap();
    }
    fs::write(shares.vault.path().join("c.bin"), noise(1)).unwrap();
    daemon.sync();
    let (found, manifest) = shares.found(wire::ReportOptions {
        files: vec![
            bytes(&daemon.path("a.bin")),
            bytes(&daemon.path("plan-1.txt")),
        ],
        ..of_kind("copies-of")
    });
    let of_noise: Vec<_> = shares
        .triples(&found)
        .into_iter()
        .filter(|(_, _, of)| *of == "a.bin")
        .collect();
    let mut names: Vec<_> = of_noise.iter().map(|(name, _, _)| *name).collect();
    names.sort_unstable();
    assert_eq!(names, ["c.bin", "copy/a.bin"]);
    assert!(
        of_noise
            .iter()
            .all(|(_, relation, _)| *relation == "identical-bytes")
    );
    let sums = &manifest["findings"];
    assert_eq!(
        (&sums["not_compared"], &sums["copies"]),
        (&1.into(), &5.into())
    );
}

/// A text of a few words within a very long one may share none of the fingerprints that are looked up.
#[test]
fn a_search_that_may_miss_a_match_is_counted() {
    let shares = Shares::new();
    let daemon = &shares.daemon;
    let long = prose(11, 60_000);
    let excerpt: String = long.chars().skip(200_000).take(160).collect();
    fs::write(daemon.path("long.txt"), &long).unwrap();
    fs::write(shares.vault.path().join("excerpt.txt"), excerpt).unwrap();
    daemon.sync();
    let options = wire::ReportOptions {
        protected: vec![bytes(&shares.vault.path().canonicalize().unwrap())],
        ..of_kind("leak")
    };
    let (_, manifest) = shares.found(options);
    let sums = &manifest["findings"];
    assert_eq!(
        (&sums["compared"], &sums["uncertain"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn a_copy_within_another_file_belongs_to_the_owner_of_that() {
    let shares = Shares::new();
    let daemon = &shares.daemon;
    let text = fs::read_to_string(daemon.path("plan-1.txt")).unwrap();
    let mail = format!(
        "From: a@example.org\r\nSubject: the plan\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n\
         see the attachment\r\n--b\r\nContent-Type: text/plain\r\n\
         Content-Disposition: attachment; filename=plan.txt\r\n\r\n{text}\r\n--b--\r\n"
    );
    fs::write(daemon.path("mail.eml"), mail).unwrap();
    daemon.sync();
    let (found, _) = shares.found(wire::ReportOptions {
        files: vec![bytes(&daemon.path("plan-1.txt"))],
        ..of_kind("copies-of")
    });
    let inside = found
        .iter()
        .find(|finding| shares.short(&finding["path"]).starts_with("mail.eml!/"));
    let owner = rustix::process::getuid().as_raw();
    assert_eq!(inside.unwrap()["owner"], owner);
}

#[test]
fn stale_versions_and_leaks_are_found_and_nothing_else() {
    let shares = Shares::new();
    let (found, manifest) = shares.found(wire::ReportOptions {
        older_than_seconds: Some(150 * DAY),
        ..of_kind("stale-versions")
    });
    assert_eq!(
        shares.triples(&found),
        [
            ("copy/plan-1.txt", "superseded", "plan-2.txt"),
            ("plan-1.txt", "superseded", "plan-2.txt"),
        ]
    );
    assert_eq!(shares.short(&found[0]["newest"]), "plan-3.txt");
    assert_eq!(manifest["findings"]["stale_files"], 2);
    assert_eq!(manifest["question"]["older_than_seconds"], 150 * DAY);

    let (found, manifest) = shares.found(wire::ReportOptions {
        protected: vec![bytes(&shares.vault.path().canonicalize().unwrap())],
        ..of_kind("leak")
    });
    assert_eq!(
        shares.triples(&found),
        [("note.txt", "contains", "secret.txt")]
    );
    assert_eq!(found[0]["verified"], true);
    assert!(found[0]["containment"].as_f64().unwrap() < 0.5);
    assert_eq!(manifest["findings"]["compared"], 1);
}

#[test]
fn copies_of_protected_files_that_cannot_be_compared_are_leaks() {
    let shares = Shares::new();
    let inside = shares.vault.path().canonicalize().unwrap();
    for (name, text) in [
        ("pin.txt", "pin 4711"),
        ("pin-2.txt", "pin 4711"),
        ("empty.txt", ""),
    ] {
        fs::write(inside.join(name), text).unwrap();
        fs::write(shares.daemon.path(name), text).unwrap();
    }
    fs::write(shares.daemon.path("other-pin.txt"), "pin 4712").unwrap();
    shares.daemon.sync();
    let (found, manifest) = shares.found(wire::ReportOptions {
        protected: vec![bytes(&inside)],
        ..of_kind("leak")
    });
    // Copies are found once, by the first file inside that has these bytes; empty files tell nobody anything.
    let (pins, rest): (Vec<_>, Vec<_>) = shares
        .triples(&found)
        .into_iter()
        .partition(|(name, _, _)| name.starts_with("pin"));
    let names: Vec<_> = pins.iter().map(|(name, _, _)| *name).collect();
    assert_eq!(names, ["pin-2.txt", "pin.txt"]);
    for (_, relation, of) in &pins {
        assert_eq!(*relation, "identical-bytes");
        assert_eq!(of, &pins[0].2);
    }
    assert_eq!(rest, [("note.txt", "contains", "secret.txt")]);
    let sums = &manifest["findings"];
    assert_eq!(
        (&sums["found"], &sums["not_compared"]),
        (&3.into(), &3.into())
    );
}

#[test]
fn duplicates_are_told_from_hard_links() {
    let shares = Shares::new();
    let daemon = &shares.daemon;
    let (found, manifest) = shares.found(of_kind("duplicates"));
    assert_eq!(
        shares.triples(&found),
        [
            ("plan-1.txt", "identical-bytes", "copy/plan-1.txt"),
            ("same.txt", "hard-link", "other.txt"),
        ]
    );
    let freed = fs::metadata(daemon.path("plan-1.txt")).unwrap().len();
    let sums = &manifest["findings"];
    assert_eq!(sums["identical_bytes_bytes"], freed);
    assert_eq!(
        (&sums["identical_bytes_files"], &sums["hard_links"]),
        (&1.into(), &1.into())
    );
    let again = shares.found(of_kind("duplicates")).0;
    assert_eq!(again, found);
}

#[test]
fn a_question_that_makes_no_sense_is_refused_and_leaves_nothing() {
    let shares = Shares::new();
    let unknown = || vec![b"/nowhere/x.txt".to_vec()];
    let refusals = [
        (
            of_kind("everything"),
            "\"everything\" is not a kind of report",
        ),
        (
            of_kind("copies-of"),
            "a report of kind copies-of needs files",
        ),
        (
            of_kind("stale-versions"),
            "a report of kind stale-versions needs an age",
        ),
        (
            of_kind("leak"),
            "a report of kind leak needs protected roots",
        ),
        (
            wire::ReportOptions {
                files: unknown(),
                ..of_kind("duplicates")
            },
            "a report of kind groups or copies-of alone takes files",
        ),
        (
            wire::ReportOptions {
                load_file: Some(wire::LoadFile {
                    format: "csv".to_owned(),
                    ..wire::LoadFile::default()
                }),
                ..of_kind("duplicates")
            },
            "only a report of kind groups has a load file",
        ),
    ];
    refuse(&shares, refusals);
}

fn refuse<const N: usize>(shares: &Shares, refusals: [(wire::ReportOptions, &str); N]) {
    for (options, sentence) in refusals {
        let refused = shares.ask("refused", options);
        assert_eq!(code(&refused), Code::InvalidArgument);
        let said = refused.unwrap_err().to_string();
        assert!(said.contains(sentence), "{said}");
    }
    assert_eq!(fs::read_dir(shares.place.path()).unwrap().count(), 0);
}

#[test]
fn two_reports_of_a_question_say_what_changed_between_them() {
    let shares = Shares::new();
    let daemon = &shares.daemon;
    let asked = |name: &str| wire::ReportOptions {
        files: vec![bytes(&daemon.path(name))],
        ..of_kind("copies-of")
    };
    shares.ask("first", asked("plan-1.txt")).unwrap();
    let earlier = || EarlierReport::open(&shares.out("first")).unwrap();
    let told = |later: &str| {
        let changes = earlier().write_changes(&shares.out(later)).unwrap();
        let lines = fs::read_to_string(&changes.out).unwrap();
        let lines = lines.lines().map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let (change, fields) = (line["change"].as_str().unwrap(), &line["fields"]);
            format!("{change} {} {fields}", shares.short(&line["path"]))
        });
        (lines.collect::<Vec<_>>(), changes)
    };
    shares.ask("same", asked("plan-1.txt")).unwrap();
    let (lines, same) = told("same");
    assert_eq!(lines, Vec::<String>::new());
    assert_eq!(same.totals, Totals::Findings(FindingTotals::default()));
    fs::remove_file(daemon.path("copy/plan-1.txt")).unwrap();
    fs::copy(daemon.path("plan-3.txt"), daemon.path("plan-2.txt")).unwrap();
    fs::copy(daemon.path("plan-1.txt"), daemon.path("again.txt")).unwrap();
    daemon.sync();
    shares.ask("second", asked("plan-1.txt")).unwrap();
    let (lines, second) = told("second");
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[0], "finding-new again.txt null");
    assert_eq!(lines[1], "finding-gone copy/plan-1.txt null");
    assert!(lines[2].starts_with("finding-changed plan-2.txt [\"document\",\"content\",\"bytes\""));
    assert_eq!(second.caveats, []);
    // Another question of the kind is said to be one; another kind is not compared with.
    shares.ask("other", asked("plan-2.txt")).unwrap();
    assert_eq!(told("other").1.caveats, [Caveat::Question]);
    assert!(earlier().check_kind("copies-of").is_ok());
    assert!(earlier().check_kind("duplicates").is_err());
    shares.ask("kind", of_kind("duplicates")).unwrap();
    let refused = earlier().write_changes(&shares.out("kind"));
    assert!(matches!(refused, Err(Error::NoEarlierReport { .. })));
    assert!(!shares.out("kind.changes.jsonl").exists());
}

#[test]
fn a_question_is_asked_of_some_roots_about_files_of_any() {
    let shares = Shares::new();
    let daemon = &shares.daemon;
    let vault = shares.vault.path().canonicalize().unwrap();
    fs::write(
        vault.join("taken.txt"),
        fs::read(daemon.path("plan-2.txt")).unwrap(),
    )
    .unwrap();
    daemon.sync();
    let asked = |roots: &[&Path]| wire::ReportOptions {
        files: vec![bytes(&daemon.path("plan-1.txt"))],
        roots: roots.iter().map(|root| bytes(root)).collect(),
        ..of_kind("copies-of")
    };
    let (found, manifest) = shares.found(asked(&[&vault]));
    assert_eq!(
        shares.triples(&found),
        [("taken.txt", "near-duplicate", "plan-1.txt")]
    );
    let roots = manifest["roots"].as_array().unwrap();
    assert_eq!((roots.len(), &manifest["files_on_disk"]), (1, &2.into()));
    let share = daemon.path("").components().collect::<PathBuf>();
    let (found, _) = shares.found(asked(&[&share, &vault]));
    assert_eq!(found.len(), 4);
    some_roots_refused(&shares, &vault);
}

/// What is asked of the vault alone, and of roots that are not there.
fn some_roots_refused(shares: &Shares, vault: &Path) {
    // Nothing is stale or twice there in the vault alone.
    let in_vault = |kind: &str| wire::ReportOptions {
        roots: vec![bytes(vault)],
        older_than_seconds: (kind == "stale-versions").then_some(DAY),
        ..of_kind(kind)
    };
    for kind in ["stale-versions", "duplicates"] {
        assert_eq!(shares.found(in_vault(kind)).0, [] as [Value; 0], "{kind}");
    }
    let nowhere = wire::ReportOptions {
        roots: vec![b"/nowhere".to_vec()],
        ..of_kind("duplicates")
    };
    let unknown = shares.ask("refused", nowhere);
    assert_eq!(code(&unknown), Code::NotFound);
    let said = unknown.unwrap_err().to_string();
    let share: PathBuf = shares.daemon.path("").components().collect();
    let right = format!(
        "/nowhere is not a watched root; the roots are {}, ",
        share.display()
    );
    assert!(
        said.contains(&right) && said.contains(vault.to_str().unwrap()),
        "{said}"
    );
    let protecting = wire::ReportOptions {
        protected: vec![bytes(vault)],
        ..in_vault("leak")
    };
    assert_eq!(
        code(&shares.ask("refused", protecting)),
        Code::InvalidArgument
    );
}

#[test]
fn a_question_about_unknown_files_is_refused_and_leaves_nothing() {
    let shares = Shares::new();
    let unknown = || vec![b"/nowhere/x.txt".to_vec()];
    let missing = [
        wire::ReportOptions {
            files: unknown(),
            ..of_kind("copies-of")
        },
        wire::ReportOptions {
            files: unknown(),
            ..of_kind("groups")
        },
        wire::ReportOptions {
            protected: unknown(),
            ..of_kind("leak")
        },
    ];
    for options in missing {
        assert_eq!(code(&shares.ask("refused", options)), Code::NotFound);
    }
    assert_eq!(fs::read_dir(shares.place.path()).unwrap().count(), 0);
}
