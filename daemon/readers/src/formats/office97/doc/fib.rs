//! The file information block at the beginning of the main stream [MS-DOC] §2.5: it tells where everything else is.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::super::codepage;
use crate::compound::{double_word, word};

/// First bytes of the block: Word 97 and later, Word 6 and 95, and the East Asian versions of both.
const MAGIC: [u16; 4] = [0xa5ec, 0xa5dc, 0xa697, 0xa699];
/// From this version on, text is partly UTF-16 and tables have a separate stream.
const WORD_97: u16 = 0x00c1;
/// Parts of the document: body, footnotes, headers and footers, macros, comments, endnotes, text
/// boxes, text boxes of headers.
const PARTS: usize = 8;

/// Number of an offset and length pair in the block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Structure(usize);

impl Structure {
    pub(super) const STYLES: Self = Self(1);
    pub(super) const FOOTNOTES: Self = Self(2);
    pub(super) const COMMENTS: Self = Self(4);
    pub(super) const CHARACTERS: Self = Self(12);
    pub(super) const PARAGRAPHS: Self = Self(13);
    pub(super) const FONTS: Self = Self(15);
    pub(super) const PIECES: Self = Self(33);
    pub(super) const ENDNOTES: Self = Self(46);
    pub(super) const TEXT_BOXES: Self = Self(56);
}

pub(super) struct Fib<'a> {
    bytes: &'a [u8],
    pub(super) is_encrypted: bool,
    /// Word 6 or 95.
    pub(super) is_old: bool,
    /// The stream of the tables, if it is not the main one.
    pub(super) table: Option<&'static str>,
    /// Encoding of 8-bit text.
    pub(super) encoding: &'static Encoding,
    /// Where the text of an old document begins if it was not saved in pieces.
    pub(super) text_start: u32,
    /// Whether an old document was saved in pieces.
    pub(super) is_complex: bool,
    /// Characters of each part.
    pub(super) parts: [u32; PARTS],
}

impl<'a> Fib<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        word(bytes, 0).filter(|magic| MAGIC.contains(magic))?;
        let (version, flags) = (word(bytes, 2)?, word(bytes, 10)?);
        let is_old = version < WORD_97;
        let has = |bit: u16| flags & bit != 0;
        let table = if has(0x0200) { "1Table" } else { "0Table" };
        let parts = if is_old { 52 } else { 76 };
        Some(Self {
            bytes,
            is_encrypted: has(0x0100),
            is_old,
            table: (!is_old).then_some(table),
            encoding: if is_old {
                codepage::encoding_of_language(word(bytes, 6)?)
            } else {
                WINDOWS_1252
            },
            text_start: double_word(bytes, 24)?,
            is_complex: has(0x0004),
            parts: std::array::from_fn(|part| double_word(bytes, parts + 4 * part).unwrap_or(0)),
        })
    }

    /// Offset and length of a structure in the table stream.
    pub(super) fn structure(&self, Structure(number): Structure) -> (u32, u32) {
        let start = if self.is_old { 88 } else { 154 } + 8 * number;
        let field = |at| double_word(self.bytes, at).unwrap_or(0);
        (field(start), field(start + 4))
    }

    /// The bytes of a structure, as far as they exist.
    pub(super) fn bytes_of<'t>(&self, structure: Structure, table: &'t [u8]) -> &'t [u8] {
        let (start, length) = self.structure(structure);
        let rest = table.get(start as usize..).unwrap_or_default();
        &rest[..rest.len().min(length as usize)]
    }
}
