//! Property sets [MS-OLEPS]: title, author, dates, as the document states them.

use encoding_rs::{Encoding, WINDOWS_1252};
use jiff::Timestamp;
use simdex_extract::Fact;

use super::codepage;
use crate::compound::{Compound, ROOT, double_word, quad_word, seconds_since_1970, word};
use crate::sink::Sink;

/// Longest property stream that is read; thumbnails make them long.
const MAX_BYTES: u64 = 1 << 20;
/// Properties of one set that are looked at.
const MAX_PROPERTIES: usize = 256;

const CODE_PAGE: u32 = 1;
const SUMMARY: &[(u32, Fact)] = &[
    (2, Fact::Title),
    (3, Fact::Subject),
    (4, Fact::Author),
    (8, Fact::LastAuthor),
    (12, Fact::Created),
    (13, Fact::Modified),
    (14, Fact::Pages),
    (18, Fact::Producer),
];
const DOCUMENT_SUMMARY: &[(u32, Fact)] = &[(7, Fact::Pages)];

/// States what the two property sets of every Office document hold.
pub(super) fn state(file: &Compound<'_>, sink: &mut Sink) {
    let streams = [
        ("\u{5}DocumentSummaryInformation", DOCUMENT_SUMMARY),
        ("\u{5}SummaryInformation", SUMMARY),
    ];
    for (name, facts) in streams {
        if let Some(number) = file.child(ROOT, name) {
            state_set(&file.read(number, MAX_BYTES).0, facts, sink);
        }
    }
}

/// The first property set of a stream.
fn state_set(bytes: &[u8], facts: &[(u32, Fact)], sink: &mut Sink) {
    let set = double_word(bytes, 44).and_then(|start| bytes.get(start as usize..));
    let Some(set) = set else { return };
    let count = double_word(set, 4).unwrap_or(0) as usize;
    let properties = (0..count.min(MAX_PROPERTIES)).map_while(|number| {
        let at = 8 + 8 * number;
        Some((double_word(set, at)?, double_word(set, at + 4)?))
    });
    let properties: Vec<(u32, &[u8])> = properties
        .filter_map(|(id, at)| Some((id, set.get(at as usize..)?)))
        .collect();
    let page = properties.iter().find(|(id, _)| *id == CODE_PAGE);
    let page = page.and_then(|(_, value)| word(value, 4));
    let encoding = page.map_or(WINDOWS_1252, codepage::encoding);
    for (id, value) in properties {
        let fact = facts.iter().find(|(known, _)| *known == id);
        if let (Some((_, fact)), Some(value)) = (fact, text(value, encoding)) {
            sink.state(*fact, value.trim_end_matches('\0'));
        }
    }
}

/// A typed value as text; zeros and empty values mean nothing.
fn text(value: &[u8], encoding: &'static Encoding) -> Option<String> {
    let length = || Some(double_word(value, 4)? as usize);
    let bytes = |length: usize| {
        let rest = value.get(8..)?;
        Some(&rest[..length.min(rest.len())])
    };
    match word(value, 0)? {
        2 => Some(word(value, 4)?.to_string()).filter(|number| number != "0"),
        3 => Some(double_word(value, 4)?.to_string()).filter(|number| number != "0"),
        0x1e => Some(
            encoding
                .decode_without_bom_handling(bytes(length()?)?)
                .0
                .into_owned(),
        ),
        0x1f => {
            let units = bytes(length()?.checked_mul(2)?)?;
            Some(
                encoding_rs::UTF_16LE
                    .decode_without_bom_handling(units)
                    .0
                    .into_owned(),
            )
        }
        0x40 => {
            let seconds = seconds_since_1970(quad_word(value, 4)?)?;
            // Some writers store editing time as a date near 1601.
            (seconds > 0).then_some(())?;
            Some(Timestamp::from_second(seconds).ok()?.to_string())
        }
        _ => None,
    }
}
