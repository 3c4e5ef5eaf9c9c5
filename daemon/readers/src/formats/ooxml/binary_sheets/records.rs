//! Records of a binary part and their fields [MS-XLSB] §2.1.4 and §2.5.

use std::io::{BufRead, Read};

use simdex_extract::Reason;

/// Longest record that is read; cells and strings are far shorter.
const MAX_RECORD_BYTES: u64 = 1 << 20;

/// The records that begin a sheet, a workbook, its shared strings, its styles, its comments (§2.3.2). Each is followed in
/// number by the one that ends the part.
const BEGINNINGS: [u32; 5] = [129, 131, 159, 278, 628];

/// The first and the last record of a part, as far as it was read.
#[derive(Default)]
struct PartBounds(Option<(u32, u32)>);

impl PartBounds {
    fn take(&mut self, record: u32) {
        let first = self.0.map_or(record, |(first, _)| first);
        self.0 = Some((first, record));
    }

    /// Whether the record that ends the part is still missing.
    fn is_open(&self) -> bool {
        self.0
            .is_some_and(|(first, last)| BEGINNINGS.contains(&first) && last != first + 1)
    }
}

/// Feeds the `kinds` records of a part to `take` until it has enough, or a record lacks fields (`None`); the others
/// are skipped.
pub(super) fn each_record(
    reader: &mut dyn BufRead,
    kinds: &[u32],
    mut take: impl FnMut(u32, Fields<'_>) -> Option<bool>,
) -> Option<Reason> {
    let mut bytes = Vec::new();
    let (mut partial, mut bounds) = (None, PartBounds::default());
    loop {
        let record = match number(reader, 2) {
            Ok(Some(record)) => record,
            Ok(None) if bounds.is_open() => return Some(Reason::Damaged),
            Ok(None) => return partial,
            Err(_) => return Some(Reason::Damaged),
        };
        let Ok(Some(length)) = number(reader, 4) else {
            return Some(Reason::Damaged);
        };
        let length = u64::from(length);
        let mut body = reader.take(length);
        bytes.clear();
        if kinds.contains(&record)
            && (&mut body)
                .take(MAX_RECORD_BYTES)
                .read_to_end(&mut bytes)
                .is_err()
        {
            return Some(Reason::Damaged);
        }
        let passed = std::io::copy(&mut body, &mut std::io::sink());
        if passed.is_err() || body.limit() > 0 {
            return Some(Reason::Damaged);
        }
        bounds.take(record);
        if !kinds.contains(&record) {
            continue;
        }
        match take(record, Fields(&bytes)) {
            Some(true) => {}
            Some(false) => return partial,
            None => partial = Some(Reason::Damaged),
        }
    }
}

/// A number of up to `max_bytes` bytes, of seven bits each, the lowest first; `None` at the end.
fn number(reader: &mut dyn BufRead, max_bytes: u32) -> std::io::Result<Option<u32>> {
    let mut number = 0;
    for index in 0..max_bytes {
        let mut byte = [0];
        if index == 0 {
            if reader.read(&mut byte)? == 0 {
                return Ok(None);
            }
        } else {
            reader.read_exact(&mut byte)?;
        }
        number |= u32::from(byte[0] & 0x7f) << (7 * index);
        if byte[0] & 0x80 == 0 {
            break;
        }
    }
    Ok(Some(number))
}

/// The remaining fields of a record; `None` if there are too few bytes.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    /// The fields after so many bytes.
    pub(super) fn behind(self, count: usize) -> Option<Self> {
        Some(Self(self.0.get(count..)?))
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        Some(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn f64(&mut self) -> Option<f64> {
        Some(f64::from_le_bytes(self.array()?))
    }

    /// A number in four bytes: an integer or the upper half of a double, perhaps in hundredths.
    pub(super) fn rk(&mut self) -> Option<f64> {
        let bits = self.u32()?;
        let value = if bits & 2 == 0 {
            f64::from_bits(u64::from(bits & !3) << 32)
        } else {
            f64::from(bits.cast_signed() >> 2)
        };
        Some(if bits & 1 == 0 { value } else { value / 100.0 })
    }

    /// A string and its runs, each with the unit that it begins with and the number of its font (§2.5.121).
    pub(super) fn rich_string(&mut self) -> Option<(String, Vec<(u16, u16)>)> {
        let flags = self.u8()?;
        let text = self.wide_string()?;
        let count = match flags & 1 {
            0 => 0,
            _ => self.u32().unwrap_or(0),
        };
        let runs = (0..count).map_while(|_| self.u16().zip(self.u16()));
        Some((text, runs.collect()))
    }

    /// UTF-16 after its length in units; a length of all ones means none.
    pub(super) fn wide_string(&mut self) -> Option<String> {
        let units = self.u32()?;
        if units == u32::MAX {
            return Some(String::new());
        }
        let bytes = self.bytes(usize::try_from(units).ok()?.checked_mul(2)?)?;
        let units = bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| u16::from_le_bytes(*pair));
        Some(
            char::decode_utf16(units)
                .map(|c| c.unwrap_or('\u{fffd}'))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_four_bytes() {
        let rk = |bits: u32| Fields(&bits.to_le_bytes()).rk();
        assert_eq!(rk(0x3ff0_0000), Some(1.0));
        assert_eq!(rk(0x3ff0_0001), Some(0.01));
        assert_eq!(rk(123 << 2 | 2), Some(123.0));
        assert_eq!(rk((-5_i32 << 2 | 3).cast_unsigned()), Some(-0.05));
    }

    #[test]
    fn lengths_beyond_the_part_are_damage_and_cost_nothing() {
        let mut seen = Vec::new();
        let mut read = |bytes: &[u8]| {
            each_record(&mut &bytes[..], &[5], |_, mut fields| {
                seen.push(fields.u8()?);
                Some(true)
            })
        };
        assert_eq!(read(&[5, 1, 7, 0x80, 0x01, 2, 0, 0, 5, 1, 8]), None);
        assert_eq!(read(&[5, 0xff, 0xff, 0xff, 0x7f, 9]), Some(Reason::Damaged));
        assert_eq!(read(&[5, 0, 5, 1, 9]), Some(Reason::Damaged));
        assert_eq!(seen, [7, 8, 9]);
    }
}
