//! The maintained groups of everything served: one by its document or its id, and their number. No text is read for
//! that.

use roaring::RoaringTreemap;
use simdex_schema::{DocId, GroupId};
use simdex_signature::Ratio;

use super::{AT_ONCE, DocumentGroup, Groups};
use crate::shared::IndexState;
use crate::{Cancel, IndexError, UnsettledCounts, VisibleRoots};

/// What is known about one group at one moment.
#[derive(Clone, Debug, Default)]
pub struct GroupLookup {
    /// The group, as [`Groups::of_view`] lists it.
    pub group: Option<DocumentGroup>,
    /// There is none to be shown, but there may be once pending documents are settled.
    pub is_unsettled: bool,
    /// Documents that were not settled at that moment.
    pub unsettled: UnsettledCounts,
}

/// The documents with text that a view shows, at one moment.
pub(super) enum ShownTexts {
    /// The view is the one whose groups are maintained.
    Grouped,
    /// Another view, which may show the same documents.
    Others {
        /// Documents of that view.
        texts: RoaringTreemap,
        /// Documents whose groups are maintained.
        grouped: RoaringTreemap,
    },
}

impl ShownTexts {
    /// Whether the view's groups are the maintained ones.
    pub(super) fn is_grouped(&self) -> bool {
        match self {
            Self::Grouped => true,
            Self::Others { texts, grouped } => texts == grouped,
        }
    }
}

impl Groups<'_> {
    /// The group that a document is in. Takes time in proportion to its members.
    pub fn of_document(self, document: DocId) -> GroupLookup {
        let state = self.shared.state();
        let principal = state.stars.principal(document);
        let group = state.maintained_group(principal);
        let waits = |id| {
            let unsettled = &state.unsettled;
            unsettled.needs_placement(id) || unsettled.needs_file_check(id)
        };
        GroupLookup {
            is_unsettled: group.is_none() && (waits(document) || waits(principal)),
            group,
            unsettled: state.unsettled.counts(),
        }
    }

    /// The group with this id, in the same way.
    pub fn by_id(self, group: GroupId) -> GroupLookup {
        let state = self.shared.state();
        let known = state.group_ids.principal(group);
        // The recorded principal may be unsettled, or have joined another group before ids were reassigned.
        let principal = known.filter(|id| state.stars.leads(*id));
        let found = principal.and_then(|principal| state.maintained_group(principal));
        GroupLookup {
            is_unsettled: known.is_some() && found.is_none() && !state.unsettled.is_empty(),
            group: found,
            unsettled: state.unsettled.counts(),
        }
    }

    /// How many groups [`Groups::of_view`] lists for a view; `None` if they would have to be computed. For the
    /// grouped view the number is maintained. For another view that shows the same documents they are counted; the
    /// state is locked for some thousands of documents at a time.
    pub fn count_maintained(
        self,
        view: &VisibleRoots,
        threshold: Ratio,
        cancel: &Cancel,
    ) -> Result<Option<u64>, IndexError> {
        if threshold != self.shared.threshold() {
            return Ok(None);
        }
        let shown = {
            let state = self.shared.state();
            if *view == state.grouped {
                return Ok(Some(state.shown.len()));
            }
            state.shown_by(view)
        };
        let visible = match shown {
            ShownTexts::Others { texts, grouped } if texts == grouped => texts,
            _ => return Ok(None),
        };
        let (mut visible, mut count) = (visible.iter().peekable(), 0);
        while visible.peek().is_some() {
            cancel.check()?;
            let state = self.shared.state();
            let some = visible.by_ref().take(AT_ONCE);
            count += some
                .filter(|id| state.heads_group(DocId(*id), view))
                .count();
        }
        Ok(Some(count as u64))
    }
}

impl IndexState {
    /// What a view shows, to be compared with what is grouped after the state is unlocked.
    pub(super) fn shown_by(&self, view: &VisibleRoots) -> ShownTexts {
        match *view == self.grouped {
            true => ShownTexts::Grouped,
            false => ShownTexts::Others {
                texts: self.texts(view),
                grouped: self.texts(&self.grouped),
            },
        }
    }

    /// The group around a principal, if it holds two files that are served.
    pub(super) fn maintained_group(&self, principal: DocId) -> Option<DocumentGroup> {
        let is_shown = self.table.is_text(principal) && self.heads_group(principal, &self.grouped);
        is_shown.then(|| self.group_around(&self.stars, principal))
    }

    /// Whether a document with a file in the view is no member, and its group has two files or more.
    pub(crate) fn heads_group(&self, id: DocId, view: &VisibleRoots) -> bool {
        let files = |id| self.table.count_files_of(id, view);
        let members = self.stars.members(id).map(|(member, _)| files(member));
        let own = files(id);
        self.stars.principal(id) == id && own > 0 && own + members.sum::<u64>() > 1
    }
}
