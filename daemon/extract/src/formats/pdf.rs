//! PDF, page by page in the order of the content streams: a page that cannot be read costs itself.
//!
//! What readers forgive is mended first ([`repair`]).
//!
//! Not read: form fields, annotations, attachments, pictures.

mod repair;

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::encryption::DecryptionError;
use pdf_extract::{
    ConvertToFmt, Document, MediaBox, OutputDev, OutputError, PlainTextOutput, Transform,
};

use super::{Reading, read_error};
use crate::input::Input;
use crate::sink::Sink;
use crate::{Outcome, Reason};

pub(super) const ENGINE: &str = "pdf-extract 0.12.1";

/// Longest PDF that is read: it lies in memory whole, beside what is unpacked from it.
const MAX_BYTES: u64 = 512 << 20;
/// Bound on pages read singly times pages in all: the library walks the page tree for each.
const MAX_SINGLE_STEPS: usize = 2_000_000;

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    if input.len() > MAX_BYTES {
        return Err(Outcome::TooLarge(Reason::InputLimit));
    }
    let document = load(&input.prefix(MAX_BYTES).map_err(read_error)?, sink)?;
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    if pages.is_empty() {
        return Err(Outcome::Failed(Reason::Malformed));
    }
    let failed = write_pages(&document, &pages, sink);
    if failed > 0 {
        sink.warn(&format!(
            "{failed} of {} pages could not be read",
            pages.len()
        ));
    } else if sink.is_blank() {
        return Err(Outcome::NoText(Reason::NeedsOcr));
    }
    if sink.is_garbled() {
        sink.warn("many characters have no meaning: fonts without a character table");
    }
    Ok((failed > 0).then_some(Reason::PagesFailed))
}

/// Parses the file, and unlocks it where the empty password does.
fn load(bytes: &[u8], sink: &mut Sink) -> Result<Document, Outcome> {
    let mut document = match Document::load_mem(bytes).map_err(outcome_of) {
        Err(Outcome::Failed(_)) => load_rebuilt(bytes, sink)?,
        loaded => loaded?,
    };
    if document.is_encrypted() {
        document.decrypt("").map_err(outcome_of)?;
    }
    repair::mend_widths(&mut document);
    Ok(document)
}

/// A second try, for files whose table of objects is missing or wrong.
fn load_rebuilt(bytes: &[u8], sink: &mut Sink) -> Result<Document, Outcome> {
    let rebuilt = repair::rebuild(bytes).ok_or(Outcome::Failed(Reason::Malformed))?;
    let document = Document::load_mem(&rebuilt).map_err(outcome_of)?;
    sink.warn("the table of objects was missing or wrong and was rebuilt");
    Ok(document)
}

fn outcome_of(error: pdf_extract::Error) -> Outcome {
    use pdf_extract::Error;
    match error {
        Error::InvalidPassword
        | Error::Decryption(
            DecryptionError::IncorrectPassword
            | DecryptionError::UnsupportedEncryption
            | DecryptionError::UnsupportedVersion
            | DecryptionError::UnsupportedRevision,
        ) => Outcome::Encrypted(Reason::PasswordNeeded),
        _ => Outcome::Failed(Reason::Malformed),
    }
}

/// Writes all pages and tells how many could not be read.
fn write_pages(document: &Document, pages: &[u32], sink: &mut Sink) -> usize {
    let sink = RefCell::new(sink);
    let mut output = Pages {
        sink: &sink,
        page: None,
        begun: 0,
        ended: 0,
    };
    // The whole document in one pass; where that breaks off, the pages after it one by one.
    if survives(|| pdf_extract::output_doc(document, &mut output)) || sink.borrow().is_full() {
        return 0;
    }
    // A page that has begun is not tried again: what it has given would stand there twice.
    let (begun, ended) = (output.begun, output.ended);
    let after = pages.iter().filter(|&&page| page > begun);
    let readable = MAX_SINGLE_STEPS / pages.len();
    let mut failed = usize::from(begun > ended);
    for (count, &page) in after.enumerate() {
        let single = || pdf_extract::output_doc_page(document, &mut output, page);
        let read = count < readable && survives(single);
        if sink.borrow().is_full() {
            break;
        }
        failed += usize::from(!read);
    }
    failed
}

fn survives(read: impl FnOnce() -> Result<(), OutputError>) -> bool {
    matches!(catch_unwind(AssertUnwindSafe(read)), Ok(Ok(())))
}

/// Plain text of one page after the other, each beginning a line.
struct Pages<'a, 's> {
    sink: &'a RefCell<&'s mut Sink>,
    page: Option<PlainTextOutput<SinkWriter<'a, 's>>>,
    /// The last page that was begun, and the last that was read to its end; 0 before the first.
    begun: u32,
    ended: u32,
}

impl Pages<'_, '_> {
    fn page(&mut self) -> Result<&mut dyn OutputDev, OutputError> {
        match &mut self.page {
            Some(page) => Ok(page),
            None => Err(OutputError::FormatError(fmt::Error)),
        }
    }
}

impl OutputDev for Pages<'_, '_> {
    fn begin_page(
        &mut self,
        number: u32,
        media_box: &MediaBox,
        art_box: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        self.begun = number;
        self.sink.borrow_mut().newline();
        self.page = Some(PlainTextOutput::new(SinkWriter(self.sink)));
        self.page()?.begin_page(number, media_box, art_box)
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        self.ended = self.begun;
        self.page()?.end_page()
    }

    fn output_character(
        &mut self,
        transform: &Transform,
        width: f64,
        spacing: f64,
        font_size: f64,
        character: &str,
    ) -> Result<(), OutputError> {
        self.page()?
            .output_character(transform, width, spacing, font_size, character)
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        self.page()?.begin_word()
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        self.page()?.end_word()
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        self.page()?.end_line()
    }
}

/// Stops the library once the sink is full.
struct SinkWriter<'a, 's>(&'a RefCell<&'s mut Sink>);

impl fmt::Write for SinkWriter<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut sink = self.0.borrow_mut();
        sink.push(text);
        if sink.is_full() {
            Err(fmt::Error)
        } else {
            Ok(())
        }
    }
}

impl ConvertToFmt for SinkWriter<'_, '_> {
    type Writer = Self;

    fn convert(self) -> Self {
        self
    }
}

#[cfg(test)]
pub(super) mod tests;
