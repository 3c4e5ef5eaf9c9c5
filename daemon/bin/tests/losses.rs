//! Held losses, and their confirmation by a person.

use std::fs;

use simdex_index::Cancel;
use simdexd::error::EngineError;
use simdexd::write_side::roots::{LossToken, RootState};
use simdexd::write_side::walk_queue::WalkRequest;
use simdexd::write_side::watch::Hint;

use crate::Bed;

/// This many short files, distributed over folders `d0`, `d1` and so on, and synced.
fn bed_of(files: u32, folders: u32) -> Bed {
    let bed = Bed::new(&[]);
    for number in 0..files {
        let path = bed.path(&format!("d{}/{number}.txt", number % folders));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("short {number}")).unwrap();
    }
    bed.engine.sync(&Cancel::never()).unwrap();
    bed
}

impl Bed {
    /// What a person is shown of the root, who may confirm it.
    pub(crate) fn shown(&self) -> LossToken {
        self.root().status().loss_token().unwrap()
    }

    pub(crate) fn confirm(&self, shown: LossToken) -> Result<u64, EngineError> {
        self.engine
            .confirm_loss(&self.root(), shown, &Cancel::never())
    }

    /// Moves what lies below the root out of it, or back, once nothing is queued: a file that is to be read again, as
    /// those are that had just been written, and is not there then, is removed by itself.
    fn swap_out(&self, name: &str) {
        self.engine.barrier(&Cancel::never()).unwrap();
        let (inside, outside) = (self.path(name), self.top.join(name));
        match inside.exists() {
            true => fs::rename(inside, outside).unwrap(),
            false => fs::rename(outside, inside).unwrap(),
        }
    }
}

#[test]
fn what_is_confirmed_is_the_loss_that_was_shown_and_no_other() {
    let bed = bed_of(3_300, 3);
    bed.swap_out("d0");
    assert!(bed.engine.sync(&Cancel::never()).is_err());
    assert_eq!(bed.root().status().pending_loss, 1_100);

    // As many other files, which nobody has missed yet, then more; each is shown under a name of its own.
    let first = bed.shown();
    bed.swap_out("d0");
    bed.swap_out("d1");
    let refused = bed.confirm(first).unwrap_err().to_string();
    assert!(
        refused.contains("1100 files missing, not those that were shown"),
        "{refused}"
    );
    let second = bed.shown();
    assert!(second != first && bed.confirm(first).is_err());
    bed.swap_out("d0");
    let refused = bed.confirm(second).unwrap_err().to_string();
    assert!(refused.contains("2200 files missing"), "{refused}");
    bed.swap_out("d0");

    // Another directory, which nobody has walked yet; a third one, where the second was shown; and none.
    let (share, aside) = (bed.top.join("share"), bed.top.join("aside"));
    assert!(bed.engine.sync(&Cancel::never()).is_err());
    bed.engine.barrier(&Cancel::never()).unwrap();
    fs::rename(&share, &aside).unwrap();
    fs::create_dir(&share).unwrap();
    let refused = bed.confirm(second).unwrap_err().to_string();
    assert!(
        refused.contains("has changed since it was shown"),
        "{refused}"
    );
    assert_eq!(bed.root().status().state, RootState::Replaced);
    let replaced = bed.shown();
    fs::rename(&share, bed.top.join("second")).unwrap();
    fs::create_dir(&share).unwrap();
    assert!(bed.confirm(replaced).is_err() && bed.shown() != replaced);
    fs::remove_dir(&share).unwrap();
    assert!(bed.confirm(bed.shown()).is_err());
    bed.engine.barrier(&Cancel::never()).unwrap();
    assert_eq!(bed.live().len(), 3_300, "nothing was removed");

    fs::rename(&aside, &share).unwrap();
    assert!(bed.engine.sync(&Cancel::never()).is_err());
    assert_eq!(bed.confirm(second).unwrap(), 1_100);
    bed.agree("once what was shown is confirmed");
}

#[test]
fn deletes_that_were_seen_before_a_loss_is_confirmed_explain_no_later_one() {
    let bed = bed_of(3_300, 3);
    bed.swap_out("d0");
    assert!(bed.engine.sync(&Cancel::never()).is_err());
    fs::rename(bed.path("d1"), bed.top.join("d1")).unwrap();
    bed.hint(Hint::Removed(bed.path("d1")));
    assert_eq!(bed.confirm(bed.shown()).unwrap(), 1_100);
    bed.agree("both are gone");

    bed.swap_out("d1");
    bed.hint(Hint::Subtree(bed.path("d1")));
    bed.agree("it is back");
    bed.swap_out("d1");
    assert!(bed.engine.sync(&Cancel::never()).is_err(), "believed");
    assert_eq!(bed.root().status().state, RootState::LossHeld);
}

#[test]
fn a_held_loss_is_not_believed_folder_by_folder() {
    let bed = bed_of(2_100, 3);
    let empty = |name: &str| {
        fs::remove_dir_all(bed.path(name)).unwrap();
        fs::create_dir(bed.path(name)).unwrap();
    };
    ["d0", "d1", "d2"].iter().for_each(|name| empty(name));
    assert!(bed.engine.sync(&Cancel::never()).is_err());
    assert_eq!(bed.root().status().state, RootState::LossHeld);
    bed.hint(Hint::Subtree(bed.path("d1")));
    assert_eq!(bed.live().len(), 2_100);
    assert_eq!(bed.walks.next(), Some(WalkRequest::Root));
}

#[test]
fn what_folder_after_folder_misses_is_for_the_whole_root_to_judge() {
    let bed = bed_of(2_100, 3);
    for name in ["d0", "d1", "d2"] {
        fs::remove_dir_all(bed.path(name)).unwrap();
        fs::create_dir(bed.path(name)).unwrap();
        bed.hint(Hint::Subtree(bed.path(name)));
    }
    assert_eq!(bed.live().len(), 1_400, "of one folder it is believed");
    assert!(bed.engine.sync(&Cancel::never()).is_err());
    assert_eq!(bed.root().status().state, RootState::LossHeld);
}

#[test]
fn a_move_that_was_announced_explains_its_own_files_and_no_loss_of_others() {
    let bed = bed_of(2_500, 5);
    for number in [0, 1] {
        let (from, to) = (format!("d{number}"), format!("e{number}"));
        bed.rename(&from, &to);
        let root = bed.root();
        let old = bed
            .live()
            .into_iter()
            .filter(|path| path.starts_with(&from));
        let key = |path: String| root.key(&bed.path(&path)).unwrap();
        // Announced, while their records wait in the queue.
        root.saw_deletes(&old.map(key).collect::<Vec<_>>());
    }
    for name in ["d2", "d3"] {
        bed.swap_out(name);
    }
    assert!(bed.engine.sync(&Cancel::never()).is_err(), "believed");
    assert_eq!(bed.root().status().state, RootState::LossHeld);
    assert_eq!(bed.root().status().pending_loss, 1_000);
}
