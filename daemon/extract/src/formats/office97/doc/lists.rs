//! Lists and their instances [MS-DOC] §2.9.131, §2.9.150 (LSTF, LVL; LFO, LFOLVL).

use std::collections::BTreeMap;

use super::super::super::list_label::{LEVELS, Level, Numeral, Piece};
use super::super::compound::{double_word, word};
use super::fib::{Fib, Structure};

/// Levels of a list that is not simple.
const WORD_LEVELS: usize = 9;
const LIST_BYTES: usize = 28;
const LEVEL_BYTES: usize = 28;
const INSTANCE_BYTES: usize = 16;
/// Characters of a label's text that are kept.
const MAX_LABEL: usize = 200;

/// A list as it is used.
#[derive(Debug, Default)]
pub(super) struct Instance {
    pub(super) list: u32,
    /// Levels that are other ones here.
    levels: BTreeMap<usize, Level>,
    /// Numbers with which levels begin anew.
    pub(super) starts: BTreeMap<usize, u32>,
}

#[derive(Debug, Default)]
pub(super) struct Lists {
    levels: BTreeMap<u32, Vec<Level>>,
    pub(super) instances: Vec<Instance>,
}

impl Lists {
    pub(super) fn parse(fib: &Fib, table: &[u8]) -> Self {
        Self {
            levels: levels(fib, table).unwrap_or_default(),
            instances: instances(fib.bytes_of(Structure::LIST_INSTANCES, table)),
        }
    }

    /// The levels of an instance.
    pub(super) fn levels_of<'a>(&'a self, instance: &'a Instance) -> Vec<&'a Level> {
        let own = self.levels.get(&instance.list).into_iter().flatten();
        let levels = own.enumerate();
        levels
            .map(|(at, level)| instance.levels.get(&at).unwrap_or(level))
            .collect()
    }
}

/// The levels of all lists: they follow the table of the lists, outside its length.
fn levels(fib: &Fib, table: &[u8]) -> Option<BTreeMap<u32, Vec<Level>>> {
    let (start, length) = fib.structure(Structure::LISTS);
    let heads = table.get(start as usize..).filter(|_| length > 2)?;
    let count = usize::from(word(heads, 0)?);
    let (heads, mut rest) = heads.get(2..)?.split_at_checked(count * LIST_BYTES)?;
    let mut lists = BTreeMap::new();
    for head in heads.chunks_exact(LIST_BYTES) {
        let is_simple = head[26] & 1 != 0;
        let mut levels = Vec::new();
        for _ in 0..if is_simple { 1 } else { WORD_LEVELS } {
            let Some((level, after)) = level(rest) else {
                return Some(lists);
            };
            levels.push(level);
            rest = after;
        }
        lists.insert(double_word(head, 0)?, levels);
    }
    Some(lists)
}

/// A level, and what follows it.
fn level(bytes: &[u8]) -> Option<(Level, &[u8])> {
    let (head, rest) = bytes.split_at_checked(LEVEL_BYTES)?;
    let rest = rest.get(usize::from(head[24]) + usize::from(head[25])..)?;
    let characters = 2 * usize::from(word(rest, 0)?);
    let (text, rest) = rest.get(2..)?.split_at_checked(characters)?;
    let flags = head[5];
    let level = Level {
        start: double_word(head, 0)?,
        numeral: numeral(head[4]),
        label: if head[4] == BULLET {
            Vec::new()
        } else {
            pieces(text)
        },
        is_legal: flags & 0x04 != 0,
        restarted_by: (flags & 0x08 != 0).then_some(usize::from(head[26])),
        gap: if head[15] == 2 { "" } else { " " },
    };
    Some((level, rest))
}

/// Numbers without a look of their own.
const BULLET: u8 = 23;
const NOTHING: u8 = 255;

/// How a format of numbers is written ([MS-OSHARED] §2.2.1.3); those of other scripts in digits.
fn numeral(format: u8) -> Option<Numeral> {
    Some(match format {
        BULLET | NOTHING => return None,
        1 => Numeral::UpperRoman,
        2 => Numeral::LowerRoman,
        3 => Numeral::UpperRepeated,
        4 => Numeral::LowerRepeated,
        5 => Numeral::Ordinal,
        22 => Numeral::DecimalZero,
        _ => Numeral::Decimal,
    })
}

/// The text of a label: the characters 0 to 8 are the numbers of levels.
fn pieces(text: &[u8]) -> Vec<Piece> {
    let units = text.as_chunks().0.iter().take(MAX_LABEL);
    let characters = char::decode_utf16(units.map(|unit| u16::from_le_bytes(*unit)));
    let mut pieces = Vec::new();
    for character in characters.filter_map(Result::ok) {
        let level = character as usize;
        match pieces.last_mut() {
            _ if level < WORD_LEVELS => pieces.push(Piece::Numbers(level..level + 1)),
            Some(Piece::Text(text)) => text.push(character),
            _ => pieces.push(Piece::Text(character.to_string())),
        }
    }
    pieces
}

/// Instances, and what they change of their lists, which follows all of them.
fn instances(bytes: &[u8]) -> Vec<Instance> {
    let count = double_word(bytes, 0).unwrap_or(0) as usize;
    let bytes = bytes.get(4..).unwrap_or_default();
    let count = count.min(bytes.len() / INSTANCE_BYTES);
    let (heads, mut rest) = bytes.split_at(count * INSTANCE_BYTES);
    let mut instances = Vec::new();
    for head in heads.chunks_exact(INSTANCE_BYTES) {
        let mut instance = Instance {
            list: double_word(head, 0).unwrap_or(0),
            ..Instance::default()
        };
        rest = rest.get(4..).unwrap_or_default();
        for _ in 0..head[12] {
            rest = change(rest, &mut instance).unwrap_or_default();
        }
        instances.push(instance);
    }
    instances
}

/// Takes what an instance changes of a level; gives what follows.
fn change<'a>(bytes: &'a [u8], instance: &mut Instance) -> Option<&'a [u8]> {
    let (start, flags) = (double_word(bytes, 0)?, double_word(bytes, 4)?);
    let at = (flags & 0xf) as usize;
    let rest = bytes.get(8..)?;
    if flags & 0x10 != 0 && at < LEVELS {
        instance.starts.insert(at, start);
    }
    if flags & 0x20 == 0 {
        return Some(rest);
    }
    let (level, rest) = level(rest)?;
    instance.levels.insert(at, level);
    Some(rest)
}
