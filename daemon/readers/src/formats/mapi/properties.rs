//! A bag of properties [MS-OXCDATA §2.11], by number.
//!
//! Strings of 8-bit characters do not state their code page; a separate property of their message does. So they are
//! kept as bytes until the bag is complete and [`Properties::settle`] decodes them.

use std::collections::BTreeMap;

use mail_parser::DateTime;
use simdex_extract::Fact;

use super::super::rtf::code_page::CodePage;
use crate::charset;
use crate::sink::Sink;

/// Numbers of properties [MS-OXPROPS].
pub(super) mod id {
    pub(crate) const MESSAGE_CLASS: u16 = 0x001a;
    pub(crate) const SUBJECT: u16 = 0x0037;
    pub(crate) const CLIENT_SUBMIT_TIME: u16 = 0x0039;
    pub(crate) const SUBJECT_PREFIX: u16 = 0x003d;
    pub(crate) const SENT_REPRESENTING_NAME: u16 = 0x0042;
    pub(crate) const SENT_REPRESENTING_ADDRESS_TYPE: u16 = 0x0064;
    pub(crate) const SENT_REPRESENTING_ADDRESS: u16 = 0x0065;
    pub(crate) const TRANSPORT_HEADERS: u16 = 0x007d;
    pub(crate) const RECIPIENT_TYPE: u16 = 0x0c15;
    pub(crate) const SENDER_NAME: u16 = 0x0c1a;
    pub(crate) const SENDER_ADDRESS_TYPE: u16 = 0x0c1e;
    pub(crate) const SENDER_ADDRESS: u16 = 0x0c1f;
    pub(crate) const DISPLAY_BCC: u16 = 0x0e02;
    pub(crate) const DISPLAY_CC: u16 = 0x0e03;
    pub(crate) const DISPLAY_TO: u16 = 0x0e04;
    pub(crate) const DELIVERY_TIME: u16 = 0x0e06;
    pub(crate) const NORMALIZED_SUBJECT: u16 = 0x0e1d;
    pub(crate) const BODY: u16 = 0x1000;
    pub(crate) const RTF_COMPRESSED: u16 = 0x1009;
    pub(crate) const HTML: u16 = 0x1013;
    pub(crate) const MESSAGE_ID: u16 = 0x1035;
    pub(crate) const IN_REPLY_TO: u16 = 0x1042;
    pub(crate) const DISPLAY_NAME: u16 = 0x3001;
    pub(crate) const ADDRESS_TYPE: u16 = 0x3002;
    pub(crate) const ADDRESS: u16 = 0x3003;
    pub(crate) const CREATED: u16 = 0x3007;
    pub(crate) const MODIFIED: u16 = 0x3008;
    pub(crate) const ATTACH_DATA: u16 = 0x3701;
    pub(crate) const ATTACH_FILENAME: u16 = 0x3704;
    pub(crate) const ATTACH_METHOD: u16 = 0x3705;
    pub(crate) const ATTACH_LONG_FILENAME: u16 = 0x3707;
    pub(crate) const ATTACH_TRANSPORT_NAME: u16 = 0x370c;
    pub(crate) const RECIPIENT_SMTP_ADDRESS: u16 = 0x39fe;
    pub(crate) const INTERNET_CODE_PAGE: u16 = 0x3fde;
    pub(crate) const LAST_MODIFIER_NAME: u16 = 0x3ffa;
    pub(crate) const MESSAGE_CODE_PAGE: u16 = 0x3ffd;
    pub(crate) const SENDER_SMTP_ADDRESS: u16 = 0x5d01;
    pub(crate) const SENT_REPRESENTING_SMTP_ADDRESS: u16 = 0x5d02;
}

/// Types of values [MS-OXCDATA §2.11.1].
pub(super) mod kind {
    pub(crate) const SHORT: u16 = 0x0002;
    pub(crate) const LONG: u16 = 0x0003;
    pub(crate) const BOOLEAN: u16 = 0x000b;
    pub(crate) const OBJECT: u16 = 0x000d;
    pub(crate) const LONG_LONG: u16 = 0x0014;
    pub(crate) const NARROW: u16 = 0x001e;
    pub(crate) const WIDE: u16 = 0x001f;
    pub(crate) const TIME: u16 = 0x0040;
    pub(crate) const BINARY: u16 = 0x0102;
    /// Set if a property has many values.
    pub(crate) const MANY: u16 = 0x1000;
}

/// Seconds from 1601, the epoch of file times, to 1970.
const EPOCH_SECONDS: i64 = 11_644_473_600;

/// A value, as far as it is used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    /// Text whose code page is not known yet.
    Narrow(Vec<u8>),
    Integer(i64),
    /// Seconds since 1970.
    Time(i64),
    Binary(Vec<u8>),
}

impl Value {
    /// The value of that type in these bytes; `None` for types that are not used.
    pub(super) fn parse(kind: u16, bytes: &[u8]) -> Option<Self> {
        Some(match kind {
            kind::SHORT => Self::Integer(i16::from_le_bytes(*bytes.first_chunk()?).into()),
            kind::LONG => Self::Integer(i32::from_le_bytes(*bytes.first_chunk()?).into()),
            kind::LONG_LONG => Self::Integer(i64::from_le_bytes(*bytes.first_chunk()?)),
            kind::BOOLEAN => Self::Integer(i64::from(*bytes.first()? != 0)),
            kind::TIME => Self::Time(unix_time(u64::from_le_bytes(*bytes.first_chunk()?))?),
            kind::NARROW => Self::Narrow(until_nul(bytes).to_vec()),
            kind::WIDE => Self::Text(wide(bytes)),
            kind::BINARY => Self::Binary(bytes.to_vec()),
            _ => return None,
        })
    }
}

/// A file time as seconds since 1970; 0 means none.
fn unix_time(file_time: u64) -> Option<i64> {
    let seconds = i64::try_from(file_time / 10_000_000).ok()?;
    (file_time > 0).then(|| seconds - EPOCH_SECONDS)
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == 0);
    &bytes[..end.unwrap_or(bytes.len())]
}

/// UTF-16 up to its NUL.
pub(super) fn wide(bytes: &[u8]) -> String {
    let (units, _) = bytes.as_chunks::<2>();
    let units = units.iter().map(|unit| u16::from_le_bytes(*unit));
    char::decode_utf16(units.take_while(|unit| *unit != 0))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// The properties of a message, a recipient or an attachment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Properties(BTreeMap<u16, Value>);

impl Properties {
    /// Adds a value. The first one of several stays, unless a later one needs no guess of its code page.
    pub(super) fn insert(&mut self, id: u16, value: Value) {
        match self.0.get(&id) {
            None => {}
            Some(Value::Narrow(_)) if matches!(value, Value::Text(_)) => {}
            Some(_) => return,
        }
        self.0.insert(id, value);
    }

    /// Adds all values of another bag.
    pub(super) fn extend(&mut self, other: Self) {
        for (id, value) in other.0 {
            self.insert(id, value);
        }
    }

    /// Adds the value of that type in these bytes, if it is used.
    pub(super) fn parse(&mut self, id: u16, kind: u16, bytes: &[u8]) {
        if let Some(value) = Value::parse(kind, bytes).filter(|_| is_used(id, kind)) {
            self.insert(id, value);
        }
    }

    /// Decodes the strings of 8-bit characters; `inherited` is the code page of what contains this bag.
    pub(super) fn settle(&mut self, inherited: Option<i32>, sink: &mut Sink) {
        let page = self.code_page().or(inherited);
        let html_page = self.number(id::INTERNET_CODE_PAGE).or(page);
        for (id, value) in &mut self.0 {
            if let Value::Narrow(bytes) = value {
                let page = if *id == id::HTML { html_page } else { page };
                *value = Value::Text(narrow(bytes, page, sink));
            }
        }
    }

    /// The code page that a message states for its strings.
    pub(super) fn code_page(&self) -> Option<i32> {
        self.number(id::MESSAGE_CODE_PAGE)
            .or_else(|| self.number(id::INTERNET_CODE_PAGE))
    }

    pub(super) fn get(&self, id: u16) -> Option<&Value> {
        self.0.get(&id)
    }

    /// A string that is not blank.
    pub(super) fn text(&self, id: u16) -> Option<&str> {
        match self.get(id)? {
            Value::Text(text) if !text.trim().is_empty() => Some(text),
            _ => None,
        }
    }

    pub(super) fn number(&self, id: u16) -> Option<i32> {
        match self.get(id)? {
            Value::Integer(number) => i32::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(super) fn binary(&self, id: u16) -> Option<&[u8]> {
        match self.get(id)? {
            Value::Binary(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Seconds since 1970.
    pub(super) fn seconds(&self, id: u16) -> Option<i64> {
        match self.get(id)? {
            Value::Time(seconds) => Some(*seconds),
            _ => None,
        }
    }

    /// A point in time that mail can express.
    pub(super) fn time(&self, id: u16) -> Option<DateTime> {
        let time = DateTime::from_timestamp(self.seconds(id)?);
        time.is_valid().then_some(time)
    }
}

/// Whether a value is worth reading: among binary ones, which may be large, only two kinds of body.
pub(super) fn is_used(id: u16, kind: u16) -> bool {
    match kind {
        kind::BINARY => matches!(id, id::HTML | id::RTF_COMPRESSED),
        kind => kind != kind::OBJECT,
    }
}

/// The characters of `bytes`; if the code page is not known, it is guessed.
fn narrow(bytes: &[u8], page: Option<i32>, sink: &mut Sink) -> String {
    match page.and_then(CodePage::numbered) {
        Some(page) => {
            let (text, lost) = page.decode(bytes);
            sink.count(Fact::Undecoded, lost as u64);
            text
        }
        None => charset::decode(bytes, None, sink),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(properties: &[(u16, Value)], inherited: Option<i32>) -> Properties {
        let mut bag = Properties::default();
        for (id, value) in properties {
            bag.insert(*id, value.clone());
        }
        bag.settle(inherited, &mut Sink::of(0));
        bag
    }

    #[test]
    fn values_are_read_by_their_type_and_short_ones_are_none() {
        assert_eq!(
            Value::parse(kind::SHORT, &[0xff, 0xff]),
            Some(Value::Integer(-1))
        );
        assert_eq!(Value::parse(kind::LONG, &[1, 0, 0]), None);
        assert_eq!(
            Value::parse(kind::WIDE, b"a\0b\0\0\0c\0"),
            Some(Value::Text("ab".into()))
        );
        let time = (1_700_000_000 + 11_644_473_600_u64) * 10_000_000;
        assert_eq!(
            Value::parse(kind::TIME, &time.to_le_bytes()),
            Some(Value::Time(1_700_000_000))
        );
        assert_eq!(Value::parse(kind::TIME, &[0; 8]), None);
    }

    #[test]
    fn narrow_strings_are_in_the_code_page_of_the_message_or_of_what_holds_it() {
        let subject = (id::SUBJECT, Value::Narrow(b"\xcf\xf0\xe8".to_vec()));
        let said = (id::MESSAGE_CODE_PAGE, Value::Integer(1251));
        assert_eq!(
            settled(&[subject.clone(), said], Some(1252)).text(id::SUBJECT),
            Some("При")
        );
        assert_eq!(
            settled(&[subject], Some(1252)).text(id::SUBJECT),
            Some("Ïðè")
        );
    }

    #[test]
    fn of_binary_values_only_bodies_are_kept() {
        let mut bag = Properties::default();
        bag.parse(id::HTML, kind::BINARY, b"<p>");
        bag.parse(0x0fff, kind::BINARY, b"entry");
        assert_eq!(bag.binary(id::HTML), Some(&b"<p>"[..]));
        assert_eq!(bag.get(0x0fff), None);
    }

    #[test]
    fn a_wide_string_is_preferred_and_blank_ones_are_none() {
        let wide = (id::SUBJECT, Value::Text("wide".into()));
        let narrow = (id::SUBJECT, Value::Narrow(b"narrow".to_vec()));
        for order in [[wide.clone(), narrow.clone()], [narrow, wide]] {
            assert_eq!(settled(&order, None).text(id::SUBJECT), Some("wide"));
        }
        assert_eq!(
            settled(&[(id::BODY, Value::Text(" \r\n".into()))], None).text(id::BODY),
            None
        );
    }
}
