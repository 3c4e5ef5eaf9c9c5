//! The family of a document, asked of a real daemon: chains, branches, copies, excerpts, and its bounds.

use std::time::{Duration, SystemTime};

mod gaps;
mod latest;
mod merged;
mod renamed;

use simdex_client::{FamilyPart, FindOptions, Subject, wire};

use crate::daemon::{Daemon, code, prose, tar};
use tonic::Code;

/// Versions by number, each with the names of its files; edges as (parent, version).
struct Family {
    versions: Vec<Vec<String>>,
    edges: Vec<wire::VersionEdge>,
    /// The date of the first file of each version, and what it was taken from.
    dates: Vec<(Option<i64>, String)>,
    asked: Option<u32>,
    summary: wire::FamilySummary,
}

impl Family {
    fn of(daemon: &Daemon, subject: Subject, options: &FindOptions) -> Self {
        daemon
            .wait(async {
                let mut parts = daemon.client.family(subject, options).await?;
                let (mut versions, mut edges) = (Vec::<Vec<String>>::new(), Vec::new());
                let (mut dates, mut asked) = (Vec::new(), None);
                while let Some(part) = parts.next().await? {
                    match part {
                        FamilyPart::Edge(edge) => edges.push(edge),
                        FamilyPart::File(file) => {
                            let found = file.r#match.unwrap_or_default();
                            let name = String::from_utf8_lossy(&found.path).into_owned();
                            let name = name.rsplit('/').next().unwrap_or_default().to_owned();
                            if found.is_query {
                                asked = Some(file.version);
                            }
                            let at = file.version as usize - 1;
                            versions.resize(versions.len().max(at + 1), Vec::new());
                            versions[at].push(name);
                            if dates.len() == at {
                                dates.push((found.date, found.date_source));
                            }
                        }
                    }
                }
                let summary = parts.summary().await?;
                Ok::<_, simdex_client::Error>(Self {
                    versions,
                    edges,
                    dates,
                    asked,
                    summary,
                })
            })
            .expect("a family")
    }

    fn of_file(daemon: &Daemon, name: &str) -> Self {
        let subject = Subject::Path(daemon.path(name));
        Self::of(daemon, subject, &FindOptions::default())
    }

    /// Edges by the first names of both versions.
    fn named(&self) -> Vec<(&str, &str)> {
        let name = |version: u32| self.versions[version as usize - 1][0].as_str();
        let edges = self.edges.iter();
        edges
            .map(|edge| (name(edge.parent), name(edge.version)))
            .collect()
    }
}

/// A history in which each version changes another tenth of the text, so that the last shares nothing with
/// the first; with a branch at the fourth, a copy of the second, and an excerpt of the last.
fn share() -> Vec<(String, String)> {
    let parts = |at: usize| -> String {
        let part = |slot: usize| prose(100 + (at + 9 - slot) as u64 / 10 * 10 + slot as u64, 60);
        (0..10).map(part).collect()
    };
    let mut files: Vec<_> = (0..16)
        .map(|at| (format!("v{at:02}.txt"), parts(at)))
        .collect();
    files.push(("w04.txt".into(), format!("{}{}", parts(4), prose(900, 40))));
    files.push(("w05.txt".into(), format!("{}{}", parts(4), prose(900, 90))));
    files.push(("copy of v02.txt".into(), parts(2)));
    files.push((
        "x.txt".into(),
        parts(15).chars().skip(2000).take(800).collect(),
    ));
    files.push(("unlike.txt".into(), prose(5_000, 400)));
    files
}

fn dated(daemon: &Daemon, files: &[(String, String)], day: impl Fn(usize) -> u64) {
    for (at, (name, _)) in files.iter().enumerate() {
        set_modified(daemon, name, 1_600_000_000 + day(at) * 86_400);
    }
    daemon.sync();
}

fn set_modified(daemon: &Daemon, name: &str, seconds: u64) {
    let file = std::fs::File::options().write(true).open(daemon.path(name));
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    file.expect("a file").set_modified(time).expect("a time");
}

fn expected() -> Vec<(String, String)> {
    let name = |at: usize| match at {
        2 => "copy of v02.txt".to_owned(),
        at => format!("v{at:02}.txt"),
    };
    let mut edges: Vec<_> = (1..16).map(|at| (name(at - 1), name(at))).collect();
    edges.push(("v04.txt".into(), "w04.txt".into()));
    edges.push(("w04.txt".into(), "w05.txt".into()));
    edges.push(("v15.txt".into(), "x.txt".into()));
    edges.sort();
    edges
}

fn sorted(family: &Family) -> Vec<(String, String)> {
    let owned = |(a, b): (&str, &str)| (a.to_owned(), b.to_owned());
    let mut edges: Vec<_> = family.named().into_iter().map(owned).collect();
    edges.sort();
    edges
}

fn start(files: &[(String, String)]) -> Daemon {
    let named: Vec<_> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.clone()))
        .collect();
    Daemon::start(&named)
}

#[test]
fn a_family_is_found_whole_from_any_of_its_versions() {
    let files = share();
    let daemon = start(&files);
    dated(&daemon, &files, |at| at as u64);
    for asked in ["v00.txt", "v15.txt", "w05.txt"] {
        let family = Family::of_file(&daemon, asked);
        assert_eq!(sorted(&family), expected(), "from {asked}");
        let own = family.asked.expect("the file itself is in line") as usize - 1;
        assert_eq!(family.versions[own], [asked]);
        assert_eq!(
            family.versions[2],
            ["copy of v02.txt", "v02.txt"],
            "copies are one version"
        );
        let by_time =
            |edge: &&wire::VersionEdge| edge.direction() == wire::Direction::ModificationTime;
        assert_eq!(
            family.edges.iter().filter(by_time).count(),
            family.edges.len()
        );
        let excerpt = family.edges.last().expect("an edge");
        assert_eq!(excerpt.kind(), wire::VersionKind::ContainedIn);
        let said = family.summary;
        assert_eq!((said.versions, said.edges), (19, 18));
        assert!(!said.query.expect("a query").truncated);
    }
    // An excerpt leads to what holds it, and that is the end.
    let family = Family::of_file(&daemon, "x.txt");
    assert_eq!(family.summary.edges + 1, family.summary.versions);
}

/// By modification times, and by growth, each of these would come before the one above it.
#[test]
fn when_a_mail_was_sent_comes_before_modification_times_and_a_family_says_what_it_goes_by() {
    let mail = |year: u32, words: u64| {
        let text = prose(31, words);
        format!(
            "From: a@b.example\r\nDate: 1 Jan {year} 00:00:00 +0000\r\nSubject: x\r\n\r\n{text}\r\n"
        )
    };
    let undated = format!("{} {}", prose(31, 380), prose(32, 30));
    let daemon = Daemon::start(&[
        ("first.eml", mail(2021, 400)),
        ("second.eml", mail(2022, 380)),
        ("third.txt", prose(31, 360)),
        ("undated.tar", tar(&[("undated.txt", &undated)])),
        ("epoch.txt", prose(31, 340)),
    ]);
    set_modified(&daemon, "epoch.txt", 0);
    set_modified(&daemon, "third.txt", 1_650_000_000);
    set_modified(&daemon, "second.eml", 1_660_000_000);
    set_modified(&daemon, "first.eml", 1_670_000_000);
    daemon.sync();
    let family = Family::of_file(&daemon, "third.txt");
    let names: Vec<_> = family.versions.iter().map(|files| &*files[0]).collect();
    // What has no date, or none that can be, stands last, though its text would make it the first.
    assert_eq!(names[..3], ["first.eml", "second.eml", "third.txt"]);
    assert_eq!(names[3..], ["epoch.txt", "undated.txt"]);
    let dates = family.dates.iter();
    let dates: Vec<_> = dates.map(|(date, from)| (*date, from.as_str())).collect();
    let (sent, of_file) = (|at| (Some(at), "sent"), (Some(1_650_000_000), "file"));
    assert_eq!(
        dates,
        [
            sent(1_609_459_200),
            sent(1_640_995_200),
            of_file,
            (None, ""),
            (None, "")
        ]
    );
    let edges = family.named().into_iter().zip(&family.edges);
    let told: Vec<_> = edges.map(|(pair, edge)| (pair, edge.direction())).collect();
    use wire::Direction::{InnerDate, ModificationTime, Text, Unknown};
    assert_eq!(
        told,
        [
            (("first.eml", "second.eml"), InnerDate),
            (("second.eml", "third.txt"), ModificationTime),
            (("third.txt", "epoch.txt"), Unknown),
            (("second.eml", "undated.txt"), Text),
        ]
    );
}

/// A mail of a day of 2022 with texts attached.
fn mail(day: u32, attached: &[(&str, &str)]) -> String {
    let part = |(name, text): &(&str, &str)| {
        format!(
            "--b\r\nContent-Type: text/plain; charset=utf-8; name=\"{name}\"\r\n\
             Content-Disposition: attachment; filename=\"{name}\"\r\n\r\n{text}\r\n"
        )
    };
    let parts: String = attached.iter().map(part).collect();
    format!(
        "From: a@b.example\r\nDate: {day} Jan 2022 00:00:00 +0000\r\nSubject: drafts\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n\
         {parts}--b--\r\n"
    )
}

/// By their texts alone the order would be the other way round.
#[test]
fn what_has_no_date_was_there_when_its_mail_was_sent_and_an_edge_says_what_holds_both() {
    let text = |words: u64| prose(31, words);
    let (longest, long, short) = (text(420), text(400), text(380));
    let daemon = Daemon::start(&[
        ("one.eml", mail(1, &[("first.txt", &longest)])),
        (
            "two.eml",
            mail(2, &[("second.txt", &long), ("third.txt", &short)]),
        ),
        ("fourth.txt", text(360)),
    ]);
    // Later than 2022.
    set_modified(&daemon, "fourth.txt", 1_700_000_000);
    daemon.sync();
    let family = Family::of_file(&daemon, "fourth.txt");
    let first_day = 1_640_995_200;
    let sent = |day: i64| (Some(first_day + (day - 1) * 86_400), "mail-sent".to_owned());
    assert_eq!(family.versions[0], ["first.txt"]);
    assert_eq!(family.versions[3], ["fourth.txt"]);
    assert_eq!(family.dates[..3], [sent(1), sent(2), sent(2)]);
    let told: Vec<_> = family
        .edges
        .iter()
        .map(wire::VersionEdge::direction)
        .collect();
    use wire::Direction::{Container, ModificationTime};
    assert_eq!((told[0], told[2]), (Container, ModificationTime));
    let holder = |edge: &wire::VersionEdge| String::from_utf8_lossy(&edge.container).into_owned();
    let holders: Vec<_> = family.edges.iter().map(holder).collect();
    let two = daemon.path("two.eml").to_string_lossy().into_owned();
    assert_eq!(holders, ["", &*two, ""], "{:?}", family.edges);
}

#[test]
fn versions_show_containment_from_a_threshold_of_its_own_and_relations_are_named_by_it() {
    let long = prose(31, 800);
    let part: String = long
        .chars()
        .take(1_500)
        .chain(prose(77, 150).chars())
        .collect();
    let daemon = Daemon::start(&[("long.txt", long), ("part.txt", part)]);
    for (relation_threshold, is_near) in [(None, false), (Some(0.3), true)] {
        let options = FindOptions {
            relation_threshold,
            ..FindOptions::default()
        };
        let subject = || Subject::Path(daemon.path("long.txt"));
        let family = Family::of(&daemon, subject(), &options);
        assert_eq!(family.versions.len(), 1 + usize::from(is_near));
        assert_eq!(family.edges.len(), usize::from(is_near));
        let found = daemon.find_with(simdex_client::FindKind::Similar, subject(), &options);
        let (found, _) = found.expect("an answer");
        let contains = found[0].relation() == wire::Relation::Contains;
        assert_eq!((found.len(), contains), (1, is_near));
    }
}

#[test]
fn without_dates_the_neighbours_are_the_same() {
    let files = share();
    let daemon = start(&files);
    dated(&daemon, &files, |_| 0);
    let family = Family::of_file(&daemon, "v07.txt");
    let undirected = |edges: Vec<(String, String)>| {
        let mut edges: Vec<_> = edges
            .into_iter()
            .map(|(a, b)| if a < b { (a, b) } else { (b, a) })
            .collect();
        edges.sort();
        edges
    };
    assert_eq!(undirected(sorted(&family)), undirected(expected()));
}

#[test]
fn a_bound_that_cuts_a_family_is_told() {
    let files = share();
    let daemon = start(&files);
    let options = FindOptions {
        limit: Some(5),
        ..FindOptions::default()
    };
    let family = Family::of(&daemon, Subject::Path(daemon.path("v00.txt")), &options);
    assert_eq!(family.versions.len(), 5);
    assert!(family.summary.query.expect("a query").truncated);
}

#[test]
fn a_text_that_is_no_file_stands_in_line() {
    let files = share();
    let daemon = start(&files);
    dated(&daemon, &files, |at| at as u64);
    let text = format!("{} and a last word", files[15].1);
    let family = Family::of(&daemon, Subject::Text(text), &FindOptions::default());
    let own = family.asked.expect("the text itself is in line");
    assert_eq!(family.versions[own as usize - 1], [""]);
    let edge = family
        .edges
        .iter()
        .find(|edge| edge.version == own)
        .expect("an edge");
    assert_eq!(family.versions[edge.parent as usize - 1], ["v15.txt"]);
}

#[test]
fn a_signature_is_looked_up_by_its_own_scheme_alone() {
    let daemon = start(&share());
    for scheme in [
        wire::SchemeChoice::BswN,
        wire::SchemeChoice::MinN,
        wire::SchemeChoice::SketchN,
        wire::SchemeChoice::SuperShingles,
    ] {
        let options = FindOptions {
            scheme,
            ..FindOptions::default()
        };
        let signature = Subject::Signature(wire::Signature::default());
        let refused = daemon.wait(async { daemon.client.family(signature, &options).await });
        assert_eq!(code(&refused), Code::InvalidArgument);
        let error = refused.map(drop).unwrap_err().to_string();
        let is_of_scheme = error.contains("cannot be looked up by bsw_n")
            || error.contains("gives no containment");
        assert!(is_of_scheme, "{error}");
    }
}

#[test]
fn what_has_no_text_has_copies_and_no_edges() {
    let bytes = |from: u64| prose(from, 3_000).replace(' ', "\0");
    let daemon = Daemon::start(&[
        ("a.bin", bytes(1)),
        ("b.bin", format!("{}{}", bytes(1), bytes(2))),
        ("c.bin", bytes(3)),
    ]);
    let family = Family::of_file(&daemon, "a.bin");
    assert_eq!(family.versions.len(), 2);
    assert!(family.edges.is_empty());
}
