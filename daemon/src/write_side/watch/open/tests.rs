//! Opening never leaves the root, never blocks, and returns the reason for a refusal.

use std::io::Read;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::super::anchor::{DIRECTORY, resolve_stepwise};
use super::*;

fn outcome(root: &Path, below: impl AsRef<Path>) -> Result<String, &'static str> {
    let read = |mut file: File| {
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        text
    };
    let below = below.as_ref();
    let root = root.canonicalize().unwrap();
    let stepwise = || {
        let anchor = rustix::fs::open(&root, DIRECTORY, Mode::empty()).unwrap();
        look_and_open(|flags| resolve_stepwise(&anchor, below, flags))
    };
    let anchor = Anchor::open(&root).unwrap();
    let whole = open_regular(&anchor, below)
        .map(read)
        .map_err(|e| e.reason().code());
    assert_eq!(
        whole.is_ok(),
        stepwise().is_ok(),
        "both ways agree on {below:?}"
    );
    whole
}

#[test]
fn a_regular_file_opens_by_its_path_below_the_root() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("sub")).unwrap();
    std::fs::write(dir.path().join("sub/a.txt"), "text").unwrap();
    assert_eq!(outcome(dir.path(), "sub/a.txt"), Ok("text".into()));
}

#[test]
fn a_directory_swapped_for_a_symlink_does_not_lead_out() {
    let dir = tempfile::tempdir().unwrap();
    let (root, secret) = (dir.path().join("root"), dir.path().join("secret"));
    for made in [&root, &root.join("sub"), &secret] {
        std::fs::create_dir(made).unwrap();
        std::fs::write(made.join("a.txt"), "text").unwrap();
    }
    let seen = Path::new("sub/a.txt");
    assert!(outcome(&root, seen).is_ok());
    std::fs::rename(root.join("sub"), root.join("old")).unwrap();
    symlink(&secret, root.join("sub")).unwrap();
    assert_eq!(outcome(&root, seen), Err("outside-root"));
}

#[test]
fn a_symlink_on_the_way_is_refused_even_if_it_stays_inside() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("real")).unwrap();
    std::fs::write(dir.path().join("real/a.txt"), "text").unwrap();
    symlink("real", dir.path().join("link")).unwrap();
    assert_eq!(outcome(dir.path(), "link/a.txt"), Err("outside-root"));
}

#[test]
fn paths_that_climb_or_lie_elsewhere_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    std::fs::create_dir_all(root.join("sub")).unwrap();
    std::fs::write(dir.path().join("a.txt"), "text").unwrap();
    assert_eq!(outcome(&root, "../a.txt"), Err("outside-root"));
    assert_eq!(
        outcome(&root, dir.path().join("a.txt")),
        Err("outside-root")
    );
    assert_eq!(outcome(&root, "sub/../../a.txt"), Err("outside-root"));
}

#[test]
fn only_regular_files_are_opened_and_none_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    mknodat(CWD, root.join("fifo"), FileType::Fifo, Mode::from(0o600), 0).unwrap();
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    std::fs::create_dir(root.join("dir")).unwrap();
    std::fs::write(root.join("real"), "").unwrap();
    symlink("real", root.join("link")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    for name in ["fifo", "socket", "dir", "link", "loop"] {
        assert_eq!(outcome(root, name), Err("not-regular"), "{name}");
    }
}

#[test]
fn a_missing_file_and_a_missing_root_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(outcome(dir.path(), "gone.txt"), Err("vanished"));
    let root = dir.path().join("unmounted");
    let error = OpenError::from(Anchor::open(&root).unwrap_err());
    assert_eq!(error.reason(), Reason::RootVanished);
}

#[test]
fn another_mount_is_not_entered() {
    let (root, file) = (Path::new("/"), Path::new("proc/version"));
    assert_eq!(outcome(root, file), Err("outside-root"));
}

#[test]
fn a_file_without_permission_is_unreadable() {
    if rustix::process::geteuid().is_root() {
        return; // root reads everything
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.txt");
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    assert_eq!(outcome(dir.path(), "a.txt"), Err("permission-denied"));
}

#[test]
fn a_root_that_cannot_be_opened_for_want_of_descriptors_keeps_the_reason() {
    let shortage = OpenError::from(RootRefusal::Io(Errno::MFILE));
    let OpenError::RootUnusable(source) = shortage else {
        panic!("{shortage:?}");
    };
    assert_eq!(source.raw_os_error(), Some(Errno::MFILE.raw_os_error()));
    assert!(RootRefusal::Io(Errno::MFILE).shortage().is_some());
    assert!(RootRefusal::Io(Errno::IO).shortage().is_none());
    assert!(RootRefusal::Denied.shortage().is_none());
}
