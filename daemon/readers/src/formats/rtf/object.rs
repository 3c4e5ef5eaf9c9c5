//! Objects embedded in RTF: OLE 1.0 streams written as hexadecimal digits ([MS-OLEDS] §2.2).

use simdex_extract::{Reason, Role};

use crate::sink::Sink;

/// The bytes of one object, as they are read.
pub(super) struct Data {
    pub(super) class: String,
    bytes: Vec<u8>,
    /// The first digit of a byte.
    digit: Option<u8>,
    limit: u64,
    cut: bool,
    count: u32,
}

impl Data {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            class: String::new(),
            bytes: Vec::new(),
            digit: None,
            limit,
            cut: false,
            count: 0,
        }
    }

    pub(super) fn digits(&mut self, text: &[u8]) {
        for &byte in text {
            let Some(value) = char::from(byte)
                .to_digit(16)
                .and_then(|d| u8::try_from(d).ok())
            else {
                continue;
            };
            match self.digit.take() {
                None => self.digit = Some(value),
                Some(high) => self.bytes(&[high << 4 | value]),
            }
        }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let room = self.limit.saturating_sub(self.bytes.len() as u64);
        let taken = usize::try_from(room).map_or(bytes.len(), |room| room.min(bytes.len()));
        self.cut |= taken < bytes.len();
        self.bytes.extend_from_slice(&bytes[..taken]);
    }

    /// Passes the object to `sink` as a member.
    pub(super) fn hand_over(&mut self, sink: &mut Sink) -> Option<Reason> {
        let bytes = std::mem::take(&mut self.bytes);
        let class = std::mem::take(&mut self.class);
        self.digit = None;
        let cut = std::mem::take(&mut self.cut).then_some(Reason::InflateLimit);
        let Some((stated, native)) = native_data(&bytes).filter(|(_, native)| !native.is_empty())
        else {
            return cut;
        };
        self.count += 1;
        let class = if stated.is_empty() {
            class.trim()
        } else {
            &stated
        };
        let (name, mut content) = match packaged(native) {
            Some((name, content)) if class == "Package" => (name, content),
            _ => (
                format!("object {} {class}", self.count)
                    .trim_end()
                    .to_owned(),
                native,
            ),
        };
        sink.member(&name, Role::Embedded, None, &mut content)
            .or(cut)
    }
}

/// Class and native data of an embedded object; links have none.
fn native_data(bytes: &[u8]) -> Option<(String, &[u8])> {
    let mut rest = bytes.get(4..)?;
    if number(&mut rest)? != 2 {
        return None;
    }
    let class = counted(&mut rest)?;
    counted(&mut rest)?;
    counted(&mut rest)?;
    let length = number(&mut rest)? as usize;
    let class = String::from_utf8_lossy(class).trim_matches('\0').to_owned();
    Some((class, &rest[..length.min(rest.len())]))
}

/// Name and content of a file wrapped by the object packager.
fn packaged(native: &[u8]) -> Option<(String, &[u8])> {
    let mut rest = native.get(2..)?;
    let label = string(&mut rest)?;
    let path = string(&mut rest)?;
    rest = rest.get(4..)?;
    counted(&mut rest)?;
    let content = counted(&mut rest)?;
    let name = if label.is_empty() { path } else { label };
    let name = String::from_utf8_lossy(name);
    let name = name.rsplit(['\\', '/']).next().unwrap_or_default();
    Some((name.to_owned(), content))
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let (head, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(u32::from_le_bytes(*head))
}

/// Bytes after their number, as far as they exist.
fn counted<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = number(rest)? as usize;
    let (head, tail) = rest.split_at(length.min(rest.len()));
    *rest = tail;
    Some(head)
}

/// Bytes before a NUL.
fn string<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|&byte| byte == 0)?;
    let head = &rest[..end];
    *rest = &rest[end + 1..];
    Some(head)
}
