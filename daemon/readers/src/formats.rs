//! From a kind to its reader, and from the reader's result to the answer.

mod archive;
mod aside;
mod card;
mod eml;
mod epub;
mod html;
mod list_label;
mod mapi;
mod mbox;
mod mhtml;
mod odf;
mod office97;
mod ooxml;
mod package;
mod paging;
mod pdf;
mod plain;
mod quote;
mod rtf;
mod subtitles;
mod xml;

use std::panic::{AssertUnwindSafe, catch_unwind};

use simdex_extract::{ExtractedText, Extraction, Outcome, Reader, Reason};

use crate::input::{Input, read_error};
use crate::kind::{self, Format, Kind};
use crate::sink::Sink;

/// What a reader says when it is through: whole, or partial for a reason; or why there is no text.
type Reading = Result<Option<Reason>, Outcome>;

/// Markup nested deeper than this is not followed.
const MAX_DEPTH: usize = 1000;
/// Longest HTML, XML or mail that is read whole.
const MAX_MARKUP_BYTES: u64 = 256 << 20;

/// Who reads a format.
struct Engine {
    reader: Reader,
    name: &'static str,
}

/// Reads a document of one format.
type Read = fn(&Input, &mut Sink) -> Reading;

/// Who reads what.
fn reader(format: Format) -> (Engine, Read) {
    let (reader, name, read): (_, _, Read) = match format {
        Format::Plain => (Reader::Plain, plain::ENGINE, plain::read),
        Format::Html => (Reader::Html, html::ENGINE, html::read),
        Format::Xml => (Reader::Xml, xml::ENGINE, xml::read),
        Format::Rtf => (Reader::Rtf, rtf::ENGINE, rtf::read),
        Format::Pdf => (Reader::Pdf, pdf::ENGINE, pdf::read),
        Format::Word => (Reader::Ooxml, ooxml::ENGINE, ooxml::word::read),
        Format::Slides => (Reader::Ooxml, ooxml::ENGINE, ooxml::slides::read),
        Format::Sheets => (Reader::Ooxml, ooxml::ENGINE, ooxml::sheets::read),
        Format::BinarySheets => (Reader::Ooxml, ooxml::ENGINE, ooxml::binary_sheets::read),
        Format::OpenDocument => (Reader::OpenDocument, odf::ENGINE, odf::read),
        Format::Epub => (Reader::Epub, epub::ENGINE, epub::read),
        Format::Doc => (Reader::Doc, office97::DOC_ENGINE, office97::doc::read),
        Format::Xls => (Reader::Xls, office97::XLS_ENGINE, office97::xls::read),
        Format::Ppt => (Reader::Ppt, office97::PPT_ENGINE, office97::ppt::read),
        Format::Msg => (Reader::Mapi, mapi::ENGINE, mapi::msg::read),
        Format::Tnef => (Reader::Mapi, mapi::ENGINE, mapi::tnef::read),
        Format::Pst => (Reader::Mapi, mapi::ENGINE, mapi::pst::read),
        Format::Mail => (Reader::Mail, eml::ENGINE, eml::read),
        Format::WebArchive => (Reader::WebArchive, mhtml::ENGINE, mhtml::read),
        Format::Subtitles => (Reader::Subtitles, subtitles::ENGINE, subtitles::read),
        Format::Mbox => (Reader::Mbox, mbox::ENGINE, mbox::read),
        Format::Card => (Reader::Card, card::ENGINE, card::read),
        Format::Zip => (Reader::Archive, archive::ENGINE, archive::zip::read),
        Format::Tar => (Reader::Archive, archive::ENGINE, archive::tar::read),
        Format::Packed => (Reader::Archive, archive::ENGINE, archive::packed::read),
        Format::SevenZip => (Reader::Archive, archive::ENGINE, archive::seven_zip::read),
    };
    (Engine { reader, name }, read)
}

/// Who tells kinds apart.
const SNIFFER: Engine = Engine {
    reader: Reader::Sniffer,
    name: "sniff 1",
};

/// Tells the kind of a document and reads it into `sink`. Panics of parsers end here.
pub(crate) fn sniff_and_read(input: &Input, name: Option<&str>, mut sink: Sink) -> Extraction {
    let kind = guarded(|| kind::sniff(input, name).map_err(read_error));
    let kind = match kind {
        Ok(kind) => kind,
        Err(outcome) => return answer(outcome, &Kind::Binary, SNIFFER, sink),
    };
    if let Some(remark) = kind::polyglot::remark(input, &kind) {
        sink.warn(remark);
    }
    let (engine, reading) = match &kind {
        Kind::Read(format, _) => {
            let (mut engine, read) = reader(*format);
            let reading = guarded(|| read(input, &mut sink));
            engine.name = sink.engine().unwrap_or(engine.name);
            (engine, reading)
        }
        Kind::Known(_) => (SNIFFER, Err(Outcome::Unsupported(Reason::KindNotRead))),
        Kind::Encrypted(_) => (SNIFFER, Err(Outcome::Encrypted(Reason::PasswordNeeded))),
        Kind::Broken(_) => (SNIFFER, Err(Outcome::Failed(Reason::Malformed))),
        Kind::Binary => (SNIFFER, Err(Outcome::Unsupported(Reason::Binary))),
    };
    match reading {
        Ok(partial) => {
            let (outcome, sink) = text_outcome(partial, sink);
            answer(outcome, &kind, engine, sink)
        }
        Err(outcome) => answer(outcome, &kind, engine, sink),
    }
}

/// Makes one text of pages in UTF-8, each ended by a form feed: what an outside program printed.
pub(crate) fn join_pages(input: &Input, mut sink: Sink) -> Extraction {
    let kind = Kind::read(Format::Plain, "text/plain");
    let (engine, _) = reader(Format::Plain);
    match guarded(|| plain::read_pages(input, &mut sink)) {
        Ok(partial) => {
            let (outcome, sink) = text_outcome(partial, sink);
            answer(outcome, &kind, engine, sink)
        }
        Err(outcome) => answer(outcome, &kind, engine, sink),
    }
}

/// Blank text is no text, unless other files hold it; cut text is partial whatever else the reader says.
fn text_outcome(partial: Option<Reason>, mut sink: Sink) -> (Outcome, Sink) {
    if sink.is_blank() {
        let outcome = match partial {
            partial if sink.leads_on() => Outcome::Container(partial),
            Some(Reason::Damaged | Reason::PagesFailed) => Outcome::Failed(Reason::Malformed),
            Some(reason) => Outcome::TooLarge(reason),
            None => Outcome::NoText(Reason::NoWords),
        };
        return (outcome, sink);
    }
    let partial = if sink.is_full() {
        Some(Reason::OutputLimit)
    } else {
        partial
    };
    let text = ExtractedText::new(sink.take_text());
    (Outcome::Text { text, partial }, sink)
}

fn answer(outcome: Outcome, kind: &Kind, engine: Engine, sink: Sink) -> Extraction {
    let (warnings, facts) = sink.into_remarks();
    Extraction {
        outcome,
        media_type: kind.media_type().to_owned(),
        reader: Some(engine.reader),
        engine: engine.name.to_owned(),
        warnings,
        facts,
        members: Vec::new(),
    }
}

/// Runs a parser; what it leaves half done after a panic is dropped with the worker.
fn guarded<T>(parse: impl FnOnce() -> Result<T, Outcome>) -> Result<T, Outcome> {
    catch_unwind(AssertUnwindSafe(parse)).unwrap_or(Err(Outcome::Failed(Reason::ParserPanic)))
}

/// The beginning of a document that is read in one piece, and whether that is not all of it.
fn markup(input: &Input) -> Result<(Vec<u8>, Option<Reason>), Outcome> {
    let bytes = input.prefix(MAX_MARKUP_BYTES).map_err(read_error)?;
    Ok((
        bytes,
        (input.len() > MAX_MARKUP_BYTES).then_some(Reason::InputLimit),
    ))
}

/// Documents made by the formats' tests, for other tests.
#[cfg(test)]
pub(crate) mod samples {
    pub(crate) use super::ooxml::word::tests::docx;
    pub(crate) use super::package::tests::zip_of;
    pub(crate) use super::pdf::tests::{pdf, pdf_of, stream};
    pub(crate) use crate::compound::tests::compound_of;
}

#[cfg(test)]
mod tests;
