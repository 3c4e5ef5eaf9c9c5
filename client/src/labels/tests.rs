//! Labels files that are appended to, cut off, damaged or no files at all.

use std::os::unix::fs::PermissionsExt as _;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use simdex_proto::lines::Verdict;
use simdex_proto::v1::LabelledFile;

use super::*;

fn label(of: u8) -> Label {
    let file = |of: u8| LabelledFile {
        path: format!("/s/{of}").into_bytes(),
        document: vec![of; 32],
    };
    Label {
        pair: LabelledPair::new(&file(of), &file(0xff)),
        verdict: Verdict::Version,
        rater: "ada".to_owned(),
        at: "2026-11-23T03:00:00Z".to_owned(),
    }
}

fn places() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("labels");
    (dir, path)
}

#[test]
fn what_was_appended_is_there_when_the_file_is_opened_again() {
    let (_dir, path) = places();
    let mut file = LabelsFile::open(&path).expect("opened");
    (1..=2).for_each(|of| file.append(label(of)).expect("appended"));
    assert!(matches!(
        LabelsFile::open(&path),
        Err(Error::LabelsInUse { .. })
    ));
    drop(file);
    let mut file = LabelsFile::open(&path).expect("opened");
    assert_eq!(file.labels(), [label(1), label(2)]);
    file.append(label(3)).expect("appended");
    assert_eq!(read_labels(&path).expect("read"), file.labels());
    let mode = std::fs::metadata(&path)
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// Opens labels that this test has closed: a process that another test starts has all open files for a moment.
fn opened(path: &Path) -> LabelsFile {
    for _ in 0..1_000 {
        match LabelsFile::open(path) {
            Err(Error::LabelsInUse { .. }) => {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            opened => return opened.expect("opened"),
        }
    }
    panic!("{} stays in use", path.display());
}

#[test]
fn a_line_that_a_crash_cut_off_at_any_byte_is_left_out_and_the_others_stay() {
    let (_dir, path) = places();
    let mut file = LabelsFile::open(&path).expect("opened");
    let mut second = label(2);
    second.rater = "Zoë".to_owned();
    for label in [label(1), second] {
        file.append(label).expect("appended");
    }
    drop(file);
    let whole = std::fs::read(&path).expect("read");
    let first = whole
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("two lines")
        + 1;
    for cut in first..whole.len() {
        std::fs::write(&path, &whole[..cut]).expect("written");
        // Only the line feed is missing if all of the label is there.
        let expected = match cut == whole.len() - 1 {
            true => 2,
            false => 1,
        };
        assert_eq!(read_labels(&path).expect("read").len(), expected, "{cut}");
        let mut file = opened(&path);
        assert_eq!(file.labels().len(), expected);
        file.append(label(3)).expect("appended");
        drop(file);
        let labels = read_labels(&path).expect("read");
        assert_eq!(labels.last(), Some(&label(3)));
        assert_eq!(labels.len(), expected + 1);
    }
}

#[test]
fn a_line_that_is_no_label_is_refused_by_its_number_and_nothing_is_changed() {
    let (_dir, path) = places();
    let mut file = LabelsFile::open(&path).expect("opened");
    file.append(label(1)).expect("appended");
    drop(file);
    let text = std::fs::read_to_string(&path).expect("read") + "\nnonsense\n";
    std::fs::write(&path, &text).expect("written");
    for refused in [LabelsFile::open(&path).err(), read_labels(&path).err()] {
        let said = refused.expect("refused").to_string();
        assert!(
            said.contains("line 3 is no label: it is not a line of JSON"),
            "{said}"
        );
    }
    assert_eq!(std::fs::read_to_string(&path).expect("read"), text);
    let said = read_pairs(&path).expect_err("refused").to_string();
    assert!(said.ends_with("line 3 names no pair"), "{said}");
    let other = text.replace("nonsense", r#"{"type":"summary","v":1}"#);
    std::fs::write(&path, &other).expect("written");
    assert_eq!(read_pairs(&path).expect("read"), [label(1).pair]);
    let damaged = other.replace("summary", "pair");
    std::fs::write(&path, &damaged).expect("written");
    assert!(matches!(
        read_pairs(&path),
        Err(Error::NoPair { line: 3, .. })
    ));
}

#[test]
fn a_file_of_something_else_is_refused_and_stays_as_it_is() {
    let (_dir, path) = places();
    let cut = &BEGINNING[..5];
    let line = serde_json::to_vec(&Line::of(&label(1))).expect("encoded");
    assert!(line.starts_with(BEGINNING));
    for other in [
        &b"secret"[..],
        b"\xff\xfe",
        b"\0x",
        b"{\"type\":\"pair\"",
        b"secret\n",
    ] {
        for before in [&b""[..], &[&line[..], b"\n"].concat()] {
            let text = [before, other].concat();
            std::fs::write(&path, &text).expect("written");
            for refused in [LabelsFile::open(&path).err(), read_labels(&path).err()] {
                assert!(
                    matches!(refused, Some(Error::NoLabel { .. })),
                    "{refused:?}"
                );
            }
            assert_eq!(std::fs::read(&path).expect("read"), text);
        }
    }
    // What a crash left also stays as long as nothing is written.
    for left in [cut, &[0; 700], &[&line[..40], &[0; 60]].concat()] {
        std::fs::write(&path, left).expect("written");
        let mut file = LabelsFile::open(&path).expect("opened");
        assert_eq!(std::fs::read(&path).expect("read"), left);
        file.append(label(3)).expect("appended");
        assert_eq!(read_labels(&path).expect("read"), [label(3)]);
    }
}

#[test]
fn what_is_no_regular_file_is_refused_and_not_waited_for() {
    let (dir, path) = places();
    let fifo = dir.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RWXU, 0).expect("FIFO");
    std::os::unix::fs::symlink(&fifo, dir.path().join("link")).expect("link");
    let others = [Path::new("/dev/null"), dir.path()];
    let links = [fifo, dir.path().join("link")];
    for other in others.into_iter().chain(links.iter().map(PathBuf::as_path)) {
        for refused in [
            LabelsFile::open(other).err(),
            read_labels(other).err(),
            read_pairs(other).err(),
        ] {
            assert!(
                matches!(refused, Some(Error::NotRegular { .. })),
                "{}: {refused:?}",
                other.display()
            );
        }
    }
    let mut file = LabelsFile::open(&path).expect("opened");
    file.append(label(1)).expect("appended");
    std::os::unix::fs::symlink(&path, dir.path().join("to-file")).expect("link");
    let read = read_labels(&dir.path().join("to-file")).expect("read");
    assert_eq!(read, [label(1)]);
}

#[test]
fn labels_from_elsewhere_are_read_under_the_name_that_is_given() {
    let line = serde_json::to_vec(&Line::of(&label(1))).expect("encoded");
    let name = Path::new("standard input");
    let text = [&line[..], b"\nnonsense\n"].concat();
    let read = read_labels_from(&text[..=line.len()], name).expect("read");
    assert_eq!(read, [label(1)]);
    let refused = read_labels_from(&text[..], name).expect_err("refused");
    let said = refused.to_string();
    assert!(
        said.starts_with("standard input: line 2 is no label: "),
        "{said}"
    );
}
