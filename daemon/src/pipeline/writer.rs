//! The one thread that changes the index: gathers what readers found and applies it. Another
//! commits.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use simdex_index::Change;
use simdex_schema::FileKey;

use super::jobs::Jobs;
use super::{Looks, Shared};
use crate::events::EventKind;
use crate::progress::Job;

/// Changes applied at once.
const BATCH: usize = 64;
/// Extracted text a batch may hold before it is applied, bytes.
const BATCH_TEXT: u64 = 32 << 20;
/// Containers that are applied in parts at once.
const CONTAINERS: usize = 16;
/// A batch waits this long for more.
const GATHER: Duration = Duration::from_millis(30);

/// A container that is applied in parts, others between them.
struct Parts {
    job: Job,
    rest: VecDeque<Change>,
}

impl Shared {
    /// Applies what readers found, batch by batch; commits at its end.
    pub(super) fn write(&self, looks: &Receiver<Looks>, again: &Jobs) {
        let mut containers: VecDeque<Parts> = VecDeque::new();
        while let Some(batch) = gather(looks, containers.len()) {
            let (mut jobs, mut changes) = (Vec::new(), Vec::new());
            for (job, change) in batch {
                let mut parts = change.map(Change::parts).unwrap_or_default();
                if parts.len() > 1 {
                    containers.push_back(Parts { job, rest: parts });
                } else {
                    jobs.push(job);
                    changes.extend(parts.pop_front());
                }
            }
            let unknown = self.apply(changes);
            self.finish(jobs, &unknown.unwrap_or_default(), again);
            if let Some(container) = containers.pop_front() {
                containers.extend(self.go_on(container, again));
            }
            self.uncommitted.store(true, Ordering::Release);
            if self.cancel.check().is_err() {
                break;
            }
        }
        self.commit();
    }

    /// Applies the next part of a container; what is left of it. Where a part fails or a content is
    /// not known, the rest is dropped: the container is not whole, and stays to be read again.
    fn go_on(&self, mut container: Parts, again: &Jobs) -> Option<Parts> {
        let unknown = self.apply(container.rest.pop_front().into_iter().collect());
        let went_well = unknown.as_ref().is_some_and(Vec::is_empty);
        if went_well && !container.rest.is_empty() {
            return Some(container);
        }
        self.finish(vec![container.job], &unknown.unwrap_or_default(), again);
        None
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

    /// Applies changes; files that name a content that is not known any more. None where the index
    /// failed.
    fn apply(&self, changes: Vec<Change>) -> Option<Vec<FileKey>> {
        if changes.is_empty() {
            return Some(Vec::new());
        }
        let told: Vec<_> = changes.iter().filter_map(told).collect();
        let applied = self.index.apply(changes);
        self.to_settle.ring();
        match applied {
            Ok(applied) => {
                self.tell(told);
                Some(applied.unknown_content)
            }
            Err(error) => {
                self.break_off(&error);
                None
            }
        }
    }

    /// Ends looks. A file whose content was purged between look and batch is looked at once more, on
    /// the same tickets: a barrier that waits for it goes on waiting.
    fn finish(&self, jobs: Vec<Job>, unknown: &[FileKey], again: &Jobs) {
        let more = jobs.into_iter().filter_map(|job| {
            if unknown.contains(&job.key) {
                return Some(job);
            }
            self.progress.complete(job)
        });
        more.for_each(|job| again.push_again(job));
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

/// A batch: what is there, and what comes within [`GATHER`]; only what is there while containers are
/// applied in parts, and nothing while there are too many. None once nobody looks any more.
fn gather(looks: &Receiver<Looks>, containers: usize) -> Option<Vec<Looks>> {
    let text_of = |look: &Looks| look.1.as_ref().map_or(0, Change::text_bytes);
    let (mut batch, patience) = match containers {
        0 => (vec![looks.recv().ok()?], GATHER),
        1..CONTAINERS => (Vec::new(), Duration::ZERO),
        // Readers wait now, and what they have in hand.
        _ => return Some(Vec::new()),
    };
    let mut text: u64 = batch.iter().map(text_of).sum();
    let until = Instant::now() + patience;
    while batch.len() < BATCH && text < BATCH_TEXT {
        let Ok(look) = looks.recv_timeout(until.saturating_duration_since(Instant::now())) else {
            break;
        };
        text += text_of(&look);
        batch.push(look);
    }
    Some(batch)
}

fn told(change: &Change) -> Option<(EventKind, FileKey)> {
    match change {
        Change::File { key, .. } => Some((EventKind::FileIndexed, key.clone())),
        Change::Container { file, .. } | Change::Whole { file, .. } => {
            Some((EventKind::FileIndexed, file.key.clone()))
        }
        Change::Members { .. } => None,
        Change::Remove(key) => Some((EventKind::FileRemoved, key.clone())),
    }
}
