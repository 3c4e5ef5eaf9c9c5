//! A root: a watched directory tree and its state.

use crate::codec::{DecodeError, Reader, Writer};

/// The record of one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootRecord {
    /// Absolute path, raw bytes.
    pub path: Vec<u8>,
    /// Files missed by a rescan whose removal awaits confirmation; 0 otherwise.
    pub pending_loss: u64,
    /// The directory of the last complete walk: another one at this path (a share that is not mounted) proves no loss.
    pub identity: Option<DirectoryIdentity>,
}

/// Distinguishes one directory from another, across remounts and restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectoryIdentity {
    /// Its inode number.
    pub inode: u64,
    /// Type of its file system: the magic number `statfs` gives.
    pub file_system: u32,
    /// Id of its file system (`f_fsid` of `statfs`); `None` if the file system stores none, or if the record was
    /// written by format 2.
    pub file_system_id: Option<u64>,
}

impl RootRecord {
    /// Stored bytes (FORMAT.md, "root").
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(&self.path).uint(self.pending_loss);
        out.option(self.identity, |out, identity| {
            out.uint(identity.inode)
                .uint(u64::from(identity.file_system));
        });
        let id = self.identity.and_then(|identity| identity.file_system_id);
        out.option(id, |out, id| {
            out.uint(id);
        });
        out.finish()
    }

    /// Reads what [`RootRecord::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(bytes);
        let (path, pending_loss) = (input.bytes()?.to_vec(), input.uint()?);
        let identity = input.option(|input| Ok((input.uint()?, input.narrow("file system")?)))?;
        // Format 2 ends before this field.
        let file_system_id = match input.remaining() {
            0 => None,
            _ => input.option(Reader::uint)?,
        };
        input.finish()?;
        Ok(Self {
            path,
            pending_loss,
            identity: identity.map(|(inode, file_system)| DirectoryIdentity {
                inode,
                file_system,
                file_system_id,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(file_system_id: Option<u64>) -> RootRecord {
        RootRecord {
            path: vec![b'/', 0xff, b'\n'],
            pending_loss: 1_200,
            identity: Some(DirectoryIdentity {
                inode: 7,
                file_system: 0xEF53,
                file_system_id,
            }),
        }
    }

    #[test]
    fn a_root_round_trips_with_any_bytes_in_its_path() {
        let unknown = RootRecord {
            identity: None,
            ..record(None)
        };
        for record in [record(None), record(Some(u64::MAX)), unknown] {
            assert_eq!(RootRecord::decode(&record.encode()), Ok(record));
        }
    }

    #[test]
    fn a_record_of_format_2_has_no_file_system_id() {
        let new = record(None).encode();
        let old = &new[..new.len() - 1];
        assert_eq!(RootRecord::decode(old), Ok(record(None)));
    }
}
