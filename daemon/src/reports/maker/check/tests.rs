//! Requests for reports that are accepted, and those that are refused.

use super::*;

fn report(kind: &str) -> UncheckedReport {
    UncheckedReport {
        kind: kind.to_owned(),
        ..UncheckedReport::default()
    }
}

fn copies_of(files: Vec<PathBuf>) -> UncheckedReport {
    UncheckedReport {
        files,
        ..report("copies-of")
    }
}

#[test]
fn every_kind_is_taken_with_what_belongs_to_it() {
    let stale = UncheckedReport {
        older_than: Some(9),
        ..report("stale-versions")
    };
    let leak = UncheckedReport {
        protected: vec!["/a".into()],
        threshold: Some(0.5),
        ..report("leak")
    };
    let files = copies_of(vec!["/a/b".into(); MAX_FILES]);
    for asked in [
        report(""),
        report("groups"),
        report("duplicates"),
        report("components"),
        report("cores"),
        stale,
        leak,
        files,
    ] {
        let kind = asked.kind.clone();
        let checked = asked.check().unwrap();
        let is_of_groups = matches!(checked.kind, CheckedKind::Groups(_));
        assert_eq!(is_of_groups, ["", "groups"].contains(&&*kind));
    }
}

#[test]
fn an_unknown_root_is_told_with_those_that_are_watched() {
    let said = |count: usize| {
        let roots: Vec<_> = (0..count).map(|n| format!("/r{n}").into()).collect();
        UnknownRoot::of(Path::new("/x\n"), &roots).to_string()
    };
    assert_eq!(said(0), "/x\\n is not a watched root; there are none");
    assert_eq!(
        said(2),
        "/x\\n is not a watched root; the roots are /r0, /r1"
    );
    assert!(said(12).ends_with("/r8, /r9 and 2 more"), "{}", said(12));
}

/// Checks that each report is refused with this error.
fn refuse<const N: usize>(cases: [(UncheckedReport, BadReport); N]) {
    for (asked, error) in cases {
        assert_eq!(asked.check().unwrap_err(), error);
    }
}

fn in_roots(kind: &str, roots: &[&str]) -> UncheckedReport {
    UncheckedReport {
        roots: roots.iter().map(PathBuf::from).collect(),
        protected: match kind {
            "leak" => vec!["/a".into()],
            _ => Vec::new(),
        },
        ..report(kind)
    }
}

#[test]
fn what_does_not_belong_to_the_kind_is_refused() {
    let misplaced_age = UncheckedReport {
        older_than: Some(1),
        ..report("groups")
    };
    let of_duplicates = UncheckedReport {
        files: vec!["/a".into()],
        ..report("duplicates")
    };
    let common = |kind: &str, common| UncheckedReport {
        common: Some(common),
        ..report(kind)
    };
    let load = UncheckedReport {
        load_file: Some(LoadFileNames {
            format: "csv".into(),
            ..LoadFileNames::default()
        }),
        ..report("duplicates")
    };
    let judged = UncheckedReport {
        with_judgement: true,
        ..report("cores")
    };
    let what = "a number of common fingerprints or seconds to mine";
    refuse([
        (report("all"), BadReport::Kind("all".into())),
        (report("leak"), BadReport::Needs("leak", "protected roots")),
        (report("copies-of"), BadReport::Needs("copies-of", "files")),
        (
            misplaced_age,
            BadReport::AloneTakes("stale-versions", "an age"),
        ),
        (
            of_duplicates,
            BadReport::AloneTakes("groups or copies-of", "files"),
        ),
        (
            common("components", 90),
            BadReport::AloneTakes("cores", what),
        ),
        (common("cores", 1), BadReport::Cores(BadCores::Common(1))),
        (in_roots("leak", &["/b"]), BadReport::NoRoots),
        (load, BadReport::NoLoadFile),
        (judged, BadReport::NoJudgement),
    ]);
}

#[test]
fn a_file_is_asked_about_below_the_roots_that_are_named() {
    let of_group = |file: &str, roots: &[&str]| UncheckedReport {
        files: vec![file.into()],
        ..in_roots("groups", roots)
    };
    assert!(of_group("/a/b/c", &["/x", "/a/b"]).check().is_ok());
    assert!(of_group("/a/b/c", &[]).check().is_ok());
    refuse([
        (of_group("/ab", &["/a"]), BadReport::Outside("/ab".into())),
        (of_group("/a", &["b"]), BadReport::Relative("b".into())),
    ]);
}

#[test]
fn what_is_out_of_its_range_is_refused() {
    let with_threshold = |kind: &str, threshold| UncheckedReport {
        threshold: Some(threshold),
        ..report(kind)
    };
    let many = copies_of(vec!["/a".into(); MAX_FILES + 1]);
    refuse([
        (with_threshold("duplicates", 0.5), BadReport::NoThreshold),
        (with_threshold("cores", 0.5), BadReport::NoThreshold),
        (with_threshold("groups", 1.5), BadReport::Threshold(1.5)),
        (many, BadReport::TooMany(MAX_FILES + 1, "files", MAX_FILES)),
        (copies_of(vec!["a".into()]), BadReport::Relative("a".into())),
    ]);
}
