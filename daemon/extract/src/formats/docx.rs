//! Word processing documents (OOXML, ECMA-376): body, then headers, footers, notes, comments.
//!
//! Parts are streamed from the archive; nothing is unpacked to disk. What an entry yields is
//! counted while it is read, since the sizes in the archive are claims.

use std::io::{BufRead, BufReader, Read, Seek};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;
use zip::result::ZipError;

use super::xml::decoded;
use super::{MAX_DEPTH, Reading};
use crate::input::Input;
use crate::kind::WORD_MAIN;
use crate::sink::TextSink;
use crate::{Outcome, Reason};

pub(super) const ENGINE: &str = "docx 1";

/// Entries of an archive.
const MAX_ENTRIES: usize = 10_000;
/// Bytes one entry may inflate to, and all entries together.
const MAX_ENTRY_BYTES: u64 = 256 << 20;
const MAX_TOTAL_BYTES: u64 = 1 << 30;
/// Inflated over deflated bytes, once an entry is past [`FREE_BYTES`].
const MAX_RATIO: u64 = 200;
const FREE_BYTES: u64 = 1 << 20;

/// Content types of the parts that are read, in the order of the text.
const PARTS: &[&[&str]] = &[
    WORD_MAIN,
    &["wordprocessingml.header+xml"],
    &["wordprocessingml.footer+xml"],
    &["wordprocessingml.footnotes+xml"],
    &["wordprocessingml.endnotes+xml"],
    &["wordprocessingml.comments+xml"],
];

/// Elements whose content does not count: text moved away or deleted, the older twin of a choice,
/// tab stops.
const SKIPPED: &[&str] = &["del", "moveFrom", "Fallback", "tabs"];

pub(super) fn read(input: &Input, sink: &mut TextSink) -> Reading {
    let mut package = Package::open(input)?;
    let mut partial = None;
    for (number, name) in package.parts(sink)?.into_iter().enumerate() {
        match package.write(&name, sink) {
            Ok(reason) => partial = partial.or(reason),
            // Without its body a document is nothing; without a footnote it is partial.
            Err(outcome) if number == 0 => return Err(outcome),
            Err(_) => partial = partial.or(Some(Reason::Damaged)),
        }
        if sink.is_full() {
            break;
        }
    }
    Ok(partial)
}

struct Package<R> {
    archive: ZipArchive<R>,
    /// Length of the file: no entry is deflated to more.
    length: u64,
    /// Bytes that may still be inflated.
    budget: u64,
}

impl<'a> Package<BufReader<crate::input::InputReader<'a>>> {
    fn open(input: &'a Input) -> Result<Self, Outcome> {
        let archive = ZipArchive::new(BufReader::new(input.reader())).map_err(outcome_of)?;
        if archive.len() > MAX_ENTRIES {
            return Err(Outcome::TooLarge(Reason::PartsLimit));
        }
        Ok(Self {
            archive,
            length: input.len(),
            budget: MAX_TOTAL_BYTES,
        })
    }
}

impl<R: Read + Seek> Package<R> {
    /// Names of the parts to read, the body first.
    fn parts(&mut self, sink: &mut TextSink) -> Result<Vec<String>, Outcome> {
        let mut found = Vec::new();
        let walk = |reader: &mut dyn BufRead| {
            each_event(reader, |event| {
                if let Event::Start(tag) | Event::Empty(tag) = event {
                    found.extend(part(tag));
                }
                !sink.is_full()
            })
        };
        self.stream("[Content_Types].xml", walk)?;
        // Numbered names in the order of their numbers: header2 before header10.
        found.sort_by(|(rank_a, a), (rank_b, b)| (rank_a, a.len(), a).cmp(&(rank_b, b.len(), b)));
        match found.first() {
            Some((0, _)) => Ok(found.into_iter().map(|(_, name)| name).collect()),
            _ => Err(Outcome::Failed(Reason::Malformed)),
        }
    }

    /// Writes the text of one part; says why if that is not all.
    fn write(&mut self, name: &str, sink: &mut TextSink) -> Reading {
        let mut text = PartText {
            sink,
            skipped: 0,
            in_text: false,
        };
        let reason = self.stream(name, |reader| each_event(reader, |event| text.take(event)))?;
        sink.newline();
        Ok(reason)
    }

    /// Opens an entry for `read` and charges what it inflates to.
    fn stream(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut dyn BufRead) -> Option<Reason>,
    ) -> Reading {
        let entry = self.archive.by_name(name).map_err(outcome_of)?;
        let by_ratio = entry
            .compressed_size()
            .min(self.length)
            .saturating_mul(MAX_RATIO);
        let limit = self
            .budget
            .min(MAX_ENTRY_BYTES)
            .min(by_ratio.max(FREE_BYTES));
        let mut reader = BufReader::new(entry.take(limit));
        let reason = read(&mut reader);
        let left = reader.into_inner().limit();
        self.budget -= limit - left;
        Ok(if left == 0 {
            Some(Reason::InflateLimit)
        } else {
            reason
        })
    }
}

fn outcome_of(error: ZipError) -> Outcome {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            Outcome::Encrypted(Reason::PasswordNeeded)
        }
        _ => Outcome::Failed(Reason::Malformed),
    }
}

/// Order and name of a part, from its `Override` element in the content types.
fn part(tag: &BytesStart<'_>) -> Option<(usize, String)> {
    let value = |name: &str| Some(tag.try_get_attribute(name).ok()??.value.into_owned());
    let content_type = value("ContentType")?;
    let rank = PARTS
        .iter()
        .position(|types| types.iter().any(|t| content_type.ends_with(t)))?;
    Some((rank, value("PartName")?.trim_start_matches('/').to_owned()))
}

/// Feeds events to `take` until it has enough, the part ends, or a limit is met.
fn each_event(
    reader: &mut dyn BufRead,
    mut take: impl FnMut(&Event<'_>) -> bool,
) -> Option<Reason> {
    let mut reader = Reader::from_reader(reader);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let (mut buffer, mut depth) = (Vec::new(), 0_usize);
    loop {
        buffer.clear();
        let event = match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => return None,
            Ok(event) => event,
            Err(_) => return Some(Reason::Damaged),
        };
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Some(Reason::DepthLimit);
        }
        if !take(&event) {
            return None;
        }
    }
}

/// The text of a part: what stands in `t` elements, with the breaks between them.
struct PartText<'a> {
    sink: &'a mut TextSink,
    /// Depth below a skipped element, that one included.
    skipped: usize,
    in_text: bool,
}

impl PartText<'_> {
    /// Takes one event; false when the sink is full.
    fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(tag) if self.skipped > 0 || is_skipped(tag) => self.skipped += 1,
            Event::End(_) if self.skipped > 0 => self.skipped -= 1,
            _ if self.skipped > 0 => {}
            Event::Start(tag) => self.start(tag.local_name().into_inner()),
            Event::Empty(tag) => {
                let name = tag.local_name();
                self.start(name.into_inner());
                self.end(name.into_inner());
            }
            Event::End(tag) => self.end(tag.local_name().into_inner()),
            Event::Text(text) if self.in_text => self.sink.push(&text.xml10_content()),
            Event::CData(text) if self.in_text => self.sink.push(&text.xml10_content()),
            Event::GeneralRef(reference) if self.in_text => {
                self.sink.push(&decoded(reference).unwrap_or_default());
            }
            _ => {}
        }
        !self.sink.is_full()
    }

    fn start(&mut self, name: &str) {
        match name {
            "t" => self.in_text = true,
            "tab" | "ptab" => self.sink.push("\t"),
            "br" | "cr" => self.sink.push("\n"),
            "noBreakHyphen" => self.sink.push("-"),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "p" => self.sink.push("\n"),
            _ => {}
        }
    }
}

fn is_skipped(tag: &BytesStart<'_>) -> bool {
    SKIPPED.contains(&tag.local_name().into_inner())
}

#[cfg(test)]
pub(super) mod tests;
