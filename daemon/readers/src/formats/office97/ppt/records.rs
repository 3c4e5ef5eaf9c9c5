//! Records of a presentation [MS-PPT] §2.3.1, and of its drawings: containers hold others.

use encoding_rs::UTF_16LE;

use crate::compound::{double_word, word};

/// Types of the records that are read [MS-PPT] §2.13.24.
pub(super) mod kind {
    pub(in super::super) const DOCUMENT: u16 = 0x03e8;
    pub(in super::super) const SLIDE: u16 = 0x03ee;
    pub(in super::super) const SLIDE_ATOM: u16 = 0x03ef;
    pub(in super::super) const NOTES: u16 = 0x03f0;
    pub(in super::super) const LISTED: u16 = 0x03f3;
    pub(in super::super) const OUTLINE_REFERENCE: u16 = 0x0f9e;
    pub(in super::super) const TEXT_HEAD: u16 = 0x0f9f;
    pub(in super::super) const TEXT_CHARS: u16 = 0x0fa0;
    pub(in super::super) const TEXT_RUNS: u16 = 0x0fa1;
    pub(in super::super) const TEXT_BYTES: u16 = 0x0fa8;
    pub(in super::super) const STRING: u16 = 0x0fba;
    pub(in super::super) const RUNNING: u16 = 0x0fd9;
    pub(in super::super) const RUNNING_ATOM: u16 = 0x0fda;
    pub(in super::super) const LIST: u16 = 0x0ff0;
    pub(in super::super) const USER_EDIT: u16 = 0x0ff5;
    pub(in super::super) const OBJECT: u16 = 0x1011;
    pub(in super::super) const TAGS: u16 = 0x138b;
    pub(in super::super) const PLACES: u16 = 0x1772;
    pub(in super::super) const COMMENT: u16 = 0x2ee0;
    pub(in super::super) const TEXT_BOX: u16 = 0xf00d;
}

const HEAD_BYTES: usize = 8;

#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) kind: u16,
    pub(super) instance: u16,
    is_container: bool,
    pub(super) body: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record at an offset; of a truncated one what exists.
    pub(super) fn at(bytes: &'a [u8], place: usize) -> Option<Self> {
        let bytes = bytes.get(place..)?;
        let (head, kind) = (word(bytes, 0)?, word(bytes, 2)?);
        let body = bytes.get(HEAD_BYTES..)?;
        let length = double_word(bytes, 4)? as usize;
        Some(Self {
            kind,
            instance: head >> 4,
            // The content of tags is records as well.
            is_container: head & 0xf == 0xf || kind == kind::TAGS,
            body: &body[..length.min(body.len())],
        })
    }

    /// The text of a record that holds one.
    pub(super) fn text(&self) -> Option<String> {
        match self.kind {
            kind::TEXT_CHARS | kind::STRING => Some(
                UTF_16LE
                    .decode_without_bom_handling(self.body)
                    .0
                    .into_owned(),
            ),
            kind::TEXT_BYTES => Some(self.body.iter().copied().map(char::from).collect()),
            _ => None,
        }
    }
}

/// The records in some bytes, one after the other.
pub(super) fn records(bytes: &[u8]) -> impl Iterator<Item = Record<'_>> {
    each(bytes, |record| record.body.len())
}

/// Consecutive records and all records nested in them, containers before their content. Nothing is read twice, however
/// deep it is nested.
pub(super) fn walk(bytes: &[u8]) -> impl Iterator<Item = Record<'_>> {
    each(bytes, |record| {
        if record.is_container {
            0
        } else {
            record.body.len()
        }
    })
}

/// Records, each followed by what is `passed` bytes after its head.
fn each<'a>(
    bytes: &'a [u8],
    passed: impl Fn(&Record<'a>) -> usize,
) -> impl Iterator<Item = Record<'a>> {
    let mut place = 0;
    std::iter::from_fn(move || {
        let record = Record::at(bytes, place)?;
        place += HEAD_BYTES + passed(&record);
        Some(record)
    })
}
