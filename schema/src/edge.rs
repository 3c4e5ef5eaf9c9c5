//! An edge of the near-duplicate graph: exact shingle counts of two documents.

use crate::codec::{DecodeError, Reader, Writer};

/// Counts over all distinct shingles of both texts, from which the exact ratios follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRecord {
    /// Shingles in both.
    pub shared: u64,
    /// Shingles of the document with the smaller id.
    pub shingles_a: u64,
    /// Shingles of the other.
    pub shingles_b: u64,
}

impl EdgeRecord {
    /// |A∩B| / |A∪B|.
    pub fn resemblance(&self) -> f64 {
        ratio(self.shared, self.shingles_a + self.shingles_b - self.shared)
    }

    /// |A∩B| / |A|.
    pub fn containment_of_a(&self) -> f64 {
        ratio(self.shared, self.shingles_a)
    }

    /// |A∩B| / |B|.
    pub fn containment_of_b(&self) -> f64 {
        ratio(self.shared, self.shingles_b)
    }

    /// This edge seen from the other side.
    pub fn swapped(self) -> Self {
        Self {
            shared: self.shared,
            shingles_a: self.shingles_b,
            shingles_b: self.shingles_a,
        }
    }

    /// Stored bytes (FORMAT.md, "edge").
    pub fn encode(&self) -> Vec<u8> {
        Writer::new()
            .uint(self.shared)
            .uint(self.shingles_a)
            .uint(self.shingles_b)
            .finish()
    }

    /// Reads what [`EdgeRecord::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(bytes);
        let (shared, shingles_a, shingles_b) = (input.uint()?, input.uint()?, input.uint()?);
        input.finish()?;
        if shared > shingles_a.min(shingles_b) {
            return Err(DecodeError::OutOfRange("shared shingles"));
        }
        Ok(Self {
            shared,
            shingles_a,
            shingles_b,
        })
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_follow_from_counts_and_impossible_counts_are_refused() {
        let edge = EdgeRecord {
            shared: 80,
            shingles_a: 100,
            shingles_b: 90,
        };
        assert_eq!(edge.resemblance(), 80.0 / 110.0);
        assert_eq!(edge.swapped().containment_of_a(), edge.containment_of_b());
        assert_eq!(EdgeRecord::decode(&edge.encode()), Ok(edge));
        let wrong = EdgeRecord {
            shared: 101,
            shingles_a: 100,
            shingles_b: 200,
        };
        assert!(EdgeRecord::decode(&wrong.encode()).is_err());
    }
}
