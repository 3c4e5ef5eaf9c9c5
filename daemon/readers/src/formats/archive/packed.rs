//! Packed files: gzip (RFC 1952), bzip2, xz, zstd (RFC 8878). The content is the only member; if it is a tape archive,
//! that archive's entries are the members, as if it had never been packed.

use std::io::{BufReader, Cursor, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use simdex_extract::{Outcome, Reason};

use super::{Bounded, Entries, Reading, reason_of, tar};
use crate::input::{Input, InputReader};
use crate::kind;
use crate::sink::Sink;

/// Name of a content whose file does not state one.
const CONTENT: &str = "content";
/// Largest window for unpacking: 128 MiB, the most that zstd's and xz's presets use.
const WINDOW_LOG: u32 = 27;
/// The memory for a window of xz, in KiB, with what the decoder needs besides.
const XZ_KIB: u32 = (1 << (WINDOW_LOG - 10)) + 1024;
/// Bytes needed to detect that the content is a tape archive.
const HEAD: u64 = 512;

/// A packed file, opened.
struct Packed<'a> {
    stream: Box<dyn Read + 'a>,
    name: Option<String>,
    modified: Option<i64>,
}

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let packed = open(input).map_err(|_| Outcome::Failed(Reason::Malformed))?;
    let budgets = sink.budgets();
    // The entries of a tape archive are bounded individually and in total.
    let by_ratio = input.len().saturating_mul(budgets.ratio.into());
    let limit = budgets
        .total_bytes
        .min(by_ratio.max(simdex_extract::Budgets::FREE_BYTES));
    let mut stream = Bounded::new(packed.stream, limit);
    let mut head = Vec::new();
    let opened = (&mut stream).take(HEAD).read_to_end(&mut head);
    if let Err(error) = &opened
        && head.is_empty()
    {
        return Err(refusal(error));
    }
    let mut whole = Cursor::new(&head).chain(&mut stream);
    if kind::is_tar(&head) {
        let partial = tar::read_stream(&mut whole, || again(input, limit), sink)?;
        // Damage after the end of the tape is still damage.
        let tail = std::io::copy(&mut whole, &mut std::io::sink());
        return Ok(partial.or(tail.err().map(|error| reason_of(&error))));
    }
    let mut entries = Entries::new(sink);
    let name = packed.name.as_deref().unwrap_or(CONTENT);
    entries.file(name, packed.modified, input.len(), &mut whole);
    entries.finish()
}

/// The content once more, from its beginning.
fn again(input: &Input, limit: u64) -> Option<Bounded<Box<dyn Read + '_>>> {
    let packed = open(input).ok()?;
    Some(Bounded::new(packed.stream, limit))
}

/// Why not even the first bytes can be unpacked.
fn refusal(error: &std::io::Error) -> Outcome {
    // zstd has no error kind for it, only a message.
    let window = error.to_string().contains("too much memory");
    if window || reason_of(error) == Reason::MemoryLimit {
        Outcome::TooLarge(Reason::MemoryLimit)
    } else {
        Outcome::Failed(Reason::Malformed)
    }
}

fn open(input: &Input) -> std::io::Result<Packed<'_>> {
    let start = input.prefix(4)?;
    let reader: BufReader<InputReader<'_>> = BufReader::new(input.reader());
    if start.starts_with(b"\x1f\x8b") {
        return Ok(gzip(reader));
    }
    let stream: Box<dyn Read + '_> = match start.first() {
        Some(b'B') => Box::new(MultiBzDecoder::new(reader)),
        Some(0xfd) => Box::new(XzReader::new_mem_limit(reader, true, XZ_KIB)),
        _ => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(reader)?;
            decoder.window_log_max(WINDOW_LOG)?;
            Box::new(decoder)
        }
    };
    Ok(Packed {
        stream,
        name: None,
        modified: None,
    })
}

/// The header of the first member has the name and time of the content.
fn gzip(reader: BufReader<InputReader<'_>>) -> Packed<'_> {
    let decoder = MultiGzDecoder::new(reader);
    let header = decoder.header();
    // Latin-1 by the specification, UTF-8 in practice.
    let name = header.and_then(|header| header.filename()).map(|name| {
        let latin = || name.iter().map(|&byte| char::from(byte)).collect();
        std::str::from_utf8(name).map_or_else(|_| latin(), str::to_owned)
    });
    let modified = header.map(flate2::GzHeader::mtime).filter(|time| *time > 0);
    Packed {
        name: name.filter(|name| !name.is_empty()),
        modified: modified.map(i64::from),
        stream: Box::new(decoder),
    }
}
