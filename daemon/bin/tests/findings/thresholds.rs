//! Reports whose least resemblance and least containment are asked for apart.

use super::*;

/// A document inside, a file with three quarters of it and much else, and one that resembles it by a half.
fn shares() -> Shares {
    let shares = Shares::new();
    let own = prose(40, 400);
    let three_quarters = &own[..own.len() * 3 / 4];
    let two_thirds = &own[..own.len() * 2 / 3];
    let rest = prose(42, 160);
    fs::write(shares.vault.path().join("own.txt"), &own).unwrap();
    let holds = format!("{three_quarters} {}", prose(41, 4_000));
    fs::write(shares.daemon.path("holds.txt"), holds).unwrap();
    fs::write(
        shares.daemon.path("alike.txt"),
        format!("{two_thirds} {rest}"),
    )
    .unwrap();
    shares.daemon.sync();
    shares
}

fn names(shares: &Shares, options: wire::ReportOptions, threshold: Option<f64>) -> Vec<String> {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("report");
    let call = shares
        .daemon
        .client
        .download_report(&out, threshold, options);
    shares.daemon.wait(call).unwrap();
    let lines = fs::read_to_string(out.join("findings.jsonl")).unwrap();
    let path = |line: &str| {
        let finding: Value = serde_json::from_str(line).unwrap();
        let path = finding["path"].as_str().unwrap().to_owned();
        path.rsplit('/').next().unwrap().to_owned()
    };
    let found = lines.lines().map(path);
    found
        .filter(|name| ["holds.txt", "alike.txt"].contains(&&**name))
        .collect()
}

#[test]
fn a_share_is_asked_for_apart_from_resemblance() {
    let shares = shares();
    let vault = shares.vault.path().canonicalize().unwrap();
    let copies = |containment| wire::ReportOptions {
        files: vec![bytes(&vault.join("own.txt"))],
        containment,
        ..of_kind("copies-of")
    };
    let leak = |containment| wire::ReportOptions {
        protected: vec![bytes(&vault)],
        containment,
        ..of_kind("leak")
    };
    let (both, none): ([&str; 2], [&str; 0]) = (["alike.txt", "holds.txt"], []);
    // One ratio stands for both unless the other is given.
    assert_eq!(names(&shares, copies(None), Some(0.9)), none);
    assert_eq!(names(&shares, copies(Some(0.7)), Some(0.9)), ["holds.txt"]);
    assert_eq!(names(&shares, copies(Some(0.9)), Some(0.4)), ["alike.txt"]);
    assert_eq!(names(&shares, leak(None), Some(0.5)), both);
    assert_eq!(names(&shares, leak(Some(0.7)), None), ["holds.txt"]);
    assert_eq!(names(&shares, leak(Some(0.9)), Some(0.4)), ["alike.txt"]);
}

/// Pairs of files, and the thresholds that a manifest states: of resemblance, then of containment.
type Stale = (Vec<String>, [Option<f64>; 2]);

/// An old text with a later revision and a later collection, and one most of which a later collection holds.
fn old_shares() -> Shares {
    let shares = Shares::new();
    let (own, other) = (prose(40, 400), prose(43, 400));
    let revised = format!("{} {}", &own[..own.len() * 4 / 5], prose(42, 80));
    let most = &other[..other.len() * 17 / 20];
    for (name, text, days) in [
        ("revised.txt", &revised, 850),
        ("whole.txt", &format!("{own} {}", prose(41, 4_000)), 20),
        ("most.txt", &format!("{most} {}", prose(44, 4_000)), 20),
        ("own.txt", &own, 900),
        ("held.txt", &other, 900),
    ] {
        shares.save(name, text, days);
    }
    shares.daemon.sync();
    shares
}

fn stale(shares: &Shares, threshold: Option<f64>, containment: Option<f64>) -> Stale {
    let out = shares.out(&format!("{threshold:?}-{containment:?}"));
    let options = wire::ReportOptions {
        older_than_seconds: Some(400 * DAY),
        containment,
        ..of_kind("stale-versions")
    };
    let client = &shares.daemon.client;
    let asked = client.download_report(&out, threshold, options);
    shares.daemon.wait(asked).unwrap();
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let findings = read("findings.jsonl");
    let findings = findings.lines().map(serde_json::from_str);
    let findings: Vec<Value> = findings.collect::<Result<_, _>>().unwrap();
    let triples = shares.triples(&findings);
    let pairs = triples.iter().map(|(path, _, of)| format!("{path} {of}"));
    let manifest: Value = serde_json::from_str(&read("manifest.json")).unwrap();
    let thresholds = [&manifest["threshold"], &manifest["question"]["containment"]];
    (pairs.collect(), thresholds.map(Value::as_f64))
}

#[test]
fn stale_versions_follow_resemblance_and_containment_by_thresholds_of_their_own() {
    let shares = old_shares();
    let stale = |threshold, containment| stale(&shares, threshold, containment);
    let (revised, whole, most) = (
        "own.txt revised.txt",
        "own.txt whole.txt",
        "held.txt most.txt",
    );
    let of = |found: &[&str], threshold, containment| {
        let found: Vec<_> = found.iter().map(|pair| (*pair).to_owned()).collect();
        (found, [Some(threshold), Some(containment)])
    };
    // As `versions`: a half, and the daemon's threshold of containment, whichever of them is given.
    assert_eq!(stale(None, None), of(&[most, revised], 0.5, 0.8));
    assert_eq!(stale(Some(0.7), None), of(&[most, whole], 0.7, 0.8));
    assert_eq!(stale(None, Some(0.95)), of(&[revised], 0.5, 0.95));
    assert_eq!(stale(Some(0.7), Some(0.95)), of(&[whole], 0.7, 0.95));
}

#[test]
fn a_report_that_compares_no_texts_takes_no_containment() {
    let shares = Shares::new();
    let options = wire::ReportOptions {
        containment: Some(0.5),
        ..of_kind("duplicates")
    };
    let refused = "a report of kind copies-of, stale-versions or leak alone takes a containment";
    refuse(&shares, [(options, refused)]);
    let options = wire::ReportOptions {
        containment: Some(1.5),
        protected: vec![bytes(&shares.vault.path().canonicalize().unwrap())],
        ..of_kind("leak")
    };
    refuse(&shares, [(options, "not a number from 0 to 1")]);
}
