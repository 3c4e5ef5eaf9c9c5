//! What is noted about files that are renamed while a list is made.

use simdex_schema::{FileRecord, FileStat, Reason, RootId, State, Timestamp};

use super::bed::{Bed, file, put, seen_file};
use super::texts::Random;
use crate::{FileChange, SeenFile, VisibleRoots};

/// A name and its new text; `None` if the file is gone.
type Step = (&'static str, Option<usize>);

/// A bed with a different text in each of `a/d`, `a/m` and `a/z`, and one more text.
fn filled() -> (Bed, [String; 4]) {
    let (bed, mut random) = (Bed::memory(), Random::new(53));
    let texts = [(); 4].map(|()| random.words(30));
    for (name, text) in ["a/d", "a/m", "a/z"].iter().zip(&texts) {
        bed.put(name, text);
    }
    (bed, texts)
}

fn change(bed: &Bed, texts: &[String; 4], (name, text): Step) -> FileChange {
    match text {
        Some(at) => put(bed.index(), name, &texts[at], 0),
        None => FileChange::removal(file(name)),
    }
}

/// How many files are counted as moved while these steps were applied, one after another.
fn moved(steps: &[Step]) -> u64 {
    let (bed, texts) = filled();
    let watch = bed.reader().file_totals().watch_moves(&VisibleRoots::All);
    for step in steps {
        let change = change(&bed, &texts, *step);
        bed.index().writer.apply(&[change]).unwrap();
    }
    watch.moved(0)
}

/// A file of this length and modification time whose bytes are not read.
fn unread(path: &str, (length, seconds): (u64, i64)) -> FileChange {
    let mtime = Timestamp { seconds, nanos: 0 };
    let stat = FileStat {
        length,
        mtime,
        ..FileStat::default()
    };
    let record = FileRecord::unread(stat, State::Unstable, Reason::ChangedWhileRead);
    FileChange::file(SeenFile::without_content(file(path), record))
}

#[test]
fn a_file_that_is_renamed_is_noted_whatever_stood_there_and_whichever_name_changes_first() {
    assert_eq!(moved(&[("a/z", None), ("a/a", Some(2))]), 1);
    assert_eq!(moved(&[("a/a", Some(2)), ("a/z", None)]), 1);
    assert_eq!(moved(&[("a/z", None), ("a/d", Some(2))]), 1, "onto another");
    assert_eq!(moved(&[("a/d", Some(2)), ("a/z", None)]), 1, "onto another");
    let places = [("a/d", Some(2)), ("a/z", Some(0))];
    assert_eq!(moved(&places), 2, "two change places");
    let back = [
        ("a/a", Some(2)),
        ("a/z", None),
        ("a/z", Some(2)),
        ("a/a", None),
    ];
    assert_eq!(moved(&back), 2, "there and back");
    let followed = [("a/a", Some(2)), ("a/z", Some(3))];
    assert_eq!(moved(&followed), 1, "and another file came to its old name");
}

#[test]
fn edits_and_files_that_come_and_go_without_each_other_are_not_renamed() {
    assert_eq!(moved(&[("a/d", Some(3))]), 0, "edited");
    assert_eq!(
        moved(&[("a/d", Some(3)), ("a/d", Some(0))]),
        0,
        "and put back"
    );
    assert_eq!(moved(&[("a/a", Some(3)), ("a/z", None)]), 0, "unrelated");
    assert_eq!(moved(&[("a/a", Some(2))]), 0, "copied");
    assert_eq!(moved(&[("a/z", None), ("a/z", None)]), 0, "gone");
}

#[test]
fn what_left_a_name_while_changes_are_on_their_way_may_be_renamed_by_them() {
    let (bed, texts) = filled();
    let watch = bed.reader().file_totals().watch_moves(&VisibleRoots::All);
    assert_eq!(watch.moved(9), 0);
    bed.remove("a/z");
    assert_eq!(
        [0, 1, 9].map(|on_their_way| watch.moved(on_their_way)),
        [0, 1, 1]
    );
    bed.put("a/a", &texts[2]);
    assert_eq!([0, 9].map(|on_their_way| watch.moved(on_their_way)), [1, 1]);
}

#[test]
fn a_content_that_a_name_left_before_may_be_a_file_that_was_there_all_the_time() {
    let (bed, texts) = filled();
    bed.remove("a/z");
    let watch = bed.reader().file_totals().watch_moves(&VisibleRoots::All);
    bed.put("a/n", &texts[3]);
    assert_eq!(watch.moved(0), 0);
    bed.put("a/a", &texts[2]);
    assert_eq!(watch.moved(0), 1);
}

#[test]
fn a_file_whose_bytes_are_not_read_under_one_of_its_names_is_known_by_its_look() {
    let look = (7, 1_700_000_000);
    for is_read_before in [false, true] {
        let (bed, texts) = filled();
        let mut read = seen_file(put(bed.index(), "a/x", &texts[3], 0));
        (read.record.stat.length, read.record.stat.mtime.seconds) = look;
        let before = match is_read_before {
            true => FileChange::file(read),
            false => unread("a/x", look),
        };
        bed.index().writer.apply(&[before]).unwrap();
        let watch = bed.reader().file_totals().watch_moves(&VisibleRoots::All);
        let apply = |change| bed.index().writer.apply(&[change]).unwrap();
        apply(unread("a/x", look));
        assert_eq!(watch.moved(0), 0, "in its place");
        apply(unread("a/other", (8, 8)));
        apply(FileChange::removal(file("a/x")));
        assert_eq!(watch.moved(0), 0, "another came");
        apply(unread("a/d", look));
        assert_eq!(watch.moved(0), 1, "onto a name on record");
    }
}

#[test]
fn files_that_move_from_one_root_to_another_move_in_a_view_of_both() {
    let (bed, texts) = filled();
    let [one, other] = [1, 2].map(|root| VisibleRoots::Roots([RootId(root)].into()));
    let watches =
        [&VisibleRoots::All, &one, &other].map(|view| bed.reader().file_totals().watch_moves(view));
    bed.put("b/z", &texts[2]);
    bed.remove("a/z");
    assert_eq!(watches.map(|watch| watch.moved(0)), [1, 0, 0]);
    // A batch that cannot be applied does not stay pending for ever.
    bed.fail_after(0);
    let renamed = [("a/d", None), ("a/a", Some(0))].map(|step| change(&bed, &texts, step));
    assert!(bed.index().writer.apply(&renamed).is_err());
    bed.fail_after(i64::MAX);
    let watch = bed.reader().file_totals().watch_moves(&VisibleRoots::All);
    assert_eq!(watch.moved(0), 0);
}
