//! Counts of what a view shows, updated with every change ([`KeptCounts`]).

mod carriers;
mod kept;
mod moves;

use std::collections::BTreeMap;

use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, ContentRecord, DocId, FileKey, FileRecord, RootId, State, key};

use self::carriers::FirstCarrier;
pub(crate) use self::kept::KeptCounts;
use self::kept::UnresolvedFirst;
pub use self::moves::MoveWatch;
pub(crate) use self::moves::NameChange;
use crate::shared::IndexState;
use crate::{Cancel, FileView, IndexError, IndexReader, IndexWriter, View};

/// Counts of the files of a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Files on disk; the states add up to it.
    pub files_on_disk: u64,
    /// Members of containers, counted separately.
    pub members: u64,
    /// Files on disk by state as shown.
    pub states: BTreeMap<State, u64>,
    /// Documents with text.
    pub documents: u64,
}

impl FileCounts {
    /// Counts one file; `documents` is left to the caller.
    pub fn add(&mut self, file: &FileView) {
        if file.key.is_member() {
            self.members += 1;
        } else {
            self.files_on_disk += 1;
            *self.states.entry(file.state).or_insert(0) += 1;
        }
    }
}

/// A file as it is counted: by its own state, whichever other files carry its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountedFile {
    pub(crate) root: RootId,
    pub(crate) is_member: bool,
    pub(crate) state: State,
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
        let unread = |state| Self {
            root: key.root,
            is_member: key.is_member(),
            state,
            carried: None,
        };
        Ok(match &record.outcome {
            FileOutcome::Unread(state, _) => unread(*state),
            FileOutcome::Content(hash) => match content(*hash)? {
                Some(found) => Self::with_content(key, *hash, found),
                None => unread(State::Unstable),
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
            carried: document.map(|id| (id, content)),
        }
    }
}

/// How the extraction of a content ended, and which document it carries.
pub(crate) type ContentOutcome = (State, Option<DocId>);

/// Whether a file is counted from now on, or no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountStep {
    More,
    Less,
}

impl CountStep {
    /// Adds one to a count, or subtracts one.
    pub(crate) fn apply(self, count: &mut u64) {
        *count = match self {
            Self::More => *count + 1,
            Self::Less => count.saturating_sub(1),
        };
    }
}

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
    pub(super) changes: Vec<CountChange>,
    /// For each document that one file carried alone and that others now carry too, that one file.
    pub(super) sole_carriers: Vec<CountedFile>,
}

impl IndexReader {
    /// Counts the files of a view. Files are looked up only if several carry a document and it is unknown which of them
    /// comes first, because one of them changed.
    pub fn count_files(&self, view: &View, cancel: &Cancel) -> Result<FileCounts, IndexError> {
        let roots = self.roots(view)?;
        let roots: Vec<RootId> = roots.into_iter().map(|(root, _)| root).collect();
        self.resolve_doubts(cancel)?;
        Ok(self.shared.kept_counts().of_roots(&roots))
    }

    /// Records from now on what is renamed in a view of which a list is made.
    pub fn watch_moves(&self, view: &View) -> MoveWatch {
        self.shared.kept_counts().moves.watch(view)
    }

    /// Resolves what is in doubt now; what changes meanwhile is left to the next count.
    fn resolve_doubts(&self, cancel: &Cancel) -> Result<(), IndexError> {
        let until = self.shared.kept_counts().changes();
        let mut after = None;
        loop {
            let Some(doubt) = self.shared.kept_counts().next_doubt(after, until) else {
                return Ok(());
            };
            let firsts = self.first_carriers(&doubt, cancel)?;
            after = Some(doubt.document);
            self.shared.kept_counts().resolve(&doubt, firsts);
        }
    }

    /// For each root, the first of the files that carry a document.
    fn first_carriers(
        &self,
        doubt: &UnresolvedFirst,
        cancel: &Cancel,
    ) -> Result<Vec<(RootId, FirstCarrier)>, IndexError> {
        let mut firsts: BTreeMap<RootId, (FileKey, ContentHash)> = BTreeMap::new();
        for (root, content) in &doubt.carried {
            cancel.check()?;
            let (root, path) = (*root, Vec::new());
            let prefix = key::file_of_content(*content, &FileKey { root, path });
            let Some(file) = self.registry.first_file(&prefix)? else {
                continue;
            };
            match firsts.get(&root) {
                Some((first, _)) if *first < file => {}
                _ => drop(firsts.insert(root, (file, *content))),
            }
        }
        let first = |(root, (file, content)): (_, (FileKey, _))| {
            let is_member = file.is_member();
            (root, FirstCarrier { content, is_member })
        };
        Ok(firsts.into_iter().map(first).collect())
    }
}

impl IndexWriter {
    /// Adds what counting these changes needs from the store as it is before them. The caller holds the writer.
    pub(crate) fn count_changes(
        &self,
        changes: Vec<CountChange>,
    ) -> Result<CountChanges, IndexError> {
        let mut gained: BTreeMap<DocId, i64> = BTreeMap::new();
        for CountChange { file, step } in &changes {
            if let Some((id, _)) = file.carried {
                *gained.entry(id).or_default() += match step {
                    CountStep::More => 1,
                    CountStep::Less => -1,
                };
            }
        }
        let state = self.shared.state();
        gained.retain(|id, gained| {
            *gained > 0 && state.table.files(*id) == 1 && state.table.is_text(*id)
        });
        drop(state);
        let mut sole_carriers = Vec::new();
        for key in gained.into_keys().map(|id| self.registry.carrier(id)) {
            let Some(key) = key? else { continue };
            if let Some(record) = self.registry.file(&key)? {
                sole_carriers.push(CountedFile::new(&key, &record, |hash| {
                    self.content_outcome(hash)
                })?);
            }
        }
        Ok(CountChanges {
            changes,
            sole_carriers,
        })
    }

    /// The outcome on record for a content, as far as it is counted.
    pub(crate) fn content_outcome(
        &self,
        hash: ContentHash,
    ) -> Result<Option<ContentOutcome>, IndexError> {
        Ok(self.registry.content(hash)?.as_ref().map(content_outcome))
    }
}

impl IndexState {
    /// Has the settler check the documents that gained or lost a file: one without files leaves its group.
    pub(crate) fn queue_changed_documents(&mut self, changes: &CountChanges) {
        for CountChange { file, .. } in &changes.changes {
            if let Some((id, _)) = file.carried {
                self.unsettled.queue_file_check(id);
            }
        }
    }
}
