//! Metadata of a PDF: the information dictionary, then XMP for what is missing there.

use std::io::Read;

use pdf_extract::{Dictionary, Document, Object};
use quick_xml::Reader;
use quick_xml::events::Event;
use simdex_extract::Fact;

use super::{dictionary, opened, text};
use crate::sink::Sink;

/// Longest XMP that is read.
const MAX_XMP_BYTES: u64 = 4 << 20;

/// Entries of the information dictionary (ISO 32000-2, 14.3.3).
const ENTRIES: &[(&[u8], Fact)] = &[
    (b"Title", Fact::Title),
    (b"Author", Fact::Author),
    (b"Subject", Fact::Subject),
    (b"Producer", Fact::Producer),
];
const DATES: &[(&[u8], Fact)] = &[
    (b"CreationDate", Fact::Created),
    (b"ModDate", Fact::Modified),
];
/// Properties of XMP (ISO 16684-1).
const PROPERTIES: &[(&str, Fact)] = &[
    ("dc:title", Fact::Title),
    ("dc:creator", Fact::Author),
    ("dc:description", Fact::Subject),
    ("dc:language", Fact::Language),
    ("dc:identifier", Fact::Identifier),
    ("pdf:Producer", Fact::Producer),
    ("xmp:CreateDate", Fact::Created),
    ("xmp:ModifyDate", Fact::Modified),
];

pub(super) fn state(document: &Document, sink: &mut Sink) {
    if let Some(info) = dictionary(document, &document.trailer, b"Info") {
        let value = |key: &[u8]| text(info.get_deref(key, document).ok()?);
        for (key, fact) in ENTRIES {
            sink.state(*fact, &value(key).unwrap_or_default());
        }
        for (key, fact) in DATES {
            let moment = value(key).and_then(|date| Moment::of(&date));
            sink.state(*fact, &moment.map(Moment::rfc_3339).unwrap_or_default());
        }
    }
    let Ok(catalog) = document.catalog() else {
        return;
    };
    if let Some(language) = catalog.get_deref(b"Lang", document).ok().and_then(text) {
        sink.state(Fact::Language, &language);
    }
    if let Some(xmp) = xmp(document, catalog) {
        state_xmp(&xmp, sink);
    }
}

fn xmp(document: &Document, catalog: &Dictionary) -> Option<String> {
    let stream = catalog.get_deref(b"Metadata", document).ok()?;
    let Object::Stream(stream) = stream else {
        return None;
    };
    let mut bytes = Vec::new();
    opened(stream)?
        .take(MAX_XMP_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    String::from_utf8(bytes).ok()
}

/// States properties, written as elements or as attributes of a description.
fn state_xmp(xmp: &str, sink: &mut Sink) {
    let mut reader = Reader::from_str(xmp);
    let mut open: Option<Fact> = None;
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) | Event::Empty(tag) if tag.name().as_ref() == "rdf:Description" => {
                for attribute in tag.attributes().flatten() {
                    if let Some(fact) = property(attribute.key.as_ref()) {
                        state_property(fact, &attribute.value, sink);
                    }
                }
            }
            Event::Start(tag) => open = property(tag.name().as_ref()).or(open),
            Event::End(tag) if property(tag.name().as_ref()).is_some() => open = None,
            Event::Text(value) => {
                if let Some(fact) = open {
                    state_property(fact, &value.xml10_content(), sink);
                }
            }
            Event::Eof => return,
            _ => {}
        }
    }
}

fn property(name: &str) -> Option<Fact> {
    let found = PROPERTIES.iter().find(|(property, _)| *property == name);
    found.map(|(_, fact)| *fact)
}

fn state_property(fact: Fact, value: &str, sink: &mut Sink) {
    match fact {
        Fact::Created | Fact::Modified => {
            let moment = Moment::of(&value.replace(['-', ':', 'T'], ""));
            sink.state(fact, &moment.map(Moment::rfc_3339).unwrap_or_default());
        }
        _ => sink.state(fact, value),
    }
}

/// A date (7.9.4): `D:YYYYMMDDHHmmSSOHH'mm'`, of which only the year is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    year: i64,
    /// Month, day, hour, minute, second.
    rest: [i64; 5],
    /// Minutes east of Greenwich.
    offset: i64,
}

impl Moment {
    pub(super) fn of(date: &str) -> Option<Self> {
        let date = date.trim().trim_start_matches("D:");
        let digits = date.bytes().take_while(u8::is_ascii_digit).count().min(14);
        let number = |from: usize, to: usize, default: i64| {
            date.get(from..to)
                .filter(|_| to <= digits)
                .map_or(Some(default), |n| n.parse().ok())
        };
        let year = date.get(..4).filter(|_| digits >= 4)?.parse().ok()?;
        let rest = [
            number(4, 6, 1)?,
            number(6, 8, 1)?,
            number(8, 10, 0)?,
            number(10, 12, 0)?,
            number(12, 14, 0)?,
        ];
        let limits = [(1, 12), (1, 31), (0, 23), (0, 59), (0, 59)];
        let sound = rest
            .iter()
            .zip(limits)
            .all(|(n, (low, high))| (low..=high).contains(n));
        let zone = &date[digits..];
        let zone = zone[zone.find(['+', '-', 'Z']).unwrap_or(zone.len())..].to_owned();
        let figures: Vec<i64> = zone
            .bytes()
            .filter(u8::is_ascii_digit)
            .map(|b| i64::from(b - b'0'))
            .collect();
        let offset = match figures.as_slice() {
            [a, b, c, d, ..] => (a * 10 + b) * 60 + c * 10 + d,
            [a, b, ..] => (a * 10 + b) * 60,
            _ => 0,
        };
        let offset = if zone.starts_with('-') {
            -offset
        } else {
            offset
        };
        (sound && offset.abs() < 24 * 60).then_some(Self { year, rest, offset })
    }

    pub(super) fn rfc_3339(self) -> String {
        let Self {
            year,
            rest: [month, day, hour, minute, second],
            offset,
        } = self;
        let zone = match offset {
            0 => "Z".to_owned(),
            _ => {
                let sign = if offset < 0 { '-' } else { '+' };
                format!("{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60)
            }
        };
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}")
    }

    /// Seconds since 1970.
    pub(super) fn seconds(self) -> i64 {
        let [month, day, hour, minute, second] = self.rest;
        // Years begin in March, so that the leap day is their last.
        let (year, month) = match month {
            1 | 2 => (self.year - 1, month + 9),
            _ => (self.year, month - 3),
        };
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        let days = 365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468;
        ((days * 24 + hour) * 60 + minute - self.offset) * 60 + second
    }
}
