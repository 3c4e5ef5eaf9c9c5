//! A report that was written, recorded for listing.

use crate::codec::{DecodeError, Reader, Writer};

/// The record of one report; its key is the time at which it was finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRecord {
    /// Its directory, raw bytes.
    pub out: Vec<u8>,
    /// Groups in it.
    pub groups: u64,
}

impl ReportRecord {
    /// Stored bytes (FORMAT.md, "report").
    pub fn encode(&self) -> Vec<u8> {
        Writer::new().bytes(&self.out).uint(self.groups).finish()
    }

    /// Reads what [`ReportRecord::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(bytes);
        let record = Self {
            out: input.bytes()?.to_vec(),
            groups: input.uint()?,
        };
        input.finish()?;
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_round_trips() {
        let record = ReportRecord {
            out: b"/reports/2026-11".to_vec(),
            groups: 12,
        };
        assert_eq!(ReportRecord::decode(&record.encode()), Ok(record));
    }
}
