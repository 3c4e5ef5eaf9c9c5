//! Tests of the directory of kept reports.

use super::super::sink::Sink;
use super::*;
use std::io::Write;
use std::os::unix::fs::symlink;

/// A directory, with its real path.
fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    (dir, path)
}

fn names(path: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(path).unwrap();
    entries.map(|entry| entry.unwrap().file_name()).collect()
}

#[test]
fn a_directory_is_opened_without_symlinks_on_the_way() {
    let (_dir, path) = place();
    std::fs::create_dir_all(path.join("real/reports")).unwrap();
    symlink(path.join("real"), path.join("link")).unwrap();
    assert!(ReportDir::open(&path.join("real/reports")).is_ok());
    for wrong in ["link/reports", "link", "real/../real/reports", "missing"] {
        let refused = ReportDir::open(&path.join(wrong));
        assert!(
            matches!(refused, Err(ReportError::Directory { .. })),
            "{wrong}"
        );
    }
    assert!(ReportDir::open(Path::new("reports")).is_err());
}

#[test]
fn a_directory_within_the_data_directory_or_a_root_is_refused_whatever_it_is_called() {
    let (_dir, path) = place();
    std::fs::create_dir_all(path.join("data/text/reports")).unwrap();
    std::fs::create_dir(path.join("reports")).unwrap();
    symlink(path.join("data"), path.join("alias")).unwrap();
    let apart = |name: &str, other: &str| {
        let opened = ReportDir::open(&path.join(name)).unwrap();
        opened.check_apart(&[path.join("missing"), path.join(other)])
    };
    assert!(apart("reports", "data").is_ok());
    for (name, other) in [
        ("data", "data"),
        ("data/text/reports", "data"),
        ("data/text/reports", "alias"),
    ] {
        let refused = apart(name, other);
        assert!(matches!(refused, Err(ReportError::Within { .. })), "{name}");
    }
}

#[test]
fn a_name_is_one_new_component_and_nothing_else() {
    let (_dir, path) = place();
    let reports = ReportDir::open(&path).unwrap();
    let long = "a".repeat(256);
    for wrong in [
        "", ".", "..", "a/b", "/a", "../a", ".hidden", "a/", "a\0b", &long,
    ] {
        let refused = reports.begin(OsStr::new(wrong));
        assert!(matches!(refused, Err(ReportError::NoName)), "{wrong:?}");
    }
    symlink("/nowhere", path.join("taken")).unwrap();
    let refused = reports.begin(OsStr::new("taken"));
    assert!(matches!(refused, Err(ReportError::Exists { .. })));
    assert_eq!(names(&path), ["taken"]);
}

#[test]
fn a_directory_that_is_swapped_for_a_symlink_is_still_the_one_that_was_opened() {
    let (_dir, path) = place();
    for name in ["reports", "data"] {
        std::fs::create_dir(path.join(name)).unwrap();
    }
    let reports = ReportDir::open(&path.join("reports")).unwrap();
    std::fs::rename(path.join("reports"), path.join("moved")).unwrap();
    symlink(path.join("data"), path.join("reports")).unwrap();
    let folder = reports.begin(OsStr::new("CLEAN")).unwrap();
    folder
        .create_file("manifest.json")
        .unwrap()
        .finish()
        .unwrap();
    folder.publish().unwrap();
    assert!(names(&path.join("data")).is_empty());
    assert!(path.join("moved/CLEAN/manifest.json").is_file());
}

#[test]
fn no_more_reports_are_kept_than_are_allowed_and_one_that_is_removed_makes_room() {
    let (_dir, path) = place();
    let reports = ReportDir::open(&path).unwrap().with_max_reports(2);
    let keep = |name: &str| reports.begin(OsStr::new(name))?.publish();
    keep("a").unwrap();
    std::fs::write(path.join("notes.txt"), "no report").unwrap();
    let under_way = reports.begin(OsStr::new("b")).unwrap();
    let refused = keep("c");
    assert!(matches!(
        refused,
        Err(ReportError::TooMany { max_reports: 2, .. })
    ));
    assert_eq!(names(&path).len(), 3, "what was refused leaves nothing");
    drop(under_way);
    keep("c").unwrap();
    assert!(matches!(keep("d"), Err(ReportError::TooMany { .. })));
    std::fs::remove_dir(path.join("a")).unwrap();
    keep("d").unwrap();
}

#[test]
fn what_is_not_published_leaves_nothing() {
    let (_dir, path) = place();
    let reports = ReportDir::open(&path).unwrap();
    let folder = reports.begin(OsStr::new("r")).unwrap();
    folder.create_dir("text").unwrap();
    folder
        .create_file("text/a")
        .unwrap()
        .write_all(b"a")
        .unwrap();
    assert_eq!(names(&path).len(), 1);
    drop(folder);
    assert!(names(&path).is_empty());
}

#[test]
fn no_user_has_more_than_half_of_the_kept_reports_whoever_opens_the_directory() {
    let (_dir, path) = place();
    let reports = || ReportDir::open(&path).unwrap().with_max_reports(5);
    let first = reports();
    let keep = |reports: &ReportDir, name: &str, uid| {
        let begun = reports.begin_for(OsStr::new(name), uid);
        begun.and_then(PendingReport::publish).map(drop)
    };
    let (greedy, other) = (Some(1), Some(2));
    keep(&first, "a", greedy).unwrap();
    keep(&first, "b", greedy).unwrap();
    let under_way = first.begin_for(OsStr::new("c"), greedy).unwrap();
    let refused = |reports: &ReportDir| keep(reports, "d", greedy).unwrap_err().to_string();
    assert!(
        refused(&first).contains("(3, half of 5)"),
        "one is under way"
    );
    under_way.publish().unwrap();
    // Another run of the daemon recognises them too.
    let second = reports();
    assert!(refused(&second).contains("(3, half of 5)"));
    keep(&second, "other", other).unwrap();
    keep(&second, "schedule", None).unwrap();
    let full = keep(&second, "e", other);
    assert!(matches!(
        full,
        Err(ReportError::TooMany { max_reports: 5, .. })
    ));
    std::fs::remove_dir(path.join("b")).unwrap();
    keep(&second, "d", greedy).unwrap();
}

#[test]
fn a_report_whose_name_was_taken_meanwhile_is_nobody_elses() {
    let (_dir, path) = place();
    let reports = ReportDir::open(&path).unwrap().with_max_reports(4);
    let [early, late] = [1, 2].map(|uid| reports.begin_for(OsStr::new("r"), Some(uid)).unwrap());
    early.publish().unwrap();
    assert!(matches!(late.publish(), Err(ReportError::Exists { .. })));
    let noted = std::fs::read(path.join(".simdex-keepers")).unwrap();
    assert_eq!(noted, b"1/r\0");
}
