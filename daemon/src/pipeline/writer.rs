//! The one thread that changes the index: gathers what readers found, applies it, commits.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
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
    /// The writer: applies batches, commits at the latest after `commit_ms`.
    pub(super) fn write(&self, looks: &Receiver<Looks>, again: &Jobs) {
        let commit_every = Duration::from_millis(self.config.store.commit_ms.max(1));
        let mut uncommitted: Option<Instant> = None;
        loop {
            let wait = uncommitted.map_or(commit_every, |since| {
                commit_every
                    .saturating_sub(since.elapsed())
                    .max(Duration::from_millis(1))
            });
            match looks.recv_timeout(wait) {
                Ok(first) => {
                    let batch = gather(first, looks);
                    self.apply(batch, again);
                    uncommitted.get_or_insert_with(Instant::now);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.cancel.check().is_err() {
                break;
            }
            if uncommitted.is_some_and(|since| since.elapsed() >= commit_every) {
                self.index
                    .commit()
                    .unwrap_or_else(|error| self.break_off(&error));
                uncommitted = None;
            }
        }
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
            self.settler.wake();
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
