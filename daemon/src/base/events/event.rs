//! What an event says: which change became visible, and where.

use std::path::PathBuf;

use simdex_index::VisibleRoots;
use simdex_schema::{DocumentHash, GroupId, RootId};

/// Approximate bytes of an event beside its path and detail.
const EVENT_BYTES: usize = 192;

/// The kind of change that an event reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The stream begins here; not a change.
    Watching,
    /// A file is new or has changed, and was read; of a container that was read in part the detail has its state.
    FileIndexed,
    /// A file is new or has changed, and nothing of it could be read; the detail says why.
    FileUnread,
    /// A file is new or has changed, and was read: it holds no text, or less than a shingle; the detail has its state.
    FileWithoutText,
    /// A file is gone.
    FileRemoved,
    /// A group is new; the path is of its principal.
    GroupMade,
    /// A file's document joined a group, or one of a group has its first file in a root.
    GroupJoined,
    /// A file's document left a group, or one of a group has no file in a root any more.
    GroupLeft,
    /// A group has another principal, whose path is given.
    GroupLed,
    /// A group is no more; the path is of the principal it had, where a file still carries that.
    GroupVanished,
    /// A root changed its state.
    RootState,
}

impl EventKind {
    /// The name shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Watching => "watching",
            Self::FileIndexed => "file-indexed",
            Self::FileUnread => "file-unread",
            Self::FileWithoutText => "file-without-text",
            Self::FileRemoved => "file-removed",
            Self::GroupMade => "group-made",
            Self::GroupJoined => "group-joined",
            Self::GroupLeft => "group-left",
            Self::GroupLed => "group-led",
            Self::GroupVanished => "group-vanished",
            Self::RootState => "root-state",
        }
    }
}

/// The document and the group that an event is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSubject {
    /// Of a file that was indexed, its document; of a group, the document that joined, left, leads or led it.
    pub document: Option<DocumentHash>,
    /// The group concerned.
    pub group: Option<GroupId>,
}

/// A change that queries can see: its kind and place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleChange {
    /// The kind of change.
    pub kind: EventKind,
    /// The root concerned. Subscribers that may not see it do not get the event; without a root, only
    /// subscribers of all roots do.
    pub root: Option<RootId>,
    /// Other roots for which the same is true: subscribers that see one of them do not get the event, as nothing
    /// changed for them.
    pub unless_seen: Vec<RootId>,
    /// The file, or the root; empty where there is none.
    pub path: PathBuf,
    /// The document and the group concerned.
    pub subject: EventSubject,
    /// Further detail for people.
    pub detail: String,
}

/// One change, numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Numbers ascend by one, across runs of the daemon too.
    pub number: u64,
    /// Microseconds since 1970.
    pub at: i64,
    /// The change, and its place.
    pub change: VisibleChange,
}

impl Event {
    /// Approximate bytes that it takes while it is kept.
    pub(super) fn bytes(&self) -> usize {
        let unless_seen = size_of_val(&self.change.unless_seen[..]);
        EVENT_BYTES + unless_seen + self.change.path.as_os_str().len() + self.change.detail.len()
    }

    /// Whether a subscriber with this view gets it.
    pub fn is_in(&self, view: &VisibleRoots) -> bool {
        match self.change.root {
            Some(root) => {
                view.shows(root) && !self.change.unless_seen.iter().any(|seen| view.shows(*seen))
            }
            None => *view == VisibleRoots::All,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(root: Option<RootId>, unless_seen: Vec<RootId>) -> Event {
        Event {
            number: 1,
            at: 0,
            change: VisibleChange {
                kind: EventKind::FileRemoved,
                root,
                unless_seen,
                path: PathBuf::from("/a"),
                subject: EventSubject::default(),
                detail: String::new(),
            },
        }
    }

    #[test]
    fn what_is_true_of_another_root_as_well_is_news_only_to_those_who_do_not_see_that() {
        let event = event(Some(RootId(1)), vec![RootId(2), RootId(3)]);
        let view = |roots: &[u32]| VisibleRoots::Roots(roots.iter().copied().map(RootId).collect());
        assert!(event.is_in(&view(&[1])) && event.is_in(&view(&[1, 4])));
        assert!(!event.is_in(&view(&[1, 2])) && !event.is_in(&view(&[2])));
        assert!(!event.is_in(&VisibleRoots::All));
    }

    #[test]
    fn an_event_without_a_root_is_for_those_who_may_see_all() {
        let event = |root| event(root, Vec::new());
        let one = VisibleRoots::Roots([RootId(1)].into());
        let other = VisibleRoots::Roots([RootId(2)].into());
        assert!(event(Some(RootId(1))).is_in(&one) && !event(Some(RootId(1))).is_in(&other));
        assert!(event(None).is_in(&VisibleRoots::All) && !event(None).is_in(&one));
    }
}
