//! The reader of each format, and which readers are built in.

use simdex_extract::Reader;

#[cfg(feature = "archives")]
use super::archive;
#[cfg(feature = "pdf")]
use super::pdf;
#[cfg(feature = "rtf")]
use super::rtf;
use super::{Reading, plain, subtitles};
#[cfg(feature = "mail")]
use super::{card, eml, mapi, mbox, mhtml};
#[cfg(feature = "web")]
use super::{epub, html, xml};
#[cfg(feature = "office")]
use super::{odf, office97, ooxml};
use crate::input::Input;
use crate::kind::Format;
use crate::sink::Sink;

/// Reads a document of one format.
type Read = fn(&Input, &mut Sink) -> Reading;

/// The readers that are built in.
pub(crate) fn built_in() -> Vec<Reader> {
    let formats = Format::ALL.iter().copied();
    let built_in = formats.filter(|format| parser_of(*format).is_some());
    let mut readers: Vec<Reader> = built_in.map(reader_of).collect();
    readers.push(Reader::Sniffer);
    readers.sort_unstable();
    readers.dedup();
    readers
}

/// The reader of a format, whether it is built in or not.
pub(super) const fn reader_of(format: Format) -> Reader {
    match format {
        Format::Plain => Reader::Plain,
        Format::Subtitles => Reader::Subtitles,
        Format::Html => Reader::Html,
        Format::WebArchive => Reader::WebArchive,
        Format::Xml => Reader::Xml,
        Format::Rtf => Reader::Rtf,
        Format::Pdf => Reader::Pdf,
        Format::Word | Format::Slides | Format::Sheets | Format::BinarySheets => Reader::Ooxml,
        Format::OpenDocument => Reader::OpenDocument,
        Format::Epub => Reader::Epub,
        Format::Doc => Reader::Doc,
        Format::Xls => Reader::Xls,
        Format::Ppt => Reader::Ppt,
        Format::Msg | Format::Pst | Format::Tnef => Reader::Mapi,
        Format::Mail => Reader::Mail,
        Format::Mbox => Reader::Mbox,
        Format::Card => Reader::Card,
        Format::Zip | Format::Tar | Format::Packed | Format::SevenZip => Reader::Archive,
    }
}

/// The reader function of a format, with its name for people; `None` if its family is not built in.
#[expect(clippy::too_many_lines, reason = "a table: one line for each format")]
pub(super) const fn parser_of(format: Format) -> Option<(&'static str, Read)> {
    Some(match format {
        Format::Plain => (plain::PARSER, plain::read),
        Format::Subtitles => (subtitles::PARSER, subtitles::read),
        #[cfg(feature = "web")]
        Format::Html => (html::PARSER, html::read),
        #[cfg(feature = "web")]
        Format::Xml => (xml::PARSER, xml::read),
        #[cfg(feature = "web")]
        Format::Epub => (epub::PARSER, epub::read),
        #[cfg(feature = "rtf")]
        Format::Rtf => (rtf::PARSER, rtf::read),
        #[cfg(feature = "pdf")]
        Format::Pdf => (pdf::PARSER, pdf::read),
        #[cfg(feature = "office")]
        Format::Word => (ooxml::PARSER, ooxml::word::read),
        #[cfg(feature = "office")]
        Format::Slides => (ooxml::PARSER, ooxml::slides::read),
        #[cfg(feature = "office")]
        Format::Sheets => (ooxml::PARSER, ooxml::sheets::read),
        #[cfg(feature = "office")]
        Format::BinarySheets => (ooxml::PARSER, ooxml::binary_sheets::read),
        #[cfg(feature = "office")]
        Format::OpenDocument => (odf::PARSER, odf::read),
        #[cfg(feature = "office")]
        Format::Doc => (office97::DOC_ENGINE, office97::doc::read),
        #[cfg(feature = "office")]
        Format::Xls => (office97::XLS_ENGINE, office97::xls::read),
        #[cfg(feature = "office")]
        Format::Ppt => (office97::PPT_ENGINE, office97::ppt::read),
        #[cfg(feature = "mail")]
        Format::Msg => (mapi::PARSER, mapi::msg::read),
        #[cfg(feature = "mail")]
        Format::Tnef => (mapi::PARSER, mapi::tnef::read),
        #[cfg(feature = "mail")]
        Format::Pst => (mapi::PARSER, mapi::pst::read),
        #[cfg(feature = "mail")]
        Format::Mail => (eml::PARSER, eml::read),
        #[cfg(feature = "mail")]
        Format::WebArchive => (mhtml::PARSER, mhtml::read),
        #[cfg(feature = "mail")]
        Format::Mbox => (mbox::PARSER, mbox::read),
        #[cfg(feature = "mail")]
        Format::Card => (card::PARSER, card::read),
        #[cfg(feature = "archives")]
        Format::Zip => (archive::PARSER, archive::zip::read),
        #[cfg(feature = "archives")]
        Format::Tar => (archive::PARSER, archive::tar::read),
        #[cfg(feature = "archives")]
        Format::Packed => (archive::PARSER, archive::packed::read),
        #[cfg(feature = "archives")]
        Format::SevenZip => (archive::PARSER, archive::seven_zip::read),
        #[cfg(not(feature = "all"))]
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "all")]
    fn every_reader_is_built_in_with_all_families() {
        assert_eq!(built_in(), Reader::ALL);
    }

    #[test]
    #[cfg(not(feature = "pdf"))]
    fn a_format_that_is_not_built_in_is_unsupported_and_names_its_reader() {
        use super::super::sniff_and_read;
        use crate::input::input_of;
        use simdex_extract::{Outcome, Reason};

        let read = |bytes: &[u8]| sniff_and_read(&input_of(bytes), None, Sink::of(1 << 20));
        let pdf = read(b"%PDF-1.4\nand words that look like text");
        let reason = Reason::ReaderNotBuiltIn;
        assert_eq!(pdf.outcome, Outcome::Unsupported(reason));
        assert_eq!(pdf.reader, Some(Reader::Pdf));
        assert!(!built_in().contains(&Reader::Pdf) && built_in().contains(&Reader::Plain));
        assert!(matches!(read(b"some words").outcome, Outcome::Text { .. }));
    }
}
