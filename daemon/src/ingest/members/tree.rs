//! The tree of members under one file on disk, unpacked level by level within its limits.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use simdex_extract::{Member, MemberBytes, Reason as Cause, Role as ReadRole};
use simdex_index::{IndexError, NewContent, SeenFile};
use simdex_schema::file::FileOutcome;
use simdex_schema::{
    ContentHash, ContentRecord, FileKey, FileRecord, FileStat, MemberPlace, Reason, Role, State,
    Timestamp,
};

use super::pages::Pages;
use super::{COUNT, moved};
use crate::ingest::beside::asked_by_page;
use crate::ingest::content::Bytes;
use crate::ingest::{Ingest, hash_all};

/// What lies under one file on disk, as far as it is unpacked.
pub(super) struct Tree<'a> {
    pub(super) ingest: &'a Ingest<'a>,
    pub(super) until: Instant,
    /// Bytes that may still be unpacked.
    pub(super) bytes: u64,
    /// Members told of so far, read or not.
    told: usize,
    /// Contents read in this tree.
    read: HashMap<ContentHash, First>,
    /// Contents being unpacked, the outermost first: one that holds itself has no end.
    pub(super) open: Vec<ContentHash>,
    files: Vec<SeenFile>,
}

/// Why a member is recorded without its content.
pub(super) type Refused = (State, &'static str);

/// The first member that holds a content.
struct First {
    key: FileKey,
    asked: Option<Vec<String>>,
}

/// A member that was read.
pub(super) struct Read {
    pub(super) hash: ContentHash,
    /// Of a page, the addresses it asks for.
    pub(super) asked: Option<Vec<String>>,
    /// Where it was not known before.
    content: Option<Box<NewContent>>,
    inside: Inside,
}

/// What a member holds.
enum Inside {
    Nothing,
    /// Still to be read.
    Members(Vec<Member>),
    /// As another file of the same content holds it.
    Copies(Vec<SeenFile>),
}

impl<'a> Tree<'a> {
    /// What lies under a file of this content; nothing yet.
    pub(super) fn below(ingest: &'a Ingest<'a>, content: ContentHash) -> Self {
        Self {
            ingest,
            until: Instant::now() + ingest.tree.time,
            bytes: ingest.tree.bytes,
            told: 0,
            read: HashMap::new(),
            open: vec![content],
            files: Vec::new(),
        }
    }

    /// All of it: the members of the file, and what they hold.
    pub(super) fn unpacked(
        mut self,
        container: &FileKey,
        members: Vec<Member>,
    ) -> Result<Vec<SeenFile>, IndexError> {
        self.unpack(container, members)?;
        Ok(self.files)
    }

    pub(super) fn unpack(
        &mut self,
        container: &FileKey,
        members: Vec<Member>,
    ) -> Result<(), IndexError> {
        let (mut names, mut pages) = (HashSet::new(), Pages::default());
        self.told += members.len();
        for (ordinal, member) in members.into_iter().enumerate() {
            let key = name(container, &member, ordinal, &mut names);
            let read = match &member.body {
                Ok(bytes) => self.member(&key, &member.name, bytes)?,
                Err(reason) => Err((state_of(*reason), reason.code())),
            };
            pages.note(&key, &member, &read);
            self.record(key, &member, ordinal, read)?;
        }
        self.show(&pages)
    }

    /// Lists a member, then what it holds.
    pub(super) fn record(
        &mut self,
        key: FileKey,
        member: &Member,
        ordinal: usize,
        read: Result<Read, Refused>,
    ) -> Result<(), IndexError> {
        let (outcome, content, inside) = match read {
            Ok(read) => (FileOutcome::Content(read.hash), read.content, read.inside),
            Err((state, reason)) => {
                let outcome = FileOutcome::Unread(state, Reason::code(reason));
                (outcome, None, Inside::Nothing)
            }
        };
        self.files.push(SeenFile {
            key: key.clone(),
            record: record_of(member, ordinal, outcome),
            content,
        });
        match inside {
            Inside::Nothing => {}
            Inside::Copies(copies) => {
                self.told += copies.len();
                self.files.extend(copies);
            }
            Inside::Members(members) => {
                let hash = self.files.last().and_then(|file| file.record.content());
                self.open.extend(hash);
                self.unpack(&key, members)?;
                self.open.pop();
            }
        }
        Ok(())
    }

    /// Reads one member; or says why its content is not recorded.
    fn member(
        &mut self,
        key: &FileKey,
        name: &str,
        bytes: &MemberBytes,
    ) -> Result<Result<Read, Refused>, IndexError> {
        let Ok((hash, length)) = hash_all(bytes.reader()) else {
            return Ok(Err((State::Unstable, "read-error")));
        };
        if self.open.contains(&hash) {
            return Ok(Err((State::TooLarge, "depth-limit")));
        }
        if let Some(read) = self.read_here(key, hash) {
            return Ok(read);
        }
        let known = self.ingest.index.content(hash)?;
        if let Some(read) = self.read_elsewhere(key, hash, known.as_ref())? {
            return Ok(read);
        }
        // Texts of all members are held until the container is applied.
        if self.ingest.account.held() >= self.ingest.tree.bytes {
            return Ok(Err((State::TooLarge, "inflate-limit")));
        }
        let read = self.fresh(name, bytes, (hash, length), known);
        if let Ok(read) = &read {
            let (key, asked) = (key.clone(), read.asked.clone());
            self.read.insert(hash, First { key, asked });
        }
        Ok(read)
    }

    /// A content that was read before in this tree; none where it was not.
    fn read_here(&self, key: &FileKey, hash: ContentHash) -> Option<Result<Read, Refused>> {
        let First { key: first, asked } = self.read.get(&hash)?;
        // What a page is shown with differs by its place.
        let copies = match asked {
            Some(asked) if !asked.is_empty() => Vec::new(),
            _ => self.copies_within(first, key),
        };
        Some(self.known(hash, asked.clone(), copies))
    }

    /// A content that the index knows; none where it is to be read.
    fn read_elsewhere(
        &self,
        key: &FileKey,
        hash: ContentHash,
        known: Option<&ContentRecord>,
    ) -> Result<Option<Result<Read, Refused>>, IndexError> {
        let Some(known) = known.filter(|known| !self.ingest.deserves_another_try(known)) else {
            return Ok(None);
        };
        if known.count(COUNT) == 0 {
            return Ok(Some(self.known(hash, asked_by(known), Vec::new())));
        }
        Ok(match self.ingest.index.holder(hash)? {
            Some(holder) if !self.ingest.members_wait(&holder)? => {
                let copies = self.ingest.copied(&holder, key)?;
                copies.map(|copies| self.known(hash, None, copies))
            }
            _ => None,
        })
    }

    /// A content that was read before, with what it holds.
    fn known(
        &self,
        hash: ContentHash,
        asked: Option<Vec<String>>,
        copies: Vec<SeenFile>,
    ) -> Result<Read, Refused> {
        self.fits(copies.len(), 0)?;
        Ok(Read {
            hash,
            asked,
            content: None,
            inside: Inside::Copies(copies),
        })
    }

    fn fresh(
        &mut self,
        name: &str,
        bytes: &MemberBytes,
        (hash, length): (ContentHash, u64),
        known: Option<ContentRecord>,
    ) -> Result<Read, Refused> {
        if Instant::now() >= self.until {
            return Err((State::TimedOut, "wall-limit"));
        }
        let not_kept = |_| (State::Unstable, Cause::SpoolFailed.code());
        let private = &bytes.to_file().map_err(not_kept)?;
        let label = name.rsplit('/').next().map(str::to_owned);
        let cut = bytes.cut().map(|reason| reason.code());
        let own = Bytes {
            private,
            hash,
            length,
        };
        let unpacked = self.ingest.content(&own, label, known, cut);
        if let Some(reason) = unpacked.fault {
            return Err((State::Unstable, reason));
        }
        let bodies = unpacked.members.iter().filter_map(|m| m.body.as_ref().ok());
        let inside = bodies.map(MemberBytes::length).sum();
        self.fits(unpacked.members.len(), inside)?;
        self.bytes -= inside;
        Ok(Read {
            hash,
            asked: asked_by(&unpacked.content.record),
            content: Some(Box::new(unpacked.content)),
            inside: match unpacked.members {
                none if none.is_empty() => Inside::Nothing,
                members => Inside::Members(members),
            },
        })
    }

    /// What was unpacked under `first`, a member of the same content, once more under `key`.
    fn copies_within(&self, first: &FileKey, key: &FileKey) -> Vec<SeenFile> {
        let inside = first.member(b"").path;
        let files = self.files.iter();
        files
            .filter(|file| file.key.path.starts_with(&inside))
            .map(|file| moved(&file.key, file.record.clone(), first, key))
            .collect()
    }

    /// Whether so many members more may be unpacked one level below.
    pub(super) fn fits(&self, members: usize, bytes: u64) -> Result<(), Refused> {
        let limits = &self.ingest.tree;
        match () {
            () if members == 0 => Ok(()),
            () if self.open.len() >= limits.nesting => Err((State::TooLarge, "depth-limit")),
            () if self.told + members > limits.entries => Err((State::TooLarge, "parts-limit")),
            () if bytes > self.bytes => Err((State::TooLarge, "inflate-limit")),
            () => Ok(()),
        }
    }
}

fn asked_by(content: &ContentRecord) -> Option<Vec<String>> {
    asked_by_page(&content.media_type, &content.facts)
}

/// A name of its own for every member: what has none, or has another's, gets its number.
fn name(
    container: &FileKey,
    member: &Member,
    ordinal: usize,
    names: &mut HashSet<String>,
) -> FileKey {
    // A NUL is dropped before names are told apart: a stored path has it between members only.
    let mut name = member.name.replace('\0', "");
    if name.is_empty() {
        name = format!("member {}", ordinal + 1);
    }
    while !names.insert(name.clone()) {
        name = format!("{name} ({})", ordinal + 1);
    }
    container.member(name.as_bytes())
}

/// Where a member ended whose bytes its container did not yield.
pub fn state_of(reason: simdex_extract::Reason) -> State {
    use simdex_extract::Reason as R;
    match reason {
        R::PasswordNeeded => State::Encrypted,
        R::KindNotRead => State::Unsupported,
        R::InflateLimit | R::InputLimit | R::PartsLimit | R::DepthLimit => State::TooLarge,
        _ => State::Failed,
    }
}

fn record_of(member: &Member, ordinal: usize, outcome: FileOutcome) -> FileRecord {
    let place = MemberPlace {
        role: role(member.role),
        ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX),
    };
    FileRecord {
        stat: stat(member),
        racy: false,
        outcome,
        member: Some(place),
        last_read: None,
    }
}

pub(super) fn stat(member: &Member) -> FileStat {
    let seconds = member.modified.unwrap_or_default();
    FileStat {
        length: member.body.as_ref().map_or(0, MemberBytes::length),
        mtime: Timestamp { seconds, nanos: 0 },
        ..FileStat::default()
    }
}

fn role(found: ReadRole) -> Role {
    match found {
        ReadRole::Entry => Role::Entry,
        ReadRole::Attachment => Role::Attachment,
        ReadRole::Message => Role::Message,
        ReadRole::Embedded => Role::Embedded,
        ReadRole::Quoted => Role::Quoted,
        ReadRole::Rendered => Role::Rendered,
    }
}
