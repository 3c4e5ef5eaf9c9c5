//! A content: one sequence of raw bytes, and the outcome of its extraction.

use crate::codec::{DecodeError, Reader, Writer};
use crate::ids::DocId;
use crate::state::{State, StoredReason};

/// The record of one content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentRecord {
    /// The outcome of extraction (never identical-*, which is a relation between files).
    pub state: State,
    /// The reason for that outcome, which refines the state.
    pub reason: StoredReason,
    /// The document made of its text or, without text, of its raw bytes.
    pub document: Option<DocId>,
    /// Kind determined from the content, such as `application/pdf`.
    pub media_type: String,
    /// Parser that read it, with its version; empty if none ran. Stored and shown as `engine`.
    pub parser: String,
    /// Combined version of all readers.
    pub extractor: u32,
    /// Failures in a row with these bytes and this extractor.
    pub strikes: u32,
    /// Length of the content in bytes.
    pub bytes: u64,
    /// The extractor's warnings, bounded in number.
    pub warnings: Vec<String>,
    /// The document's own metadata and facts about reading it: code and value.
    pub facts: Vec<(String, String)>,
    /// The reader that answered; a newer version of it reads the content again. `None` if a worker was lost, and in
    /// records of formats 1 to 3.
    pub reader: Option<ReaderVersion>,
}

/// A reader and its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderVersion {
    /// Its code, as in FORMAT.md.
    pub reader: String,
    /// Its version when it read.
    pub version: u32,
}

impl ContentRecord {
    /// Most warnings kept.
    pub const MAX_WARNINGS: usize = 16;
    /// Most facts kept.
    pub const MAX_FACTS: usize = 64;

    /// A fact that is a number; 0 if it is not stated.
    pub fn count(&self, code: &str) -> u64 {
        let fact = self.facts.iter().find(|(name, _)| name == code);
        fact.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
    }

    /// Stored bytes (FORMAT.md, "content").
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new();
        self.state.put(&mut out);
        self.reason.put(&mut out);
        out.option(self.document, |out, id| {
            out.uint(id.0);
        });
        out.bytes(self.media_type.as_bytes())
            .bytes(self.parser.as_bytes());
        out.uint(u64::from(self.extractor))
            .uint(u64::from(self.strikes))
            .uint(self.bytes);
        let kept = self.warnings.len().min(Self::MAX_WARNINGS);
        out.uint(kept as u64);
        for warning in &self.warnings[..kept] {
            out.bytes(warning.as_bytes());
        }
        let kept = self.facts.len().min(Self::MAX_FACTS);
        out.uint(kept as u64);
        for (code, value) in &self.facts[..kept] {
            out.bytes(code.as_bytes()).bytes(value.as_bytes());
        }
        out.option(self.reader.as_ref(), |out, read| {
            out.bytes(read.reader.as_bytes())
                .uint(u64::from(read.version));
        });
        out.finish()
    }

    /// Reads what [`ContentRecord::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(bytes);
        let record = Self {
            state: State::take(&mut input)?,
            reason: StoredReason::take(&mut input)?,
            document: input.option(|input| input.uint().map(DocId))?,
            media_type: input.string("media type")?,
            parser: input.string("engine")?,
            extractor: input.narrow("extractor version")?,
            strikes: input.narrow("strikes")?,
            bytes: input.uint()?,
            warnings: take_warnings(&mut input)?,
            // Format 1 knew no facts and ends here.
            facts: match input.remaining() {
                0 => Vec::new(),
                _ => take_facts(&mut input)?,
            },
            // Formats 2 and 3 end here.
            reader: match input.remaining() {
                0 => None,
                _ => input.option(take_reader)?,
            },
        };
        input.finish()?;
        Ok(record)
    }
}

fn take_reader(input: &mut Reader<'_>) -> Result<ReaderVersion, DecodeError> {
    Ok(ReaderVersion {
        reader: input.string("reader")?,
        version: input.narrow("reader version")?,
    })
}

fn take_warnings(input: &mut Reader<'_>) -> Result<Vec<String>, DecodeError> {
    let count: usize = input.narrow("warnings")?;
    if count > ContentRecord::MAX_WARNINGS {
        return Err(DecodeError::OutOfRange("warnings"));
    }
    (0..count).map(|_| input.string("warning")).collect()
}

fn take_facts(input: &mut Reader<'_>) -> Result<Vec<(String, String)>, DecodeError> {
    let count: usize = input.narrow("facts")?;
    if count > ContentRecord::MAX_FACTS {
        return Err(DecodeError::OutOfRange("facts"));
    }
    (0..count)
        .map(|_| Ok((input.string("fact")?, input.string("fact")?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;

    #[test]
    fn a_content_round_trips() {
        let record = ContentRecord {
            state: State::Partial,
            reason: Reason::PagesFailed.into(),
            document: Some(DocId(1 << 50)),
            media_type: "application/pdf".into(),
            parser: "pdf-extract 0.12.1".into(),
            extractor: 1,
            strikes: 2,
            bytes: 12_345,
            warnings: vec!["page 3: no font".into()],
            facts: vec![("pages".into(), "12".into())],
            reader: Some(ReaderVersion {
                reader: "pdf".into(),
                version: 7,
            }),
        };
        assert_eq!(record.count("pages"), 12);
        assert_eq!(ContentRecord::decode(&record.encode()), Ok(record.clone()));
        let without_reader = ContentRecord {
            reader: None,
            ..record
        };
        let bytes = without_reader.encode();
        let format_3 = &bytes[..bytes.len() - 1];
        assert_eq!(ContentRecord::decode(format_3), Ok(without_reader.clone()));
        let without_facts = ContentRecord {
            facts: Vec::new(),
            ..without_reader
        };
        let bytes = without_facts.encode();
        let format_1 = &bytes[..bytes.len() - 2];
        assert_eq!(ContentRecord::decode(format_1), Ok(without_facts));
    }
}
