//! Records of a workbook stream [MS-XLS] §2.1.4, and strings that run across several of them.

use encoding_rs::{Encoding, UTF_16LE};

use crate::compound::word;

/// Numbers of the records that are read [MS-XLS] §2.3.
pub(super) mod kind {
    pub(in super::super) const FORMULA: u16 = 0x06;
    pub(in super::super) const EOF: u16 = 0x0a;
    pub(in super::super) const HEADER: u16 = 0x14;
    pub(in super::super) const FOOTER: u16 = 0x15;
    pub(in super::super) const NOTE: u16 = 0x1c;
    pub(in super::super) const DATE_1904: u16 = 0x22;
    pub(in super::super) const FILE_PASS: u16 = 0x2f;
    pub(in super::super) const FONT: u16 = 0x31;
    pub(in super::super) const CONTINUE: u16 = 0x3c;
    pub(in super::super) const CODE_PAGE: u16 = 0x42;
    pub(in super::super) const OBJ: u16 = 0x5d;
    pub(in super::super) const BOUND_SHEET: u16 = 0x85;
    pub(in super::super) const MUL_RK: u16 = 0xbd;
    pub(in super::super) const RSTRING: u16 = 0xd6;
    pub(in super::super) const XF: u16 = 0xe0;
    pub(in super::super) const SST: u16 = 0xfc;
    pub(in super::super) const LABEL_SST: u16 = 0xfd;
    pub(in super::super) const SUP_BOOK: u16 = 0x1ae;
    pub(in super::super) const TXO: u16 = 0x1b6;
    pub(in super::super) const NUMBER: u16 = 0x203;
    pub(in super::super) const LABEL: u16 = 0x204;
    pub(in super::super) const BOOL_ERR: u16 = 0x205;
    pub(in super::super) const STRING: u16 = 0x207;
    pub(in super::super) const RK: u16 = 0x27e;
    pub(in super::super) const SERIES_TEXT: u16 = 0x100d;
    pub(in super::super) const FORMULA_OLD: u16 = 0x406;
    pub(in super::super) const FORMAT: u16 = 0x41e;
    pub(in super::super) const FORMAT_OLD: u16 = 0x1e;
    pub(in super::super) const BOF: u16 = 0x809;
}

/// A record and those that continue it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) kind: u16,
    pub(super) bytes: &'a [u8],
    /// The continuation records, unparsed.
    continued: &'a [u8],
}

impl<'a> Record<'a> {
    pub(super) fn word(&self, at: usize) -> Option<u16> {
        word(self.bytes, at)
    }

    /// The bytes from `at` on, and those of the continuation records.
    pub(super) fn text_at(&self, at: usize) -> Text<'a> {
        Text {
            current: self.bytes.get(at..).unwrap_or_default(),
            continued: self.continued,
        }
    }
}

/// The records of a stream, one after the other.
pub(super) struct Records<'a> {
    rest: &'a [u8],
    /// Substreams that have begun and not ended.
    depth: usize,
}

impl<'a> Records<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            depth: 0,
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Whether the stream ended within a substream.
    pub(super) fn is_cut(&self) -> bool {
        self.depth > 0 && self.rest.len() < 4
    }

    pub(super) fn next(&mut self) -> Option<Record<'a>> {
        let (kind, bytes) = next_record(&mut self.rest)?;
        let all = self.rest;
        while word(self.rest, 0) == Some(kind::CONTINUE) {
            next_record(&mut self.rest)?;
        }
        match kind {
            kind::BOF => self.depth += 1,
            kind::EOF => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        let continued = &all[..all.len() - self.rest.len()];
        Some(Record {
            kind,
            bytes,
            continued,
        })
    }
}

/// Number and bytes of the next record; of a truncated one what exists.
fn next_record<'a>(rest: &mut &'a [u8]) -> Option<(u16, &'a [u8])> {
    let (kind, length) = (word(rest, 0)?, usize::from(word(rest, 2)?));
    let after = &rest[4..];
    let (bytes, after) = after.split_at(length.min(after.len()));
    *rest = after;
    Some((kind, bytes))
}

/// Bytes of a record and its continuations.
pub(super) struct Text<'a> {
    current: &'a [u8],
    continued: &'a [u8],
}

impl<'a> Text<'a> {
    /// Advances to the next record; returns false after the last.
    fn advance(&mut self) -> bool {
        let next = next_record(&mut self.continued);
        self.current = next.map_or(&[], |(_, bytes)| bytes);
        next.is_some()
    }

    fn byte(&mut self) -> Option<u8> {
        while self.current.is_empty() {
            self.advance().then_some(())?;
        }
        let (&first, rest) = self.current.split_first()?;
        self.current = rest;
        Some(first)
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte()?, self.byte()?]))
    }

    fn word(&mut self) -> Option<usize> {
        self.short().map(usize::from)
    }

    fn double_word(&mut self) -> Option<usize> {
        Some(self.word()? | self.word()? << 16)
    }

    fn skip(&mut self, mut count: usize) {
        loop {
            let here = count.min(self.current.len());
            self.current = &self.current[here..];
            count -= here;
            if count == 0 || !self.advance() {
                return;
            }
        }
    }

    /// A string with its own count, of 16 bits if `is_long`.
    pub(super) fn string(&mut self, is_long: bool) -> Option<String> {
        self.rich_string(is_long).map(|(text, _)| text)
    }

    /// A string with its own count and its runs, each with the unit that it begins with and the number of its font.
    pub(super) fn rich_string(&mut self, is_long: bool) -> Option<(String, Vec<(u16, u16)>)> {
        let count = if is_long {
            self.word()?
        } else {
            usize::from(self.byte()?)
        };
        let flags = self.byte()?;
        let runs = if flags & 8 != 0 { self.word()? } else { 0 };
        let extra = if flags & 4 != 0 {
            self.double_word()?
        } else {
            0
        };
        let text = self.characters(count, flags);
        let runs = (0..runs).map_while(|_| Some((self.short()?, self.short()?)));
        let runs = runs.collect();
        self.skip(extra);
        Some((text, runs))
    }

    /// Characters of 8 or, by the flags, 16 bits. Each continuation record has new flags.
    pub(super) fn characters(&mut self, mut count: usize, mut flags: u8) -> String {
        let mut text = String::new();
        loop {
            let width = 1 + usize::from(flags & 1);
            let here = count.min(self.current.len() / width);
            let (bytes, rest) = self.current.split_at(here * width);
            self.current = rest;
            count -= here;
            if width == 2 {
                text.push_str(&UTF_16LE.decode_without_bom_handling(bytes).0);
            } else {
                text.extend(bytes.iter().copied().map(char::from));
            }
            if count == 0 || !self.advance() {
                return text;
            }
            flags = self.byte().unwrap_or(0);
        }
    }

    /// The text of a text box, which is in the first record after its own.
    pub(super) fn continued_characters(&mut self, count: usize) -> String {
        self.current = &[];
        match self.byte() {
            Some(flags) => self.characters(count, flags),
            None => String::new(),
        }
    }

    /// A string from before Unicode.
    pub(super) fn old_string(
        &mut self,
        is_long: bool,
        encoding: &'static Encoding,
    ) -> Option<String> {
        let count = if is_long {
            self.word()?
        } else {
            usize::from(self.byte()?)
        };
        let bytes = &self.current[..count.min(self.current.len())];
        Some(encoding.decode_without_bom_handling(bytes).0.into_owned())
    }
}
