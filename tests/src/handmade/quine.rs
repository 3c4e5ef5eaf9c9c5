//! A ZIP archive whose one entry is the archive itself (after R. Cox, "Zip files all the way down",
//! 2010).
//!
//! Two instructions of deflate (RFC 1951) are enough, each of [`UNIT`] bytes: L, a stored block that
//! prints the bytes behind it, and R, a block that repeats the bytes printed last. The archive is a
//! prefix P, such instructions, and a suffix S; what each prints is what the archive has next:
//!
//! ```text
//! L(P L) [P L]                   prints P L
//! R(P L)                                P L
//! L1 [R(P L)]                           R(P L)
//! L1 [L1]                               L1
//! L4 [R(P L) L1 L1 L4]                  R(P L) L1 L1 L4
//! R4                                    R(P L) L1 L1 L4
//! L4 [R4 L4 R4 L4]                      R4 L4 R4 L4
//! R4                                    R4 L4 R4 L4
//! L4 [R4 L0 L0 L(R S)]                  R4 L0 L0 L(R S)
//! R4                                    R4 L0 L0 L(R S)
//! L0 L0
//! L(R S) [R S]                          R S
//! R(R S)                                R S
//! ```

use super::crc32;
use super::zip::{Entry, closed};

const UNIT: usize = 5;
/// Of a length that lets the instruction repeating P fill its unit to the bit; so does the comment
/// for S.
const NAME: &str = "itself-and-itself-again-01.zip";
const COMMENT: usize = 28;

/// The archive whose one entry is itself.
pub fn quine() -> Vec<u8> {
    // Some choice makes the checksums solvable; nearly every second does.
    let found = (b'a'..=b'z').find_map(|letter| {
        let zero = archive(letter, 0);
        let crc = fixed_point(&zero, |crc| archive(letter, crc))?;
        Some(archive(letter, crc))
    });
    found.unwrap_or_default()
}

/// The archive that claims this checksum of its entry.
fn archive(letter: u8, crc: u32) -> Vec<u8> {
    let empty = whole(letter, crc, 0, 0);
    let (prefix, suffix) = parts(letter, crc, 0, 0);
    whole(
        letter,
        crc,
        empty.len() - prefix.len() - suffix.len(),
        empty.len(),
    )
}

fn whole(letter: u8, crc: u32, packed: usize, length: usize) -> Vec<u8> {
    let (prefix, suffix) = parts(letter, crc, packed, length);
    let code = code(&prefix, &suffix);
    [prefix, code, suffix].concat()
}

/// What stands before the data and behind it.
fn parts(letter: u8, crc: u32, packed: usize, length: usize) -> (Vec<u8>, Vec<u8>) {
    let entry = Entry {
        method: 8,
        packed_length: Some(packed as u32),
        length: length as u32,
        crc,
        ..Entry::stored(NAME, b"")
    };
    let prefix = entry.local();
    let mut suffix = closed(Vec::new(), &entry.central(0), 1);
    let end = suffix.len();
    // Where the directory begins, and the length of the comment.
    let start = (prefix.len() + packed) as u32;
    suffix[end - 6..end - 2].copy_from_slice(&start.to_le_bytes());
    suffix[end - 2..].copy_from_slice(&(COMMENT as u16).to_le_bytes());
    suffix.extend([letter; COMMENT]);
    (prefix, suffix)
}

fn code(prefix: &[u8], suffix: &[u8]) -> Vec<u8> {
    let (first, last) = (prefix.len() + UNIT, suffix.len() + UNIT);
    let [none, one, four] = [0, 1, 4].map(|units| print(units * UNIT));
    let (print_first, print_last) = (print(first), print(last));
    let (again_first, again, again_last) = (
        repeat(&[first], false),
        repeat(&[2 * UNIT, 2 * UNIT], false),
        repeat(&[last], true),
    );
    let pieces: [&[u8]; 32] = [
        &print_first,
        prefix,
        &print_first,
        &again_first,
        &one,
        &again_first,
        &one,
        &one,
        &four,
        &again_first,
        &one,
        &one,
        &four,
        &again,
        &four,
        &again,
        &four,
        &again,
        &four,
        &again,
        &four,
        &again,
        &none,
        &none,
        &print_last,
        &again,
        &none,
        &none,
        &print_last,
        &again_last,
        suffix,
        &again_last,
    ];
    pieces.concat()
}

/// L: a stored block of this many bytes, without the bytes.
fn print(bytes: usize) -> Vec<u8> {
    let length = (bytes as u16).to_le_bytes();
    [&[0], &length[..], &length.map(|byte| !byte)].concat()
}

/// R: a block with fixed codes that repeats as many bytes as the lengths come to, in [`UNIT`] bytes.
fn repeat(lengths: &[usize], is_last: bool) -> Vec<u8> {
    let distance = lengths.iter().sum();
    let mut bits = Bits::default();
    bits.number(u32::from(is_last) | 1 << 1, 3);
    for length in lengths {
        bits.coded(length_code(*length));
        bits.coded(distance_code(distance));
    }
    bits.code(0, 7);
    if bits.0.len() + 10 == 8 * UNIT {
        // An empty block fills the unit.
        bits.number(1 << 1, 3);
        bits.code(0, 7);
    }
    bits.bytes()
}

/// Symbol and its bits, then extra bits and how many.
type Code = ((u32, u32), (u32, u32));

/// RFC 1951 §3.2.5 and §3.2.6, for lengths of 3 to 258 that are not 258.
fn length_code(length: usize) -> Code {
    let (extra, symbol, rest) = split(length as u32 - 3, 2);
    let symbol = 257 + symbol;
    let coded = if symbol < 280 {
        (symbol - 256, 7)
    } else {
        (0b1100_0000 + symbol - 280, 8)
    };
    (coded, (rest, extra))
}

fn distance_code(distance: usize) -> Code {
    let (extra, symbol, rest) = split(distance as u32 - 1, 1);
    ((symbol, 5), (rest, extra))
}

/// Codes that double their range every `1 << steps`: extra bits, number of the code, value of those.
fn split(value: u32, steps: u32) -> (u32, u32, u32) {
    let width = u32::BITS - value.leading_zeros();
    let extra = width.saturating_sub(steps + 1);
    let symbol = (extra << steps) + (value >> extra);
    (extra, symbol, value & ((1 << extra) - 1))
}

/// Bits as deflate packs them.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    /// The lowest bit first.
    fn number(&mut self, value: u32, count: u32) {
        self.0.extend((0..count).map(|at| value >> at & 1 == 1));
    }

    /// The highest bit first.
    fn code(&mut self, value: u32, count: u32) {
        self.0
            .extend((0..count).rev().map(|at| value >> at & 1 == 1));
    }

    fn coded(&mut self, (symbol, extra): Code) {
        self.code(symbol.0, symbol.1);
        self.number(extra.0, extra.1);
    }

    fn bytes(self) -> Vec<u8> {
        let byte = |bits: &[bool]| {
            let bits = bits.iter().enumerate();
            bits.fold(0, |byte, (at, bit)| byte | u8::from(*bit) << at)
        };
        self.0.chunks(8).map(byte).collect()
    }
}

/// The checksum that an archive with this very checksum has. A CRC is affine over GF(2): what each
/// bit changes is asked, and the equations are solved by elimination.
fn fixed_point(zero: &[u8], archive: impl Fn(u32) -> Vec<u8>) -> Option<u32> {
    let constant = crc32(zero);
    // Row i: which bits of the claim change bit i of claim and checksum together, then the constant.
    let changes: Vec<u32> = (0..32)
        .map(|bit| crc32(&archive(1 << bit)) ^ constant ^ 1 << bit)
        .collect();
    let mut rows: Vec<u64> = (0..32)
        .map(|row| {
            let bits = (0..32).map(|bit| u64::from(changes[bit] >> row & 1) << bit);
            bits.sum::<u64>() | u64::from(constant >> row & 1) << 32
        })
        .collect();
    for bit in 0..32 {
        let pivot = (bit..32).find(|row| rows[*row] >> bit & 1 == 1)?;
        rows.swap(bit, pivot);
        for row in 0..32 {
            if row != bit && rows[row] >> bit & 1 == 1 {
                rows[row] ^= rows[bit];
            }
        }
    }
    Some((0..32).map(|bit| ((rows[bit] >> 32) as u32) << bit).sum())
}

#[cfg(test)]
mod tests {
    use super::super::zip::unzip;
    use super::*;

    #[test]
    fn the_archive_holds_itself() {
        let archive = quine();
        let entries = unzip(&archive).unwrap();
        assert_eq!(entries, [(NAME.as_bytes().to_vec(), archive.clone())]);
        assert_eq!(archive[14..18], crc32(&archive).to_le_bytes());
    }

    #[test]
    fn every_instruction_fills_its_unit() {
        let name = NAME.len() + 30 + UNIT;
        let end = NAME.len() + 46 + 22 + COMMENT + UNIT;
        for lengths in [&[name][..], &[end], &[10, 10]] {
            assert_eq!(repeat(lengths, false).len(), UNIT, "{lengths:?}");
        }
        assert_eq!(print(1).len(), UNIT);
    }
}
