//! The tree of members under one file on disk, extracted level by level within its limits.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use simdex_extract::{Member, MemberBytes, Role};
use simdex_index::{IndexError, NewContent, SeenFile};
use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, ContentRecord, FileKey, FileRecord, Reason, State};

use super::Unpacker;
use super::allowance::{Allowance, MemberSkip};
use super::names::name;
use crate::write_side::ingest::content_processor::ContentBytes;
use crate::write_side::ingest::facts::{frame_addresses_if_page, holds_members};
use crate::write_side::ingest::framesets::{ContainerPages, FramedPage, RENDERED_NAME};
use crate::write_side::ingest::hash::{hash_all, hash_of_cut};
use crate::write_side::ingest::records::{as_member_of, is_cut_by_a_tree};
use crate::write_side::ingest::worker_answer::{member_record, member_stat, state_of_unread};

/// The members under one file on disk that are extracted so far.
pub(super) struct MemberTree<'a> {
    unpacker: &'a Unpacker<'a>,
    allowance: Allowance,
    /// The first member of each content that was read in this tree.
    first_members: HashMap<ContentHash, FirstMember>,
    /// The contents around the present container, the outermost first: a content that contains itself would never end.
    ancestors: Vec<ContentHash>,
    files: Vec<SeenFile>,
}

/// The first member that holds a content.
struct FirstMember {
    key: FileKey,
    frame_addresses: Option<Vec<String>>,
    /// Number of containers around it.
    depth: usize,
}

/// A member that was read.
struct ReadMember {
    hash: ContentHash,
    /// The addresses that it asks for, if it is a page.
    frame_addresses: Option<Vec<String>>,
    /// The content, if it was not known before.
    content: Option<Box<NewContent>>,
    inside: MemberContents,
}

/// The result of reading a member.
enum MemberOutcome {
    Read(ReadMember),
    /// Its content is not recorded.
    Skipped(MemberSkip),
}

/// The contents of a member.
enum MemberContents {
    Nothing,
    /// Still to be read.
    Unread(Vec<Member>),
    /// Copies of what another file of the same content contains.
    Copies(Vec<SeenFile>),
}

impl<'a> MemberTree<'a> {
    /// An empty tree under a file of this content.
    pub(super) fn new(unpacker: &'a Unpacker<'a>, content: ContentHash) -> Self {
        Self {
            unpacker,
            allowance: Allowance::of(unpacker.limits),
            first_members: HashMap::new(),
            ancestors: vec![content],
            files: Vec::new(),
        }
    }

    /// Reads the members of the file, and their members in turn.
    pub(super) fn into_files(
        mut self,
        container: &FileKey,
        members: Vec<Member>,
    ) -> Result<Vec<SeenFile>, IndexError> {
        self.allowance.begin(members.len());
        self.visit(container, members)?;
        Ok(self.files)
    }

    /// Reads the members of one container, then renders those of its pages that have frames.
    fn visit(&mut self, container: &FileKey, members: Vec<Member>) -> Result<(), IndexError> {
        let (mut names, mut pages) = (HashSet::new(), ContainerPages::default());
        for (ordinal, member) in members.into_iter().enumerate() {
            let key = name(container, &member, ordinal, &mut names);
            let read = match &member.body {
                Ok(bytes) => self.read_member(&key, &member.name, bytes)?,
                Err(reason) => MemberOutcome::Skipped((state_of_unread(*reason), *reason)),
            };
            if let (MemberOutcome::Read(read), Ok(bytes)) = (&read, &member.body)
                && let Some(frame_addresses) = &read.frame_addresses
            {
                pages.add(
                    &key,
                    (read.hash, member_stat(&member)),
                    bytes,
                    frame_addresses,
                );
            }
            self.push(key, &member, ordinal, read)?;
        }
        for page in pages.framed() {
            let page = page?;
            self.ancestors.push(page.hash);
            match self.render(&page) {
                Ok(rendered) => self.visit(page.key, vec![rendered])?,
                Err(skip) => {
                    let key = page.key.member(RENDERED_NAME.as_bytes());
                    self.push(key, &not_rendered(), 0, MemberOutcome::Skipped(skip))?;
                }
            }
            self.ancestors.pop();
        }
        Ok(())
    }

    fn render(&mut self, page: &FramedPage<'_>) -> Result<Member, MemberSkip> {
        self.allowance.take(1, page.bytes(), self.ancestors.len())?;
        let rendered = page.put_together(&self.unpacker.processor.space());
        rendered.map_err(|_| (State::Unstable, Reason::ReadError))
    }

    /// Records a member, then its contents.
    fn push(
        &mut self,
        key: FileKey,
        member: &Member,
        ordinal: usize,
        read: MemberOutcome,
    ) -> Result<(), IndexError> {
        let (outcome, content, inside) = match read {
            MemberOutcome::Read(read) => {
                (FileOutcome::Content(read.hash), read.content, read.inside)
            }
            MemberOutcome::Skipped((state, reason)) => {
                let outcome = FileOutcome::Unread(state, reason.into());
                (outcome, None, MemberContents::Nothing)
            }
        };
        self.files.push(SeenFile {
            key: key.clone(),
            record: member_record(member, ordinal, outcome),
            content,
        });
        match inside {
            MemberContents::Nothing => {}
            MemberContents::Copies(copies) => self.files.extend(copies),
            MemberContents::Unread(members) => {
                let hash = self.files.last().and_then(|file| file.record.content());
                self.ancestors.extend(hash);
                self.visit(&key, members)?;
                self.ancestors.pop();
            }
        }
        Ok(())
    }

    /// Reads one member, or returns why its content is not recorded.
    fn read_member(
        &mut self,
        key: &FileKey,
        name: &str,
        bytes: &MemberBytes,
    ) -> Result<MemberOutcome, IndexError> {
        let Ok((hash, length)) = hash_all(bytes.reader()) else {
            return Ok(MemberOutcome::Skipped((State::Unstable, Reason::ReadError)));
        };
        if self.ancestors.contains(&hash) {
            return Ok(MemberOutcome::Skipped((
                State::TooLarge,
                Reason::DepthLimit,
            )));
        }
        let hash = bytes.cut().map_or(hash, |cut| hash_of_cut(hash, cut));
        if let Some(read) = self.reuse_from_tree(key, hash) {
            return Ok(MemberOutcome::Read(read));
        }
        let known = self.unpacker.records.registry.content(hash)?;
        if let Some(read) = self.reuse_from_index(key, hash, known.as_ref())? {
            return Ok(MemberOutcome::Read(read));
        }
        // Texts of all members are held until the container is applied.
        if self.unpacker.processor.account.held() >= self.unpacker.limits.bytes {
            return Ok(MemberOutcome::Skipped((
                State::TooLarge,
                Reason::InflateLimit,
            )));
        }
        let read = match self.read_new(name, bytes, (hash, length), known) {
            Ok(read) => read,
            Err(skip) => return Ok(MemberOutcome::Skipped(skip)),
        };
        let first = FirstMember {
            key: key.clone(),
            frame_addresses: read.frame_addresses.clone(),
            depth: self.ancestors.len(),
        };
        self.first_members.insert(hash, first);
        Ok(MemberOutcome::Read(read))
    }

    /// A content that was read before in this tree; `None` if it was not, or if it was read deeper inside,
    /// where the limits left less of it than they allow here.
    fn reuse_from_tree(&mut self, key: &FileKey, hash: ContentHash) -> Option<ReadMember> {
        let FirstMember {
            key: first,
            frame_addresses,
            depth,
        } = self.first_members.get(&hash)?;
        // The frames of a page depend on its location.
        let copies = match frame_addresses {
            Some(frame_addresses) if !frame_addresses.is_empty() => Vec::new(),
            _ => self.copies_within(first, key),
        };
        let is_cut = |copy: &SeenFile| is_cut_by_a_tree(&copy.record);
        if *depth > self.ancestors.len() && copies.iter().any(is_cut) {
            return None;
        }
        let frame_addresses = frame_addresses.clone();
        Some(self.reuse(key, hash, frame_addresses, copies))
    }

    /// A content that the index knows; `None` if it must be read. This decides like `Records::lookup` for a
    /// file on disk, except for frames: those of a page in a container are in the container, and are filled in
    /// once all its members are read.
    fn reuse_from_index(
        &mut self,
        key: &FileKey,
        hash: ContentHash,
        known: Option<&ContentRecord>,
    ) -> Result<Option<ReadMember>, IndexError> {
        let records = self.unpacker.records;
        let Some(known) = known.filter(|known| !records.deserves_another_try(known)) else {
            return Ok(None);
        };
        if !holds_members(known) {
            let frame_addresses = frame_addresses_if_page(known);
            return Ok(Some(self.reuse(key, hash, frame_addresses, Vec::new())));
        }
        let copies = match records.registry.file_of_content(hash)? {
            Some(holder) => records.copy_members_if_complete(&holder, hash, key)?,
            None => None,
        };
        Ok(copies.map(|copies| self.reuse(key, hash, None, copies)))
    }

    /// Records a content that was read before, with its contents.
    fn reuse(
        &mut self,
        key: &FileKey,
        hash: ContentHash,
        frame_addresses: Option<Vec<String>>,
        copies: Vec<SeenFile>,
    ) -> ReadMember {
        let copies = match self.allowance.take(copies.len(), 0, self.ancestors.len()) {
            Ok(()) => copies,
            Err(skip) => self.keep_direct_members_unread(key, copies, skip),
        };
        ReadMember {
            hash,
            frame_addresses,
            content: None,
            inside: MemberContents::Copies(copies),
        }
    }

    /// Reduces the files inside `key` to its direct members, by name, if the limits leave no room for them.
    fn keep_direct_members_unread(
        &mut self,
        key: &FileKey,
        copies: Vec<SeenFile>,
        (state, reason): MemberSkip,
    ) -> Vec<SeenFile> {
        let is_direct = |copy: &SeenFile| copy.key.container().as_ref() == Some(key);
        let mut named: Vec<SeenFile> = copies.into_iter().filter(is_direct).collect();
        named.truncate(self.allowance.take_names(named.len()));
        for copy in &mut named {
            let outcome = FileOutcome::Unread(state, reason.into());
            copy.record = FileRecord {
                outcome,
                ..copy.record.clone()
            };
        }
        named
    }

    /// Has a worker read a member whose content is new.
    fn read_new(
        &mut self,
        name: &str,
        bytes: &MemberBytes,
        (hash, length): (ContentHash, u64),
        old: Option<ContentRecord>,
    ) -> Result<ReadMember, MemberSkip> {
        if self.allowance.is_out_of_time() {
            // What was read so far is not read again, so that the next try gets further.
            return Err((State::Unstable, Reason::WallLimit));
        }
        let not_kept = |_| (State::Unstable, Reason::SpoolFailed);
        let private = &bytes.to_file().map_err(not_kept)?;
        let label = name.rsplit('/').next().map(str::to_owned);
        let cut = bytes.cut();
        let own = ContentBytes {
            private,
            hash,
            length,
        };
        let extracted = self
            .unpacker
            .processor
            .process(&own, label, old.clone(), cut);
        self.charge(extracted.took, old.as_ref());
        if let Some(reason) = extracted.transient {
            return Err((State::Unstable, reason));
        }
        Ok(ReadMember {
            hash,
            frame_addresses: frame_addresses_if_page(&extracted.content.record),
            content: Some(Box::new(extracted.content)),
            inside: match extracted.members {
                none if none.is_empty() => MemberContents::Nothing,
                members => MemberContents::Unread(self.admitted(members)),
            },
        })
    }

    /// Charges the time for reading a content, whose earlier record is `old`.
    pub(super) fn charge(&mut self, took: Duration, old: Option<&ContentRecord>) {
        let records = self.unpacker.records;
        let was_read =
            |old: &ContentRecord| holds_members(old) && !records.deserves_another_try(old);
        self.allowance.charge(took, old.is_some_and(was_read));
    }

    /// The members of a container, one level below; without their bytes if the limits leave no room for
    /// them. The container's own text is read in any case.
    fn admitted(&mut self, mut members: Vec<Member>) -> Vec<Member> {
        let bodies = members.iter().filter_map(|m| m.body.as_ref().ok());
        let bytes = bodies.map(MemberBytes::length).sum();
        if let Err((_, reason)) = self
            .allowance
            .take(members.len(), bytes, self.ancestors.len())
        {
            members.truncate(self.allowance.take_names(members.len()));
            let with_bytes = members.iter_mut().filter(|member| member.body.is_ok());
            with_bytes.for_each(|member| member.body = Err(reason));
        }
        members
    }

    /// Copies the members extracted under `first`, a member of the same content, to `key`.
    fn copies_within(&self, first: &FileKey, key: &FileKey) -> Vec<SeenFile> {
        let inside = first.member(b"").path;
        let files = self.files.iter();
        files
            .filter(|file| file.key.path.starts_with(&inside))
            .map(|file| as_member_of(&file.key, file.record.clone(), first, key))
            .collect()
    }
}

/// Placeholder for a page that could not be rendered.
fn not_rendered() -> Member {
    Member {
        name: RENDERED_NAME.to_owned(),
        role: Role::Rendered,
        modified: None,
        body: Err(Reason::ReadError),
    }
}
