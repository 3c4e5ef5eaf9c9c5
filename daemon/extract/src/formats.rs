//! From a kind to its reader, and from the reader's result to the answer.

mod docx;
mod eml;
mod html;
mod pdf;
mod plain;
mod xml;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::input::Input;
use crate::kind::{self, Kind};
use crate::sink::TextSink;
use crate::{ExtractedText, Extraction, Outcome, Reason};

/// What a reader says when it is through: whole, or partial for a reason; or why there is no text.
type Reading = Result<Option<Reason>, Outcome>;

/// Markup nested deeper than this is not followed.
const MAX_DEPTH: usize = 1000;
/// Longest HTML, XML or mail that is read whole.
const MAX_MARKUP_BYTES: u64 = 256 << 20;

/// Reads one document into at most `output_bytes` bytes of text. Panics of parsers end here.
pub(crate) fn extract(input: &Input, name: Option<&str>, output_bytes: usize) -> Extraction {
    let mut sink = TextSink::new(output_bytes);
    let kind = guarded(|| kind::sniff(input, name).map_err(read_error));
    let kind = match kind {
        Ok(kind) => kind,
        Err(outcome) => return answer(outcome, &Kind::Binary, "sniff 1", sink),
    };
    let (engine, reading) = match &kind {
        Kind::Pdf => (pdf::ENGINE, guarded(|| pdf::read(input, &mut sink))),
        Kind::Docx => (docx::ENGINE, guarded(|| docx::read(input, &mut sink))),
        Kind::Html => (html::ENGINE, guarded(|| html::read(input, &mut sink))),
        Kind::Xml => (xml::ENGINE, guarded(|| xml::read(input, &mut sink))),
        Kind::Mail => (eml::ENGINE, guarded(|| eml::read(input, &mut sink))),
        Kind::Plain(_) => (plain::ENGINE, guarded(|| plain::read(input, &mut sink))),
        Kind::Known(_) => ("sniff 1", Err(Outcome::Unsupported(Reason::KindNotRead))),
        Kind::Encrypted(_) => ("sniff 1", Err(Outcome::Encrypted(Reason::PasswordNeeded))),
        Kind::Broken(_) => ("sniff 1", Err(Outcome::Failed(Reason::Malformed))),
        Kind::Binary => ("sniff 1", Err(Outcome::Unsupported(Reason::Binary))),
    };
    match reading {
        Ok(partial) => {
            let (outcome, sink) = text_outcome(partial, sink);
            answer(outcome, &kind, engine, sink)
        }
        Err(outcome) => answer(outcome, &kind, engine, sink),
    }
}

/// Blank text is no text; cut text is partial whatever else the reader says.
fn text_outcome(partial: Option<Reason>, mut sink: TextSink) -> (Outcome, TextSink) {
    if sink.is_blank() {
        let outcome = match partial {
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

fn answer(outcome: Outcome, kind: &Kind, engine: &str, sink: TextSink) -> Extraction {
    Extraction {
        outcome,
        media_type: kind.media_type().to_owned(),
        engine: engine.to_owned(),
        warnings: sink.into_warnings(),
    }
}

/// Runs a parser; what it leaves half done after a panic is dropped with the worker.
fn guarded<T>(parse: impl FnOnce() -> Result<T, Outcome>) -> Result<T, Outcome> {
    catch_unwind(AssertUnwindSafe(parse)).unwrap_or(Err(Outcome::Failed(Reason::ParserPanic)))
}

fn read_error(_: io::Error) -> Outcome {
    Outcome::Failed(Reason::ReadError)
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
    pub(crate) use super::docx::tests::{docx, zip_of};
    pub(crate) use super::pdf::tests::{pdf, pdf_of, stream};
}

#[cfg(test)]
mod tests;
