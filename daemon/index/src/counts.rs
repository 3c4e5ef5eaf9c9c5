//! Counts of what a view shows, updated with every change ([`KeptCounts`]).

mod carriers;
mod kept;
mod moves;

use std::collections::BTreeMap;

use simdex_schema::file::FileOutcome;
use simdex_schema::{
    ContentHash, ContentRecord, DocId, FileKey, FileRecord, Reason, RootId, State, StoredReason,
};

pub(crate) use self::carriers::FirstCarrier;
pub(crate) use self::kept::KeptCounts;
pub(crate) use self::kept::UnresolvedFirst;
pub use self::moves::MoveWatch;
pub(crate) use self::moves::NameChange;
use crate::IndexError;
use crate::table::CountStep;

/// Counts of the files of a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Files on disk; the states add up to it.
    pub files_on_disk: u64,
    /// Members of containers, counted separately; their states add up to it.
    pub members: u64,
    /// Files on disk by state as shown.
    pub states: BTreeMap<State, u64>,
    /// Members of containers by state as shown.
    pub member_states: BTreeMap<State, u64>,
    /// Documents with text.
    pub documents: u64,
    /// Files and members whose text was found damaged and that are still to be read again.
    pub damaged: u64,
}

impl FileCounts {
    /// The number of files on disk, or of members, and their states.
    pub(crate) fn of_kind(&mut self, is_member: bool) -> (&mut u64, &mut BTreeMap<State, u64>) {
        match is_member {
            true => (&mut self.members, &mut self.member_states),
            false => (&mut self.files_on_disk, &mut self.states),
        }
    }
}

/// A file as it is counted: by its own state, whichever other files carry its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountedFile {
    pub(crate) root: RootId,
    pub(crate) is_member: bool,
    pub(crate) state: State,
    /// Whether it is unread because its text was found damaged.
    pub(crate) is_damaged: bool,
    /// The document it carries, of text or raw bytes, and the content it was extracted from.
    pub(crate) carried: Option<(DocId, ContentHash)>,
}

impl CountedFile {
    /// A file with what `content` finds on record about its content.
    pub(crate) fn new(
        key: &FileKey,
        record: &FileRecord,
        content: impl FnOnce(ContentHash) -> Result<Option<ContentOutcome>, IndexError>,
    ) -> Result<Self, IndexError> {
        let unread = |state, is_damaged| Self {
            root: key.root,
            is_member: key.is_member(),
            state,
            is_damaged,
            carried: None,
        };
        Ok(match &record.outcome {
            FileOutcome::Unread(state, reason) => {
                let is_damaged = matches!(reason, StoredReason::Known(Reason::TextDamaged));
                unread(*state, is_damaged)
            }
            FileOutcome::Content(hash) => match content(*hash)? {
                Some(found) => Self::with_content(key, *hash, found),
                None => unread(State::Unstable, false),
            },
        })
    }

    /// A file with this content.
    pub(crate) fn with_content(
        key: &FileKey,
        content: ContentHash,
        (state, document): ContentOutcome,
    ) -> Self {
        Self {
            root: key.root,
            is_member: key.is_member(),
            state,
            is_damaged: false,
            carried: document.map(|id| (id, content)),
        }
    }
}

/// How the extraction of a content ended, and which document it carries.
pub(crate) type ContentOutcome = (State, Option<DocId>);

/// A file that is counted from now on, or no longer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountChange {
    pub(crate) file: CountedFile,
    pub(crate) step: CountStep,
}

/// What the file counts need to know about a content.
pub(crate) fn content_outcome(content: &ContentRecord) -> ContentOutcome {
    (content.state, content.document)
}

/// What a batch changes in the counts: prepared before the batch is applied, counted afterwards.
pub(crate) struct CountChanges {
    pub(crate) changes: Vec<CountChange>,
    /// For each document that one file carried alone and that others now carry too, that one file.
    pub(crate) sole_carriers: Vec<CountedFile>,
}
