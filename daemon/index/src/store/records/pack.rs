//! Many records in one value of sled.
//!
//! A record takes some 60 bytes, and each value in sled 30 more: its length, our seal, its share of a leaf's header. So
//! rewritten records are packed, in the order of their keys, about two kilobytes in a pack, with one seal. A key is
//! stored without the prefix it has in common with the previous one in its pack.
//!
//! For each record: bytes in common with the key before (0 at the start of a pack), the rest of the key,
//! the value; numbers and lengths as varints ([`simdex_schema::codec`]).

use simdex_schema::codec::{DecodeError, Reader, Writer};

/// A pack of this many bytes takes no further record.
pub(in crate::store) const PACK_BYTES: usize = 2 << 10;

/// Packs records, whose keys ascend.
#[derive(Default)]
pub(in crate::store) struct Packer {
    packed: Writer,
    bytes: usize,
    /// The key of the last record.
    last: Vec<u8>,
}

impl Packer {
    /// Adds a record, whose key is greater than that of the last.
    pub(in crate::store) fn push(&mut self, key: &[u8], value: &[u8]) {
        let before = match self.bytes {
            0 => &[],
            _ => self.last.as_slice(),
        };
        let common = before.iter().zip(key).take_while(|(a, b)| a == b).count();
        self.packed.uint(common as u64);
        self.packed.bytes(&key[common..]).bytes(value);
        self.bytes += key.len() - common + value.len() + 3;
        self.last.clear();
        self.last.extend_from_slice(key);
    }

    /// Approximate bytes of the pack so far.
    pub(in crate::store) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The key of the last record, and the pack; `None` if there is no record.
    pub(in crate::store) fn take(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        if self.bytes == 0 {
            return None;
        }
        self.bytes = 0;
        Some((std::mem::take(&mut self.last), self.packed.finish()))
    }
}

/// A record: key and value.
type Record<'key, 'pack> = (&'key [u8], &'pack [u8]);

/// Reads the records of a pack, in order.
pub(in crate::store) struct Unpacker<'a> {
    rest: Reader<'a>,
    key: Vec<u8>,
}

impl<'a> Unpacker<'a> {
    pub(in crate::store) fn new(pack: &'a [u8]) -> Self {
        Self {
            rest: Reader::new(pack),
            key: Vec::new(),
        }
    }

    /// The next record, key and value; `None` after the last.
    pub(in crate::store) fn next(&mut self) -> Result<Option<Record<'_, 'a>>, DecodeError> {
        if self.rest.remaining() == 0 {
            return Ok(None);
        }
        let common: usize = self.rest.narrow("length in common")?;
        if common > self.key.len() {
            return Err(DecodeError::OutOfRange("length in common"));
        }
        self.key.truncate(common);
        self.key.extend_from_slice(self.rest.bytes()?);
        let value = self.rest.bytes()?;
        Ok(Some((&self.key, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Records = Vec<(Vec<u8>, Vec<u8>)>;

    fn unpacked(pack: &[u8]) -> Result<Records, DecodeError> {
        let (mut records, mut found) = (Unpacker::new(pack), Vec::new());
        while let Some((key, value)) = records.next()? {
            found.push((key.to_vec(), value.to_vec()));
        }
        Ok(found)
    }

    proptest! {
        #[test]
        fn unpacked_records_are_what_was_packed(
            records: BTreeMap<Vec<u8>, Vec<u8>>,
            at_once in 1..9_usize,
        ) {
            let mut packer = Packer::default();
            let records: Vec<_> = records.into_iter().collect();
            for packed in records.chunks(at_once) {
                packed.iter().for_each(|(key, value)| packer.push(key, value));
                let (last, pack) = packer.take().unwrap();
                prop_assert_eq!(Some(&last), packed.last().map(|(key, _)| key));
                prop_assert_eq!(unpacked(&pack).unwrap(), packed);
            }
            prop_assert_eq!(packer.take(), None);
        }

        #[test]
        fn any_bytes_are_read_or_refused(pack: Vec<u8>) {
            let _ = unpacked(&pack);
        }
    }

    #[test]
    fn keys_in_order_are_packed_to_less_than_they_are() {
        let mut packer = Packer::default();
        let mut records = 0;
        while packer.bytes() < PACK_BYTES {
            let key = format!("a folder/with some files/{records:08}.txt");
            packer.push(key.as_bytes(), &[7; 20]);
            records += 1;
        }
        let (_, pack) = packer.take().unwrap();
        assert!(pack.len() < records * 30, "{} bytes", pack.len());
    }
}
