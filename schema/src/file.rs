//! A file: one path under a root, with the last observation of it.

use crate::codec::{DecodeError, Reader, Writer};
use crate::ids::{ContentHash, RootId};
use crate::path::{self, MEMBER};
use crate::state::{State, StoredReason};

/// Identifies a file: the root and the path below it, raw bytes as in the file system. A member of a container has the
/// container's path, a NUL (which no path holds) and its own name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileKey {
    /// The watched tree.
    pub root: RootId,
    /// Path below the root, without a leading slash.
    pub path: Vec<u8>,
}

impl FileKey {
    /// Whether it names a member of a container, not a file on disk.
    pub fn is_member(&self) -> bool {
        self.path.contains(&MEMBER)
    }

    /// The member of this name in this file.
    pub fn member(&self, name: &[u8]) -> Self {
        let name = name.iter().copied().filter(|byte| *byte != MEMBER);
        let path = self.path.iter().copied().chain([MEMBER]).chain(name);
        Self {
            root: self.root,
            path: path.collect(),
        }
    }

    /// The container of this member, one level up.
    pub fn container(&self) -> Option<Self> {
        let at = self.path.iter().rposition(|byte| *byte == MEMBER)?;
        Some(Self {
            root: self.root,
            path: self.path[..at].to_vec(),
        })
    }

    /// The name of a member in its container; for a file on disk, its path.
    pub fn name(&self) -> &[u8] {
        let last = self.path.rsplit(|byte| *byte == MEMBER).next();
        last.unwrap_or_default()
    }

    /// The file on disk: itself, or the outermost container of the member.
    pub fn on_disk(&self) -> Self {
        let end = self.path.iter().position(|byte| *byte == MEMBER);
        Self {
            root: self.root,
            path: self.path[..end.unwrap_or(self.path.len())].to_vec(),
        }
    }

    /// The path below the root as people read it ([`path::to_shown`]): `mail.eml!/offer.docx`.
    pub fn shown(&self) -> Vec<u8> {
        path::to_shown(&self.path)
    }
}

/// Path of the folder of a file with this path, below its root.
pub fn folder_of(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte == b'/');
    &path[..end.unwrap_or(0)]
}

/// The role of a member in its container. The number is what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Role {
    /// Entry of an archive.
    Entry = 0,
    /// Attachment of a message or a document.
    Attachment = 1,
    /// Message of a mailbox.
    Message = 2,
    /// Object embedded in a document.
    Embedded = 3,
    /// Text that a message quotes from another.
    Quoted = 4,
    /// A page with its frames filled in from the files beside it.
    Rendered = 5,
}

impl Role {
    /// Every role, by its stored number.
    pub const ALL: &[Self] = &[
        Self::Entry,
        Self::Attachment,
        Self::Message,
        Self::Embedded,
        Self::Quoted,
        Self::Rendered,
    ];

    /// The name people and tools read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Attachment => "attachment",
            Self::Message => "message",
            Self::Embedded => "embedded",
            Self::Quoted => "quoted",
            Self::Rendered => "rendered",
        }
    }

    fn from_number(number: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| *role as u8 == number)
    }
}

/// The place of a member in its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberPlace {
    /// Its role there.
    pub role: Role,
    /// Its number in the container's order, from 0.
    pub ordinal: u32,
}

/// Seconds and nanoseconds since 1970, as `stat` gives them; seconds may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Whole seconds, rounded down.
    pub seconds: i64,
    /// 0 to 999,999,999.
    pub nanos: u32,
}

/// What `stat` said when the file was last read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStat {
    /// Inode number in its file system.
    pub inode: u64,
    /// Device number; it changes when a share is mounted again and does not take part in "unchanged".
    pub device: u64,
    /// Length in bytes.
    pub length: u64,
    /// Last modification of the bytes.
    pub mtime: Timestamp,
    /// Last change of the inode.
    pub ctime: Timestamp,
    /// Numeric id of the user who owns the file (`st_uid`). None of a member, and where the file was last
    /// read before this was recorded.
    pub owner: Option<u32>,
}

/// Where a file ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// Its bytes were read: the content's record says the rest.
    Content(ContentHash),
    /// Its bytes were not read (unreadable, skipped, too-large, unstable).
    Unread(State, StoredReason),
}

/// The record of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// As of the last read.
    pub stat: FileStat,
    /// An equal `stat` proves nothing: the file changed shortly before it was read, its frames changed while
    /// they were read, or a recheck found other bytes.
    pub racy: bool,
    /// Where it ended.
    pub outcome: FileOutcome,
    /// Its place, where it is a member of a container.
    pub member: Option<MemberPlace>,
    /// When its bytes were last read, in seconds since 1970. `None` if they were not read, for a member (which is read
    /// with its container), and if they were read before this field existed.
    pub last_read: Option<i64>,
    /// For a page with frames ([`Role::Rendered`]) from files of a share: a digest of the pages it was put together
    /// from, which changes if any of them does.
    pub rendered_from: Option<u64>,
}

impl FileRecord {
    /// A file on disk with this outcome; the time of the reading is not set.
    pub fn new(stat: FileStat, outcome: FileOutcome) -> Self {
        Self {
            stat,
            racy: false,
            outcome,
            member: None,
            last_read: None,
            rendered_from: None,
        }
    }

    /// A file on disk whose bytes were not read.
    pub fn unread(stat: FileStat, state: State, reason: impl Into<StoredReason>) -> Self {
        Self::new(stat, FileOutcome::Unread(state, reason.into()))
    }

    /// Stored bytes (FORMAT.md, "file").
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new();
        let FileStat {
            inode,
            device,
            length,
            mtime,
            ctime,
            owner,
        } = self.stat;
        out.uint(inode).uint(device).uint(length);
        for time in [mtime, ctime] {
            out.int(time.seconds).uint(u64::from(time.nanos));
        }
        out.byte(u8::from(self.racy));
        match &self.outcome {
            FileOutcome::Content(hash) => {
                out.byte(0).raw(&hash.0);
            }
            FileOutcome::Unread(state, reason) => {
                out.byte(1);
                state.put(&mut out);
                reason.put(&mut out);
            }
        }
        out.option(self.member, |out, place| {
            out.byte(place.role as u8).uint(u64::from(place.ordinal));
        });
        out.option(self.last_read, |out, seconds| {
            out.int(seconds);
        });
        // A page with frames is a member, which has no owner, so only one of the two is present.
        if let Some(digest) = self.rendered_from {
            out.raw(&digest.to_be_bytes());
        } else if let Some(owner) = owner {
            out.uint(u64::from(owner));
        }
        out.finish()
    }

    /// Reads what [`FileRecord::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(bytes);
        let (inode, device, length) = (input.uint()?, input.uint()?, input.uint()?);
        let mut time = || -> Result<Timestamp, DecodeError> {
            Ok(Timestamp {
                seconds: input.int()?,
                nanos: input.narrow("nanoseconds")?,
            })
        };
        let (mtime, ctime) = (time()?, time()?);
        let racy = input.byte()? != 0;
        let outcome = match input.byte()? {
            0 => FileOutcome::Content(ContentHash(input.array()?)),
            1 => FileOutcome::Unread(State::take(&mut input)?, StoredReason::take(&mut input)?),
            _ => return Err(DecodeError::OutOfRange("file outcome")),
        };
        // Format 1 has no members and ends here.
        let member = match input.remaining() {
            0 => None,
            _ => input.option(take_place)?,
        };
        // Format 2 ends here.
        let last_read = match input.remaining() {
            0 => None,
            _ => input.option(Reader::int)?,
        };
        let is_rendered = member.is_some_and(|place| place.role == Role::Rendered);
        let (inode, rendered_from, owner) = take_end(&mut input, is_rendered, inode)?;
        input.finish()?;
        let stat = FileStat {
            inode,
            device,
            length,
            mtime,
            ctime,
            owner,
        };
        Ok(Self {
            stat,
            racy,
            outcome,
            member,
            last_read,
            rendered_from,
        })
    }

    /// Whether another reading had the same outcome, regardless of the time of reading.
    pub fn is_same_reading(&self, other: &Self) -> bool {
        let last_read = self.last_read;
        *self
            == Self {
                last_read,
                ..other.clone()
            }
    }

    /// Last modification in seconds since 1970; for a member, only if its container states it.
    pub fn modified(&self) -> Option<i64> {
        let known = self.member.is_none() || self.stat.mtime != Timestamp::default();
        known.then_some(self.stat.mtime.seconds)
    }

    /// Length in bytes; unknown for a member whose bytes could not be obtained.
    pub fn bytes(&self) -> Option<u64> {
        let known = self.member.is_none() || self.content().is_some() || self.stat.length > 0;
        known.then_some(self.stat.length)
    }

    /// The content, if the bytes were read.
    pub fn content(&self) -> Option<ContentHash> {
        match self.outcome {
            FileOutcome::Content(hash) => Some(hash),
            FileOutcome::Unread(..) => None,
        }
    }
}

/// Decodes the last field, a digest of a page or an owner, and the inode, which holds the digest in older formats.
fn take_end(
    input: &mut Reader<'_>,
    is_rendered: bool,
    inode: u64,
) -> Result<(u64, Option<u64>, Option<u32>), DecodeError> {
    Ok(match input.remaining() {
        // Formats 1 to 4 keep the digest in place of the inode.
        0 if is_rendered && inode != 0 => (0, Some(inode), None),
        // Format 5 ends here.
        0 => (inode, None, None),
        _ if is_rendered => (inode, Some(u64::from_be_bytes(input.array()?)), None),
        _ => (inode, None, Some(input.narrow("owner")?)),
    })
}

fn take_place(input: &mut Reader<'_>) -> Result<MemberPlace, DecodeError> {
    let role = Role::from_number(input.byte()?).ok_or(DecodeError::OutOfRange("role"))?;
    let ordinal = input.narrow("ordinal")?;
    Ok(MemberPlace { role, ordinal })
}

#[cfg(test)]
mod tests;
