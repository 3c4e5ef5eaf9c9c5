//! What a walk sees, skips and reports in trees designed to trip it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use super::*;

fn tree(files: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    }
    dir
}

fn anchor(root: &Path) -> Anchor {
    Anchor::open(root).unwrap()
}

/// Every visit as "relative path: what".
fn visits(root: &Path, start: &Path, limits: WalkLimits) -> Vec<String> {
    let mut lines = Vec::new();
    walk_beneath(&anchor(root), start, limits, &mut |seen| {
        let what = match &seen {
            WalkEntry::File { .. } => "file",
            WalkEntry::Skipped { reason, .. } => reason.reason().code(),
            WalkEntry::Unreadable { reason, .. } => reason.reason().code(),
        };
        let path = seen.path().strip_prefix(root).unwrap();
        lines.push(format!("{}: {what}", path.display()));
        ControlFlow::Continue(())
    })
    .unwrap();
    lines
}

fn all(root: &Path) -> Vec<String> {
    visits(root, root, WalkLimits::default())
}

#[test]
fn files_come_in_byte_order_of_their_names() {
    let dir = tree(&["b/2", "b/10", "a", "c"]);
    assert_eq!(
        all(dir.path()),
        ["a: file", "b/10: file", "b/2: file", "c: file"]
    );
}

#[test]
fn the_stat_is_that_of_the_file() {
    let dir = tree(&["a"]);
    walk(&anchor(dir.path()), &mut |seen| {
        let WalkEntry::File { path, stat } = seen else {
            panic!("{seen:?}")
        };
        assert_eq!(stat, FileStat::of(&path).unwrap());
        assert_eq!(stat.length, 1);
        ControlFlow::Continue(())
    })
    .unwrap();
}

#[test]
fn symlinks_are_neither_followed_nor_lost_loops_included() {
    let dir = tree(&["real/a"]);
    symlink("self", dir.path().join("self")).unwrap();
    symlink("..", dir.path().join("real/up")).unwrap();
    symlink("/etc", dir.path().join("etc")).unwrap();
    let expected = [
        "etc: symlink",
        "real/a: file",
        "real/up: symlink",
        "self: symlink",
    ];
    assert_eq!(all(dir.path()), expected);
}

#[test]
fn pipes_and_sockets_are_skipped_without_opening_them() {
    let dir = tree(&["a"]);
    mknodat(
        CWD,
        dir.path().join("fifo"),
        FileType::Fifo,
        Mode::from(0o600),
        0,
    )
    .unwrap();
    let _socket = UnixListener::bind(dir.path().join("socket")).unwrap();
    assert_eq!(
        all(dir.path()),
        ["a: file", "fifo: not-regular", "socket: not-regular"]
    );
}

#[test]
fn temporaries_are_skipped_by_rule() {
    let dir = tree(&["a.docx", "~$a.docx", "a.docx.tmp"]);
    assert_eq!(
        all(dir.path()),
        [
            "a.docx: file",
            "a.docx.tmp: temporary",
            "~$a.docx: temporary"
        ]
    );
}

#[test]
fn a_name_that_is_not_utf_8_keeps_its_bytes() {
    let dir = tree(&[]);
    let name = OsStr::from_bytes(b"\xff\xfe\n\x1b.txt");
    fs::write(dir.path().join(name), "").unwrap();
    let mut names = Vec::new();
    walk(&anchor(dir.path()), &mut |seen| {
        names.push(seen.path().file_name().unwrap().to_owned());
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(names, [name]);
}

#[test]
fn directories_below_the_depth_cap_are_skipped_and_siblings_go_on() {
    let dir = tree(&["1/2/3/deep", "1/x", "z"]);
    let limits = WalkLimits { max_depth: 2 };
    assert_eq!(
        visits(dir.path(), dir.path(), limits),
        ["1/2/3: too-deep", "1/x: file", "z: file"]
    );
    let start = dir.path().join("1/2");
    assert_eq!(
        visits(dir.path(), &start, limits),
        ["1/2/3: too-deep"],
        "counted from the root"
    );
}

#[test]
fn a_path_longer_than_the_kernel_takes_does_not_stop_the_walk() {
    let dir = tree(&["z"]);
    let name = "d".repeat(200);
    let mut here =
        rustix::fs::open(dir.path(), rustix::fs::OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..30 {
        rustix::fs::mkdirat(&here, &name, Mode::from(0o700)).unwrap();
        here =
            rustix::fs::openat(&here, &name, rustix::fs::OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let lines = all(dir.path());
    assert!(
        lines.iter().any(|line| line.ends_with(": too-deep")),
        "{lines:?}"
    );
    assert_eq!(lines.last().unwrap(), "z: file");
}

#[test]
fn an_unreadable_directory_costs_itself_only() {
    if rustix::process::geteuid().is_root() {
        return; // root reads everything
    }
    let dir = tree(&["a", "locked/x", "z"]);
    let locked = dir.path().join("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let lines = all(dir.path());
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(lines, ["a: file", "locked: permission-denied", "z: file"]);
}

#[test]
fn a_mount_below_the_root_is_named_and_not_entered() {
    let limits = WalkLimits { max_depth: 1 };
    let lines = visits(Path::new("/"), Path::new("/"), limits);
    assert!(lines.contains(&"proc: mount-point".to_owned()), "{lines:?}");
}

#[test]
fn a_root_that_goes_away_during_the_walk_is_an_error() {
    let dir = tree(&["root/a", "root/b"]);
    let root = dir.path().join("root");
    let result = walk(&anchor(&root), &mut |_| {
        let _ = fs::rename(&root, dir.path().join("aside"));
        let _ = fs::create_dir(&root);
        ControlFlow::Continue(())
    });
    assert_eq!(result, Err(RootRefusal::Replaced));
    let result = walk(&anchor(&root), &mut |_| ControlFlow::Continue(()));
    assert_eq!(result, Ok(()));
    let gone = anchor(&root);
    fs::remove_dir(&root).unwrap();
    let result = walk(&gone, &mut |_| panic!("visited"));
    assert_eq!(result, Err(RootRefusal::Missing));
}

/// What a walk reports if this happens at the first file it reaches.
fn visits_while(root: &Path, happens: impl Fn()) -> (Vec<String>, Result<(), RootRefusal>) {
    let mut lines = Vec::new();
    let walked = walk(&anchor(root), &mut |seen| {
        if lines.is_empty() {
            happens();
        }
        let path = seen.path().strip_prefix(root).unwrap();
        lines.push(path.display().to_string());
        ControlFlow::Continue(())
    });
    (lines, walked)
}

#[test]
fn a_directory_swapped_for_a_symlink_before_it_is_listed_shows_nothing_outside() {
    let dir = tree(&["root/a", "root/b/own", "root/c", "outside/secret"]);
    let root = dir.path().join("root");
    // The root is listed completely before its first file is reported, `b` as a directory.
    let (lines, walked) = visits_while(&root, || {
        fs::rename(root.join("b"), dir.path().join("aside")).unwrap();
        symlink(dir.path().join("outside"), root.join("b")).unwrap();
    });
    assert_eq!(
        (lines, walked),
        (vec!["a".to_owned(), "c".to_owned()], Ok(()))
    );
}

#[test]
fn a_root_swapped_for_a_symlink_during_the_walk_shows_nothing_outside() {
    let dir = tree(&["root/a", "root/b/own", "outside/b/secret"]);
    let root = dir.path().join("root");
    let (lines, walked) = visits_while(&root, || {
        fs::rename(&root, dir.path().join("aside")).unwrap();
        symlink(dir.path().join("outside"), &root).unwrap();
    });
    assert_eq!(lines, ["a"], "what is listed is not what is looked at");
    assert_eq!(walked, Err(RootRefusal::Symlink(root)));
}

#[test]
fn names_come_as_their_keys_are_ordered() {
    let dir = tree(&["a!", "a/1", "a0", "a.b/2"]);
    let sorted = ["a!: file", "a.b/2: file", "a/1: file", "a0: file"];
    assert_eq!(all(dir.path()), sorted);
}

#[test]
fn a_walk_below_the_root_may_find_its_start_gone_or_replaced() {
    let dir = tree(&["sub/a", "b"]);
    let sub = dir.path().join("sub");
    assert_eq!(
        visits(dir.path(), &sub, WalkLimits::default()),
        ["sub/a: file"]
    );
    fs::remove_dir_all(&sub).unwrap();
    assert!(visits(dir.path(), &sub, WalkLimits::default()).is_empty());
    symlink("/etc", &sub).unwrap();
    assert!(
        visits(dir.path(), &sub, WalkLimits::default()).is_empty(),
        "a symlink is not a start"
    );
}

#[test]
fn the_visitor_may_break_off() {
    let dir = tree(&["a", "b"]);
    let mut count = 0;
    walk(&anchor(dir.path()), &mut |_| {
        count += 1;
        ControlFlow::Break(())
    })
    .unwrap();
    assert_eq!(count, 1);
}

#[test]
fn a_single_path_is_judged_as_the_walk_would() {
    let dir = tree(&["a.txt", "b.tmp", "sub/c"]);
    symlink("sub", dir.path().join("link")).unwrap();
    let code = |name: &str| match look(&anchor(dir.path()), Path::new(name)) {
        PathState::NoFile => "nothing",
        PathState::Seen(WalkEntry::File { .. }, Some(_)) => "file",
        PathState::Seen(WalkEntry::Skipped { reason, .. }, _) => reason.reason().code(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        ["a.txt", "b.tmp", "sub", "none", "link", "link/c"].map(code),
        [
            "file",
            "temporary",
            "nothing",
            "nothing",
            "symlink",
            "nothing"
        ]
    );
}

#[test]
fn a_mount_point_is_named_and_of_what_it_covers_nothing_is_known() {
    let look = |below: &str| look(&anchor(Path::new("/")), Path::new(below));
    let PathState::Seen(WalkEntry::Skipped { reason, .. }, _) = look("proc") else {
        panic!("{:?}", look("proc"));
    };
    assert_eq!(reason, SkipReason::MountPoint);
    assert_eq!(look("proc/version"), PathState::Covered);
    assert_eq!(look("proc/no such file"), PathState::Covered);
}
