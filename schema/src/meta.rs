//! The one meta record: everything that must change together.
//!
//! Two separate writes for watermark and layout once indexed documents twice after a kill; so all
//! of it is one value under one key.

use crate::codec::{DecodeError, Reader, Writer};
use crate::posting::MAX_BUCKET_BITS;
use crate::{FORMAT_VERSION, OLDEST_FORMAT, RunId, Schemes, StoreId};
use simdex_signature::{Rung, Sampling, SizeStep, TemplateLinesId};

/// Schemes that have postings, in the order of the arrays below.
pub const SCHEMES: usize = 5;
/// Those of them before format 8: Mod_n, BSW_n and chunks.
const SCHEMES_BEFORE_8: usize = 3;

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
    /// How coarsely texts of each size are sampled, where that was chosen. What is signed otherwise is signed anew.
    pub sampling: Option<Sampling>,
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

/// Everything that decides what a stored signature or edge means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Version of the canonical text.
    pub canonical: u32,
    /// Window width in bytes of canonical text.
    pub window: u16,
    /// Fingerprints a document aims to keep (the ladder's target).
    pub target: u32,
    /// The schemes that are indexed.
    pub schemes: Schemes,
    /// Resemblance from which a pair is an edge.
    pub threshold: f64,
    /// The list of lines that are left out of what is signed and compared; none where nothing is.
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

/// No group stands for no setting.
fn encode_sampling(sampling: Option<&Sampling>, out: &mut Writer) {
    let groups = sampling.map(Sampling::groups).unwrap_or_default();
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

/// Up to format 4 postings lay in buckets of one tree, which go: they are made anew from the texts.
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
