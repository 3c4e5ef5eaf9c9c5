//! Files inside a file: each is hashed, looked up and read like a file on disk, at any depth.
//!
//! A container is read as one whole. Where it is a great one it is recorded in parts, and its own
//! record says that it is not read until the last is there. What a content holds is read once:
//! another file with the same bytes gets the same members from one that is whole.
//! The bounds here are those of the whole tree under one file; what one container may unpack to is
//! for the worker to keep.

mod pages;

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use simdex_extract::{Member, MemberBytes, Role as Found};
use simdex_index::{IndexError, NewContent, SeenFile};
use simdex_schema::file::FileOutcome;
use simdex_schema::{
    ContentHash, ContentRecord, FileKey, FileRecord, FileStat, MemberPlace, Reason, Role, State,
    Timestamp,
};

use self::pages::Pages;
use super::beside::asked_by_page;
use super::{Ingest, hash_all};
use crate::config::ExtractConfig;

/// The fact that says how many files a content holds.
pub(super) const COUNT: &str = "members";

/// What unpacking one file may cost, containers within containers included.
#[derive(Clone, Copy, Debug)]
pub struct TreeLimits {
    /// Members in all.
    pub entries: usize,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Containers within containers.
    pub nesting: usize,
    /// Time after which nothing more is unpacked.
    pub time: Duration,
}

impl TreeLimits {
    /// As configured.
    pub(super) fn of(limits: &ExtractConfig) -> Self {
        Self {
            entries: limits.container_entries as usize,
            bytes: limits.container_mib << 20,
            nesting: limits.container_nesting as usize,
            time: Duration::from_secs(limits.container_seconds),
        }
    }
}

impl Ingest<'_> {
    /// Whether some member of a file is still to be read, or lost its text, or may not be on record.
    pub(super) fn members_wait(&self, container: &FileKey) -> Result<bool, IndexError> {
        if self.whole(container)?.is_none() {
            return Ok(true);
        }
        let members = self.index.members(container)?;
        for (_, record) in &members {
            let waits = match &record.outcome {
                FileOutcome::Unread(state, _) => *state == State::Unstable,
                FileOutcome::Content(hash) => self
                    .index
                    .content(*hash)?
                    .is_none_or(|content| self.deserves_another_try(&content)),
            };
            if waits {
                return Ok(true);
            }
        }
        Ok(members.is_empty())
    }

    /// The record of the file on disk that a container is or lies in; none while that is not read:
    /// of what it holds, some may be on record and some not yet.
    fn whole(&self, container: &FileKey) -> Result<Option<FileRecord>, IndexError> {
        let on_disk = self.index.file(&container.on_disk())?;
        Ok(on_disk.filter(|record| record.content().is_some()))
    }

    /// The members of another file of the same content, as members of this one. None where that file
    /// changes meanwhile, or is not whole: what was found may be a part.
    pub(super) fn copied(
        &self,
        from: &FileKey,
        to: &FileKey,
    ) -> Result<Option<Vec<SeenFile>>, IndexError> {
        let before = self.whole(from)?;
        let members = self.index.members(from)?.into_iter();
        let moved = members.map(|(key, record)| moved(&key, record, from, to));
        let moved = moved.collect();
        let is_whole = before.is_some() && before == self.whole(from)?;
        Ok(is_whole.then_some(moved))
    }

    /// Reads the members of a content that a file holds, and what they hold in turn.
    pub(super) fn unpack(
        &self,
        container: &FileKey,
        content: ContentHash,
        members: Vec<Member>,
    ) -> Result<Vec<SeenFile>, IndexError> {
        let mut tree = Tree {
            ingest: self,
            until: Instant::now() + self.tree.time,
            bytes: self.tree.bytes,
            told: 0,
            read: HashMap::new(),
            open: vec![content],
            files: Vec::new(),
        };
        tree.unpack(container, members)?;
        Ok(tree.files)
    }
}

fn moved(key: &FileKey, record: FileRecord, from: &FileKey, to: &FileKey) -> SeenFile {
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

/// What lies under one file on disk, as far as it is unpacked.
struct Tree<'a> {
    ingest: &'a Ingest<'a>,
    until: Instant,
    /// Bytes that may still be unpacked.
    bytes: u64,
    /// Members told of so far, read or not.
    told: usize,
    /// Contents read in this tree.
    read: HashMap<ContentHash, First>,
    /// Contents being unpacked, the outermost first: one that holds itself has no end.
    open: Vec<ContentHash>,
    files: Vec<SeenFile>,
}

/// Why a member is recorded without its content.
type Refused = (State, &'static str);

/// The first member that holds a content.
struct First {
    key: FileKey,
    asked: Option<Vec<String>>,
}

/// A member that was read.
struct Read {
    hash: ContentHash,
    /// Of a page, the addresses it asks for.
    asked: Option<Vec<String>>,
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

impl Tree<'_> {
    fn unpack(&mut self, container: &FileKey, members: Vec<Member>) -> Result<(), IndexError> {
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
    fn record(
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
        let place = MemberPlace {
            role: role(member.role),
            ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX),
        };
        let record = FileRecord {
            stat: stat(member),
            racy: false,
            outcome,
            member: Some(place),
        };
        self.files.push(SeenFile {
            key: key.clone(),
            record,
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
        if let Some(First { key: first, asked }) = self.read.get(&hash) {
            // What a page is shown with differs by its place.
            let copies = match asked {
                Some(asked) if !asked.is_empty() => Vec::new(),
                _ => self.copies_within(first, key),
            };
            return Ok(self.known(hash, asked.clone(), copies));
        }
        let known = self.ingest.index.content(hash)?;
        if known
            .as_ref()
            .is_some_and(|known| !self.ingest.deserves_another_try(known))
        {
            let holder = self.ingest.index.holder(hash)?;
            match (known.as_ref().map_or(0, |known| known.count(COUNT)), holder) {
                (0, _) => {
                    return Ok(self.known(hash, known.as_ref().and_then(asked_by), Vec::new()));
                }
                (_, Some(holder)) if !self.ingest.members_wait(&holder)? => {
                    if let Some(copies) = self.ingest.copied(&holder, key)? {
                        return Ok(self.known(hash, None, copies));
                    }
                }
                _ => {}
            }
        }
        let read = self.fresh(name, bytes, (hash, length), known);
        if let Ok(read) = &read {
            let (key, asked) = (key.clone(), read.asked.clone());
            self.read.insert(hash, First { key, asked });
        }
        Ok(read)
    }

    /// A content that was read before, here or elsewhere.
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
        let mut file = bytes
            .to_file()
            .map_err(|_| (State::Unstable, "read-error"))?;
        let label = name.rsplit('/').next().map(str::to_owned);
        let cut = bytes.cut().map(|reason| reason.code());
        let unpacked = self.ingest.content(&mut file, label, length, known, cut);
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
    fn fits(&self, members: usize, bytes: u64) -> Result<(), Refused> {
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
    let mut name = member.name.clone();
    if name.is_empty() {
        name = format!("member {}", ordinal + 1);
    }
    while !names.insert(name.clone()) {
        name = format!("{name} ({})", ordinal + 1);
    }
    container.member(name.as_bytes())
}

/// Where a member ended whose bytes its container did not yield.
fn state_of(reason: simdex_extract::Reason) -> State {
    use simdex_extract::Reason as R;
    match reason {
        R::PasswordNeeded => State::Encrypted,
        R::KindNotRead => State::Unsupported,
        R::InflateLimit | R::InputLimit | R::PartsLimit | R::DepthLimit => State::TooLarge,
        _ => State::Failed,
    }
}

fn stat(member: &Member) -> FileStat {
    let seconds = member.modified.unwrap_or_default();
    FileStat {
        length: member.body.as_ref().map_or(0, MemberBytes::length),
        mtime: Timestamp { seconds, nanos: 0 },
        ..FileStat::default()
    }
}

fn role(found: Found) -> Role {
    match found {
        Found::Entry => Role::Entry,
        Found::Attachment => Role::Attachment,
        Found::Message => Role::Message,
        Found::Embedded => Role::Embedded,
        Found::Quoted => Role::Quoted,
        Found::Rendered => Role::Rendered,
    }
}
