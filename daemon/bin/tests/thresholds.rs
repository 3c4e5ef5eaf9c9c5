//! Thresholds of resemblance and of containment apart: what `compare` calls two files, and which pairs are listed.

use simdex_client::{CompareOptions, PairOptions, wire};
use tonic::Code;
use wire::Relation;

use crate::daemon::{Daemon, code, prose};

/// A text, its revision, an excerpt with a few words of its own, a collection, and something else.
fn share() -> Daemon {
    let base = prose(1, 600);
    Daemon::start(&[
        ("base.txt", base.clone()),
        ("copy.txt", base.clone()),
        ("revised.txt", format!("{base} {}", prose(2, 60))),
        ("excerpt.txt", format!("{} {}", prose(1, 200), prose(3, 20))),
        (
            "collection.txt",
            format!("{} {base} {}", prose(4, 900), prose(5, 900)),
        ),
        ("other.txt", prose(6, 600)),
    ])
}

fn compared(
    daemon: &Daemon,
    names: [&str; 2],
    thresholds: [Option<f64>; 2],
) -> Result<Relation, simdex_client::Error> {
    let side = |name: &str| wire::Side {
        source: Some(wire::side::Source::Path(simdex_client::path_bytes(
            &daemon.path(name),
        ))),
        name: Vec::new(),
    };
    let asked = CompareOptions {
        without_difference: true,
        relation_threshold: thresholds[0],
        containment_threshold: thresholds[1],
        ..CompareOptions::default()
    };
    let [a, b] = names.map(side);
    let compared = daemon.wait(daemon.client.compare_with(a, b, asked));
    compared.map(|reply| reply.relation())
}

#[test]
fn the_id_of_a_group_at_another_threshold_is_of_one_answer_and_said_to_be() {
    let daemon = share();
    let client = &daemon.client;
    // The collection leads no group at the threshold of the index.
    let listed = daemon.wait(async {
        let mut groups = client.groups(Some(0.2), Vec::new()).await.unwrap();
        loop {
            let group = groups.next().await.unwrap().unwrap();
            if group.principal.ends_with(b"collection.txt") {
                break group;
            }
        }
    });
    assert!((1 << 52..1 << 53).contains(&listed.id), "{}", listed.id);
    for (id, said) in [
        (listed.id, "was of one answer only"),
        (9_999, "no group has the id 9999"),
    ] {
        let source = wire::get_group_request::Source::Id(id);
        let refused = daemon.wait(client.group(source));
        assert_eq!(code(&refused), Code::NotFound);
        let told = refused.unwrap_err().to_string();
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn two_files_are_called_what_the_thresholds_say() {
    use Relation::{ContainedIn, Contains, IdenticalText, NearDuplicate, Overlaps};
    let daemon = share();
    for (names, thresholds, relation) in [
        (["base.txt", "revised.txt"], [None, None], NearDuplicate),
        (["base.txt", "revised.txt"], [Some(0.95), None], ContainedIn),
        (
            ["revised.txt", "base.txt"],
            [Some(0.95), Some(0.9)],
            Contains,
        ),
        (
            ["base.txt", "collection.txt"],
            [Some(0.1), None],
            NearDuplicate,
        ),
        (["excerpt.txt", "base.txt"], [None, None], ContainedIn),
        (["excerpt.txt", "base.txt"], [None, Some(0.99)], Overlaps),
        (
            ["excerpt.txt", "base.txt"],
            [Some(0.99), Some(0.8)],
            ContainedIn,
        ),
    ] {
        let found = compared(&daemon, names, thresholds).unwrap();
        assert_eq!(found, relation, "{names:?} by {thresholds:?}");
    }
    let copies = compared(&daemon, ["base.txt", "copy.txt"], [None, None]).unwrap();
    assert!([Relation::IdenticalBytes, IdenticalText].contains(&copies));
    for wrong in [[Some(1.5), None], [None, Some(f64::NAN)]] {
        let refused = compared(&daemon, ["base.txt", "copy.txt"], wrong);
        assert_eq!(code(&refused), Code::InvalidArgument);
    }
}

/// Names of both files, and the relation of the first to the second.
type Named = (String, String, Relation);

fn listed(daemon: &Daemon, containment_threshold: Option<f64>) -> (Vec<Named>, wire::Summary) {
    let options = PairOptions {
        containment_threshold,
        ..PairOptions::default()
    };
    let listed = daemon.wait(async {
        let mut listed = daemon.client.pairs_with(options, Vec::new()).await?;
        let mut pairs = Vec::new();
        while let Some(pair) = listed.next().await? {
            let name = |path: &[u8]| {
                let path = String::from_utf8_lossy(path).into_owned();
                let name = path.rsplit('/').next().unwrap_or_default();
                name.replace(".txt", "")
            };
            pairs.push((name(&pair.a), name(&pair.b), pair.relation()));
        }
        Ok::<_, simdex_client::Error>((pairs, listed.summary().await?))
    });
    listed.unwrap()
}

/// Pairs in the order in which they are listed.
fn named(pairs: &[(&str, &str, Relation)]) -> Vec<Named> {
    let owned =
        |(a, b, relation): &(&str, &str, Relation)| ((*a).to_owned(), (*b).to_owned(), *relation);
    let mut pairs: Vec<_> = pairs.iter().map(owned).collect();
    pairs.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    pairs
}

#[test]
fn pairs_are_listed_by_containment_too_where_that_is_asked_for() {
    use Relation::{ContainedIn, Contains, IdenticalBytes, NearDuplicate};
    let daemon = share();
    let near = [
        ("base", "copy", IdenticalBytes),
        ("base", "revised", NearDuplicate),
        ("copy", "revised", NearDuplicate),
    ];
    let whole = [
        ("base", "collection", ContainedIn),
        ("collection", "copy", Contains),
    ];
    let mostly = [
        ("base", "excerpt", Contains),
        ("collection", "excerpt", Contains),
        ("collection", "revised", Contains),
        ("copy", "excerpt", Contains),
        ("excerpt", "revised", ContainedIn),
    ];
    let (pairs, summary) = listed(&daemon, None);
    assert_eq!((pairs, summary.uncertain), (named(&near), None));
    let (pairs, summary) = listed(&daemon, Some(0.85));
    assert_eq!(pairs, named(&[&near[..], &whole, &mostly].concat()));
    assert_eq!((summary.pairs, summary.uncertain), (Some(10), Some(0)));
    let (pairs, _) = listed(&daemon, Some(1.0));
    assert_eq!(pairs, named(&[&near[..], &whole].concat()));
}
