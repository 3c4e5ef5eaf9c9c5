//! One document read by external tools: what they print, and the text a worker makes of it.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::Path;
use std::time::Instant;

use super::run::{Output, RunLimit, run};
use super::{ExternalTools, MachineFault, PDF, PDFTOTEXT, Recogniser, TESSERACT, TRIED};
use crate::private_bytes::GrowingBytes;
use crate::spool_budget::SpoolBudget;
use crate::{Extraction, Fact, Outcome, Reason};

/// Dots per inch of a page that is recognised: what tesseract's models were made with.
const RESOLUTION: &str = "300";

/// A document, and what is needed to read it by other means.
pub(crate) struct Source<'a> {
    pub(crate) document: BorrowedFd<'a>,
    /// Where pictures of pages and printed text are kept.
    pub(crate) space: &'a SpoolBudget,
    /// Has a worker make one text of printed pages, each ended by a form feed.
    pub(crate) join: &'a dyn Fn(BorrowedFd<'_>) -> Extraction,
    /// Returns false once nobody waits for the result.
    pub(crate) keep_going: &'a dyn Fn() -> bool,
}

/// One attempt to do better than `poor`, the result of our readers.
pub(super) struct Attempt<'a> {
    tools: &'a ExternalTools,
    poor: &'a Extraction,
    source: &'a Source<'a>,
    deadline: Instant,
}

impl<'a> Attempt<'a> {
    pub(super) fn new(
        tools: &'a ExternalTools,
        poor: &'a Extraction,
        source: &'a Source<'a>,
    ) -> Self {
        Self {
            tools,
            poor,
            source,
            deadline: Instant::now() + tools.limits.time,
        }
    }

    /// The whole text, in the order of the content streams, as our own parser gives it.
    pub(super) fn pdf_text(&self) -> Result<Option<Extraction>, MachineFault> {
        let Some(program) = &self.tools.pdftotext else {
            return Ok(None);
        };
        let arguments = ["-raw", "-enc", "UTF-8", "-q", "-", "-"].map(str::to_owned);
        let Some(output) = self.run(program, &arguments, self.reopened_document()?)? else {
            return Ok(None);
        };
        let cut = output.cut.then_some(Reason::OutputLimit);
        let better = self.joined(PDFTOTEXT, &output.bytes, cut, 0)?;
        Ok(better.filter(|better| words(better) > words(self.poor)))
    }

    /// Page after page: each is converted to a picture and read.
    pub(super) fn recognised(&self) -> Result<Option<Extraction>, MachineFault> {
        let Some(recogniser) = &self.tools.recogniser else {
            return Ok(None);
        };
        let is_pdf = self.poor.media_type == PDF;
        let pages = match is_pdf {
            true => self.poor.facts.number(Fact::Pages).max(1),
            false => 1,
        };
        let page_count = pages.min(u64::from(self.tools.limits.pages));
        let (mut printed, mut read) = (Vec::new(), 0);
        for page in 1..=page_count {
            let picture = match is_pdf {
                true => self.picture(recogniser, page)?,
                false => Some(self.reopened_document()?),
            };
            let words = picture.map(|picture| self.page_text(recogniser, picture));
            let Some(words) = words.transpose()?.flatten() else {
                break;
            };
            printed.extend(words.bytes);
            printed.push(b'\x0c');
            read += 1;
        }
        let partial = (read < pages).then_some(Reason::PagesFailed);
        let better = self.joined(TESSERACT, &printed, partial, read)?;
        Ok(better.filter(|better| words(better) > 0))
    }

    /// A page of a PDF as a picture.
    fn picture(&self, recogniser: &Recogniser, page: u64) -> Result<Option<File>, MachineFault> {
        let page = page.to_string();
        let arguments = [
            "-f", &page, "-l", &page, "-r", RESOLUTION, "-gray", "-png", "-",
        ];
        let arguments = arguments.map(str::to_owned);
        let Some(program) = &recogniser.pdftoppm else {
            return Ok(None);
        };
        let picture = self.run(program, &arguments, self.reopened_document()?)?;
        let spooled = picture.map(|picture| spooled(&picture.bytes, self.source.space));
        Ok(spooled.transpose()?)
    }

    fn page_text(
        &self,
        recogniser: &Recogniser,
        picture: File,
    ) -> Result<Option<Output>, MachineFault> {
        let arguments = ["stdin", "stdout", "-l", &recogniser.languages];
        let arguments = arguments.map(str::to_owned);
        self.run(&recogniser.tesseract, &arguments, picture)
    }

    fn run(
        &self,
        program: &Path,
        arguments: &[String],
        input: File,
    ) -> Result<Option<Output>, MachineFault> {
        let ExternalTools { shim, limits, .. } = self.tools;
        let until = RunLimit {
            deadline: self.deadline,
            keep_going: self.source.keep_going,
        };
        // Between two pages.
        if until.slice()?.is_none() {
            return Ok(None);
        }
        let output = run(shim, limits, program, arguments, input.into(), until);
        Ok(output?)
    }

    /// The printed pages as the text of the document; `None` if a worker makes no text of them.
    pub(super) fn joined(
        &self,
        program: &str,
        printed: &[u8],
        partial: Option<Reason>,
        recognised: u64,
    ) -> Result<Option<Extraction>, MachineFault> {
        let pages = spooled(printed, self.source.space)?;
        let joined = (self.source.join)(pages.as_fd());
        let (text, cut) = match joined.outcome {
            Outcome::Text { text, partial } => (text, partial),
            Outcome::Failed(reason) if reason.is_machine_fault() => {
                return Err(io::Error::other(reason.meaning()).into());
            }
            _ => return Ok(None),
        };
        let mut facts = self.poor.facts.clone();
        for fact in [Fact::RunningLines, Fact::JoinedHyphens] {
            facts.count(fact, joined.facts.number(fact));
        }
        facts.count(Fact::PagesRecognised, recognised);
        let partial = cut.or(partial);
        Ok(Some(Extraction {
            outcome: Outcome::Text { text, partial },
            parser: self.parser(program),
            facts,
            ..self.poor.clone()
        }))
    }

    /// Names, for people, the program that read the document, and those that tried before it in vain. Whether a program
    /// is asked again depends not on this but on [`Fact::ProgramsTried`].
    fn parser(&self, program: &str) -> String {
        match self.poor.parser.split_once(TRIED) {
            Some((_, tried)) => format!("{program}, after {tried}"),
            None => program.to_owned(),
        }
    }

    /// The document opened again, at its start and read-only.
    fn reopened_document(&self) -> io::Result<File> {
        reopened(self.source.document)
    }
}

fn reopened(file: BorrowedFd<'_>) -> io::Result<File> {
    File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Number of words in a text with at least two letters or digits.
fn words(extraction: &Extraction) -> usize {
    let Outcome::Text { text, .. } = &extraction.outcome else {
        return 0;
    };
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphanumeric()).count() > 1;
    text.split_whitespace().filter(is_word).count()
}

/// Bytes as the input of the next program.
pub(super) fn spooled(bytes: &[u8], space: &SpoolBudget) -> io::Result<File> {
    let mut kept = GrowingBytes::new(space, bytes.len() as u64)?;
    kept.write_all(bytes)?;
    // The budget counts what documents leave behind; this is dropped with its page.
    reopened(kept.finish()?.into_file(space)?.as_fd())
}
