//! Which reader answered, and the version of each: after a fix to one, its documents are read again, and no others.

use simdex_codes::codes;

/// The version of every reader when readers got separate versions.
const FIRST: u32 = 5;

codes! {
    /// A reader, or several that share code: they get a new version together.
    Reader {
        /// Tells kinds apart; answers for what no other reads
        Sniffer = "sniffer",
        /// Text as it stands
        Plain = "plain",
        /// Subtitles
        Subtitles = "subtitles",
        /// HTML
        Html = "html",
        /// Web archives (MHTML)
        WebArchive = "web-archive",
        /// XML
        Xml = "xml",
        /// RTF
        Rtf = "rtf",
        /// PDF
        Pdf = "pdf",
        /// DOCX, PPTX, XLSX, XLSB
        Ooxml = "ooxml",
        /// ODT, ODS, ODP, ODG
        OpenDocument = "open-document",
        /// EPUB
        Epub = "epub",
        /// DOC
        Doc = "doc",
        /// XLS
        Xls = "xls",
        /// PPT
        Ppt = "ppt",
        /// MSG, TNEF, PST
        Mapi = "mapi",
        /// Mail
        Mail = "mail",
        /// Mailboxes of Unix
        Mbox = "mbox",
        /// Cards and calendars
        Card = "card",
        /// ZIP, TAR, 7z, packed files
        Archive = "archive",
    }
}

impl Reader {
    /// Version of its output. It is incremented when bytes that it has read may give another text or state, or may go to
    /// another reader, so that documents read by an older version are read again.
    #[must_use]
    pub const fn version(self) -> u32 {
        match self {
            Self::Sniffer => 10,
            Self::Plain => 11,
            Self::Subtitles => 10,
            Self::Html => 13,
            Self::WebArchive => 12,
            Self::Xml => 9,
            Self::Rtf => 12,
            Self::Pdf => 16,
            Self::Ooxml => 13,
            Self::OpenDocument => 13,
            Self::Epub => 11,
            Self::Doc => 12,
            Self::Xls => 10,
            Self::Ppt => 9,
            Self::Mapi => 11,
            Self::Mail => 11,
            Self::Mbox => 9,
            Self::Card => 9,
            Self::Archive => 10,
        }
    }

    /// The reader for the name of a parser from records that had only the parser (stored formats 1 to 3).
    #[must_use]
    pub fn of_parser(parser: &str) -> Option<Self> {
        let name = parser.split([' ', ',']).next().unwrap_or_default();
        let found = PARSERS.iter().find(|(known, _)| *known == name);
        found.map(|(_, reader)| *reader)
    }
}

/// First words of the engines of that time. Never changed: new records do not use them.
const PARSERS: &[(&str, Reader)] = &[
    ("sniff", Reader::Sniffer),
    ("plain", Reader::Plain),
    ("subtitles", Reader::Subtitles),
    ("html5gum", Reader::Html),
    ("mhtml", Reader::WebArchive),
    ("quick-xml", Reader::Xml),
    ("rtf", Reader::Rtf),
    ("pdf-extract", Reader::Pdf),
    ("pdftotext", Reader::Pdf),
    ("ooxml", Reader::Ooxml),
    ("odf", Reader::OpenDocument),
    ("epub", Reader::Epub),
    ("doc", Reader::Doc),
    ("xls", Reader::Xls),
    ("ppt", Reader::Ppt),
    ("mapi", Reader::Mapi),
    ("mail-parser", Reader::Mail),
    ("mbox", Reader::Mbox),
    ("card", Reader::Card),
    ("archive", Reader::Archive),
];

/// Version of all readers together: it rises with each. Documents that no reader answered for, because the worker was
/// lost, are read again when any of them changes.
pub const EXTRACTOR_VERSION: u32 = together();

const fn together() -> u32 {
    let (mut version, mut at) = (FIRST, 0);
    while at < Reader::ALL.len() {
        version += Reader::ALL[at].version() - FIRST;
        at += 1;
    }
    version
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_are_found_by_their_codes_and_by_the_engines_of_old_records() {
        for reader in Reader::ALL {
            assert_eq!(Reader::of_code(reader.code()), Some(*reader));
            assert!(PARSERS.iter().any(|(_, known)| known == reader), "{reader}");
        }
        let by = |parser| Reader::of_parser(parser);
        assert_eq!(
            by("pdf-extract 0.12.1 + hayro-interpret 0.9.0"),
            Some(Reader::Pdf)
        );
        assert_eq!(by("sniff 1, then tesseract"), Some(Reader::Sniffer));
        assert_eq!(by("pdftotext, after tesseract"), Some(Reader::Pdf));
        assert_eq!((by("none"), by("")), (None, None));
    }

    #[test]
    fn the_version_of_all_rises_with_each() {
        let rises: u32 = Reader::ALL
            .iter()
            .map(|reader| reader.version() - FIRST)
            .sum();
        assert_eq!(EXTRACTOR_VERSION, FIRST + rises);
    }
}
