//! Data that unpacks to thousands of times its length, made without ever being held unpacked.

use flate2::{Compress, Compression, Crc, FlushCompress};

use super::crc32;

/// What the bombs are made of.
const MIB: usize = 1 << 20;

/// Deflated zeroes and their checksum.
#[derive(Clone)]
pub struct Zeroes {
    /// A complete stream of deflate (RFC 1951).
    pub deflated: Vec<u8>,
    /// CRC-32 of what they inflate to.
    pub crc: u32,
    /// Bytes they inflate to.
    pub length: u64,
}

impl Zeroes {
    /// This many mebibytes: blocks that end in a full flush are identical, and follow one another.
    pub fn of(mebibytes: u32) -> Self {
        let zeroes = vec![0; MIB];
        let mut block = Vec::with_capacity(MIB);
        // Deflating into memory that suffices does not fail.
        let _ = Compress::new(Compression::best(), false).compress_vec(
            &zeroes,
            &mut block,
            FlushCompress::Full,
        );
        let mut deflated = block.repeat(mebibytes as usize);
        // The last block: fixed codes, and nothing in it.
        deflated.extend([3, 0]);
        let (mut one, mut crc) = (Crc::new(), Crc::new());
        one.update(&zeroes);
        (0..mebibytes).for_each(|_| crc.combine(&one));
        Self {
            deflated,
            crc: crc.sum(),
            length: u64::from(mebibytes) << 20,
        }
    }

    /// As a member of gzip (RFC 1952).
    pub fn gzip(&self) -> Vec<u8> {
        let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
        bytes.extend(&self.deflated);
        bytes.extend(self.crc.to_le_bytes());
        bytes.extend((self.length as u32).to_le_bytes());
        bytes
    }
}

/// The head of an xz file (its specification, 2.1.1 and 3.1): no check, LZMA2 with a dictionary of
/// this size.
pub fn xz_head(dictionary: u8) -> Vec<u8> {
    let mut bytes = b"\xfd7zXZ\0\0\0".to_vec();
    bytes.extend(crc32(&[0, 0]).to_le_bytes());
    let header = [2, 0, 0x21, 1, dictionary, 0, 0, 0];
    bytes.extend(header);
    bytes.extend(crc32(&header).to_le_bytes());
    bytes
}

/// An xz file with this many chunks of 2 MiB, all one letter, up to its index, which no reader reaches.
pub fn xz_of(byte: u8, chunks: usize) -> Vec<u8> {
    let coded = lzma_run(byte, 1 << 21);
    let (unpacked, packed) = ((1_u32 << 21) - 1, coded.len() as u16 - 1);
    // A chunk that resets dictionary, state and properties.
    let mut chunk = vec![0xe0 | (unpacked >> 16) as u8];
    chunk.extend((unpacked as u16).to_be_bytes());
    chunk.extend(packed.to_be_bytes());
    chunk.push(0);
    chunk.extend(coded);
    let mut bytes = xz_head(22);
    bytes.extend(chunk.repeat(chunks));
    bytes
}

/// LZMA (the LZMA SDK's specification, lc = lp = pb = 0) of one byte, repeated: a literal, then
/// matches at the last distance, which is 1, as long as they come.
fn lzma_run(byte: u8, length: usize) -> Vec<u8> {
    const LONGEST: usize = 273;
    const SHORTEST: usize = 18;
    let half = 1024_u16;
    let mut coder = RangeCoder::default();
    let (mut is_match, mut literal, mut lengths) = ([half; 12], [half; 256], [half; 256]);
    let (mut is_rep, mut is_rep0, mut is_long) = ([half; 12], [half; 12], [half; 12]);
    let (mut choice, mut state) = ([half; 2], 0);
    coder.bit(&mut is_match[0], 0);
    coder.tree(&mut literal, byte);
    let mut left = length - 1;
    while left > 0 {
        // No rest is too short for the coder of long lengths.
        let leaves_too_little = left > LONGEST && left < LONGEST + SHORTEST;
        let run = if leaves_too_little {
            left - SHORTEST
        } else {
            left.min(LONGEST)
        };
        coder.bit(&mut is_match[state], 1);
        coder.bit(&mut is_rep[state], 1);
        coder.bit(&mut is_rep0[state], 0);
        coder.bit(&mut is_long[state], 1);
        choice.iter_mut().for_each(|choice| coder.bit(choice, 1));
        coder.tree(&mut lengths, (run - SHORTEST) as u8);
        state = if state < 7 { 8 } else { 11 };
        left -= run;
    }
    coder.end()
}

/// The range coder of LZMA.
struct RangeCoder {
    low: u64,
    range: u32,
    cache: u8,
    /// Bytes that a carry may still change, the cache included.
    pending: u64,
    bytes: Vec<u8>,
}

impl Default for RangeCoder {
    fn default() -> Self {
        Self {
            low: 0,
            range: u32::MAX,
            cache: 0,
            pending: 1,
            bytes: Vec::new(),
        }
    }
}

impl RangeCoder {
    fn bit(&mut self, chance: &mut u16, bit: u8) {
        let bound = (self.range >> 11) * u32::from(*chance);
        if bit == 0 {
            self.range = bound;
            *chance += (2048 - *chance) >> 5;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
            *chance -= *chance >> 5;
        }
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Eight bits, the highest first, each with a chance for all that stand before it.
    fn tree(&mut self, chances: &mut [u16; 256], value: u8) {
        let mut node = 1;
        for at in (0..8).rev() {
            let bit = value >> at & 1;
            self.bit(&mut chances[node], bit);
            node = node << 1 | usize::from(bit);
        }
    }

    fn shift(&mut self) {
        if self.low < 0xff00_0000 || self.low > u64::from(u32::MAX) {
            let carry = (self.low >> 32) as u8;
            self.bytes.push(self.cache.wrapping_add(carry));
            for _ in 1..self.pending {
                self.bytes.push(0xff_u8.wrapping_add(carry));
            }
            self.pending = 0;
            self.cache = (self.low >> 24) as u8;
        }
        self.pending += 1;
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    fn end(mut self) -> Vec<u8> {
        (0..5).for_each(|_| self.shift());
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn zeroes_inflate_to_what_they_claim() {
        let zeroes = Zeroes::of(3);
        let mut inflated = Vec::new();
        let packed = zeroes.gzip();
        let mut decoder = GzDecoder::new(&packed[..]);
        decoder.read_to_end(&mut inflated).unwrap();
        assert_eq!(inflated, vec![0; 3 << 20]);
        assert!(zeroes.deflated.len() < 3 * 1100);
    }
}
