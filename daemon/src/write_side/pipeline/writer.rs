//! The thread that applies the changes from the ingesters, in batches.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use simdex_index::{Applied, ChangedFile, Fault, FileChange, GroupArrival, IndexError};
use simdex_proto::text::state_with_reason;
use simdex_schema::{DocumentHash, FileKey, State};

use super::{IngestedJob, PipelineState};
use crate::base::causes::causes;
use crate::base::events::{EventKind, EventSubject, VisibleChange};
use crate::base::unread::is_unread;
use crate::error::Failure;
use crate::host::alarms::AlarmSource;
use crate::host::lifecycle::Backoff;
use crate::write_side::progress::IngestJob;

/// Most changes of a batch.
const MAX_BATCH_CHANGES: usize = 64;
/// Extracted text a batch may hold before it is applied, bytes.
const MAX_BATCH_TEXT: u64 = 32 << 20;
/// While this many large containers are applied in parts, no change is taken. The batch before may have added as many
/// more as it had changes.
const MAX_OPEN_CONTAINERS: usize = 16;
/// How long a batch waits for more changes.
const BATCH_LINGER: Duration = Duration::from_millis(30);

/// Approximate bytes that a change takes in the store beside its text.
const CHANGE_OVERHEAD: u64 = 4 << 10;

/// Why changes were not applied.
enum UnappliedChange {
    /// The engine ends.
    Ended,
    /// The store rejects one of them, whatever the state of the machine.
    Refused(String),
}

/// A container that is applied in parts, with other changes in between.
struct OpenContainer {
    job: IngestJob,
    parts: VecDeque<FileChange>,
}

/// The outcome of changes that were given to the store.
#[derive(Default)]
struct AppliedChanges {
    /// Files that refer to a content that is no longer known.
    unknown: Vec<FileKey>,
    /// Whether the store refused one of them, which is on record in its place.
    is_refused: bool,
}

/// The state of a container after a part of it was applied.
enum NextPart {
    /// The container has more parts.
    More(OpenContainer),
    /// That was the last part.
    Finished,
}

impl AppliedChanges {
    /// Whether further parts of the container may be applied.
    fn may_go_on(&self) -> bool {
        self.unknown.is_empty() && !self.is_refused
    }
}

impl PipelineState {
    /// Applies the results of the ingesters, batch by batch; commits at the end. If the engine fails,
    /// jobs in progress are not acknowledged.
    pub(super) fn apply_results(&self, results: &Receiver<IngestedJob>) {
        let mut containers: VecDeque<OpenContainer> = VecDeque::new();
        while let Some(batch) = gather(results, containers.len()) {
            let (mut jobs, mut changes) = (Vec::new(), Vec::new());
            for IngestedJob { job, change } in batch {
                let mut parts = change.map(FileChange::parts).unwrap_or_default();
                if parts.len() > 1 {
                    containers.push_back(OpenContainer { job, parts });
                } else {
                    jobs.push(job);
                    changes.extend(parts.pop_front());
                }
            }
            let Some(applied) = self.apply_isolating_refused(&changes) else {
                return;
            };
            self.finish_batch(jobs, &applied.unknown);
            if let Some(container) = containers.pop_front() {
                match self.apply_next_part(container) {
                    Some(NextPart::More(container)) => containers.push_back(container),
                    Some(NextPart::Finished) => {}
                    None => return,
                }
            }
            if self.lifecycle.cancel().check().is_err() {
                break;
            }
        }
        if self.lifecycle.failure().is_none()
            && let Err(error) = self.commit()
        {
            let reason = causes(&error);
            tracing::error!(reason, "the last changes could not be committed");
        }
    }

    /// Applies the next part of a container; `None` if the engine ends. If a content is not known, the rest is dropped:
    /// the container is not whole, and stays to be read again. If the store refuses a part, the rest is dropped too:
    /// the container is recorded as too large, without a stat, so that it is read again when its stat is compared.
    fn apply_next_part(&self, mut container: OpenContainer) -> Option<NextPart> {
        let next = container.parts.pop_front();
        let applied = self.apply_isolating_refused(next.as_slice())?;
        if applied.may_go_on() && !container.parts.is_empty() {
            return Some(NextPart::More(container));
        }
        self.finish_batch(vec![container.job], &applied.unknown);
        Some(NextPart::Finished)
    }

    /// Applies changes, however many attempts that takes; `None` if the engine ends before they are applied.
    fn apply_isolating_refused(&self, changes: &[FileChange]) -> Option<AppliedChanges> {
        match (self.apply_with_retries(changes), changes) {
            (Ok(unknown), _) => Some(AppliedChanges {
                unknown,
                is_refused: false,
            }),
            (Err(UnappliedChange::Ended), _) => None,
            (Err(UnappliedChange::Refused(reason)), [one]) => self.record_refused(one, reason),
            // One of them is at fault: the others are applied separately.
            (Err(UnappliedChange::Refused(_)), _) => {
                let mut all = AppliedChanges::default();
                for change in changes {
                    let one = self.apply_isolating_refused(std::slice::from_ref(change))?;
                    all.unknown.extend(one.unknown);
                    all.is_refused |= one.is_refused;
                }
                Some(all)
            }
        }
    }

    /// Records that the store refused a change.
    fn record_refused(&self, change: &FileChange, reason: String) -> Option<AppliedChanges> {
        tracing::error!(reason, "a file cannot be stored");
        match self.apply_with_retries(&[change.refused()]) {
            Ok(unknown) => Some(AppliedChanges {
                unknown,
                is_refused: true,
            }),
            Err(UnappliedChange::Ended) => None,
            Err(UnappliedChange::Refused(reason)) => {
                self.lifecycle.fail(Failure::Index(reason));
                None
            }
        }
    }

    /// Tries until it succeeds, with growing pauses while the machine lacks something. Returns the files that refer to
    /// a content that is no longer known.
    fn apply_with_retries(&self, changes: &[FileChange]) -> Result<Vec<FileKey>, UnappliedChange> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let (mut backoff, mut applied) = (Backoff::default(), Applied::default());
        loop {
            let tried = match self.host.disk.take(room_of(changes)) {
                Ok(()) => self.apply_and_publish(changes, &mut applied),
                Err(full) => {
                    if !self
                        .lifecycle
                        .pause(AlarmSource::Writer, &full.to_string(), &mut backoff)
                    {
                        return Err(UnappliedChange::Ended);
                    }
                    continue;
                }
            };
            self.uncommitted.store(true, Ordering::Release);
            self.to_settle.wake();
            match tried {
                Ok(()) => {
                    self.host.alarms.clear(AlarmSource::Writer);
                    return Ok(applied.unknown_content);
                }
                Err(error) if error.fault() == Fault::Input => {
                    return Err(UnappliedChange::Refused(causes(&error)));
                }
                Err(error) => {
                    if !self
                        .lifecycle
                        .try_again(AlarmSource::Writer, &error, &mut backoff)
                    {
                        return Err(UnappliedChange::Ended);
                    }
                }
            }
        }
    }

    /// Applies changes and publishes their events, before the settler publishes what follows from them.
    fn apply_and_publish(
        &self,
        changes: &[FileChange],
        applied: &mut Applied,
    ) -> Result<(), IndexError> {
        let _publishing = self.publishing();
        let tried = self.writer.apply_into(changes, applied);
        // Batches before a refused one are written; applied once more, they change nothing.
        if tried
            .as_ref()
            .err()
            .is_none_or(|error| error.fault() == Fault::Input)
        {
            self.publish(applied);
        }
        tried
    }

    /// Finishes the jobs of an applied batch. A file whose content was purged before its change was applied is
    /// ingested once more, for the same tickets: a barrier that waits for it keeps waiting.
    fn finish_batch(&self, jobs: Vec<IngestJob>, unknown: &[FileKey]) {
        let more = jobs.into_iter().filter_map(|job| {
            if unknown.contains(&job.key) {
                return Some(job);
            }
            self.finish_job(job)
        });
        more.for_each(|job| self.queue.requeue(job));
    }

    /// Publishes events of files that changed. A file that is to be read once more has its event then.
    fn publish(&self, applied: &Applied) {
        if !self.host.events.is_watched() {
            return;
        }
        for ChangedFile { key, is_recorded } in &applied.changed {
            let (kind, document, detail) = match *is_recorded {
                false => (EventKind::FileRemoved, None, String::new()),
                true => match self.ingested_event(key) {
                    Ok(event) => event,
                    Err(error) => {
                        // Which of the events it is cannot be determined: subscribers look for themselves.
                        tracing::warn!(reason = causes(&error), "an event is lost");
                        self.host.events.mark_lost();
                        continue;
                    }
                },
            };
            if let Some(root) = self.roots.get(key.root) {
                let subject = EventSubject {
                    document,
                    group: None,
                };
                root.publish_event(kind, &key.path, subject, || detail);
            }
        }
        let arrivals = applied.arrivals.iter();
        arrivals.for_each(|arrival| self.publish_arrival(arrival));
        if applied.changed_besides > 0 {
            self.host.events.mark_lost();
        }
    }

    /// Publishes that a document of a group has its first file in a root, or none any more.
    fn publish_arrival(&self, arrival: &GroupArrival) {
        let Some(root) = self.roots.get(arrival.file.root) else {
            return;
        };
        let elsewhere = arrival.elsewhere.iter().copied();
        self.host.events.record(VisibleChange {
            kind: match arrival.is_there {
                true => EventKind::GroupJoined,
                false => EventKind::GroupLeft,
            },
            root: Some(root.id),
            unless_seen: elsewhere
                .filter(|id| self.roots.get(*id).is_some())
                .collect(),
            path: root.shown(&arrival.file.path),
            subject: EventSubject {
                document: Some(arrival.document),
                group: Some(arrival.group),
            },
            detail: String::new(),
        });
    }

    /// The event of a file that was ingested, with its document, or with its state where it has no text, or is a
    /// container read in part.
    fn ingested_event(&self, key: &FileKey) -> Result<IngestedEvent, IndexError> {
        let file = self.writer.reader().files().get(key, &self.roots.view())?;
        let Some(file) = file else {
            return Ok((EventKind::FileIndexed, None, String::new()));
        };
        let document = file.document.map(|(_, hash)| hash);
        if file.state.has_text() {
            return Ok((EventKind::FileIndexed, document, String::new()));
        }
        let kind = match (is_unread(&file), file.state) {
            (false, State::Container) => return Ok((EventKind::FileIndexed, None, String::new())),
            // Its members are indexed, and have events of their own.
            (true, State::Container) => EventKind::FileIndexed,
            (true, _) => EventKind::FileUnread,
            (false, _) => EventKind::FileWithoutText,
        };
        let detail = state_with_reason(file.state.name(), file.reason.as_str());
        Ok((kind, document, detail))
    }
}

/// Kind, document and detail of the event of a file.
type IngestedEvent = (EventKind, Option<DocumentHash>, String);

/// Gathers a batch: the results that are there, and those that arrive within [`BATCH_LINGER`]; only those
/// already there while containers are applied in parts, and none while there are too many. Returns `None`
/// once all ingesters have ended.
fn gather(results: &Receiver<IngestedJob>, containers: usize) -> Option<Vec<IngestedJob>> {
    let text_of = |result: &IngestedJob| result.change.as_ref().map_or(0, FileChange::text_bytes);
    let (mut batch, linger) = match containers {
        0 => (vec![results.recv().ok()?], BATCH_LINGER),
        1..MAX_OPEN_CONTAINERS => (Vec::new(), Duration::ZERO),
        // Too many containers in progress: the bounded channel blocks the ingesters.
        _ => return Some(Vec::new()),
    };
    let mut text: u64 = batch.iter().map(text_of).sum();
    let until = Instant::now() + linger;
    while batch.len() < MAX_BATCH_CHANGES && text < MAX_BATCH_TEXT {
        let left = until.saturating_duration_since(Instant::now());
        let Ok(result) = results.recv_timeout(left) else {
            break;
        };
        text += text_of(&result);
        batch.push(result);
    }
    Some(batch)
}

/// Approximate upper bound of the room that changes take on the disk.
fn room_of(changes: &[FileChange]) -> u64 {
    changes
        .iter()
        .map(|change| CHANGE_OVERHEAD + change.text_bytes())
        .sum()
}
