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
