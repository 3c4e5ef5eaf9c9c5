//! The single meta record: everything that must change together.
//!
//! Written separately, watermark and layout once led to documents being indexed twice after a kill; so all of it is one
//! value under one key.

use crate::codec::{DecodeError, Reader, Writer};
use crate::posting::MAX_BUCKET_BITS;
use crate::{FORMAT_VERSION, OLDEST_FORMAT, RunId, Schemes, StoreId};
use simdex_signature::{Rung, Sampling, SizeStep, TemplateLinesId};

/// Schemes that have postings, in the order of the arrays below.
pub const SCHEMES: usize = 6;
/// Schemes before format 8: Mod_n, BSW_n and chunks.
const SCHEMES_BEFORE_8: usize = 3;
/// Schemes before format 11: also Min_n and Sketch_n.
const SCHEMES_BEFORE_11: usize = 5;

/// The meta record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaRecord {
    /// Next document serial; serials are never reused.
    pub next_document: u64,
    /// Next group id.
    pub next_group: u64,
    /// Next root id.
    pub next_root: u32,
    /// Documents below this serial have their postings in runs; later ones are signed again from their text when the
    /// store opens.
    pub watermark: u64,
    /// Number of the next run; numbers ascend, and a published one is never reused.
    pub next_run: u32,
    /// Approximate number of postings in runs whose documents are gone. A run with many of them is rewritten.
    pub dead_postings: u64,
    /// The runs that hold the postings, oldest first. Runs that are not listed here do not count.
    pub runs: Vec<RunRecord>,
    /// The parameters of the signatures; other settings require a rebuild.
    pub parameters: Parameters,
    /// Identifies the store; `None` in a store of format 1 or 2 until it is opened.
    pub store: Option<StoreId>,
    /// Lower bound of the next text segment's number; numbers are never reused, whatever happens to the files.
    pub next_segment: u32,
    /// Documents from this serial on are identified by the canonical text of version `parameters.canonical`; earlier
    /// ones by that of an older version, until their contents are read again.
    pub named_from: u64,
    /// The chosen sampling by size of text, if any. Documents that are signed differently are signed again.
    pub sampling: Option<Sampling>,
}

/// One run of postings: written once as a whole, and never changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunRecord {
    /// Its number in the store.
    pub number: u32,
    /// The id in the run itself; `None` if it was written before format 7.
    pub id: Option<RunId>,
    /// The contents, by scheme.
    pub schemes: [RunOfScheme; SCHEMES],
}

/// The postings of one scheme in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOfScheme {
    /// Top bits of a key that select its bucket.
    pub bits: u8,
    /// Postings of that scheme.
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
        let held = match format {
            ..8 => SCHEMES_BEFORE_8,
            8..11 => SCHEMES_BEFORE_11,
            _ => SCHEMES,
        };
        for scheme in &mut record.schemes[..held] {
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

/// All parameters on which the meaning of a stored signature or edge depends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Version of the canonical text.
    pub canonical: u32,
    /// Window width in bytes of canonical text.
    pub window: u16,
    /// Number of fingerprints to keep per document (the ladder's target).
    pub target: u32,
    /// The schemes that are indexed.
    pub schemes: Schemes,
    /// Resemblance from which a pair is an edge.
    pub threshold: f64,
    /// The list of lines that are left out of what is signed and compared; `None` if there are none.
    pub template_lines: Option<TemplateLinesId>,
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
            sampling: None,
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
            schemes,
            threshold,
            template_lines,
        } = self.parameters;
        out.uint(u64::from(canonical))
            .uint(u64::from(window))
            .uint(u64::from(target));
        out.byte(schemes.byte()).raw(&threshold.to_be_bytes());
        out.option(self.store, |out, store| {
            out.raw(&store.0);
        });
        out.uint(u64::from(self.next_segment)).uint(self.named_from);
        encode_sampling(self.sampling.as_ref(), &mut out);
        out.option(template_lines, |out, list| {
            out.raw(&list.0);
        });
        out.finish()
    }

    /// Reads what [`MetaRecord::encode`] wrote; checks the version before anything else.
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
            schemes: Schemes::of_byte(input.byte()?)?,
            threshold: f64::from_be_bytes(input.array()?),
            template_lines: None,
        };
        // Format 2 ends before these fields.
        if found > 2 {
            record.store = input.option(|input| input.array().map(StoreId))?;
            record.next_segment = input.narrow("segment")?;
            record.named_from = input.uint()?;
        }
        if found > 8 {
            record.sampling = decode_sampling(&mut input)?;
        }
        if found > 9 {
            let list = input.option(|input| input.array().map(TemplateLinesId))?;
            record.parameters.template_lines = list;
        }
        input.finish()?;
        Ok(record)
    }
}

/// Encodes the absence of a setting as no groups.
fn encode_sampling(sampling: Option<&Sampling>, out: &mut Writer) {
    let groups = sampling.map(Sampling::size_steps).unwrap_or_default();
    out.uint(groups.len() as u64);
    for group in groups {
        out.uint(group.from).byte(group.rung.get());
    }
}

fn decode_sampling(input: &mut Reader<'_>) -> Result<Option<Sampling>, DecodeError> {
    let count: u8 = input.narrow("groups of sizes")?;
    let mut groups = Vec::new();
    for _ in 0..count {
        let from = input.uint()?;
        let rung = Rung::new(input.byte()?).ok_or(DecodeError::OutOfRange("rung"))?;
        groups.push(SizeStep { from, rung });
    }
    let sampling = (count > 0).then(|| Sampling::new(&groups));
    let sampling = sampling.transpose();
    sampling.map_err(|_| DecodeError::OutOfRange("groups of sizes"))
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

/// Until format 4 postings were in buckets of one tree. These are dropped, and the postings are rebuilt from the texts.
fn skip_buckets(input: &mut Reader<'_>) -> Result<(), DecodeError> {
    let _merging = input.byte()?;
    let _bucket_bits: [u8; SCHEMES_BEFORE_8] = input.array()?;
    for _postings_then_bytes in 0..2 * SCHEMES_BEFORE_8 {
        input.uint()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
