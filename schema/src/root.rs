//! A root: a watched directory tree and what is held of it.

use crate::codec::{DecodeError, Reader, Writer};

/// The record of one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootRecord {
    /// Absolute path, raw bytes.
    pub path: Vec<u8>,
    /// Files a rescan missed whose removal waits for a person; 0 otherwise.
    pub pending_loss: u64,
    /// Inode and file system type of the directory when it was last walked whole: another
    /// directory at this path (a share that is not mounted) proves no loss.
    pub identity: Option<(u64, u32)>,
}

impl RootRecord {
    /// Stored bytes (FORMAT.md, "root").
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(&self.path).uint(self.pending_loss);
        out.option(self.identity, |out, (inode, file_system)| {
            out.uint(inode).uint(u64::from(file_system));
        });
        out.finish()
    }

    /// Reads what [`RootRecord::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(bytes);
        let record = Self {
            path: input.bytes()?.to_vec(),
            pending_loss: input.uint()?,
            identity: input.option(|input| Ok((input.uint()?, input.narrow("file system")?)))?,
        };
        input.finish()?;
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_round_trips_with_any_bytes_in_its_path() {
        let record = RootRecord {
            path: vec![b'/', 0xff, b'\n'],
            pending_loss: 1_200,
            identity: Some((7, 0xEF53)),
        };
        assert_eq!(RootRecord::decode(&record.encode()), Ok(record));
    }
}
