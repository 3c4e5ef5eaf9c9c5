//! Cards and calendars (vCard 2.1, RFC 2426 and RFC 6350; iCalendar RFC 5545): the values that people read, one per
//! line, in the order of the file.
//!
//! Times, identifiers and the like of each entry are lines too where people read them; pictures and
//! attached files are members.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use simdex_extract::{Fact, Reason, Role};

use super::{Reading, markup};
use crate::charset;
use crate::input::Input;
use crate::sink::Sink;

mod line;

use line::Line;

pub(super) const PARSER: &str = "card 1";

/// Properties that people read, of cards and of calendars.
const SHOWN: &[&str] = &[
    "FN",
    "N",
    "NICKNAME",
    "ORG",
    "TITLE",
    "ROLE",
    "ADR",
    "LABEL",
    "TEL",
    "EMAIL",
    "URL",
    "IMPP",
    "BDAY",
    "NOTE",
    "CATEGORIES",
    "SUMMARY",
    "DESCRIPTION",
    "LOCATION",
    "DTSTART",
    "DTEND",
    "DUE",
    "ORGANIZER",
    "ATTENDEE",
    "COMMENT",
    "CONTACT",
    "RESOURCES",
    "X-ALT-DESC",
    "X-WR-CALNAME",
    "X-WR-CALDESC",
];
/// Properties that hold a file.
const FILES: &[&str] = &["PHOTO", "LOGO", "SOUND", "ATTACH", "KEY", "IMAGE"];

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let (bytes, partial) = markup(input)?;
    let text = charset::decode(&bytes, charset::declared_label(&bytes, "charset"), sink);
    drop(bytes);
    let mut card = Card {
        sink,
        partial,
        entry: String::new(),
        zone: false,
    };
    for line in line::unfolded(&text) {
        if card.sink.is_full() {
            break;
        }
        if let Some(line) = Line::parse(&line) {
            card.take(&line);
        }
    }
    Ok(card.partial)
}

struct Card<'a> {
    sink: &'a mut Sink,
    partial: Option<Reason>,
    /// The last value written, since a card often states the same twice (`FN` and `N`).
    entry: String,
    /// Inside the rules of a time zone, which nobody reads.
    zone: bool,
}

impl Card<'_> {
    fn take(&mut self, line: &Line<'_>) {
        match line.name.as_str() {
            "BEGIN" | "END" if line.value.eq_ignore_ascii_case("VTIMEZONE") => {
                self.zone = line.name == "BEGIN"
            }
            _ if self.zone => {}
            "UID" => self
                .sink
                .state(Fact::Identifier, line.value.trim_start_matches("urn:uuid:")),
            "PRODID" => self.sink.state(Fact::Producer, line.value),
            "LANGUAGE" => self.sink.state(Fact::Language, line.value),
            name if FILES.contains(&name) => self.file(line),
            name if SHOWN.contains(&name) => self.show(line),
            _ => {}
        }
    }

    fn show(&mut self, line: &Line<'_>) {
        let value = self.value(line);
        let mut pieces = vec![value.as_str()];
        // If the value is an address, the name for people is in a parameter.
        let name = line.parameter("CN").unwrap_or_default();
        if !name.is_empty() && !value.contains(name) {
            pieces.insert(0, name);
        }
        let text = pieces.join(" ");
        if text.trim().is_empty() || text == self.entry {
            return;
        }
        self.sink.newline();
        self.sink.push(&text);
        self.sink.newline();
        self.entry = text;
    }

    fn value(&mut self, line: &Line<'_>) -> String {
        let value = if line.is_encoded_in("QUOTED-PRINTABLE") {
            let bytes = quoted_printable_decode(line.value.as_bytes()).unwrap_or_default();
            charset::decode(&bytes, line.parameter("CHARSET"), self.sink)
        } else {
            line.value.to_owned()
        };
        let has_fields = matches!(line.name.as_str(), "N" | "ADR" | "ORG" | "LABEL");
        let value = line::unescaped(&value, has_fields);
        let scheme = |value: &str| {
            value
                .get(..7)
                .is_some_and(|start| start.eq_ignore_ascii_case("mailto:"))
        };
        if scheme(&value) {
            value[7..].to_owned()
        } else {
            value
        }
    }

    /// A picture or an attached file, if it is in the card itself.
    fn file(&mut self, line: &Line<'_>) {
        if line.value.trim().is_empty() {
            return;
        }
        let Some(bytes) = file_bytes(line) else {
            return self.sink.count(Fact::External, 1);
        };
        let name = file_name(line);
        let cut = match bytes {
            Some(bytes) => self
                .sink
                .member(&name, Role::Attachment, None, &mut bytes.as_slice()),
            None => {
                let cut = self
                    .sink
                    .member_unread(&name, Role::Attachment, None, Reason::Damaged);
                cut.or(Some(Reason::PartsFailed))
            }
        };
        self.partial = self.partial.or(cut);
    }
}

/// Content and kind of a `data:` address.
fn data<'a>(line: &Line<'a>) -> Option<(&'a str, &'a str)> {
    let (kind, data) = line.value.strip_prefix("data:")?.split_once(',')?;
    Some((kind.strip_suffix(";base64")?, data))
}

/// The bytes of a file, if they are in the card; the inner `None` if they are damaged.
fn file_bytes(line: &Line<'_>) -> Option<Option<Vec<u8>>> {
    let digits = match data(line) {
        Some((_, data)) => data,
        None if line.is_encoded_in("BASE64") || line.is_encoded_in("B") => line.value,
        None => return None,
    };
    let digits: Vec<u8> = digits
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    Some(base64_decode(&digits))
}

fn file_name(line: &Line<'_>) -> String {
    if let Some(name) = line
        .parameter("FILENAME")
        .or_else(|| line.parameter("X-FILENAME"))
    {
        return name.to_owned();
    }
    let kind = data(line).map(|(kind, _)| kind);
    let kind = kind
        .or_else(|| line.parameter("FMTTYPE"))
        .or_else(|| line.parameter("TYPE"));
    let extension = kind
        .and_then(|kind| kind.rsplit('/').next())
        .unwrap_or("bin");
    format!("{}.{extension}", line.name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
