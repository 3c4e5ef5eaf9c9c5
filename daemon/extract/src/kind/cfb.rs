//! Compound files (DOC, XLS, PPT, MSG): told apart by the names in their directory [MS-CFB].
//!
//! Only the directory is read, with its chain of sectors bounded; nothing in the file is trusted.

use std::collections::BTreeSet;
use std::io;

use super::{Format, Kind};
use crate::input::Input;

pub(super) const MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// Directory sectors that are followed.
const MAX_SECTORS: usize = 256;
/// Bytes of a directory entry; its name is at most 32 UTF-16 units.
const ENTRY_BYTES: usize = 128;
/// FAT sectors that the header lists itself; a directory beyond them is not followed.
const HEADER_FAT_SECTORS: usize = 109;

/// Directory name, format, media type.
const NAMES: &[(&str, Format, &str)] = &[
    ("WordDocument", Format::Doc, "application/msword"),
    ("Workbook", Format::Xls, "application/vnd.ms-excel"),
    ("Book", Format::Xls, "application/vnd.ms-excel"),
    (
        "PowerPoint Document",
        Format::Ppt,
        "application/vnd.ms-powerpoint",
    ),
    (
        "__properties_version1.0",
        Format::Msg,
        "application/vnd.ms-outlook",
    ),
];

/// The same, for what is not read.
const KNOWN: &[(&str, &str)] = &[
    ("VisioDocument", "application/vnd.visio"),
    ("Quill", "application/vnd.ms-publisher"),
];

/// The kind of a compound file; an encrypted OOXML package is one with a stream of that name.
pub(super) fn kind(input: &Input) -> io::Result<Kind> {
    let names = directory(input)?;
    if names.contains("EncryptedPackage") {
        return Ok(Kind::Encrypted("application/vnd.ms-office"));
    }
    if let Some((_, format, media)) = NAMES.iter().find(|(name, ..)| names.contains(*name)) {
        return Ok(Kind::read(*format, media));
    }
    let known = KNOWN.iter().find(|(name, _)| names.contains(*name));
    Ok(Kind::Known(
        known
            .map_or("application/x-ole-storage", |(_, media)| *media)
            .into(),
    ))
}

/// Names of all directory entries that can be reached.
fn directory(input: &Input) -> io::Result<BTreeSet<String>> {
    let header = input.prefix(512)?;
    let mut names = BTreeSet::new();
    let (Some(shift), Some(first)) = (word(&header, 30), double_word(&header, 48)) else {
        return Ok(names);
    };
    let size = if shift == 12 { 4096 } else { 512 };
    let mut sector = first;
    for _ in 0..MAX_SECTORS {
        let bytes = input.range((u64::from(sector) + 1) * size, size)?;
        names.extend(bytes.chunks_exact(ENTRY_BYTES).filter_map(entry_name));
        match next_sector(input, &header, size, sector)? {
            Some(next) => sector = next,
            None => break,
        }
    }
    Ok(names)
}

fn entry_name(entry: &[u8]) -> Option<String> {
    let length = usize::from(word(entry, 64)?).checked_sub(2)?.min(62);
    let units: Vec<_> = (0..length / 2).filter_map(|i| word(entry, 2 * i)).collect();
    Some(String::from_utf16_lossy(&units))
}

/// The sector after `sector` in its chain, by the FAT; `None` at the end or outside the file.
fn next_sector(input: &Input, header: &[u8], size: u64, sector: u32) -> io::Result<Option<u32>> {
    let per_sector = size / 4;
    let index = (u64::from(sector) / per_sector) as usize;
    let fat = (index < HEADER_FAT_SECTORS)
        .then(|| double_word(header, 76 + 4 * index))
        .flatten();
    let Some(fat) = fat else { return Ok(None) };
    let at = (u64::from(fat) + 1) * size + u64::from(sector) % per_sector * 4;
    let next = double_word(&input.range(at, 4)?, 0);
    // The four highest numbers are marks, not sectors.
    Ok(next.filter(|&next| next < 0xffff_fffa))
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn double_word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
