//! A file: one path under a root, with what was seen of it.

use crate::codec::{DecodeError, Reader, Writer};
use crate::ids::{ContentHash, RootId};
use crate::state::{Reason, State};

/// Names a file: the root and the path below it, raw bytes as the file system holds them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileKey {
    /// The watched tree.
    pub root: RootId,
    /// Path below the root, no leading slash.
    pub path: Vec<u8>,
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
    /// Inode number.
    pub inode: u64,
    /// Device number; it changes when a share is mounted again and does not take part in "unchanged".
    pub device: u64,
    /// Bytes.
    pub length: u64,
    /// Last modification of the bytes.
    pub mtime: Timestamp,
    /// Last change of the inode.
    pub ctime: Timestamp,
}

/// Where a file ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// Its bytes were read: the content's record says the rest.
    Content(ContentHash),
    /// Its bytes were not read (unreadable, skipped, too-large, unstable).
    Unread(State, Reason),
}

/// The record of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// As of the last read.
    pub stat: FileStat,
    /// True where the file changed so shortly before it was read that an equal `stat` proves nothing.
    pub racy: bool,
    /// Where it ended.
    pub outcome: FileOutcome,
}

impl FileRecord {
    /// Stored bytes (FORMAT.md, "file").
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new();
        let FileStat {
            inode,
            device,
            length,
            mtime,
            ctime,
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
            1 => FileOutcome::Unread(State::take(&mut input)?, Reason::take(&mut input)?),
            _ => return Err(DecodeError::OutOfRange("file outcome")),
        };
        input.finish()?;
        let stat = FileStat {
            inode,
            device,
            length,
            mtime,
            ctime,
        };
        Ok(Self {
            stat,
            racy,
            outcome,
        })
    }

    /// The content, where the bytes were read.
    pub fn content(&self) -> Option<ContentHash> {
        match self.outcome {
            FileOutcome::Content(hash) => Some(hash),
            FileOutcome::Unread(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_outcomes_round_trip() {
        let stat = FileStat {
            inode: 7,
            device: 1 << 40,
            length: 5 << 30,
            mtime: Timestamp {
                seconds: -3,
                nanos: 999_999_999,
            },
            ctime: Timestamp {
                seconds: 16_000_000_000,
                nanos: 0,
            },
        };
        for outcome in [
            FileOutcome::Content(ContentHash([9; 32])),
            FileOutcome::Unread(State::Unreadable, Reason::code("permission-denied")),
        ] {
            let record = FileRecord {
                stat,
                racy: true,
                outcome,
            };
            assert_eq!(FileRecord::decode(&record.encode()), Ok(record));
        }
    }
}
