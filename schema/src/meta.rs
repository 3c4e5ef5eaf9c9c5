//! The one meta record: everything that must change together.
//!
//! Two separate writes for watermark and layout once indexed documents twice after a kill; so all
//! of it is one value under one key.

use crate::codec::{DecodeError, Reader, Writer};
use crate::posting::MAX_BUCKET_BITS;
use crate::{FORMAT_VERSION, OLDEST_FORMAT, StoreId};

/// Schemes that have postings, in the order of the arrays below.
pub const SCHEMES: usize = 3;

/// The meta record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaRecord {
    /// Next document serial; serials are never used again.
    pub next_document: u64,
    /// Next group handle.
    pub next_group: u64,
    /// Next root id.
    pub next_root: u32,
    /// Documents below this serial have their postings in buckets; those from it on are signed
    /// again from their text when the store opens.
    pub watermark: u64,
    /// True from before a merge writes its first bucket until it dropped its last stale one. Where
    /// it is found true, a merge was cut short: buckets of another width are left-overs and the
    /// counts below are to be taken anew.
    pub merging: bool,
    /// Top bits of a key that name its bucket, by scheme.
    pub bucket_bits: [u8; SCHEMES],
    /// Postings in buckets, by scheme.
    pub postings: [u64; SCHEMES],
    /// Bytes of posting values, by scheme.
    pub bytes: [u64; SCHEMES],
    /// What the signatures were made with; another setting asks for a rebuild.
    pub parameters: Parameters,
    /// Names the store; none in a store of format 1 or 2, until it is opened.
    pub store: Option<StoreId>,
    /// Number of the next text segment, at least; numbers are never used again, whatever becomes of
    /// the files.
    pub next_segment: u32,
    /// Documents from this serial on are named by the canonical text of `parameters.canonical`;
    /// those below it, until their contents are read again, by that of an older version.
    pub named_from: u64,
}

/// Everything that decides what a stored signature or edge means.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Canonical-text version.
    pub canonical: u32,
    /// Window width in bytes of canonical text.
    pub window: u16,
    /// Fingerprints a document aims to keep (the ladder's target).
    pub target: u32,
    /// Whether BSW_n is indexed beside Mod_n.
    pub bsw_n: bool,
    /// Resemblance from which a pair is an edge.
    pub threshold: f64,
}

impl Eq for Parameters {}

impl MetaRecord {
    /// The record of an empty store.
    pub fn new(parameters: Parameters) -> Self {
        Self {
            next_document: 0,
            next_group: 1,
            next_root: 1,
            watermark: 0,
            merging: false,
            bucket_bits: [0; SCHEMES],
            postings: [0; SCHEMES],
            bytes: [0; SCHEMES],
            parameters,
            store: None,
            next_segment: 1,
            named_from: 0,
        }
    }

    /// Stored bytes (FORMAT.md, "meta"); the format version comes first.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.uint(u64::from(FORMAT_VERSION))
            .uint(self.next_document)
            .uint(self.next_group);
        out.uint(u64::from(self.next_root)).uint(self.watermark);
        out.byte(u8::from(self.merging)).raw(&self.bucket_bits);
        for number in self.postings.iter().chain(&self.bytes) {
            out.uint(*number);
        }
        let Parameters {
            canonical,
            window,
            target,
            bsw_n,
            threshold,
        } = self.parameters;
        out.uint(u64::from(canonical))
            .uint(u64::from(window))
            .uint(u64::from(target));
        out.byte(u8::from(bsw_n)).raw(&threshold.to_be_bytes());
        out.option(self.store, |out, store| {
            out.raw(&store.0);
        });
        out.uint(u64::from(self.next_segment)).uint(self.named_from);
        out.finish()
    }

    /// Reads what [`MetaRecord::encode`] wrote; another version is refused before anything else.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(bytes);
        let found = input.narrow("format version")?;
        if !(OLDEST_FORMAT..=FORMAT_VERSION).contains(&found) {
            return Err(DecodeError::Version {
                found,
                wanted: FORMAT_VERSION,
            });
        }
        let mut record = Self {
            next_document: input.uint()?,
            next_group: input.uint()?,
            next_root: input.narrow("root id")?,
            watermark: input.uint()?,
            merging: input.byte()? != 0,
            bucket_bits: input.array()?,
            postings: [0; SCHEMES],
            bytes: [0; SCHEMES],
            parameters: Parameters {
                canonical: 0,
                window: 0,
                target: 0,
                bsw_n: false,
                threshold: 0.0,
            },
            store: None,
            next_segment: 1,
            named_from: 0,
        };
        if record
            .bucket_bits
            .iter()
            .any(|bits| *bits > MAX_BUCKET_BITS)
        {
            return Err(DecodeError::OutOfRange("bucket bits"));
        }
        for number in record.postings.iter_mut().chain(&mut record.bytes) {
            *number = input.uint()?;
        }
        record.parameters = Parameters {
            canonical: input.narrow("canonical version")?,
            window: input.narrow("window")?,
            target: input.narrow("target")?,
            bsw_n: input.byte()? != 0,
            threshold: f64::from_be_bytes(input.array()?),
        };
        // Format 2 ends before these fields.
        if found > 2 {
            record.store = input.option(|input| input.array().map(StoreId))?;
            record.next_segment = input.narrow("segment")?;
            record.named_from = input.uint()?;
        }
        input.finish()?;
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> MetaRecord {
        let parameters = Parameters {
            canonical: 1,
            window: 20,
            target: 512,
            bsw_n: true,
            threshold: 0.8,
        };
        MetaRecord {
            watermark: 77,
            merging: true,
            postings: [1, 2, 3],
            store: Some(StoreId([7; 16])),
            next_segment: 40,
            named_from: 12,
            ..MetaRecord::new(parameters)
        }
    }

    #[test]
    fn meta_round_trips() {
        assert_eq!(MetaRecord::decode(&record().encode()), Ok(record()));
    }

    #[test]
    fn the_versions_before_are_read_and_become_the_present_one() {
        let old = MetaRecord {
            store: None,
            next_segment: 1,
            named_from: 0,
            ..record()
        };
        for version in OLDEST_FORMAT..FORMAT_VERSION {
            let mut bytes = old.encode();
            bytes[0] = version as u8;
            if version < 3 {
                // No store, segment 1, named from 0: the fields that format 3 added.
                bytes.truncate(bytes.len() - 3);
            }
            let read = MetaRecord::decode(&bytes).unwrap();
            assert_eq!(read, old);
            assert_eq!(u32::from(read.encode()[0]), FORMAT_VERSION);
        }
    }

    #[test]
    fn impossible_bucket_bits_are_refused() {
        let record = MetaRecord {
            bucket_bits: [0, 25, 0],
            ..record()
        };
        let refused = MetaRecord::decode(&record.encode());
        assert_eq!(refused, Err(DecodeError::OutOfRange("bucket bits")));
    }

    #[test]
    fn another_format_version_is_named_and_refused() {
        let mut bytes = record().encode();
        bytes[0] = 9;
        let refused = MetaRecord::decode(&bytes);
        assert_eq!(
            refused,
            Err(DecodeError::Version {
                found: 9,
                wanted: FORMAT_VERSION
            })
        );
    }
}
