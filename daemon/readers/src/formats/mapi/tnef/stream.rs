//! Attributes of a TNEF stream and the properties within them [MS-OXTNEF §2.1.3].

use mail_parser::DateTime;

use super::super::properties::{Properties, id, kind};

/// Bytes that are read from front to back; `None` if they end too early.
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// Fewer bytes than the shortest attribute are padding.
    pub(super) fn has_room_for_attribute(&self) -> bool {
        self.rest.len() >= MIN_ATTRIBUTE_BYTES
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.first_chunk().copied()
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// A length and as many bytes, padded to a multiple of four. The last padding may be missing.
    fn counted(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()? as usize;
        let taken = self.take(length)?;
        let fill = length.next_multiple_of(4) - length;
        self.take(fill.min(self.rest.len()))?;
        Some(taken)
    }
}

/// An attribute of the stream, with its raw data.
pub(super) struct Attribute<'a> {
    pub(super) id: u16,
    pub(super) data: &'a [u8],
    /// Whether its checksum is right.
    pub(super) is_sound: bool,
}

/// Level, number, type, length and checksum.
const MIN_ATTRIBUTE_BYTES: usize = 11;
/// Levels of an attribute: the message or an attachment.
const LEVELS: [u8; 2] = [1, 2];

impl<'a> Attribute<'a> {
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Option<Self> {
        if !LEVELS.contains(&cursor.u8()?) {
            return None;
        }
        let (id, _kind) = (cursor.u16()?, cursor.u16()?);
        let length = cursor.u32()? as usize;
        let data = cursor.take(length)?;
        let sum = data
            .iter()
            .fold(0_u16, |sum, byte| sum.wrapping_add((*byte).into()));
        let is_sound = cursor.u16()? == sum;
        Some(Self { id, data, is_sound })
    }
}

/// A bag of properties as it is stored, with the two of an attachment that are not copied.
#[derive(Default)]
pub(super) struct Bag<'a> {
    pub(super) properties: Properties,
    pub(super) data: Option<&'a [u8]>,
    pub(super) object: Option<&'a [u8]>,
}

impl<'a> Bag<'a> {
    /// Reads the properties at the cursor; `None` if they are truncated.
    pub(super) fn read(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        for _ in 0..cursor.u32()? {
            self.property(cursor)?;
        }
        Some(())
    }

    fn property(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        let (kind, id) = (cursor.u16()?, cursor.u16()?);
        if id >= FIRST_NAMED {
            skip_name(cursor)?;
        }
        if let Some(width) = width(kind & !kind::MANY) {
            let count = if kind & kind::MANY == 0 {
                1
            } else {
                cursor.u32()?
            };
            for _ in 0..count {
                let value = cursor.take(width)?;
                self.take(id, kind, value);
            }
        } else {
            for _ in 0..cursor.u32()? {
                let value = cursor.counted()?;
                self.take(id, kind, value);
            }
        }
        Some(())
    }

    fn take(&mut self, id: u16, kind: u16, value: &'a [u8]) {
        match (id, kind) {
            // Numbers from here on are assigned separately in each stream.
            (FIRST_NAMED.., _) => {}
            (id::ATTACH_DATA, kind::BINARY) => self.data = Some(value),
            (id::ATTACH_DATA, kind::OBJECT) => self.object = Some(value),
            _ => self.properties.parse(id, kind, value),
        }
    }
}

const FIRST_NAMED: u16 = 0x8000;

/// A property whose number has no fixed meaning has its name before its value: a set, then a number or a string within
/// the set.
fn skip_name(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.take(16)?;
    match cursor.u32()? {
        0 => cursor.u32().map(|_| ()),
        _ => cursor.counted().map(|_| ()),
    }
}

/// Bytes of a value of that type, if all have the same.
fn width(kind: u16) -> Option<usize> {
    match kind {
        // Short values are padded to four bytes.
        0x0000..=0x0004 | 0x000a | 0x000b => Some(4),
        0x0005..=0x0007 | 0x0014 | 0x0040 => Some(8),
        0x0048 => Some(16),
        _ => None,
    }
}

/// A date of seven numbers, in seconds since 1970 [MS-OXTNEF §2.1.3.3.6]. It has no time zone; read as UTC.
pub(super) fn date(data: &[u8]) -> Option<i64> {
    let mut cursor = Cursor::new(data);
    let mut next = || cursor.u16();
    let (year, month, day) = (next()?, next()?, next()?);
    let (hour, minute, second) = (next()?, next()?, next()?);
    let small = |number: u16| u8::try_from(number).ok();
    let date = DateTime {
        year,
        month: small(month)?,
        day: small(day)?,
        hour: small(hour)?,
        minute: small(minute)?,
        second: small(second)?,
        tz_before_gmt: false,
        tz_hour: 0,
        tz_minute: 0,
    };
    date.is_valid().then(|| date.to_timestamp())
}
