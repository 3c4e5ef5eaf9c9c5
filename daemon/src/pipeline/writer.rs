//! The one thread that changes the index: gathers what readers found and applies it. Another
//! commits.

use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use simdex_index::{Change, NewContent};
use simdex_schema::FileKey;

use super::jobs::Jobs;
use super::{Looks, Shared};
use crate::events::EventKind;
use crate::progress::Job;

/// Changes applied at once.
const BATCH: usize = 256;
/// Extracted text a batch may hold before it is applied, bytes.
const BATCH_TEXT: u64 = 32 << 20;
/// A batch waits this long for more.
const GATHER: Duration = Duration::from_millis(30);

impl Shared {
    /// Applies what readers found, batch by batch; commits at its end.
    pub(super) fn write(&self, looks: &Receiver<Looks>, again: &Jobs) {
        while let Ok(first) = looks.recv() {
            self.apply(gather(first, looks), again);
            self.uncommitted.store(true, Ordering::Release);
            if self.cancel.check().is_err() {
                break;
            }
        }
        self.commit();
    }

    /// Commits what was applied, every `commit_ms`: on a thread of its own, as a disk takes its time
    /// and what is applied can be asked for meanwhile.
    pub(super) fn commit_at_times(&self) {
        let every = Duration::from_millis(self.config.store.commit_ms.max(1));
        while self.cancel.check().is_ok() {
            self.to_end.wait(every);
            if self.uncommitted.swap(false, Ordering::AcqRel) {
                self.commit();
            }
        }
    }

    /// Makes what was applied power-safe.
    pub(super) fn commit(&self) {
        self.index
            .commit()
            .unwrap_or_else(|error| self.break_off(&error));
    }

    fn apply(&self, batch: Vec<Looks>, again: &Jobs) {
        let (jobs, changes): (Vec<Job>, Vec<Option<Change>>) = batch.into_iter().unzip();
        let changes: Vec<Change> = changes.into_iter().flatten().collect();
        let mut retry = Vec::new();
        if !changes.is_empty() {
            let told = changes.iter().map(told).collect::<Vec<_>>();
            match self.index.apply(changes) {
                Ok(applied) => {
                    retry = applied.unknown_content;
                    self.tell(told);
                }
                Err(error) => self.break_off(&error),
            }
            self.to_settle.ring();
        }
        // A content that was purged between look and batch is looked at once more; the new ticket
        // is taken before the old one is given back, so that no barrier slips between.
        let mut jobs_again: Vec<Job> = retry
            .into_iter()
            .filter_map(|key| self.progress.submit(key))
            .collect();
        jobs_again.extend(
            jobs.into_iter()
                .filter_map(|job| self.progress.complete(job)),
        );
        jobs_again.into_iter().for_each(|job| again.push_again(job));
    }

    /// Tells of files that were applied.
    fn tell(&self, told: Vec<(EventKind, FileKey)>) {
        for (kind, key) in told {
            if let Some(root) = self.roots.get(key.root) {
                root.tell(kind, &key.path, String::new);
            }
        }
    }
}

/// A batch: what is there, and what comes within [`GATHER`].
fn gather(first: Looks, looks: &Receiver<Looks>) -> Vec<Looks> {
    let until = Instant::now() + GATHER;
    let mut text = text_bytes(&first);
    let mut batch = vec![first];
    while batch.len() < BATCH && text < BATCH_TEXT {
        match looks.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(look) => {
                text += text_bytes(&look);
                batch.push(look);
            }
            Err(_) => break,
        }
    }
    batch
}

fn told(change: &Change) -> (EventKind, FileKey) {
    match change {
        Change::File { key, .. } => (EventKind::FileIndexed, key.clone()),
        Change::Container { file, .. } => (EventKind::FileIndexed, file.key.clone()),
        Change::Remove(key) => (EventKind::FileRemoved, key.clone()),
    }
}

fn text_bytes(look: &Looks) -> u64 {
    let of = |content: &Option<Box<NewContent>>| {
        let document = content.as_ref().and_then(|new| new.document.as_ref());
        document.map_or(0, |document| document.length)
    };
    match &look.1 {
        Some(Change::File { content, .. }) => of(content),
        Some(Change::Container { file, members }) => {
            of(&file.content)
                + members
                    .iter()
                    .map(|member| of(&member.content))
                    .sum::<u64>()
        }
        Some(Change::Remove(_)) | None => 0,
    }
}
