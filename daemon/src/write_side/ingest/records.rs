//! Looks up the records of a content and of the members of a file.

use simdex_extract::{ExternalTools, Pool};
use simdex_index::{IndexError, Registry, SeenFile};
use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, ContentRecord, FileKey, FileRecord, Reason, State};

use super::MAX_FAILURES;
use super::facts::{frame_addresses, holds_members, tried_programs};
use super::outcome::is_incomplete;
use super::reader_version::{is_current, lacked_reader};

/// The records of the index, and the programs that might read better than what is on record.
#[derive(Clone, Copy)]
pub(super) struct Records<'a> {
    pub(super) registry: &'a Registry,
    pub(super) pool: &'a Pool,
}

/// The next step for a file's content.
pub(super) enum ContentLookup {
    /// It must be extracted; with its previous record, if there is one.
    NeedsRead(Option<ContentRecord>),
    /// Its record is current, and so are the members of this file.
    Recorded,
    /// Its record is current, and these are its members, copied from another file.
    CopyMembers(Vec<SeenFile>),
    /// Its record is current, and it asks for frames at these addresses: the files there differ from folder to folder.
    Frameset(Vec<String>),
}

impl ContentLookup {
    /// Whether the bytes themselves are needed, not only their hash.
    pub(super) fn needs_bytes(&self) -> bool {
        matches!(self, Self::NeedsRead(_) | Self::Frameset(_))
    }

    /// Whether the index may still have members that the file no longer has: then even a file without
    /// members is applied as a container, which removes them.
    pub(super) fn may_have_stale_members(&self) -> bool {
        match self {
            // When read again, it may contain fewer files than before.
            Self::NeedsRead(Some(old)) => holds_members(old) || !frame_addresses(old).is_empty(),
            Self::Frameset(_) => true,
            Self::NeedsRead(None) | Self::Recorded | Self::CopyMembers(_) => false,
        }
    }
}

impl Records<'_> {
    /// Looks up the content of the file `key`; `recorded` is the file's record.
    pub(super) fn lookup(
        &self,
        key: &FileKey,
        recorded: Option<&FileRecord>,
        hash: ContentHash,
    ) -> Result<ContentLookup, IndexError> {
        let Some(old) = self.registry.content(hash)? else {
            return Ok(ContentLookup::NeedsRead(None));
        };
        if self.deserves_another_try(&old) {
            return Ok(ContentLookup::NeedsRead(Some(old)));
        }
        if !holds_members(&old) {
            return Ok(match frame_addresses(&old) {
                none if none.is_empty() => ContentLookup::Recorded,
                frame_addresses => ContentLookup::Frameset(frame_addresses),
            });
        }
        if recorded.and_then(FileRecord::content) == Some(hash) {
            return Ok(match self.members_are_incomplete(key)? {
                true => ContentLookup::NeedsRead(Some(old)),
                false => ContentLookup::Recorded,
            });
        }
        let members = match self.registry.file_of_content(hash)? {
            Some(holder) => self.copy_members_if_complete(&holder, hash, key)?,
            None => None,
        };
        Ok(match members {
            Some(members) => ContentLookup::CopyMembers(members),
            None => ContentLookup::NeedsRead(Some(old)),
        })
    }

    /// The members of another file of this content, as members of this one. `None` if they are incomplete:
    /// some are still to be read, or were cut off by the limits of the tree that the other file is in, which
    /// may not apply to this one.
    pub(super) fn copy_members_if_complete(
        &self,
        from: &FileKey,
        content: ContentHash,
        to: &FileKey,
    ) -> Result<Option<Vec<SeenFile>>, IndexError> {
        if self.members_are_incomplete(from)? {
            return Ok(None);
        }
        let members = self.copy_members(from, content, to)?;
        let is_cut = |member: &SeenFile| is_cut_by_a_tree(&member.record);
        Ok(members.filter(|members| !members.iter().any(is_cut)))
    }

    /// Whether reading the same bytes again may have another result.
    pub(super) fn deserves_another_try(&self, content: &ContentRecord) -> bool {
        let could_improve = |tools: &ExternalTools| {
            let (kind, reason) = (&content.media_type, content.reason.as_str());
            tools.could_improve(kind, reason, tried_programs(content))
        };
        !is_current(content)
            || lacked_reader(content).is_some_and(|reader| self.pool.has_reader(reader))
            || (content.state.is_failure() && content.strikes < MAX_FAILURES)
            || self.pool.external_tools().is_some_and(could_improve)
    }

    /// Whether a file that contains members has none on record, or has one that is still to be read, lost
    /// its text, or may not be on record.
    pub(super) fn members_are_incomplete(&self, container: &FileKey) -> Result<bool, IndexError> {
        if self.disk_record_if_read(container)?.is_none() {
            return Ok(true);
        }
        let members = self.registry.members(container)?;
        for (_, record) in &members {
            let waits = match &record.outcome {
                FileOutcome::Unread(..) => is_incomplete(record),
                FileOutcome::Content(hash) => self
                    .registry
                    .content(*hash)?
                    .is_none_or(|content| self.deserves_another_try(&content)),
            };
            if waits {
                return Ok(true);
            }
        }
        Ok(members.is_empty())
    }

    /// The record of the file on disk that a container is or is inside of, if that file is read; `None`
    /// while it is not: some of its members may be on record and others not yet.
    fn disk_record_if_read(&self, container: &FileKey) -> Result<Option<FileRecord>, IndexError> {
        let on_disk = self.registry.file(&container.on_disk())?;
        Ok(on_disk.filter(|record| record.content().is_some()))
    }

    /// The record of the file on disk that a container of this content is or is inside of, as long as it
    /// has that content and is read.
    fn disk_record_if_read_with(
        &self,
        container: &FileKey,
        content: ContentHash,
    ) -> Result<Option<FileRecord>, IndexError> {
        let holds = self
            .registry
            .file(container)?
            .and_then(|found| found.content())
            == Some(content);
        let whole = holds
            .then(|| self.disk_record_if_read(container))
            .transpose()?;
        Ok(whole.flatten())
    }

    /// The members of another file of this content, as members of this one. `None` if that file has got other
    /// bytes since it was found, changes meanwhile, or is incomplete: what was found may be a part, or
    /// members of another content.
    fn copy_members(
        &self,
        from: &FileKey,
        content: ContentHash,
        to: &FileKey,
    ) -> Result<Option<Vec<SeenFile>>, IndexError> {
        let before = self.disk_record_if_read_with(from, content)?;
        let members = self.registry.members(from)?.into_iter();
        let copies = members.map(|(key, record)| as_member_of(&key, record, from, to));
        let copies = copies.collect();
        let is_whole =
            before.is_some() && before == self.disk_record_if_read_with(from, content)?;
        Ok(is_whole.then_some(copies))
    }
}

/// Whether a member may have been left out because of the limits of the tree it is in. The record is the same if its
/// container itself has too many members: such a container is read once more for each of its copies.
pub(super) fn is_cut_by_a_tree(member: &FileRecord) -> bool {
    let FileOutcome::Unread(State::TooLarge, reason) = &member.outcome else {
        return false;
    };
    [Reason::DepthLimit, Reason::PartsLimit, Reason::InflateLimit]
        .iter()
        .any(|limit| reason.is(*limit))
}

/// A member of the file `from`, converted to a member of the file `to`, which has the same content.
pub(super) fn as_member_of(
    key: &FileKey,
    record: FileRecord,
    from: &FileKey,
    to: &FileKey,
) -> SeenFile {
    let path = [&to.path[..], &key.path[from.path.len()..]].concat();
    SeenFile {
        key: FileKey {
            root: to.root,
            path,
        },
        record,
        content: None,
    }
}

#[cfg(test)]
mod tests {
    use simdex_extract::{Limits, WorkerCommand};
    use simdex_index::store::MemoryStore;
    use simdex_index::{FileChange, Index, NewContent, Options};
    use simdex_schema::{FileStat, MemberPlace, Role, RootId, StoredReason};

    use super::*;
    use crate::config::Config;

    fn key(path: &str) -> FileKey {
        FileKey {
            root: RootId(1),
            path: path.into(),
        }
    }

    /// A file of this content, from which nothing was extracted.
    fn seen(key: FileKey, content: ContentHash) -> SeenFile {
        let record = ContentRecord {
            state: State::Container,
            reason: StoredReason::None,
            document: None,
            media_type: String::new(),
            parser: String::new(),
            extractor: 1,
            reader: None,
            strikes: 0,
            bytes: 9,
            warnings: Vec::new(),
            facts: Vec::new(),
        };
        SeenFile {
            key,
            record: FileRecord::new(FileStat::default(), FileOutcome::Content(content)),
            content: Some(Box::new(NewContent {
                record,
                document: None,
            })),
        }
    }

    /// A container with one member, each with its own content.
    fn container(path: &str, [own, inside]: [u8; 2]) -> FileChange {
        let file = seen(key(path), ContentHash([own; 32]));
        let mut member = seen(file.key.member(b"letter"), ContentHash([inside; 32]));
        member.record.member = Some(MemberPlace {
            role: Role::Entry,
            ordinal: 0,
        });
        let members = vec![member];
        FileChange::container(file, members)
    }

    #[test]
    fn members_of_a_file_that_holds_another_content_by_now_are_not_copied() {
        let texts = tempfile::tempdir().unwrap();
        let (store, parameters) = (
            Box::new(MemoryStore::default()),
            Config::default().parameters(),
        );
        let opened = Index::open(store, texts.path(), parameters, Options::default()).unwrap();
        let command = WorkerCommand {
            program: "/nowhere".into(),
            args: Vec::new(),
        };
        let pool = Pool::new(command, 1, Limits::default());
        let records = Records {
            registry: opened.index.registry(),
            pool: &pool,
        };
        let [older, newer] = [ContentHash([1; 32]), ContentHash([2; 32])];
        let (from, to) = (key("a/x.zip"), key("b/x.zip"));
        let apply = |change| opened.writer.apply(&[change]).unwrap();
        apply(container("a/x.zip", [1, 11]));
        let holder = opened.index.registry().file_of_content(older).unwrap();
        assert_eq!(holder.as_ref(), Some(&from));
        let copied = records.copy_members(&from, older, &to).unwrap().unwrap();
        assert_eq!(copied[0].record.content(), Some(ContentHash([11; 32])));
        // The folders are swapped after the holder was found.
        apply(container("a/x.zip", [2, 22]));
        assert!(records.copy_members(&from, older, &to).unwrap().is_none());
        assert!(records.copy_members(&from, newer, &to).unwrap().is_some());
    }
}
