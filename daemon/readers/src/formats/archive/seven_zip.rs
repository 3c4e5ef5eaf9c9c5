//! 7z archives (7zFormat.txt of the LZMA SDK). Files are packed together in blocks; each block is unpacked once, in
//! order.

use std::io::{BufReader, Read};

use sevenz_rust2::{Archive, ArchiveEntry, Block, BlockDecoder, Error, Password};
use simdex_extract::{Outcome, Reason};

use super::{Entries, Reading, reason_of};
use crate::input::Input;
use crate::sink::Sink;

/// Largest dictionary or model for unpacking.
const MEMORY: u64 = 256 << 20;

const LZMA: &[u8] = &[3, 1, 1];
const LZMA2: &[u8] = &[0x21];
const PPMD: &[u8] = &[3, 4, 1];
const AES: &[u8] = &[6, 0xf1, 7, 1];

/// Windows' attributes have a Unix mode in their upper half if this bit is set.
const HAS_UNIX_MODE: u32 = 0x8000;
const FILE_TYPE: u32 = 0o170_000;
const SYMLINK: u32 = 0o120_000;

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let password = Password::empty();
    let mut source = BufReader::new(input.reader());
    let archive = Archive::read(&mut source, &password).map_err(|error| outcome_of(&error))?;
    if !archive.blocks.is_empty() && archive.blocks.iter().all(is_locked) {
        return Err(Outcome::Encrypted(Reason::PasswordNeeded));
    }
    let mut entries = Entries::new(sink);
    for (index, block) in archive.blocks.iter().enumerate() {
        let decoder = BlockDecoder::new(1, index, &archive, &password, &mut source);
        let files = decoder.entries().to_vec();
        let mut done = 0;
        let reason = match refusal(block) {
            Some(reason) => Some(reason),
            None => read_block(decoder, input.len(), &mut entries, &mut done),
        };
        // What follows a failure in a block cannot be reached.
        for file in files.iter().skip(done) {
            if !entries.has_room() {
                return entries.finish();
            }
            if is_file(file, &mut entries) {
                entries.unread(
                    &file.name,
                    modified(file),
                    reason.unwrap_or(Reason::Damaged),
                );
            }
        }
    }
    read_empty_files(&archive, &mut entries);
    entries.finish()
}

/// Reads the files that are in no block: those without bytes.
fn read_empty_files(archive: &Archive, entries: &mut Entries<'_>) {
    let blocks = &archive.stream_map.file_block_index;
    for (file, block) in archive.files.iter().zip(blocks) {
        if block.is_none() && entries.has_room() && is_file(file, entries) {
            entries.file(&file.name, modified(file), 0, &mut std::io::empty());
        }
    }
}

fn is_locked(block: &Block) -> bool {
    methods(block).any(|(id, _)| id == AES)
}

/// Why a block is not unpacked.
fn refusal(block: &Block) -> Option<Reason> {
    let is_large = || methods(block).any(|(id, properties)| memory(id, properties) > MEMORY);
    match () {
        () if is_locked(block) => Some(Reason::PasswordNeeded),
        () if is_large() => Some(Reason::MemoryLimit),
        () => None,
    }
}

/// Reads a block's files up to the first that fails; counts the `done` ones.
fn read_block<R: Read + std::io::Seek>(
    decoder: BlockDecoder<'_, R>,
    packed: u64,
    entries: &mut Entries<'_>,
    done: &mut usize,
) -> Option<Reason> {
    let mut stopped = None;
    let result = decoder.for_each_entries(&mut |file: &ArchiveEntry, bytes: &mut dyn Read| {
        if !entries.has_room() {
            return Ok(false);
        }
        *done += 1;
        if is_file(file, entries) {
            stopped = entries.file(&file.name, modified(file), packed, bytes);
        }
        Ok(stopped.is_none())
    });
    stopped.or_else(|| result.err().map(|error| reason(&error)))
}

/// Whether an entry is a file; the others are counted.
fn is_file(entry: &ArchiveEntry, entries: &mut Entries<'_>) -> bool {
    let attributes = entry.windows_attributes;
    let is_link = attributes & HAS_UNIX_MODE != 0 && (attributes >> 16) & FILE_TYPE == SYMLINK;
    if is_link {
        entries.link();
    } else if entry.is_directory || entry.is_anti_item {
        entries.seen += 1;
    }
    !(is_link || entry.is_directory || entry.is_anti_item)
}

/// Method and properties of each coder of a block.
fn methods(block: &Block) -> impl Iterator<Item = (&[u8], &[u8])> {
    let coders = block.coders.iter();
    coders.map(|coder| (coder.encoder_method_id(), coder.properties()))
}

/// Bytes of memory that a method's properties require.
pub(super) fn memory(method: &[u8], properties: &[u8]) -> u64 {
    let word = || {
        let bytes = properties.get(1..5)?.try_into().ok()?;
        Some(u64::from(u32::from_le_bytes(bytes)))
    };
    match method {
        LZMA | PPMD => word().unwrap_or(0),
        // Mantissa of one bit, exponent (xz §5.3.1).
        LZMA2 => properties.first().map_or(0, |&bits| {
            (2 | u64::from(bits & 1)) << (bits.min(40) / 2 + 11)
        }),
        _ => 0,
    }
}

fn modified(entry: &ArchiveEntry) -> Option<i64> {
    let time = entry
        .has_last_modified_date
        .then_some(entry.last_modified_date)?;
    // 100 ns since 1601.
    i64::try_from(u64::from(time) / 10_000_000)
        .ok()
        .map(|seconds| seconds - 11_644_473_600)
}

fn outcome_of(error: &Error) -> Outcome {
    match error {
        Error::PasswordRequired => Outcome::Encrypted(Reason::PasswordNeeded),
        Error::UnsupportedCompressionMethod(name) if name.contains("AES") => {
            Outcome::Encrypted(Reason::PasswordNeeded)
        }
        Error::UnsupportedCompressionMethod(_)
        | Error::Unsupported(_)
        | Error::ExternalUnsupported
        | Error::UnsupportedVersion { .. } => Outcome::Unsupported(Reason::KindNotRead),
        Error::MaxMemLimited { .. } => Outcome::TooLarge(Reason::MemoryLimit),
        _ => Outcome::Failed(Reason::Malformed),
    }
}

fn reason(error: &Error) -> Reason {
    match error {
        Error::UnsupportedCompressionMethod(_) | Error::Unsupported(_) => Reason::KindNotRead,
        Error::MaxMemLimited { .. } => Reason::MemoryLimit,
        Error::Io(error, _) => reason_of(error),
        _ => Reason::Damaged,
    }
}
