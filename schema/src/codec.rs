//! Varints and bounded reads shared by all records.
//!
//! Integers are LEB128 varints (7 bits per byte, low bits first), signed ones zigzag; byte strings are preceded by
//! their length. Every read is checked: stored bytes are never assumed to be complete.

use thiserror::Error;

/// Stored bytes that cannot be decoded.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes end inside a value.
    #[error("record ends early")]
    Truncated,
    /// A varint of more than 64 bits.
    #[error("number too long")]
    Overlong,
    /// A value outside its range.
    #[error("{0} out of range")]
    OutOfRange(&'static str),
    /// Bytes remain after the last field.
    #[error("{0} bytes after the end of a record")]
    Trailing(usize),
    /// Written by another version of Simdex.
    #[error("format version {found}, this program reads {wanted}")]
    Version {
        /// The version found in the bytes.
        found: u32,
        /// The version this program reads: [`crate::FORMAT_VERSION`].
        wanted: u32,
    },
}

/// Appends fields to a record.
#[derive(Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// An empty record.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends one byte.
    pub fn byte(&mut self, value: u8) -> &mut Self {
        self.0.push(value);
        self
    }

    /// Appends an unsigned varint: 7 bits a byte, the low ones first.
    pub fn uint(&mut self, value: u64) -> &mut Self {
        put_uint(&mut self.0, value);
        self
    }

    /// Signed varint (zigzag).
    pub fn int(&mut self, value: i64) -> &mut Self {
        self.uint(((value << 1) ^ (value >> 63)) as u64)
    }

    /// Appends exactly these bytes, without a length.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Appends the length, then the bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.uint(bytes.len() as u64).raw(bytes)
    }

    /// Appends 0, or 1 and the value.
    pub fn option<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Self, T)) -> &mut Self {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            put(self, value);
        }
        self
    }

    /// The record's bytes.
    pub fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

/// Appends one varint.
pub fn put_uint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads the fields of a record, front to back.
#[derive(Clone, Copy)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads from these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Bytes not yet read.
    pub fn remaining(&self) -> usize {
        self.0.len()
    }

    /// Takes one byte.
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        let (&first, rest) = self.0.split_first().ok_or(DecodeError::Truncated)?;
        self.0 = rest;
        Ok(first)
    }

    /// The next eight bytes without consuming them; the first byte is the lowest.
    pub(crate) fn ahead(&self) -> Option<u64> {
        self.0.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// Takes an unsigned varint; fails above 64 bits.
    #[inline]
    pub fn uint(&mut self) -> Result<u64, DecodeError> {
        match self.0 {
            [byte @ ..0x80, rest @ ..] => {
                self.0 = rest;
                Ok(u64::from(*byte))
            }
            _ => self.long_uint(),
        }
    }

    fn long_uint(&mut self) -> Result<u64, DecodeError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(DecodeError::Overlong);
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(DecodeError::Overlong)
    }

    /// Takes an unsigned varint that must fit the narrower type; `what` names it in the error.
    pub fn narrow<T: TryFrom<u64>>(&mut self, what: &'static str) -> Result<T, DecodeError> {
        T::try_from(self.uint()?).map_err(|_| DecodeError::OutOfRange(what))
    }

    /// Signed varint (zigzag).
    pub fn int(&mut self) -> Result<i64, DecodeError> {
        let value = self.uint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Takes exactly `length` bytes.
    pub fn raw(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (head, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(DecodeError::Truncated)?;
        self.0 = rest;
        Ok(head)
    }

    /// Takes exactly `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        self.raw(N)?.try_into().map_err(|_| DecodeError::Truncated)
    }

    /// Takes a length, then that many bytes.
    pub fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let length = self.narrow("length")?;
        self.raw(length)
    }

    /// Takes a length, then that many bytes of UTF-8.
    pub fn string(&mut self, what: &'static str) -> Result<String, DecodeError> {
        let bytes = self.bytes()?;
        let text = std::str::from_utf8(bytes).map_err(|_| DecodeError::OutOfRange(what))?;
        Ok(text.to_owned())
    }

    /// Takes 0, or 1 and the value.
    pub fn option<T>(
        &mut self,
        take: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        match self.byte()? {
            0 => Ok(None),
            1 => take(self).map(Some),
            _ => Err(DecodeError::OutOfRange("option")),
        }
    }

    /// Ends the record: fails if bytes remain.
    pub fn finish(self) -> Result<(), DecodeError> {
        match self.0.len() {
            0 => Ok(()),
            left => Err(DecodeError::Trailing(left)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_round_trip(unsigned: u64, signed: i64, bytes: Vec<u8>) {
            let stored = Writer::new().uint(unsigned).int(signed).bytes(&bytes).finish();
            let mut reader = Reader::new(&stored);
            prop_assert_eq!(reader.uint(), Ok(unsigned));
            prop_assert_eq!(reader.int(), Ok(signed));
            prop_assert_eq!(reader.bytes(), Ok(&bytes[..]));
            prop_assert_eq!(reader.finish(), Ok(()));
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let mut reader = Reader::new(&bytes);
            while reader.uint().is_ok() {}
            let _ = Reader::new(&bytes).bytes();
        }
    }

    #[test]
    fn overlong_and_truncated_numbers_are_refused() {
        assert_eq!(Reader::new(&[0xff; 10]).uint(), Err(DecodeError::Overlong));
        assert_eq!(Reader::new(&[0x80]).uint(), Err(DecodeError::Truncated));
    }
}
