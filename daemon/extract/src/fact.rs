//! Facts about a document besides its text: what it states about itself, and about how it was read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use simdex_codes::codes;

codes! {
    /// The kind of a fact.
    Fact {
        /// Title, as the document states it
        Title = "title",
        /// What it is about, as the document states it; of mail the subject line
        Subject = "subject",
        /// Who wrote it, as the document states it
        Author = "author",
        /// Who saved it last, as the document states it
        LastAuthor = "last-author",
        /// When it was made, as the document states it (RFC 3339)
        Created = "created",
        /// When it was saved last, as the document states it (RFC 3339)
        Modified = "modified",
        /// Language, as the document states it
        Language = "language",
        /// Program that wrote it, as the document states it
        Producer = "producer",
        /// Identifier, as the document states it (ISBN, DOI, UID)
        Identifier = "identifier",
        /// Who sent it
        From = "from",
        /// Who received it
        To = "to",
        /// Receivers of copies
        Cc = "cc",
        /// Receivers of hidden copies
        Bcc = "bcc",
        /// When it was sent (RFC 3339)
        Sent = "sent",
        /// Identifier of a message
        MessageId = "message-id",
        /// Identifier of the message this one answers
        InReplyTo = "in-reply-to",
        /// Character set that was used
        Charset = "charset",
        /// Kind that the name promises, where the content is of another
        NamedAs = "named-as",
        /// Pages (or slides)
        Pages = "pages",
        /// Pages that could not be read
        PagesFailed = "pages-failed",
        /// Pages that hold no text, probably only pictures
        PagesWithoutText = "pages-without-text",
        /// Pages read by text recognition
        PagesRecognised = "pages-recognised",
        /// Pages read by the second engine, where the first gave poor text
        PagesBySecondEngine = "pages-by-second-engine",
        /// Share of the text's characters that look like text, in percent
        Quality = "quality",
        /// Running headers, footers and page numbers kept apart from the body, in lines
        RunningLines = "running-lines",
        /// Words broken at a line's end and joined again
        JoinedHyphens = "joined-hyphens",
        /// Parts that were read
        Parts = "parts",
        /// Parts that could not be read
        PartsFailed = "parts-failed",
        /// How many sheets
        Sheets = "sheets",
        /// Sheets hidden from view; their text is read
        HiddenSheets = "hidden-sheets",
        /// Cells that hold something
        Cells = "cells",
        /// Comments; their text is read
        Comments = "comments",
        /// Footnotes, endnotes and speaker notes; their text is read
        Notes = "notes",
        /// Text boxes; their text is read
        TextBoxes = "text-boxes",
        /// Numbers and letters of list items that programs count; they are written into the text
        ListNumbers = "list-numbers",
        /// Tracked insertions; their text is read
        Insertions = "insertions",
        /// Tracked deletions; their text is left out
        Deletions = "deletions",
        /// Form fields with a value; it is read
        FormFields = "form-fields",
        /// Annotations with a text; it is read
        Annotations = "annotations",
        /// Files inside: attachments, entries, messages
        Members = "members",
        /// Lines quoted from another message, kept apart from the body
        QuotedLines = "quoted-lines",
        /// Relative addresses of pages that frames or an immediate refresh ask for
        FramesAsked = "frames-asked",
        /// Addresses of pages filled in where frames or an immediate refresh ask for them
        FramesFilled = "frames-filled",
        /// Addresses of pages that frames or an immediate refresh ask for and that are not there
        FramesMissing = "frames-missing",
        /// Scripts; they are never run
        Scripts = "scripts",
        /// References to content outside the file; they are never fetched
        External = "external",
        /// Characters that could not be decoded
        Undecoded = "undecoded",
        /// Programs of the machine that were asked to read it
        ProgramsTried = "programs-tried",
    }
}

impl Fact {
    /// Longest value, in bytes.
    #[must_use]
    pub const fn max_bytes(self) -> usize {
        if self.is_list() {
            8 << 10
        } else {
            Facts::MAX_BYTES
        }
    }

    /// Whether its values are lists of addresses, separated by spaces.
    #[must_use]
    pub const fn is_list(self) -> bool {
        matches!(
            self,
            Self::FramesAsked | Self::FramesFilled | Self::FramesMissing
        )
    }
}

/// Facts of one document: bounded in number and length.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Facts(BTreeMap<Fact, String>);

impl Facts {
    /// Longest value, in bytes, except for lists.
    pub const MAX_BYTES: usize = 400;
    /// Maximum number of addresses in a list.
    pub const MAX_ADDRESSES: usize = 16;
    /// Longest address of a list, in bytes.
    pub const MAX_ADDRESS_BYTES: usize = 1024;

    /// States a fact of the document. The first statement stays; white space is collapsed, control characters are
    /// dropped, and values that are too long are cut.
    pub fn state(&mut self, fact: Fact, value: &str) {
        let clean: String = value.chars().take(4 * Self::MAX_BYTES).collect();
        let words = clean.split(|c: char| c.is_whitespace() || c.is_control());
        let mut line = words
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        line.truncate(line.floor_char_boundary(Self::MAX_BYTES));
        if !line.is_empty() {
            self.0.entry(fact).or_insert(line);
        }
    }

    /// Adds to a count.
    pub fn count(&mut self, fact: Fact, more: u64) {
        if more > 0 {
            let sum = self.number(fact).saturating_add(more);
            self.0.insert(fact, sum.to_string());
        }
    }

    /// Adds to a list of addresses, separated by spaces. Characters other than visible ASCII are percent-encoded; an
    /// address that is empty, too long, or one too many is left out.
    pub fn list(&mut self, fact: Fact, address: &str) {
        if address.is_empty() {
            return;
        }
        let mut encoded = String::new();
        for byte in address.bytes().take(Self::MAX_ADDRESS_BYTES + 1) {
            match byte {
                byte if is_plain(byte) => encoded.push(char::from(byte)),
                _ => encoded.push_str(&format!("%{byte:02X}")),
            }
        }
        let list = self.0.entry(fact).or_default();
        let is_known = list.split(' ').any(|known| known == encoded);
        let is_full = list.split(' ').count() >= Self::MAX_ADDRESSES
            || encoded.len() > Self::MAX_ADDRESS_BYTES
            || list.len() + 1 + encoded.len() > fact.max_bytes();
        if !is_known && !is_full {
            let between = if list.is_empty() { "" } else { " " };
            *list = format!("{list}{between}{encoded}");
        }
        self.0.retain(|_, value| !value.is_empty());
    }

    /// A count; 0 if there is none.
    #[must_use]
    pub fn number(&self, fact: Fact) -> u64 {
        self.get(fact).and_then(|n| n.parse().ok()).unwrap_or(0)
    }

    /// The value of a fact; `None` if there is none.
    #[must_use]
    pub fn get(&self, fact: Fact) -> Option<&str> {
        self.0.get(&fact).map(String::as_str)
    }

    /// All facts, in the order of [`Fact::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Fact, &str)> {
        self.0.iter().map(|(fact, value)| (*fact, value.as_str()))
    }

    /// Whether every value is within the bounds; those from a worker are checked.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.iter().all(|(fact, value)| {
            (1..=fact.max_bytes()).contains(&value.len())
                && !value.chars().any(char::is_control)
                && (!fact.is_list() || is_sound_list(value))
        })
    }
}

fn is_sound_list(list: &str) -> bool {
    let is_sound = |address: &str| {
        (1..=Facts::MAX_ADDRESS_BYTES).contains(&address.len()) && address.bytes().all(is_plain)
    };
    list.split(' ').count() <= Facts::MAX_ADDRESSES && list.split(' ').all(is_sound)
}

/// Whether a byte of an address is written as it is in a list.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~') && !b"\"\\".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_one_clean_bounded_line_and_the_first_stays() {
        let mut facts = Facts::default();
        facts.state(Fact::Title, " a\n\u{1b}[2J\tb ");
        facts.state(Fact::Title, "later");
        facts.state(Fact::Author, &"ä".repeat(1000));
        facts.state(Fact::Subject, " \n");
        assert_eq!(facts.get(Fact::Title), Some("a [2J b"));
        assert_eq!(
            facts.get(Fact::Author).map(str::len),
            Some(Facts::MAX_BYTES)
        );
        assert_eq!(facts.get(Fact::Subject), None);
        assert!(facts.is_sound());
    }

    #[test]
    fn lists_are_of_plain_addresses_each_once_and_bounded() {
        let mut facts = Facts::default();
        facts.list(Fact::FramesAsked, "");
        assert_eq!(facts.get(Fact::FramesAsked), None);
        for address in [
            "a b\n.html",
            "\u{fc}.html",
            "",
            "a b\n.html",
            &"x".repeat(1025),
        ] {
            facts.list(Fact::FramesAsked, address);
        }
        let list = facts.get(Fact::FramesAsked);
        assert_eq!(list, Some("a%20b%0A.html %C3%BC.html"));
        for number in 0..40 {
            facts.list(Fact::FramesFilled, &format!("{number:0>900}"));
            facts.list(Fact::FramesMissing, &number.to_string());
        }
        let listed = |fact| facts.get(fact).map_or(0, |list| list.split(' ').count());
        assert_eq!(
            (listed(Fact::FramesFilled), listed(Fact::FramesMissing)),
            (9, 16)
        );
        assert!(facts.is_sound());
        // As a compromised worker might state them.
        let (many, long) = ("a ".repeat(17), "x".repeat(1025));
        for lie in [many.trim_end(), &long, "a  b", " a", "a ", "\u{fc}", "a\"b"] {
            let lied = Facts(BTreeMap::from([(Fact::FramesAsked, lie.to_owned())]));
            assert!(!lied.is_sound(), "{lie}");
        }
    }

    #[test]
    fn counts_add_up() {
        let mut facts = Facts::default();
        facts.count(Fact::Pages, 2);
        facts.count(Fact::Pages, 3);
        facts.count(Fact::Comments, 0);
        assert_eq!(
            (facts.number(Fact::Pages), facts.get(Fact::Comments)),
            (5, None)
        );
    }
}
