//! Builds the batch of writes for changes: records and links of files, contents and documents.

use std::collections::BTreeSet;

use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, DocId, FileKey, FileRecord, FileStat, Reason, State, key};

use super::arrivals::ChangedCarriers;
use crate::IndexError;
use crate::batch::Batch;
use crate::change::{ChangedFiles, Delta, FileChange, NewContent, NewDocument, SeenFile};
use crate::counts::{CountChange, CountedFile, NameChange, content_outcome};
use crate::error::decode_error;
use crate::store::RecordStore;
use crate::table::CountStep;
use crate::writer::WriterState;

mod contents;

/// A batch to which the writes of changes are added one after another.
pub(super) struct BatchBuilder<'a, 'c> {
    pub(super) batch: Batch<'a>,
    pub(super) writer: &'a mut WriterState,
    /// Files as they were counted and as they are now.
    pub(super) counted: Vec<CountChange>,
    /// Names that hold another file than before.
    pub(super) renamed: Vec<NameChange>,
    /// Contents that gained a file (true) or lost one (false).
    pub(super) links: Vec<(ContentHash, bool)>,
    /// Whether the record of a content that was known before was replaced.
    pub(super) replaces_known_content: bool,
    /// Documents not known before.
    pub(super) fresh: Vec<(DocId, &'c NewDocument)>,
    /// Files that refer to a content which is no longer known.
    pub(super) unknown_content: Vec<FileKey>,
    /// Files that hold something else than before.
    pub(super) changed: ChangedFiles,
    /// Files that came to carry a document, or ceased to.
    pub(super) carriers: ChangedCarriers,
}

impl<'a, 'c> BatchBuilder<'a, 'c> {
    pub(super) fn new(records: &'a dyn RecordStore, writer: &'a mut WriterState) -> Self {
        Self {
            batch: Batch::new(records),
            writer,
            counted: Vec::new(),
            renamed: Vec::new(),
            links: Vec::new(),
            replaces_known_content: false,
            fresh: Vec::new(),
            unknown_content: Vec::new(),
            changed: ChangedFiles::default(),
            carriers: ChangedCarriers::default(),
        }
    }

    /// Number of writes added so far.
    pub(super) fn len(&self) -> usize {
        self.batch.len()
    }

    /// Adds the writes of one change.
    pub(super) fn stage(&mut self, change: &'c FileChange) -> Result<(), IndexError> {
        match &change.0 {
            Delta::File(file) => self.stage_file(SeenFileRef::of(file)),
            Delta::Container { file, members } => self.stage_container(file, members),
            Delta::ContainerPart { container, members } => self.stage_part(container, members),
            Delta::ContainerEnd { file, members } => self.stage_end(file, members),
            Delta::Removal(key) => self.stage_removal(key),
        }
    }

    /// Adds a file that is no container. Members it had are removed with the content they were in; if its bytes are not
    /// read, those of a container that was recorded in part are removed.
    fn stage_file(&mut self, seen: SeenFileRef<'c, 'c>) -> Result<(), IndexError> {
        let (key, content) = (seen.key, seen.record.content());
        if content.is_none() || self.content_of(key)? != content {
            self.remove_members(key, &BTreeSet::new())?;
        }
        let known = self.stage_record(seen)?;
        self.note_unless_known(known, key);
        Ok(())
    }

    /// Adds the members first: if the content of one was purged since, the whole file is read again.
    fn stage_container(
        &mut self,
        file: &'c SeenFile,
        members: &'c [SeenFile],
    ) -> Result<(), IndexError> {
        let keys: Vec<FileKey> = members.iter().map(|member| member.key.clone()).collect();
        match self.stage_members(members)? {
            true => self.stage_end(file, &keys),
            // The container's own content stays unlinked until every member is there.
            false => {
                self.unknown_content.push(file.key.clone());
                self.stage_as_unpacking(&file.key)
            }
        }
    }

    /// Adds some members of a container, which is unread until the last of them is recorded.
    fn stage_part(
        &mut self,
        container: &FileKey,
        members: &'c [SeenFile],
    ) -> Result<(), IndexError> {
        let known = self.stage_members(members)?;
        self.note_unless_known(known, container);
        self.stage_as_unpacking(container)
    }

    /// Adds a container as unread, since not every member is recorded: the next look reads it, and if it is gone, its
    /// members are removed.
    fn stage_as_unpacking(&mut self, container: &FileKey) -> Result<(), IndexError> {
        let (stat, reason) = (FileStat::default(), Reason::Unpacking);
        let record = FileRecord::unread(stat, State::Unstable, reason);
        self.stage_record(SeenFileRef {
            key: container,
            record: &record,
            content: None,
        })?;
        Ok(())
    }

    /// Adds a container whose members are recorded: it has these and no others. If its own content was purged since, it
    /// is recorded as unread: otherwise nothing would find its members once it is gone.
    fn stage_end(&mut self, file: &'c SeenFile, members: &[FileKey]) -> Result<(), IndexError> {
        let key = &file.key;
        self.remove_members(key, &members.iter().map(key::file).collect())?;
        if self.stage_record(SeenFileRef::of(file))? {
            return Ok(());
        }
        self.unknown_content.push(key.clone());
        self.stage_as_unpacking(key)
    }

    /// Adds members; returns false if the content of one is not known.
    fn stage_members(&mut self, members: &'c [SeenFile]) -> Result<bool, IndexError> {
        let mut known = true;
        for member in members {
            known &= self.stage_record(SeenFileRef::of(member))?;
        }
        Ok(known)
    }

    fn remove_members(
        &mut self,
        container: &FileKey,
        keep: &BTreeSet<Vec<u8>>,
    ) -> Result<(), IndexError> {
        for member in self.batch.keys(&key::members_of(container))? {
            let key = key::file_in_key(&member).filter(|_| !keep.contains(&member));
            if let Some(key) = key {
                self.remove_one(&key)?;
            }
        }
        Ok(())
    }

    fn note_unless_known(&mut self, known: bool, key: &FileKey) {
        if !known {
            self.unknown_content.push(key.clone());
        }
    }

    /// Adds the record of one file. Returns false, and adds nothing, if its content is not known.
    fn stage_record(&mut self, seen: SeenFileRef<'_, 'c>) -> Result<bool, IndexError> {
        let SeenFileRef {
            key: file,
            record,
            content,
        } = seen;
        let is_other_content = match (record.content(), content) {
            (Some(hash), Some(new)) => self.stage_content(hash, new, file)?,
            _ => false,
        };
        let known = self.file_record(file)?;
        let before = known.as_ref().map(|known| &known.outcome);
        let is_changed = is_other_content || before != Some(&record.outcome);
        let old = known.as_ref().and_then(FileRecord::content);
        let new = record.content();
        if let Some(hash) = new.filter(|_| old != new) {
            if self.batch.get(&key::content(hash))?.is_none() {
                return Ok(false);
            }
            self.link(hash, file, true);
        }
        if let Some(hash) = old.filter(|_| old != new) {
            self.link(hash, file, false);
        }
        self.batch.put(key::file(file), record.encode());
        if is_changed && !is_unpacking(record) {
            self.changed.note(file, true);
        }
        if old != new || old.is_none() {
            self.recount(file, known.as_ref(), Some(record))?;
        }
        Ok(true)
    }

    fn stage_removal(&mut self, file: &FileKey) -> Result<(), IndexError> {
        self.remove_members(file, &BTreeSet::new())?;
        self.remove_one(file)
    }

    fn remove_one(&mut self, file: &FileKey) -> Result<(), IndexError> {
        let known = self.file_record(file)?;
        if let Some(hash) = known.as_ref().and_then(FileRecord::content) {
            self.link(hash, file, false);
        }
        self.batch.delete(key::file(file));
        self.changed.note(file, false);
        self.recount(file, known.as_ref(), None)
    }

    /// The recorded content of a file.
    fn content_of(&self, file: &FileKey) -> Result<Option<ContentHash>, IndexError> {
        Ok(self.file_record(file)?.and_then(|record| record.content()))
    }

    fn file_record(&self, file: &FileKey) -> Result<Option<FileRecord>, IndexError> {
        let bytes = self.batch.get(&key::file(file))?;
        let record = bytes.map(|bytes| FileRecord::decode(&bytes)).transpose();
        record.map_err(|source| decode_error("of a file", source))
    }

    /// Records that a file has a content, or no longer has it.
    fn link(&mut self, hash: ContentHash, file: &FileKey, holds: bool) {
        let link = key::file_of_content(hash, file);
        if holds {
            self.batch.put(link, Vec::new());
        } else {
            self.batch.delete(link);
        }
        self.links.push((hash, holds));
    }

    /// Notes that a file is counted differently from now on.
    fn recount(
        &mut self,
        file: &FileKey,
        old: Option<&FileRecord>,
        new: Option<&FileRecord>,
    ) -> Result<(), IndexError> {
        let content = new.and_then(FileRecord::content);
        let lost_by_another_name = content.is_some_and(|hash| self.writer.orphans.contains(&hash));
        self.renamed
            .push(NameChange::new(file, [old, new], lost_by_another_name));
        for (record, step) in [(new, CountStep::More), (old, CountStep::Less)] {
            if let Some(record) = record {
                let content = |hash| Ok(self.content_record(hash)?.as_ref().map(content_outcome));
                let counted = CountedFile::new(file, record, content)?;
                self.count(file, counted, step);
            }
        }
        Ok(())
    }

    fn count(&mut self, key: &FileKey, file: CountedFile, step: CountStep) {
        self.counted.push(CountChange { file, step });
        self.carriers.note(key, &file);
    }
}

/// A file as it was seen, borrowed from the caller, who may have to apply it again.
struct SeenFileRef<'r, 'c> {
    key: &'r FileKey,
    record: &'r FileRecord,
    content: Option<&'c NewContent>,
}

impl<'c> SeenFileRef<'c, 'c> {
    fn of(file: &'c SeenFile) -> Self {
        Self {
            key: &file.key,
            record: &file.record,
            content: file.content.as_deref(),
        }
    }
}

/// Whether a file is recorded as a container whose members are not all recorded yet.
fn is_unpacking(record: &FileRecord) -> bool {
    matches!(&record.outcome, FileOutcome::Unread(_, reason) if *reason == Reason::Unpacking.into())
}
