//! Files written byte by byte, right or wrong as a test wants them.

pub mod bomb;
pub mod crypt;
pub mod office;
pub mod pdf;
pub mod quine;
pub mod tar;
pub mod zip;

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

/// Deflated (RFC 1951).
pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// One member of gzip (RFC 1952).
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// A stream of zlib (RFC 1950), as PDF has them.
pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// A frame of zstd (RFC 8878) that repeats one byte: blocks of 128 KiB take four bytes each.
pub fn zstd_of(byte: u8, blocks: u32, window_log: u8) -> Vec<u8> {
    let mut frame = b"\x28\xb5\x2f\xfd\x00".to_vec();
    frame.push((window_log - 10) << 3);
    for at in 1..=blocks {
        let header = (128 << 10 << 3) | 1 << 1 | u32::from(at == blocks);
        frame.extend(&header.to_le_bytes()[..3]);
        frame.push(byte);
    }
    frame
}

/// The checksum of ZIP, gzip and xz.
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}
