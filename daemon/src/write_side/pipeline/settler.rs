//! The thread that finds edges and keeps the groups while documents wait for it.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use simdex_index::{IndexError, Regrouped, View};
use simdex_schema::{DocId, GroupId};

use super::Shared;
use crate::host::alarms::AlarmSource;
use crate::host::lifecycle::Backoff;
use crate::write_side::events::{EventKind, VisibleChange};

/// Longest sleep of the settler between checks for documents that are not settled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

impl Shared {
    /// Finds edges and keeps groups while anything waits.
    pub(super) fn settle(&self) {
        let mut backoff = Backoff::default();
        while self.lifecycle.cancel().check().is_ok() {
            if self.writer.is_settled() {
                // What a step failed at may have been removed.
                self.host.alarms.clear(AlarmSource::Settler);
                self.to_settle.wait(POLL_INTERVAL);
                continue;
            }
            let settled = self.writer.settle_step(self.lifecycle.cancel());
            let published = settled.and_then(|regrouped| {
                // Events lost here cannot be resent, so mark the stream as incomplete.
                let published = self.publish_groups(&regrouped);
                published.inspect_err(|_| self.host.events.lose())
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

    /// Publishes how groups changed: documents by the first of their files in each root.
    fn publish_groups(&self, regrouped: &Regrouped) -> Result<(), IndexError> {
        use EventKind::{GroupJoined, GroupLed, GroupLeft, GroupMade, GroupVanished};
        if !self.host.events.is_watched() {
            return Ok(());
        }
        let of_group = |kind| move |&(group, id): &(GroupId, DocId)| (kind, group, id);
        let made = regrouped.made.iter().map(of_group(GroupMade));
        let left = regrouped.moved.iter();
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

    /// Publishes what became of a group, in each root by the first file there of this document.
    fn publish_group(&self, kind: EventKind, group: GroupId, id: DocId) -> Result<(), IndexError> {
        let mut is_told = false;
        for root in self.roots.iter() {
            let view = View::Roots([root.id].into());
            self.writer
                .reader()
                .visit_files_of(id, &view, &mut |file| {
                    is_told = true;
                    root.publish_event(kind, &file.key.path, Some(group), String::new);
                    ControlFlow::Break(())
                })?;
        }
        if !is_told {
            // No file carries the document any more.
            self.host.events.record(VisibleChange {
                kind,
                root: None,
                path: PathBuf::new(),
                group: Some(group),
                detail: String::new(),
            });
        }
        Ok(())
    }
}
