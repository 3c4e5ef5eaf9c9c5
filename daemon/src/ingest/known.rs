//! What a file turns out to hold, held against what is on record: the change, or none.

use simdex_index::{Change, IndexError, SeenFile};
use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, ContentRecord, FileKey, FileRecord, State};

use super::beside::{PageFrames, asked};
use super::content::Unpacked;
use super::{Ingest, Looked, members};

/// What is known of a content when a file turns out to hold it.
pub(super) enum KnownContent {
    /// It is to be read; so it ended the last time.
    Fresh(Option<ContentRecord>),
    /// It is known and holds no files, or this very file was known to hold it.
    Known,
    /// It is known, and its members are these, as under another file.
    Copy(Vec<SeenFile>),
    /// It is a known page that asks for these addresses: what lies there differs by folder.
    Page(Vec<String>),
}

/// A file that stood still while it was read.
pub(super) struct StableFile {
    /// Its own record.
    pub(super) record: FileRecord,
    /// What its content was known for.
    pub(super) found: KnownContent,
    /// What was read of it, where it was not known.
    pub(super) unpacked: Option<Unpacked>,
    /// What it is shown with, where it is a page.
    pub(super) shown: PageFrames,
}

impl KnownContent {
    /// Addresses that the content asks for.
    pub(super) fn asked(&self, unpacked: Option<&Unpacked>) -> Vec<String> {
        match (self, unpacked) {
            (Self::Page(asked), _) => asked.clone(),
            (_, Some(unpacked)) => asked(&unpacked.content.record),
            (_, None) => Vec::new(),
        }
    }

    /// Whether the file may have members on record that no other change takes away.
    fn held_members(&self) -> bool {
        match self {
            // Read again, it may hold fewer files than before.
            Self::Fresh(Some(old)) => old.count(members::COUNT) > 0 || !asked(old).is_empty(),
            Self::Page(_) => true,
            Self::Fresh(None) | Self::Known | Self::Copy(_) => false,
        }
    }
}

/// Whether a member is still to be read because the machine did not allow it.
fn waits(member: &SeenFile) -> bool {
    matches!(
        member.record.outcome,
        FileOutcome::Unread(State::Unstable, _)
    )
}

impl Ingest<'_> {
    pub(super) fn found(
        &self,
        key: &FileKey,
        known: Option<&FileRecord>,
        hash: ContentHash,
    ) -> Result<KnownContent, IndexError> {
        let Some(old) = self.index.content(hash)? else {
            return Ok(KnownContent::Fresh(None));
        };
        if self.deserves_another_try(&old) {
            return Ok(KnownContent::Fresh(Some(old)));
        }
        let members = old.count(members::COUNT);
        if members == 0 {
            return Ok(match asked(&old) {
                none if none.is_empty() => KnownContent::Known,
                asked => KnownContent::Page(asked),
            });
        }
        let same = known.and_then(FileRecord::content) == Some(hash);
        let holder = if same {
            Some(key.clone())
        } else {
            self.index.holder(hash)?
        };
        Ok(match holder {
            Some(holder) if self.members_wait(&holder)? => KnownContent::Fresh(Some(old)),
            Some(_) if same => KnownContent::Known,
            Some(holder) => match self.copied(&holder, key)? {
                Some(members) => KnownContent::Copy(members),
                None => KnownContent::Fresh(Some(old)),
            },
            None => KnownContent::Fresh(Some(old)),
        })
    }

    /// What the index is to do about a file that was read.
    pub(super) fn judge(
        &self,
        key: FileKey,
        known: Option<FileRecord>,
        whole: StableFile,
    ) -> Result<Looked, IndexError> {
        let StableFile {
            record,
            found,
            unpacked,
            shown,
        } = whole;
        let is_same = |known: &FileRecord| known.is_same_reading(&record);
        let is_known = unpacked.is_none() && known.as_ref().is_some_and(is_same);
        let is_page = matches!(found, KnownContent::Page(_));
        if is_known && !is_page {
            return self.read_again(&key, &record);
        }
        // What could not be put together stays as it is until the next look.
        let held = found.held_members() && !matches!(shown, PageFrames::Unsteady);
        let (content, unread) = match unpacked {
            Some(unpacked) => (Some(Box::new(unpacked.content)), unpacked.members),
            None => (None, Vec::new()),
        };
        let members = match (record.content(), shown, found) {
            (Some(hash), PageFrames::Filled(filled), _) => self.read_shown(&key, hash, filled)?,
            (_, _, KnownContent::Copy(members)) => members,
            (Some(hash), ..) => self.unpack(&key, hash, unread)?,
            (None, ..) => Vec::new(),
        };
        if is_known && self.is_recorded(&key, &members)? {
            return self.read_again(&key, &record);
        }
        if members.is_empty() && !held {
            return Ok(Looked::Changed(Change::File {
                key,
                record,
                content,
            }));
        }
        let waits = members.iter().any(waits);
        let file = SeenFile {
            key,
            record,
            content,
        };
        let change = Change::Container { file, members };
        Ok(match waits {
            true => Looked::Again(Some(change)),
            false => Looked::Changed(change),
        })
    }

    /// A file that still holds what is on record: only that it was read is new.
    fn read_again(&self, key: &FileKey, record: &FileRecord) -> Result<Looked, IndexError> {
        self.index.was_read(key, record)?;
        Ok(Looked::Unchanged)
    }

    /// Whether these and no others are the members on record.
    fn is_recorded(&self, key: &FileKey, members: &[SeenFile]) -> Result<bool, IndexError> {
        let recorded = self.index.members(key)?;
        let is_same = |(member, (key, record)): (&SeenFile, &(FileKey, _))| {
            member.key == *key && member.record == *record && member.content.is_none()
        };
        Ok(members.len() == recorded.len() && members.iter().zip(&recorded).all(is_same))
    }
}
