//! Deleting a tenth of all documents, along the way of the daemon, in batches as large as those of insertion.

use std::time::{Duration, Instant};

use anyhow::ensure;
use simdex_index::{Cancel, FileChange, Opened};
use simdex_schema::RootId;

use super::super::answers::{BATCH, key};
use super::super::process::processor_seconds;
use super::ask_verified;
use super::given::deleted;
use super::questions::Questions;
use crate::corpus::Planted;
use crate::figure::Figures;

/// How long each step of a deletion took.
#[derive(Default)]
pub(super) struct Deletion {
    /// Their files are removed: from here on nothing of them is found.
    files: Duration,
    /// They left their groups.
    groups_left: Duration,
    /// Their records are removed, and a merge is made where one is due.
    forgotten: Duration,
    /// Seconds of processor time of all that.
    processor: f64,
    /// Documents whose principal was deleted.
    displaced: u64,
    /// These found their groups again.
    groups_found: Duration,
}

impl Deletion {
    /// Seconds until the documents were forgotten, without finding groups again, as insertion is measured.
    pub(super) fn seconds(&self) -> f64 {
        (self.files + self.groups_left + self.forgotten).as_secs_f64()
    }

    /// Prints the steps, and the whole beside inserting as many with their groups, where all took `inserted`.
    pub(super) fn show(&self, inserted: Duration, figures: &mut Figures<'_>) -> anyhow::Result<()> {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let columns = [
            ("files", ms(self.files), "ms"),
            ("groups left", ms(self.groups_left), "ms"),
            ("forgotten", ms(self.forgotten), "ms"),
            ("processor", self.processor * 1e3, "ms"),
            ("groups found", ms(self.groups_found), "ms"),
            ("of documents", self.displaced as f64, ""),
        ];
        figures.row("deleting a tenth", &columns)?;
        let with_groups = self.seconds() + self.groups_found.as_secs_f64();
        let share = 10.0 * with_groups / inserted.as_secs_f64();
        let name = "deleting, with groups, to inserting with groups";
        Ok(figures.put(name, share, "")?)
    }
}

/// Deletes documents until nothing of them is found or on record.
pub(super) fn remove(opened: &Opened, root: RootId, planted: &Planted) -> anyhow::Result<Deletion> {
    let gone: Vec<u64> = deleted(planted).collect();
    let (mut begin, processor) = (Instant::now(), processor_seconds()?);
    let mut took = || {
        let took = begin.elapsed();
        begin += took;
        took
    };
    let mut deletion = Deletion::default();
    for some in gone.chunks(BATCH as usize) {
        let removal = |number: &u64| FileChange::removal(key(root, *number));
        let some: Vec<_> = some.iter().map(removal).collect();
        opened.writer.apply(&some)?;
    }
    deletion.files = took();
    opened.writer.check_changed_files()?;
    deletion.groups_left = took();
    opened.writer.merge()?;
    deletion.forgotten = took();
    deletion.processor = processor_seconds()? - processor;
    deletion.displaced = opened.writer.unsettled().awaited;
    Ok(deletion)
}

/// Deletes documents, and finds the groups of those they leave.
pub(super) fn delete(
    opened: Opened,
    root: RootId,
    planted: &Planted,
    questions: &Questions,
) -> anyhow::Result<Deletion> {
    let mut deletion = remove(&opened, root, planted)?;
    let begin = Instant::now();
    opened.writer.settle(&Cancel::never())?;
    deletion.groups_found = begin.elapsed();
    let answers = ask_verified(opened.index.reader(), questions)?;
    let gone: Vec<u64> = deleted(planted).collect();
    let mut found = answers.found.iter().flatten();
    ensure!(
        !found.any(|number| gone.binary_search(number).is_ok()),
        "a deleted document is found"
    );
    opened.index.close(opened.writer)?;
    Ok(deletion)
}
