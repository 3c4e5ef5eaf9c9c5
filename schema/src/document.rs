//! A document: one canonical text (or the raw bytes of a content without text) in the index.

use crate::codec::{DecodeError, Reader, Writer};
use crate::ids::DocumentHash;
use simdex_signature::Rung;

/// What a document is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// A canonical text.
    Text,
    /// Raw bytes without text, compared by FastCDC chunks.
    Raw,
}

/// Rungs for which counts are kept: 0 to 15.
pub const RUNGS: usize = 16;

/// The record of one document. Signatures are not stored: they are derived from the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Hash that identifies the document.
    pub hash: DocumentHash,
    /// Text or raw bytes.
    pub kind: DocumentKind,
    /// Canonical text in bytes; raw bytes for [`DocumentKind::Raw`].
    pub length: u64,
    /// Canonical text in characters; 0 for raw bytes.
    pub chars: u64,
    /// Rung of its signatures.
    pub rung: Rung,
    /// Number of Mod_n (or chunk) fingerprints divisible by 2^r, for each r from `rung` up; 0 below.
    pub counts: [u32; RUNGS],
    /// Entries of its BSW_n signature; 0 if the index holds none.
    pub bsw_count: u32,
    /// Entries of its Min_n signature; 0 if the index holds none.
    pub min_count: u32,
    /// Occupied bins of its Sketch_n signature; 0 if the index holds none.
    pub sketch_count: u32,
    /// Number of the first run whose postings of Mod_n and BSW_n count for it; older runs hold an earlier signature. 0
    /// if it was signed only once. If no run has that number or a greater one, its postings are in no run.
    pub first_run: u32,
    /// Location of its extracted text (layout in FORMAT.md, "text reference"); `None` for raw bytes.
    pub text: Option<Vec<u8>>,
    /// The signature itself, ascending, if there is no text to sign again (raw bytes only).
    pub forward: Vec<u64>,
}

impl DocumentRecord {
    /// Stored bytes (FORMAT.md, "document").
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.raw(&self.hash.0);
        out.byte(match self.kind {
            DocumentKind::Text => 0,
            DocumentKind::Raw => 1,
        });
        out.uint(self.length).uint(self.chars).byte(self.rung.get());
        for count in &self.counts[usize::from(self.rung.get())..] {
            out.uint(u64::from(*count));
        }
        out.uint(u64::from(self.bsw_count));
        out.option(self.text.as_deref(), |out, text| {
            out.bytes(text);
        });
        out.uint(self.forward.len() as u64);
        for fingerprint in &self.forward {
            out.raw(&fingerprint.to_be_bytes());
        }
        // Most indexes hold neither scheme, and most documents are signed once.
        if (self.min_count, self.sketch_count, self.first_run) != (0, 0, 0) {
            out.uint(u64::from(self.min_count));
            out.uint(u64::from(self.sketch_count));
        }
        if self.first_run != 0 {
            out.uint(u64::from(self.first_run));
        }
        out.finish()
    }

    /// Reads what [`DocumentRecord::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(bytes);
        let hash = DocumentHash(input.array()?);
        let kind = match input.byte()? {
            0 => DocumentKind::Text,
            1 => DocumentKind::Raw,
            _ => return Err(DecodeError::OutOfRange("document kind")),
        };
        let (length, chars) = (input.uint()?, input.uint()?);
        let rung = Rung::new(input.byte()?).ok_or(DecodeError::OutOfRange("rung"))?;
        let mut counts = [0; RUNGS];
        for count in &mut counts[usize::from(rung.get())..] {
            *count = input.narrow("count")?;
        }
        let bsw_count = input.narrow("count")?;
        let text = input.option(|input| input.bytes().map(<[u8]>::to_vec))?;
        let forward = take_forward(&mut input)?;
        // Format 7 ends here, and so does a document without either.
        let (min_count, sketch_count) = match input.remaining() {
            0 => (0, 0),
            _ => (input.narrow("count")?, input.narrow("count")?),
        };
        // Format 8 ends here, and so does a document that was signed once.
        let first_run = match input.remaining() {
            0 => 0,
            _ => input.narrow("run")?,
        };
        input.finish()?;
        Ok(Self {
            hash,
            kind,
            length,
            chars,
            rung,
            counts,
            bsw_count,
            min_count,
            sketch_count,
            first_run,
            text,
            forward,
        })
    }
}

fn take_forward(input: &mut Reader<'_>) -> Result<Vec<u64>, DecodeError> {
    let count: usize = input.narrow("fingerprints")?;
    if count > input.remaining() / 8 {
        return Err(DecodeError::Truncated);
    }
    (0..count)
        .map(|_| input.array().map(u64::from_be_bytes))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_round_trip() {
        for (kind, text, min_count, first_run) in [
            (DocumentKind::Text, Some(vec![1, 2, 3]), 0, 0),
            (DocumentKind::Text, Some(vec![1, 2, 3]), 512, 0),
            (DocumentKind::Text, Some(vec![1, 2, 3]), 0, 300),
            (DocumentKind::Text, Some(vec![1, 2, 3]), 512, 7),
            (DocumentKind::Raw, None, 0, 0),
        ] {
            let mut counts = [0; RUNGS];
            counts[3..].copy_from_slice(&[400, 200, 90, 40, 20, 9, 4, 2, 1, 0, 0, 0, 0]);
            let record = DocumentRecord {
                hash: DocumentHash([5; 32]),
                kind,
                length: 3_500,
                chars: 3_400,
                rung: Rung::new(3).unwrap(),
                counts,
                bsw_count: 390,
                min_count,
                sketch_count: 0,
                first_run,
                forward: if text.is_none() {
                    vec![3, 9]
                } else {
                    Vec::new()
                },
                text,
            };
            assert_eq!(DocumentRecord::decode(&record.encode()), Ok(record));
        }
    }
}
