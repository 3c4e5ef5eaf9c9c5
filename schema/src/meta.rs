//! The one meta record: everything that must change together.
//!
//! Two separate writes for watermark and layout once indexed documents twice after a kill; so all
//! of it is one value under one key.

use crate::codec::{DecodeError, Reader, Writer};
use crate::posting::MAX_BUCKET_BITS;
use crate::{FORMAT_VERSION, OLDEST_FORMAT, RunId, StoreId};

/// Schemes that have postings, in the order of the arrays below.
pub const SCHEMES: usize = 3;

/// The meta record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaRecord {
    /// Next document serial; serials are never used again.
    pub next_document: u64,
    /// Next group id.
    pub next_group: u64,
    /// Next root id.
    pub next_root: u32,
    /// Documents below this serial have their postings in runs; those from it on are signed again
    /// from their text when the store opens.
    pub watermark: u64,
    /// Number of the next run; numbers ascend, and one that was published is never used again.
    pub next_run: u32,
    /// Postings in runs whose documents are gone, about: a run that holds them is written anew once
    /// they are many.
    pub dead_postings: u64,
    /// The runs that hold the postings, the oldest first. Runs that are not named here do not count.
    pub runs: Vec<RunRecord>,
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

/// One run of postings: written once, whole, and never changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunRecord {
    /// Its number in the store.
    pub number: u32,
    /// What the run itself says it is; none of one that was written before format 7.
    pub id: Option<RunId>,
    /// What it holds, by scheme.
    pub schemes: [RunOfScheme; SCHEMES],
}

/// What a run holds of one scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOfScheme {
    /// Top bits of a key that name its bucket.
    pub bits: u8,
    /// Postings.
    pub postings: u64,
    /// Bytes of posting values.
    pub bytes: u64,
}

impl RunRecord {
    /// Postings of all schemes.
    pub fn postings(&self) -> u64 {
        self.schemes.iter().map(|scheme| scheme.postings).sum()
    }

    /// Bytes of posting values of all schemes.
    pub fn bytes(&self) -> u64 {
        self.schemes.iter().map(|scheme| scheme.bytes).sum()
    }

    fn encode(&self, out: &mut Writer) {
        out.uint(u64::from(self.number));
        out.option(self.id, |out, id| {
            out.raw(&id.0);
        });
        for scheme in &self.schemes {
            out.byte(scheme.bits);
            out.uint(scheme.postings).uint(scheme.bytes);
        }
    }

    fn decode(input: &mut Reader<'_>, format: u32) -> Result<Self, DecodeError> {
        let mut record = Self {
            number: input.narrow("run")?,
            ..Self::default()
        };
        if format > 6 {
            record.id = input.option(|input| input.array().map(RunId))?;
        }
        for scheme in &mut record.schemes {
            *scheme = RunOfScheme {
                bits: input.byte()?,
                postings: input.uint()?,
                bytes: input.uint()?,
            };
            if scheme.bits > MAX_BUCKET_BITS {
                return Err(DecodeError::OutOfRange("bucket bits"));
            }
        }
        Ok(record)
    }
}

/// Everything that decides what a stored signature or edge means.
#[derive(Clone, Debug, Default, PartialEq)]
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
            next_run: 1,
            dead_postings: 0,
            runs: Vec::new(),
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
        out.uint(u64::from(self.next_run)).uint(self.dead_postings);
        out.uint(self.runs.len() as u64);
        self.runs.iter().for_each(|run| run.encode(&mut out));
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
            ..Self::new(Parameters::default())
        };
        if found > 4 {
            record.next_run = input.narrow("run")?;
            record.dead_postings = input.uint()?;
            record.runs = decode_runs(&mut input, record.next_run, found)?;
        } else {
            skip_buckets(&mut input)?;
            record.watermark = 0;
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

/// Runs with ascending numbers below `next`.
fn decode_runs(
    input: &mut Reader<'_>,
    next: u32,
    format: u32,
) -> Result<Vec<RunRecord>, DecodeError> {
    let count: u16 = input.narrow("runs")?;
    let mut runs: Vec<RunRecord> = Vec::new();
    for _ in 0..count {
        let run = RunRecord::decode(input, format)?;
        if run.number >= next || runs.last().is_some_and(|last| last.number >= run.number) {
            return Err(DecodeError::OutOfRange("run"));
        }
        runs.push(run);
    }
    Ok(runs)
}

/// Up to format 4 postings lay in buckets of one tree, which go: they are made anew from the texts.
fn skip_buckets(input: &mut Reader<'_>) -> Result<(), DecodeError> {
    let _merging = input.byte()?;
    let _bucket_bits: [u8; SCHEMES] = input.array()?;
    for _postings_then_bytes in 0..2 * SCHEMES {
        input.uint()?;
    }
    Ok(())
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
            next_run: 9,
            dead_postings: 5,
            runs: vec![run(3, 12), run(8, 0)],
            store: Some(StoreId([7; 16])),
            next_segment: 40,
            named_from: 12,
            ..MetaRecord::new(parameters)
        }
    }

    fn run(number: u32, bits: u8) -> RunRecord {
        let scheme = RunOfScheme {
            bits,
            postings: 100 * u64::from(bits),
            bytes: 500,
        };
        RunRecord {
            number,
            id: number.is_multiple_of(2).then_some(RunId([9; 16])),
            schemes: [scheme, RunOfScheme::default(), scheme],
        }
    }

    #[test]
    fn meta_round_trips() {
        assert_eq!(MetaRecord::decode(&record().encode()), Ok(record()));
    }

    /// A record of an older format, its fields as they were written then.
    fn of_format(version: u8, record: &MetaRecord) -> Vec<u8> {
        let mut out = Writer::new();
        out.uint(u64::from(version)).uint(record.next_document);
        out.uint(record.next_group)
            .uint(u64::from(record.next_root))
            .uint(record.watermark);
        out.byte(1).raw(&[3, 24, 0]);
        for number in 0..6 {
            out.uint(1_000 * number);
        }
        let bytes = record.encode();
        // The parameters take 13 bytes, and the fields of format 3 after them three.
        let (parameters, mut rest) = bytes[bytes.len() - 16..].split_at(13);
        if version < 3 {
            rest = &[];
        }
        out.raw(parameters).raw(rest);
        out.finish()
    }

    #[test]
    fn the_versions_before_are_read_and_their_documents_signed_again() {
        let old = MetaRecord {
            store: None,
            next_segment: 1,
            named_from: 0,
            ..record()
        };
        let read = MetaRecord {
            watermark: 0,
            next_run: 1,
            dead_postings: 0,
            runs: Vec::new(),
            ..old.clone()
        };
        for version in OLDEST_FORMAT..=4 {
            let bytes = of_format(version as u8, &old);
            assert_eq!(MetaRecord::decode(&bytes), Ok(read.clone()));
            assert_eq!(u32::from(read.encode()[0]), FORMAT_VERSION);
        }
    }

    #[test]
    fn runs_of_formats_5_and_6_have_no_id() {
        // Next document, group and root 0, 1, 1, watermark 77, next run 9, 5 dead; run 3 with 12 bits, 1,200
        // postings in 500 bytes of the first scheme and of the third.
        let bytes = [
            0, 0, 1, 1, 77, 9, 5, 1, 3, 12, 0xb0, 9, 0xf4, 3, 0, 0, 0, 12, 0xb0, 9, 0xf4, 3,
        ];
        let present = MetaRecord {
            runs: vec![run(3, 12)],
            ..record()
        };
        let encoded = present.encode();
        // The id of the run takes one byte where there is none.
        let rest = &encoded[bytes.len() + 1..];
        for version in [5, 6] {
            let mut old = [&bytes, rest].concat();
            old[0] = version;
            assert_eq!(MetaRecord::decode(&old), Ok(present.clone()), "{version}");
        }
    }

    #[test]
    fn a_record_of_format_7_is_read_as_it_is() {
        let mut bytes = record().encode();
        bytes[0] = 7;
        assert_eq!(MetaRecord::decode(&bytes), Ok(record()));
    }

    #[test]
    fn impossible_runs_are_refused() {
        let with = |runs| MetaRecord { runs, ..record() };
        let refused = |runs| MetaRecord::decode(&with(runs).encode());
        let bits = Err(DecodeError::OutOfRange("bucket bits"));
        assert_eq!(refused(vec![run(1, 25)]), bits);
        let numbers = Err(DecodeError::OutOfRange("run"));
        assert_eq!(refused(vec![run(2, 1), run(2, 1)]), numbers);
        assert_eq!(refused(vec![run(9, 1)]), numbers);
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
