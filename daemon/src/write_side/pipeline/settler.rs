//! The thread that finds edges and maintains the groups while documents wait for it, and signs documents again while
//! none do.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use simdex_index::{IndexError, Regrouped, SignStep, VisibleRoots};
use simdex_schema::{DocId, GroupId};

use super::PipelineState;
use crate::base::events::{EventKind, EventSubject, Events, VisibleChange};
use crate::host::alarms::AlarmSource;
use crate::host::lifecycle::Backoff;

/// Longest sleep of the settler between checks for unsettled documents.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Longest rest between two steps of signing again. After each step it rests for as long as the step took until its
/// documents had their groups again, so that answers are complete half of the time, and other work has half of the
/// machine.
const LONGEST_REST: Duration = Duration::from_secs(1);

impl PipelineState {
    /// Finds edges and maintains groups while anything waits.
    pub(super) fn settle_when_needed(&self) {
        let (mut backoff, mut last_signing) = (Backoff::default(), None);
        let mut was_settled = true;
        while self.lifecycle.cancel().check().is_ok() {
            if self.writer.is_settled_for_barriers()
                && self.sign_anew(&mut last_signing, &mut backoff)
            {
                continue;
            }
            if self.writer.is_settled() {
                // The cause of an earlier failure may be gone.
                self.host.alarms.clear(AlarmSource::Settler);
                was_settled = true;
                self.to_settle.wait(POLL_INTERVAL);
                continue;
            }
            if let Err(full) = self.host.disk.take(0) {
                let full = full.to_string();
                self.lifecycle
                    .pause(AlarmSource::Settler, &full, &mut backoff);
                continue;
            }
            self.count_placed(std::mem::take(&mut was_settled));
            let settled = self.writer.settle_step(self.lifecycle.cancel());
            // Some may have their places before it failed.
            self.uncommitted.store(true, Ordering::Release);
            let published = settled.and_then(|regrouped| {
                // Events lost here cannot be resent, so mark the stream as incomplete.
                let published = self.publish_groups(&regrouped);
                published.inspect_err(|_| self.host.events.mark_lost())
            });
            match published {
                Ok(()) => {
                    backoff = Backoff::default();
                    self.host.alarms.clear(AlarmSource::Settler);
                }
                Err(error) => {
                    self.lifecycle
                        .try_again(AlarmSource::Settler, &error, &mut backoff);
                }
            }
        }
    }

    /// Counts the documents that got their places since the last call; `is_first` if none waited in between.
    fn count_placed(&self, is_first: bool) {
        let (now, placed) = (Instant::now(), self.writer.take_placed());
        let settled = self.settling_rate.lock();
        let mut settled = settled.unwrap_or_else(PoisonError::into_inner);
        match is_first {
            true => settled.begin(now),
            false => settled.done(now, placed),
        }
    }

    /// Signs some documents again whose sampling differs from the chosen one, or rests after it did; returns false if
    /// there is nothing to sign now, so that other documents are settled. `last_signing` is when the last step began.
    fn sign_anew(&self, last_signing: &mut Option<Instant>, backoff: &mut Backoff) -> bool {
        if !self.writer.has_to_sign() {
            *last_signing = None;
            return false;
        }
        if let Some(begun) = last_signing.take() {
            self.to_settle.wait(begun.elapsed().min(LONGEST_REST));
            return true;
        }
        if self.host.disk.is_low() {
            return false;
        }
        let started = Instant::now();
        let signed = self.writer.sign_some_anew(self.lifecycle.cancel());
        if !matches!(signed, Ok(SignStep::Nothing | SignStep::Busy)) {
            // Some may have been signed before it failed.
            self.uncommitted.store(true, Ordering::Release);
        }
        match signed {
            Ok(SignStep::Nothing | SignStep::Busy) => false,
            Ok(SignStep::Signed) => {
                *backoff = Backoff::default();
                self.host.alarms.clear(AlarmSource::Settler);
                *last_signing = Some(started);
                true
            }
            Err(error) => {
                self.lifecycle
                    .try_again(AlarmSource::Settler, &error, backoff);
                // Crowded documents still get their turn.
                self.writer.is_settled()
            }
        }
    }

    /// Publishes how groups changed, identifying documents by their first file in each root.
    fn publish_groups(&self, regrouped: &Regrouped) -> Result<(), IndexError> {
        use EventKind::{GroupJoined, GroupLed, GroupLeft, GroupMade, GroupVanished};
        if !self.host.events.is_watched() {
            return Ok(());
        }
        // Files that were applied by now have their events first.
        let _publishing = self.publishing();
        let of_group = |kind| move |&(group, id): &(GroupId, DocId)| (kind, group, id);
        let made = regrouped.made.iter().map(of_group(GroupMade));
        // The loss of a document's last file was published with that change.
        let left = regrouped.moved.iter().filter(|moved| moved.is_carried);
        let left = left.filter_map(|moved| Some((GroupLeft, moved.from?, moved.document)));
        let joined = regrouped.moved.iter();
        let joined = joined.filter_map(|moved| Some((GroupJoined, moved.to?, moved.document)));
        let led = regrouped.led.iter().map(of_group(GroupLed));
        let vanished = regrouped.vanished.iter().map(of_group(GroupVanished));
        for (kind, group, id) in made.chain(left).chain(joined).chain(led).chain(vanished) {
            self.publish_group(kind, group, id)?;
        }
        Ok(())
    }

    /// Publishes a change of a group, in each root with the first file there of this document.
    fn publish_group(&self, kind: EventKind, group: GroupId, id: DocId) -> Result<(), IndexError> {
        let (reader, mut is_published) = (self.writer.reader(), false);
        let document = reader.documents().stats(id).map(|stats| stats.hash);
        let subject = EventSubject {
            document,
            group: Some(group),
        };
        for root in self.roots.iter() {
            let view = VisibleRoots::Roots([root.id].into());
            reader.files().visit_of_document(id, &view, &mut |file| {
                is_published = true;
                root.publish_event(kind, &file.key.path, subject, String::new);
                ControlFlow::Break(())
            })?;
        }
        if !is_published {
            publish_without_file(&self.host.events, kind, subject);
        }
        Ok(())
    }
}

/// Publishes a change of a group whose document has no file any more.
fn publish_without_file(events: &Events, kind: EventKind, subject: EventSubject) {
    match kind {
        // Without a file it is no member; it joins with the file that comes.
        EventKind::GroupJoined => {}
        // Its last file went since the groups were settled, when it was in the group no more, so nothing was told with
        // that change. Which root had the file is not known, and those who watch that one would keep the member.
        EventKind::GroupLeft => events.mark_lost(),
        _ => events.record(VisibleChange {
            kind,
            root: None,
            unless_seen: Vec::new(),
            path: PathBuf::new(),
            subject,
            detail: String::new(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn that_a_document_without_a_file_left_its_group_is_lost_to_all_watchers() {
        let events = Arc::new(Events::default());
        let mut watcher = events.watch(None).unwrap();
        let subject = EventSubject::default();
        publish_without_file(&events, EventKind::GroupJoined, subject);
        publish_without_file(&events, EventKind::GroupVanished, subject);
        let next = watcher.next().await.unwrap();
        assert_eq!(next.change.kind, EventKind::GroupVanished);
        assert!(next.is_in(&VisibleRoots::All));
        publish_without_file(&events, EventKind::GroupLeft, subject);
        assert!(watcher.next().await.is_err());
    }
}
