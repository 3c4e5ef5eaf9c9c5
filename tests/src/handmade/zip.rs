//! ZIP archives (APPNOTE 6.3.10), written as told and read back.

use std::io::Read;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use super::bomb::Zeroes;
use super::{crc32, deflated};

/// Entries that are larger when read back are left out.
const LARGEST_READ: u64 = 1 << 20;

/// One entry: what its headers say, whether true or not.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name as bytes.
    pub name: Vec<u8>,
    /// 0 stored, 8 deflated.
    pub method: u16,
    /// Bit 0: encrypted.
    pub flags: u16,
    /// The bytes as they stand in the archive.
    pub packed: Vec<u8>,
    /// Claimed length of them, where it is another.
    pub packed_length: Option<u32>,
    /// Unpacked length that the headers claim.
    pub length: u32,
    /// CRC-32 that the headers claim.
    pub crc: u32,
    /// Unix mode of the file.
    pub mode: u32,
    /// Another name in the local header.
    pub local_name: Option<Vec<u8>>,
}

impl Entry {
    /// Stored as it is.
    pub fn stored(name: impl AsRef<[u8]>, bytes: &[u8]) -> Self {
        Self {
            name: name.as_ref().to_owned(),
            method: 0,
            flags: 0,
            packed: bytes.to_owned(),
            packed_length: None,
            length: bytes.len() as u32,
            crc: crc32(bytes),
            mode: 0o100_644,
            local_name: None,
        }
    }

    /// An entry packed with deflate.
    pub fn deflated(name: impl AsRef<[u8]>, bytes: &[u8]) -> Self {
        let stored = Self::stored(name, bytes);
        Self {
            method: 8,
            packed: deflated(bytes),
            ..stored
        }
    }

    /// Zeroes, of less than 4 GiB.
    pub fn zeroes(name: impl AsRef<[u8]>, zeroes: &Zeroes) -> Self {
        Self {
            method: 8,
            packed: zeroes.deflated.clone(),
            length: zeroes.length as u32,
            crc: zeroes.crc,
            ..Self::stored(name, b"")
        }
    }

    /// From the version needed to the lengths of name and extra fields: the same in both headers.
    fn common(&self, name: &[u8]) -> Vec<u8> {
        let mut fields = Vec::new();
        for short in [20, self.flags, self.method, 0, 0x21] {
            fields.extend(short.to_le_bytes());
        }
        let packed = self.packed_length.unwrap_or(self.packed.len() as u32);
        for long in [self.crc, packed, self.length] {
            fields.extend(long.to_le_bytes());
        }
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend([0, 0]);
        fields
    }

    /// Local header and data.
    pub fn local(&self) -> Vec<u8> {
        let name = self.local_name.as_ref().unwrap_or(&self.name);
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.extend(self.common(name));
        bytes.extend(name);
        bytes.extend(&self.packed);
        bytes
    }

    /// Its place in the directory.
    pub fn central(&self, offset: u32) -> Vec<u8> {
        let mut bytes = b"PK\x01\x02\x14\x03".to_vec();
        bytes.extend(self.common(&self.name));
        bytes.extend([0; 6]);
        bytes.extend((self.mode << 16).to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        bytes.extend(&self.name);
        bytes
    }
}

/// An archive of these entries.
pub fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        directory.extend(entry.central(bytes.len() as u32));
        bytes.extend(entry.local());
    }
    closed(bytes, &directory, entries.len())
}

/// Entries that all lie in the same bytes.
pub fn overlapping(entry: &Entry, times: usize) -> Vec<u8> {
    let mut directory = Vec::new();
    for at in 0..times {
        let name = format!("{at}.txt").into_bytes();
        let twin = Entry {
            name,
            ..entry.clone()
        };
        directory.extend(twin.central(0));
    }
    closed(entry.local(), &directory, times)
}

/// Entries that quote one another (D. Fifield, "A better zip bomb", 2019): each begins with a stored
/// block that holds the next one's header and goes on in the next one's data, down to zeroes that
/// all of them share. So the headers agree with the directory, and the checksums are right.
pub fn quoting(zeroes: &Zeroes, times: usize) -> Vec<u8> {
    let kernel = Entry::zeroes("", zeroes);
    let mut crc = Crc::new();
    let mut zero = Crc::new();
    zero.update(&[0; 1 << 20]);
    (0..zeroes.length >> 20).for_each(|_| crc.combine(&zero));
    let (mut packed, mut length) = (kernel.packed.len() as u32, kernel.length);
    // Last first, each with the stored block that quotes it, if any does.
    let (mut pieces, mut entries) = (vec![kernel.packed], Vec::new());
    for at in (0..times).rev() {
        let entry = Entry {
            name: format!("{at:x}").into_bytes(),
            method: 8,
            packed_length: Some(packed),
            length,
            crc: crc.sum(),
            ..Entry::stored("", b"")
        };
        let header = entry.local();
        let size = header.len() as u16;
        let mut whole = Crc::new();
        whole.update(&header);
        whole.combine(&crc);
        crc = whole;
        // Of the first entry nobody quotes; the sums may be beyond what a header holds.
        if at > 0 {
            length += u32::from(size);
            packed += 5 + u32::from(size);
        }
        let quote = [&[0], &size.to_le_bytes()[..], &(!size).to_le_bytes()].concat();
        let quote = if at == 0 { Vec::new() } else { quote };
        pieces.push([quote, header].concat());
        entries.push(entry);
    }
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    let mut next = entries.iter().rev();
    for (at, piece) in pieces.iter().rev().enumerate() {
        if let Some(entry) = next.next() {
            let quote = if at == 0 { 0 } else { 5 };
            directory.extend(entry.central(bytes.len() as u32 + quote));
        }
        bytes.extend(piece);
    }
    closed(bytes, &directory, times)
}

/// Appends a directory and its end record.
pub fn closed(mut bytes: Vec<u8>, directory: &[u8], entries: usize) -> Vec<u8> {
    let start = bytes.len() as u32;
    let count = u16::try_from(entries).unwrap_or(u16::MAX);
    bytes.extend(directory);
    if entries >= usize::from(u16::MAX) {
        bytes.extend(zip64_end(start, directory.len(), entries));
    }
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// The end record for more than 65,534 entries, and what points to it.
fn zip64_end(start: u32, length: usize, entries: usize) -> Vec<u8> {
    let mut bytes = b"PK\x06\x06".to_vec();
    bytes.extend(44_u64.to_le_bytes());
    bytes.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for long in [entries as u64, entries as u64, length as u64, start.into()] {
        bytes.extend(long.to_le_bytes());
    }
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend((u64::from(start) + length as u64).to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
    bytes
}

/// The entries of a sound archive, by its directory; none where it is not sound.
pub fn unzip(bytes: &[u8]) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let end = bytes.windows(4).rposition(|mark| mark == b"PK\x05\x06")?;
    let count = short(bytes, end + 10)?;
    let mut at = long(bytes, end + 16)?;
    let mut entries = Vec::new();
    for _ in 0..count {
        let name_length = short(bytes, at + 28)?;
        let name = bytes.get(at + 46..at + 46 + name_length)?.to_owned();
        let local = long(bytes, at + 42)?;
        let data = local + 30 + short(bytes, local + 26)? + short(bytes, local + 28)?;
        let packed = bytes.get(data..data.checked_add(long(bytes, at + 20)?)?)?;
        let mut content = Vec::new();
        if short(bytes, at + 10)? == 8 {
            let inflated = DeflateDecoder::new(packed);
            inflated.take(LARGEST_READ).read_to_end(&mut content).ok()?;
        } else {
            content.extend(packed);
        }
        entries.push((name, content));
        at += 46 + name_length + short(bytes, at + 30)? + short(bytes, at + 32)?;
    }
    Some(entries)
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(2)?)?;
    Some(usize::from(u16::from_le_bytes(field.try_into().ok()?)))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(field.try_into().ok()?) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let entries = [
            Entry::stored("a", b"one"),
            Entry::deflated("b/c", &[b'x'; 5000]),
        ];
        let read = unzip(&zip(&entries)).unwrap();
        assert_eq!(read[0], (b"a".to_vec(), b"one".to_vec()));
        assert_eq!(read[1], (b"b/c".to_vec(), vec![b'x'; 5000]));
        assert_eq!(unzip(b"PK\x05\x06 and nothing"), None);
    }

    #[test]
    fn entries_that_quote_one_another_are_sound() {
        let read = unzip(&quoting(&Zeroes::of(1), 3)).unwrap();
        let lengths: Vec<usize> = read.iter().map(|(_, bytes)| bytes.len()).collect();
        // Longer ones are cut by the reading.
        assert_eq!(lengths, [1 << 20; 3]);
        assert!(read[0].1.starts_with(b"PK\x03\x04"));
        assert_eq!(read[2].1, vec![0; 1 << 20]);
    }
}
