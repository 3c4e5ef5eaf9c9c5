//! Walks of unchanged files look up nothing, once the files were found at rest.

use std::fs;
use std::time::Duration;

use simdex_index::Cancel;
use simdex_schema::FileKey;

use crate::Bed;

const FILES: u64 = 40;
const MAILS: u64 = 120;

/// A mailbox with this many short mails.
fn mailbox(mails: u64) -> String {
    let mail = |at: u64| {
        format!(
            "From a@example.org Mon Jan  1 00:00:00 2024\nFrom: a@example.org\nTo: b@example.org\n\
             Subject: note {at}\n\nThe note with the number {at}.\n\n"
        )
    };
    (0..mails).map(mail).collect()
}

impl Bed {
    /// Contents whose records were looked up so far.
    fn looked_up(&self) -> u64 {
        self.engine.index.work().contents_read
    }

    /// Walks until a walk looks up no content: what was written in the last two seconds is read again by the first.
    fn come_to_rest(&self) {
        let is_at_rest = |_| {
            let before = self.looked_up();
            self.engine.sync(&Cancel::never()).unwrap();
            std::thread::sleep(Duration::from_millis(100));
            self.looked_up() == before
        };
        assert!((0..300).any(is_at_rest), "each walk looks contents up");
    }

    fn members(&self, path: &str) -> usize {
        let key = FileKey {
            root: self.root().id,
            path: path.as_bytes().to_vec(),
        };
        self.engine.index.registry().members(&key).unwrap().len()
    }
}

#[test]
fn unchanged_files_and_members_are_not_looked_up_and_changed_ones_are() {
    let bed = Bed::new(&[]);
    for number in 0..FILES {
        fs::write(
            bed.path(&format!("{number}.txt")),
            format!("short {number}"),
        )
        .unwrap();
    }
    fs::write(bed.path("mails.mbox"), mailbox(MAILS)).unwrap();
    bed.come_to_rest();
    assert!(bed.members("mails.mbox") as u64 >= MAILS);

    let before = bed.looked_up();
    bed.engine.sync(&Cancel::never()).unwrap();
    assert_eq!(bed.looked_up(), before);
    // What is new is looked up, and nothing else.
    fs::write(bed.path("new.txt"), "another one").unwrap();
    bed.engine.sync(&Cancel::never()).unwrap();
    let read = bed.looked_up() - before;
    assert!((1..FILES).contains(&read), "{read} contents");

    let members = bed.members("mails.mbox");
    fs::write(bed.path("mails.mbox"), mailbox(MAILS + 1)).unwrap();
    bed.engine.sync(&Cancel::never()).unwrap();
    assert!(bed.members("mails.mbox") > members, "a mail more");
    bed.come_to_rest();
}
