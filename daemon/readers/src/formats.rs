//! Maps kinds to readers, and a reader's result to the answer.

#[cfg(feature = "archives")]
mod archive;
#[cfg(feature = "rtf")]
mod aside;
#[cfg(feature = "mail")]
mod card;
#[cfg(any(feature = "office", feature = "pdf", feature = "rtf", feature = "web"))]
mod check_box;
#[cfg(feature = "web")]
mod direction;
#[cfg(feature = "mail")]
mod eml;
#[cfg(feature = "web")]
mod epub;
#[cfg(any(feature = "office", feature = "rtf"))]
mod equation;
#[cfg(any(feature = "office", feature = "rtf"))]
mod field;
#[cfg(feature = "web")]
mod formula;
#[cfg(feature = "web")]
mod html;
#[cfg(feature = "web")]
mod instant;
#[cfg(any(feature = "pdf", feature = "web"))]
mod lenient_xml;
#[cfg(feature = "web")]
mod list_label;
#[cfg(feature = "mail")]
mod mapi;
#[cfg(feature = "mail")]
mod mbox;
#[cfg(feature = "mail")]
mod mhtml;
#[cfg(feature = "office")]
mod odf;
#[cfg(feature = "office")]
mod office97;
#[cfg(feature = "office")]
mod ooxml;
#[cfg(feature = "web")]
mod package;
mod paging;
#[cfg(feature = "pdf")]
mod pdf;
mod plain;
#[cfg(feature = "mail")]
mod quote;
#[cfg(feature = "web")]
mod root_element;
#[cfg(feature = "rtf")]
mod rtf;
#[cfg(any(feature = "pdf", feature = "web"))]
mod script;
mod subtitles;
#[cfg(any(feature = "pdf", feature = "web"))]
mod symbol_font;
mod table;
#[cfg(feature = "web")]
mod text_style;
#[cfg(feature = "web")]
mod xml;

use std::panic::{AssertUnwindSafe, catch_unwind};

use simdex_extract::{ExtractedText, Extraction, Outcome, Reader, Reason};

use crate::input::{Input, read_error};
use crate::kind::{self, Format, Kind};
use crate::sink::Sink;

pub(crate) use table::built_in;
use table::{parser_of, reader_of};

/// The result of a reader: complete, or partial for a reason; or why there is no text.
type Reading = Result<Option<Reason>, Outcome>;

/// Longest HTML, XML or mail that is read completely.
const MAX_MARKUP_BYTES: u64 = 256 << 20;

/// A reader, and the name of the parser in it.
struct NamedReader {
    reader: Reader,
    name: &'static str,
}

/// The reader that tells kinds apart.
const SNIFFER: NamedReader = NamedReader {
    reader: Reader::Sniffer,
    name: "sniff 1",
};

/// Detects the kind of a document and reads it into `sink`. Catches panics of parsers.
pub(crate) fn sniff_and_read(input: &Input, name: Option<&str>, mut sink: Sink) -> Extraction {
    let kind = catch_panic(|| kind::sniff(input, name).map_err(read_error));
    let kind = match kind {
        Ok(kind) => kind,
        Err(outcome) => return answer(outcome, &Kind::Binary, SNIFFER, sink),
    };
    if let Some(remark) = kind::polyglot::remark(input, &kind) {
        sink.warn(remark);
    }
    let (parser, reading) = match &kind {
        Kind::Read(format, _) => {
            let reader = reader_of(*format);
            match parser_of(*format) {
                Some((name, read)) => {
                    let reading = catch_panic(|| read(input, &mut sink));
                    let name = sink.parser().unwrap_or(name);
                    (NamedReader { reader, name }, reading)
                }
                None => (
                    NamedReader { reader, ..SNIFFER },
                    Err(Outcome::Unsupported(Reason::ReaderNotBuiltIn)),
                ),
            }
        }
        Kind::Known(_) => (SNIFFER, Err(Outcome::Unsupported(Reason::KindNotRead))),
        Kind::Encrypted(_) => (SNIFFER, Err(Outcome::Encrypted(Reason::PasswordNeeded))),
        Kind::Broken(_) => (SNIFFER, Err(Outcome::Failed(Reason::Malformed))),
        Kind::Binary => (SNIFFER, Err(Outcome::Unsupported(Reason::Binary))),
    };
    match reading {
        Ok(partial) => {
            let (outcome, sink) = text_outcome(partial, sink);
            answer(outcome, &kind, parser, sink)
        }
        Err(outcome) => answer(outcome, &kind, parser, sink),
    }
}

/// Makes one text of pages in UTF-8, each ended by a form feed: what an external tool printed.
pub(crate) fn join_pages(input: &Input, mut sink: Sink) -> Extraction {
    let kind = Kind::read(Format::Plain, "text/plain");
    let parser = NamedReader {
        reader: Reader::Plain,
        name: plain::PARSER,
    };
    match catch_panic(|| plain::read_pages(input, &mut sink)) {
        Ok(partial) => {
            let (outcome, sink) = text_outcome(partial, sink);
            answer(outcome, &kind, parser, sink)
        }
        Err(outcome) => answer(outcome, &kind, parser, sink),
    }
}

/// Blank text is no text, unless other files hold it; cut text is partial whatever the reader says.
fn text_outcome(partial: Option<Reason>, mut sink: Sink) -> (Outcome, Sink) {
    if sink.is_blank() {
        let outcome = match partial {
            partial if sink.has_text_elsewhere() => Outcome::Container(partial),
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

fn answer(outcome: Outcome, kind: &Kind, parser: NamedReader, sink: Sink) -> Extraction {
    let (warnings, facts) = sink.into_remarks();
    Extraction {
        outcome,
        media_type: kind.media_type().to_owned(),
        reader: Some(parser.reader),
        parser: parser.name.to_owned(),
        warnings,
        facts,
        members: Vec::new(),
    }
}

/// Runs a parser; after a panic its half-done work is dropped with the worker.
fn catch_panic<T>(parse: impl FnOnce() -> Result<T, Outcome>) -> Result<T, Outcome> {
    catch_unwind(AssertUnwindSafe(parse)).unwrap_or(Err(Outcome::Failed(Reason::ParserPanic)))
}

/// The beginning of a document that is read in one piece, and why it is incomplete.
fn markup(input: &Input) -> Result<(Vec<u8>, Option<Reason>), Outcome> {
    let bytes = input.prefix(MAX_MARKUP_BYTES).map_err(read_error)?;
    Ok((
        bytes,
        (input.len() > MAX_MARKUP_BYTES).then_some(Reason::InputLimit),
    ))
}

/// Documents made by the formats' tests, for other tests.
#[cfg(test)]
#[cfg(feature = "all")]
pub(crate) mod samples {
    pub(crate) use super::ooxml::word::tests::docx;
    pub(crate) use super::package::tests::zip_of;
    pub(crate) use super::pdf::tests::{pdf, pdf_of, stream};
    pub(crate) use crate::compound::tests::compound_of;
}

#[cfg(test)]
#[cfg(feature = "all")]
mod tests;
