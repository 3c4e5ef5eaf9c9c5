//! Files that are removed while a reading of them is on its way to the index.

use std::cell::Cell;
use std::fs;
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};
use std::thread;

use simdex_index::Cancel;
use simdex_index::store::{BeforeOperation, Operation};
use simdexd::engine::Engine;
use simdexd::write_side::walk_queue::WalkRequest;
use simdexd::write_side::watch::Hint;

use crate::Bed;

thread_local! {
    /// How many reads of the store this thread does until the writer's thread may go on; `None` if that is not for this
    /// thread to say.
    static READS_LEFT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Keeps the writer's thread from applying a reading.
#[derive(Default)]
struct HeldWriter {
    state: Mutex<Held>,
    changed: Condvar,
    engine: OnceLock<Weak<Engine>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Held {
    #[default]
    No,
    /// From its next write on.
    Soon,
    Waits,
}

impl HeldWriter {
    fn set(&self, held: Held) {
        *self.state.lock().unwrap() = held;
        self.changed.notify_all();
    }

    fn until(&self, wanted: Held) {
        let state = self.state.lock().unwrap();
        let waited = self.changed.wait_while(state, |state| *state != wanted);
        drop(waited.unwrap());
    }

    /// Called before an operation of the store.
    fn before(&self, operation: Operation) {
        let is_writer = thread::current().name() == Some("writer");
        if is_writer && operation == Operation::Write && *self.state.lock().unwrap() == Held::Soon {
            self.set(Held::Waits);
            self.until(Held::No);
        }
        match READS_LEFT.get() {
            Some(0) if operation == Operation::Read => self.let_apply(),
            Some(left) if operation == Operation::Read => READS_LEFT.set(Some(left - 1)),
            _ => {}
        }
    }

    /// Returns once the writer's thread has applied everything.
    fn let_apply(&self) {
        READS_LEFT.set(None);
        self.set(Held::No);
        let engine = self.engine.get().and_then(Weak::upgrade).unwrap();
        while engine.counts().pending > 0 {
            thread::yield_now();
        }
    }
}

/// Removes a file whose reading is then applied before one of the reads of the store that `notice` does, which is to
/// notice the removal; once for each of these reads.
fn remove_while_under_way(notice: impl Fn(&Bed)) {
    let writer = Arc::new(HeldWriter::default());
    let held = Arc::clone(&writer);
    let before = move |operation| {
        held.before(operation);
        Ok(())
    };
    let before: Arc<BeforeOperation> = Arc::new(before);
    let bed = Bed::hooked(&["share"], &["d/b.txt", "d/c.txt"], Some(before));
    writer.engine.set(Arc::downgrade(&bed.engine)).unwrap();
    for read in 0.. {
        bed.engine.barrier(&Cancel::never()).unwrap();
        bed.write("d/a.txt");
        writer.set(Held::Soon);
        let hint = Hint::Path(bed.path("d/a.txt"));
        let dispatcher = bed.engine.dispatcher();
        dispatcher.act_on_hint(&bed.root(), hint, &bed.walks);
        writer.until(Held::Waits);
        fs::remove_file(bed.path("d/a.txt")).unwrap();

        READS_LEFT.set(Some(read));
        notice(&bed);
        let was_applied = READS_LEFT.take().is_none();
        writer.let_apply();
        bed.engine.barrier(&Cancel::never()).unwrap();
        bed.agree(&format!("applied before read {read}"));
        if !was_applied {
            assert!(read > 1, "a list of records takes more reads");
            return;
        }
    }
}

#[test]
fn a_walk_misses_no_removed_file_whose_reading_is_applied_during_it() {
    remove_while_under_way(|bed| {
        let walk = WalkRequest::Below(bed.path("d"));
        let dispatcher = bed.engine.dispatcher();
        dispatcher.walk(&bed.root(), &walk, &bed.walks);
    });
}

#[test]
fn a_reported_removal_reaches_a_file_whose_reading_is_applied_during_it() {
    remove_while_under_way(|bed| {
        let hint = Hint::Removed(bed.path("d"));
        let dispatcher = bed.engine.dispatcher();
        dispatcher.act_on_hint(&bed.root(), hint, &bed.walks);
    });
}
