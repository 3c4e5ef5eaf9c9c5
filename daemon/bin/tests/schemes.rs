//! Questions by every signature scheme that the config's list names, over gRPC; what a scheme cannot give, and one
//! that the list does not name, as errors that say what to do.

use simdex_client::{Error, FindKind, FindOptions, Subject, wire};
use simdexd::config::{Config, SchemeList};
use tonic::Code;
use wire::SchemeChoice::{self, BswN, MinN, ModN, SketchN};

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
    indexed(config, &["mod_n", "bsw_n", "min_n", "sketch_n"]);
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
    for name in ["min_n", "sketch_n"] {
        assert!(usage.contains(&(name.to_owned(), 512, true)), "{usage:?}");
    }
}

#[test]
fn containment_of_a_scheme_of_fixed_size_is_an_error_with_its_reason() {
    let daemon = Daemon::with(&share(), all);
    for scheme in [MinN, SketchN] {
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
    for scheme in [BswN, MinN, SketchN] {
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
    indexed(&mut daemon.config, &["mod_n", "sketch_n"]);
    daemon.start_again();
    daemon.sync();
    let by = |scheme| ask(&daemon, FindKind::Similar, "base.txt", scheme, 0.2);
    assert_eq!(shown(by(SketchN).unwrap()), shown(by(ModN).unwrap()));
    assert_eq!(code(&by(MinN)), Code::FailedPrecondition);
}
