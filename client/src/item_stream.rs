//! Answers that arrive item by item and end with a summary.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tonic::Streaming;

use crate::Error;
use crate::upload::ReadErrorWatcher;
use crate::wire::{
    self, family_reply, find_reply, list_files_reply, list_folder_copies_reply, list_groups_reply,
    list_pairs_reply, list_templates_reply,
};

/// One message of a streamed answer.
#[derive(Debug)]
pub enum ReplyPart<I, C> {
    /// An item of the list.
    Item(I),
    /// The summary at the end of the list.
    Summary(C),
    /// How far the list is.
    Progress(wire::ListProgress),
}

/// Callback for list progress. Clones share it.
#[derive(Clone)]
pub(crate) struct ProgressHook(pub(crate) Arc<dyn Fn(&wire::ListProgress) + Send + Sync>);

impl fmt::Debug for ProgressHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressHook")
    }
}

/// A message type whose stream is a list of items and one summary.
pub trait Reply {
    /// Type of the items.
    type Item;
    /// Type of the summary.
    type Summary;
    /// The part that this message holds; `None` if a newer daemon sent a part unknown here.
    fn part(self) -> Option<ReplyPart<Self::Item, Self::Summary>>;
    /// Whether one item may be split over several messages.
    const CONTINUES: bool = false;
    /// Appends `next` to `before` if it continues it; otherwise returns `next`.
    fn join(_before: &mut Self::Item, next: Self::Item) -> Option<Self::Item> {
        Some(next)
    }
}

/// A list that the daemon streams, item by item.
///
/// Its first message has already been received, so a refusal is reported by the call itself.
pub struct ItemStream<R: Reply> {
    replies: Streaming<R>,
    /// Received, but not yet returned.
    ahead: Option<R::Item>,
    failed: Option<Error>,
    summary: Option<R::Summary>,
    item_timeout: Duration,
    read_error: Option<ReadErrorWatcher>,
    progress: Option<ProgressHook>,
}

impl<R: Reply> ItemStream<R> {
    pub(crate) async fn open(
        replies: Streaming<R>,
        item_timeout: Duration,
        read_error: Option<ReadErrorWatcher>,
        progress: Option<ProgressHook>,
    ) -> Result<Self, Error> {
        let mut stream = Self {
            replies,
            ahead: None,
            failed: None,
            summary: None,
            item_timeout,
            read_error,
            progress,
        };
        stream.ahead = stream.next_sent().await?;
        Ok(stream)
    }

    /// Returns the next item, or `None` once the list is complete.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if the stream ends without its summary, the daemon's status, [`Error::Late`], or
    /// [`Error::Unreadable`] if the uploaded bytes could not be read.
    pub async fn next(&mut self) -> Result<Option<R::Item>, Error> {
        let Some(mut item) = self.next_sent().await? else {
            return Ok(None);
        };
        if !R::CONTINUES {
            return Ok(Some(item));
        }
        // The item is complete once a following message does not continue it.
        while self.ahead.is_none() {
            match self.next_sent().await {
                Ok(Some(next)) => self.ahead = R::join(&mut item, next),
                Ok(None) => break,
                // Return what arrived before the error.
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        Ok(Some(item))
    }

    /// Receives the next item, which may be only a part of one.
    async fn next_sent(&mut self) -> Result<Option<R::Item>, Error> {
        if let Some(item) = self.ahead.take() {
            return Ok(Some(item));
        }
        self.failed.take().map_or(Ok(()), Err)?;
        while self.summary.is_none() {
            let reply = self.next_reply().await?.ok_or(Error::Incomplete)?;
            match reply.part() {
                Some(ReplyPart::Item(item)) => return Ok(Some(item)),
                Some(ReplyPart::Summary(summary)) => self.summary = Some(summary),
                Some(ReplyPart::Progress(progress)) => {
                    if let Some(hook) = &self.progress {
                        (hook.0)(&progress);
                    }
                }
                None => {}
            }
        }
        Ok(None)
    }

    /// Returns the summary, skipping items not yet read.
    ///
    /// # Errors
    /// As [`ItemStream::next`].
    pub async fn summary(mut self) -> Result<R::Summary, Error> {
        while self.next().await?.is_some() {}
        self.summary.ok_or(Error::Incomplete)
    }

    async fn next_reply(&mut self) -> Result<Option<R>, Error> {
        let read_error = &mut self.read_error;
        let source_failed = async {
            match read_error {
                Some(watcher) => watcher.failure().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            failure = source_failed => Err(failure),
            reply = timeout(self.item_timeout, self.replies.message()) => match reply {
                Ok(reply) => Ok(reply?),
                Err(_) => Err(Error::Late(self.item_timeout)),
            },
        }
    }
}

/// Implements [`Reply`] for a message whose `part` is an item or a summary.
macro_rules! reply {
    ($reply:ident, $module:ident, $item:ident, $summary:ident) => {
        impl Reply for wire::$reply {
            type Item = wire::$item;
            type Summary = wire::$summary;

            fn part(self) -> Option<ReplyPart<Self::Item, Self::Summary>> {
                Some(match self.part? {
                    $module::Part::$item(item) => ReplyPart::Item(item),
                    $module::Part::Summary(summary) => ReplyPart::Summary(summary),
                })
            }
        }
    };
}

reply!(FindReply, find_reply, Match, QuerySummary);

/// A part of a family.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "most parts are files, and one is held at a time"
)]
pub enum FamilyPart {
    /// A file that belongs to a version.
    File(wire::VersionFile),
    /// How a version derives from an earlier one; edges come after all files.
    Edge(wire::VersionEdge),
}

impl Reply for wire::FamilyReply {
    type Item = FamilyPart;
    type Summary = wire::FamilySummary;

    fn part(self) -> Option<ReplyPart<Self::Item, Self::Summary>> {
        use family_reply::Part as Sent;
        Some(match self.part? {
            Sent::File(file) => ReplyPart::Item(FamilyPart::File(file)),
            Sent::Edge(edge) => ReplyPart::Item(FamilyPart::Edge(edge)),
            Sent::Summary(summary) => ReplyPart::Summary(summary),
        })
    }
}

reply!(ListFilesReply, list_files_reply, File, Summary);

impl Reply for wire::ListPairsReply {
    type Item = wire::Pair;
    type Summary = wire::Summary;

    fn part(self) -> Option<ReplyPart<Self::Item, Self::Summary>> {
        use list_pairs_reply::Part as Sent;
        Some(match self.part? {
            Sent::Pair(pair) => ReplyPart::Item(pair),
            Sent::Summary(summary) => ReplyPart::Summary(summary),
            Sent::Progress(progress) => ReplyPart::Progress(progress),
        })
    }
}

impl Reply for wire::ListGroupsReply {
    type Item = wire::Group;
    type Summary = wire::Summary;
    const CONTINUES: bool = true;

    fn part(self) -> Option<ReplyPart<Self::Item, Self::Summary>> {
        use list_groups_reply::Part as Sent;
        Some(match self.part? {
            Sent::Group(group) => ReplyPart::Item(group),
            Sent::Summary(summary) => ReplyPart::Summary(summary),
        })
    }

    /// A group of many files is split over several messages.
    fn join(before: &mut Self::Item, next: Self::Item) -> Option<Self::Item> {
        if !next.is_continued {
            return Some(next);
        }
        before.members.extend(next.members);
        before.judged_apart = match (before.judged_apart, next.judged_apart) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        None
    }
}

reply!(
    ListTemplatesReply,
    list_templates_reply,
    Template,
    TemplatesSummary
);

impl Reply for wire::ListFolderCopiesReply {
    type Item = wire::FolderCopies;
    type Summary = wire::FolderCopiesSummary;

    fn part(self) -> Option<ReplyPart<Self::Item, Self::Summary>> {
        use list_folder_copies_reply::Part as Sent;
        Some(match self.part? {
            Sent::Folders(folders) => ReplyPart::Item(folders),
            Sent::Summary(summary) => ReplyPart::Summary(summary),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_in_parts_is_judged_apart_where_one_is_and_together_where_all_were_judged() {
        let joined = |judged: [Option<bool>; 2]| {
            let [mut first, mut next] = judged.map(|judged_apart| wire::Group {
                judged_apart,
                ..wire::Group::default()
            });
            next.is_continued = true;
            assert!(wire::ListGroupsReply::join(&mut first, next).is_none());
            first.judged_apart
        };
        for part in [None, Some(false), Some(true)] {
            assert_eq!(joined([part, Some(true)]), Some(true));
            assert_eq!(joined([Some(true), part]), Some(true));
        }
        assert_eq!(joined([Some(false), Some(false)]), Some(false));
        assert_eq!(joined([Some(false), None]), None);
        assert_eq!(joined([None, Some(false)]), None);
    }
}
