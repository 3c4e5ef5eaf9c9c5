//! Questions by every signature scheme that the config's list names, over gRPC; what a scheme cannot give, and one
//! that the list does not name, as errors that say what to do.

use simdex_client::{Error, FindKind, FindOptions, Subject, wire};
use simdexd::config::{Config, SchemeList};
use tonic::Code;
use wire::SchemeChoice::{self, BswN, MinN, ModN, SketchN, SuperShingles};

use crate::daemon::{Daemon, code, prose};

/// Versions of one text on either side of 0.5, one that is shorter than n shingles, and something else.
fn share() -> Vec<(&'static str, String)> {
    let text = prose(1, 900);
    let with = |more: u64| format!("{} {}", prose(1, 900), prose(2, more));
    vec![
        ("base.txt", text.clone()),
        ("copy.txt", text),
        ("near.txt", with(60)),
        ("half.txt", with(700)),
        ("far.txt", with(2_000)),
        ("short.txt", prose(1, 30)),
        ("shorter.txt", prose(1, 25)),
        ("other.txt", prose(3, 900)),
    ]
}

fn indexed(config: &mut Config, names: &[&str]) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    config.signature.schemes = SchemeList::try_from(names).unwrap();
}

fn all(config: &mut Config) {
    let all = ["mod_n", "bsw_n", "min_n", "sketch_n", "super_shingles"];
    indexed(config, &all);
}

fn ask(
    daemon: &Daemon,
    kind: FindKind,
    name: &str,
    scheme: SchemeChoice,
    threshold: f64,
) -> Result<Vec<wire::Match>, Error> {
    let options = FindOptions {
        scheme,
        threshold: Some(threshold),
        ..FindOptions::default()
    };
    let subject = Subject::Path(daemon.path(name));
    let (found, _) = daemon.find_with(kind, subject, &options)?;
    Ok(found)
}

/// What is shown of a match, its file and its numbers.
fn shown(found: Vec<wire::Match>) -> Vec<(Vec<u8>, Option<f64>, bool)> {
    let shown = found.into_iter().map(|found| {
        let resemblance = found.resemblance.and_then(|ratio| ratio.value);
        (found.path, resemblance, found.verified)
    });
    shown.collect()
}

/// The words of a refusal, and the advice beside them.
fn said<T>(answer: Result<T, Error>) -> String {
    match answer.err().unwrap() {
        Error::Status {
            message, advice, ..
        } => format!("{message}; {}", advice.unwrap_or_default()),
        other => panic!("{other}"),
    }
}

/// Whether the family of a file is refused.
fn family(daemon: &Daemon, scheme: SchemeChoice) -> Code {
    let options = FindOptions {
        scheme,
        ..FindOptions::default()
    };
    let subject = Subject::Path(daemon.path("base.txt"));
    let asked = daemon.wait(async {
        let mut parts = daemon.client.family(subject, &options).await?;
        while parts.next().await?.is_some() {}
        Ok(())
    });
    code(&asked)
}

#[test]
fn every_scheme_of_the_list_answers_alike_in_exact_numbers() {
    let daemon = Daemon::with(&share(), all);
    for name in ["base.txt", "far.txt", "short.txt"] {
        for threshold in [0.2, 0.5, 0.8, 1.0] {
            let by = |scheme| {
                let found = ask(&daemon, FindKind::Similar, name, scheme, threshold);
                shown(found.unwrap())
            };
            let expected = by(ModN);
            assert!(expected.iter().all(|(_, _, verified)| *verified));
            for scheme in [BswN, MinN, SketchN] {
                assert_eq!(by(scheme), expected, "{name} at {threshold} by {scheme:?}");
            }
        }
    }
    let near = ask(&daemon, FindKind::Similar, "base.txt", MinN, 0.8).unwrap();
    assert_eq!(near.len(), 2, "its copy and its version");
    let status = daemon.wait(daemon.client.status()).unwrap();
    let usage: Vec<_> = status
        .schemes
        .iter()
        .map(|used| {
            let scheme = used.scheme.clone().unwrap_or_default();
            (scheme.name, scheme.n, used.postings > 0)
        })
        .collect();
    for (name, n) in [("min_n", 512), ("sketch_n", 512), ("super_shingles", 6)] {
        assert!(usage.contains(&(name.to_owned(), n, true)), "{usage:?}");
    }
}

#[test]
fn super_shingles_find_what_is_almost_equal_and_say_how_much_they_miss() {
    let mut share = share();
    let almost = format!("{} and", prose(1, 900));
    share.push(("almost.txt", almost));
    let daemon = Daemon::with(&share, all);
    for (threshold, missed) in [
        (0.99, Some(0.001)),
        (0.95, Some(0.121_362)),
        (0.8, Some(0.974_224)),
        (0.5, None),
    ] {
        let options = FindOptions {
            scheme: SuperShingles,
            threshold: Some(threshold),
            ..FindOptions::default()
        };
        let subject = Subject::Path(daemon.path("base.txt"));
        let found = daemon.find_with(FindKind::Similar, subject, &options);
        let (found, summary) = found.unwrap();
        let promise = summary.promise.clone().unwrap();
        assert_eq!(promise.scheme, "super_shingles");
        let told = promise.missed_at_most.map(|missed| (missed * 1e6).round());
        assert_eq!(told, missed.map(|missed| missed * 1e6), "at {threshold}");
        let why = match missed {
            Some(_) => wire::NoPromise::Unspecified,
            None => wire::NoPromise::NoneShared,
        };
        assert_eq!(promise.none(), why);
        let by_all = ask(&daemon, FindKind::Similar, "base.txt", ModN, threshold);
        let (found, by_all) = (shown(found), shown(by_all.unwrap()));
        assert!(found.iter().all(|found| by_all.contains(found)));
        let names: Vec<_> = found
            .iter()
            .map(|(path, ..)| path.rsplit(|byte| *byte == b'/').next().unwrap())
            .collect();
        for name in [&b"copy.txt"[..], b"almost.txt"] {
            assert!(names.contains(&name), "at {threshold}: {names:?}");
        }
        let far = [&b"far.txt"[..], b"half.txt", b"other.txt"];
        assert!(names.iter().all(|name| !far.contains(name)), "{names:?}");
    }
}

#[test]
fn containment_of_a_scheme_of_fixed_size_is_an_error_with_its_reason() {
    let daemon = Daemon::with(&share(), all);
    for scheme in [MinN, SketchN, SuperShingles] {
        assert_eq!(family(&daemon, scheme), Code::InvalidArgument);
        for kind in [FindKind::Containing, FindKind::Contained, FindKind::Related] {
            let refused = ask(&daemon, kind, "base.txt", scheme, 0.5);
            assert_eq!(code(&refused), Code::InvalidArgument);
            let said = said(refused);
            assert!(
                said.contains(
                    "gives no containment, since its signatures have one size for all texts"
                ),
                "{said}"
            );
            assert!(said.contains("use mod_n for containment"), "{said}");
        }
    }
}

#[test]
fn a_scheme_that_the_list_does_not_name_is_a_precondition_and_comes_with_the_next_start() {
    let mut daemon = Daemon::with(&share(), |config| indexed(config, &["mod_n"]));
    for scheme in [BswN, MinN, SketchN, SuperShingles] {
        let refused = ask(&daemon, FindKind::Similar, "base.txt", scheme, 0.5);
        assert_eq!(code(&refused), Code::FailedPrecondition);
        let said = said(refused);
        assert!(
            said.contains("is not indexed: signature.schemes of the config does not list it"),
            "{said}"
        );
        assert!(
            said.contains("name it in signature.schemes and start the daemon again"),
            "{said}"
        );
    }
    let versions = ask(&daemon, FindKind::Related, "base.txt", BswN, 0.5);
    assert_eq!(code(&versions), Code::FailedPrecondition);
    assert_eq!(family(&daemon, BswN), Code::FailedPrecondition);
    assert_eq!(family(&daemon, ModN), Code::Ok);
    daemon.stop();
    indexed(&mut daemon.config, &["mod_n", "sketch_n", "super_shingles"]);
    daemon.start_again();
    daemon.sync();
    let by = |scheme| ask(&daemon, FindKind::Similar, "base.txt", scheme, 0.2);
    assert_eq!(shown(by(SketchN).unwrap()), shown(by(ModN).unwrap()));
    let copy = |found: Vec<wire::Match>| {
        let copies = found
            .iter()
            .filter(|found| found.path.ends_with(b"/copy.txt"));
        copies.count()
    };
    assert_eq!(copy(by(SuperShingles).unwrap()), 1);
    assert_eq!(code(&by(MinN)), Code::FailedPrecondition);
}
