//! Programs of the machine that read what our own readers cannot, where the config asks for them:
//! `pdftotext` for PDFs whose text is lost or poor, `tesseract` for pages that are pictures.
//!
//! They are never linked and never needed. Each runs as a process of its own, confined by
//! [`outside_main`] before it starts: it may read the system's folders and its input, and write to
//! its output. What it says is bounded and as little trusted as a worker's word.

mod confine;
mod run;

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub use confine::outside_main;

use self::run::{Output, run};
use crate::formats::paged_text;
use crate::kept::{Claim, Growing};
use crate::process::WorkerCommand;
use crate::space::SpoolSpace;
use crate::{ExtractedText, Extraction, Fact, Outcome, Reason};

/// Where programs are looked for.
const FOLDERS: &[&str] = &["/usr/bin", "/usr/local/bin", "/bin"];
/// Dots an inch of a page that is recognised: what tesseract's models were made with.
const RESOLUTION: &str = "300";

/// What outside programs may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideLimits {
    /// Virtual memory of one run, in bytes.
    pub address_space: u64,
    /// Processor and wall clock time of one run.
    pub time: Duration,
    /// Bytes one run may print.
    pub output_bytes: u64,
    /// Pages of one document that are recognised.
    pub pages: u32,
}

/// The programs that may be used.
#[derive(Debug, Clone)]
pub struct Outside {
    /// Starts [`outside_main`].
    shim: WorkerCommand,
    limits: OutsideLimits,
    pdftotext: Option<PathBuf>,
    recogniser: Option<Recogniser>,
}

/// The machine did not let a program run: that says nothing about the document.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct MachineFault(#[from] io::Error);

impl MachineFault {
    fn log(&self, program: &str) {
        tracing::warn!(error = %self, program, "a program could not be run; it is asked again later");
    }
}

/// What turns pictures into text.
#[derive(Debug, Clone)]
struct Recogniser {
    tesseract: PathBuf,
    /// Turns pages of a PDF into pictures; without it only pictures are read.
    pdftoppm: Option<PathBuf>,
    languages: String,
}

impl Outside {
    /// No programs; `shim` starts [`outside_main`].
    #[must_use]
    pub fn none(shim: WorkerCommand, limits: OutsideLimits) -> Self {
        Self {
            shim,
            limits,
            pdftotext: None,
            recogniser: None,
        }
    }

    /// Uses `pdftotext`, if it is installed; false if not.
    pub fn use_pdftotext(&mut self) -> bool {
        self.pdftotext = installed(PDFTOTEXT);
        self.pdftotext.is_some()
    }

    /// Uses `tesseract` for these languages (`eng+deu`), if it is installed; false if not.
    pub fn use_tesseract(&mut self, languages: &str) -> bool {
        self.recogniser = installed(TESSERACT).map(|tesseract| Recogniser {
            tesseract,
            pdftoppm: installed("pdftoppm"),
            languages: languages.to_owned(),
        });
        self.recogniser.is_some()
    }

    /// Whether a program here might do better with a content that ended so (`reason` is a code) and
    /// has not tried yet (`engine` names who has).
    #[must_use]
    pub fn could_improve(&self, media_type: &str, reason: &str, engine: &str) -> bool {
        let reason = Reason::ALL.iter().find(|known| known.code() == reason);
        let untried = |program: &str| !engine.contains(program);
        let wants_text = untried(PDFTOTEXT) && self.wants_pdftotext(media_type, reason.copied());
        let wants_pages = untried(TESSERACT) && self.wants_recognition(media_type, reason.copied());
        wants_text || wants_pages
    }

    /// What a program here makes of a document that our readers did not read, or read poorly. Where
    /// none does better the extraction stays, and its engine says who tried.
    ///
    /// A program that the machine did not let run has not tried.
    pub(crate) fn improve(
        &self,
        own: Extraction,
        document: BorrowedFd<'_>,
        space: &SpoolSpace,
    ) -> Extraction {
        let mut own = own;
        let reason = own.outcome.reason();
        if self.wants_pdftotext(&own.media_type, reason) {
            match self.pdf_text(&own, document) {
                Ok(Some(better)) => return better,
                Ok(None) => own.engine = format!("{}{TRIED}{PDFTOTEXT}", own.engine),
                Err(fault) => fault.log(PDFTOTEXT),
            }
        }
        if self.wants_recognition(&own.media_type, reason) {
            match self.recognised(&own, document, space) {
                Ok(Some(better)) => return better,
                Ok(None) => own.engine = format!("{}{TRIED}{TESSERACT}", own.engine),
                Err(fault) => fault.log(TESSERACT),
            }
        }
        own
    }

    fn wants_pdftotext(&self, media_type: &str, reason: Option<Reason>) -> bool {
        let is_poor = reason.is_some_and(|reason| POOR.contains(&reason));
        self.pdftotext.is_some() && media_type == PDF && is_poor
    }

    fn wants_recognition(&self, media_type: &str, reason: Option<Reason>) -> bool {
        let Some(recogniser) = &self.recogniser else {
            return false;
        };
        match reason {
            Some(Reason::NeedsOcr) => media_type == PDF && recogniser.pdftoppm.is_some(),
            Some(Reason::KindNotRead) => PICTURES.contains(&media_type),
            _ => false,
        }
    }

    /// All of it, in the order of the content streams, as our own engine gives it.
    fn pdf_text(
        &self,
        poor: &Extraction,
        document: BorrowedFd<'_>,
    ) -> Result<Option<Extraction>, MachineFault> {
        let Some(program) = &self.pdftotext else {
            return Ok(None);
        };
        let arguments = ["-raw", "-enc", "UTF-8", "-q", "-", "-"].map(str::to_owned);
        let deadline = Instant::now() + self.limits.time;
        let Some(output) = self.run(program, &arguments, from_start(document)?, deadline)? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&output.bytes);
        let old = match &poor.outcome {
            Outcome::Text { text, .. } => words(text),
            _ => 0,
        };
        let cut = output.cut.then_some(Reason::OutputLimit);
        let better = words(&text) > old;
        Ok(better.then(|| self.read_by(poor, PDFTOTEXT, &text, cut, 0)))
    }

    /// Page after page: a picture is made of each and read.
    fn recognised(
        &self,
        poor: &Extraction,
        document: BorrowedFd<'_>,
        space: &SpoolSpace,
    ) -> Result<Option<Extraction>, MachineFault> {
        let Some(recogniser) = &self.recogniser else {
            return Ok(None);
        };
        let deadline = Instant::now() + self.limits.time;
        let is_pdf = poor.media_type == PDF;
        let pages = match is_pdf {
            true => poor.facts.number(Fact::Pages).max(1),
            false => 1,
        };
        let wanted = pages.min(u64::from(self.limits.pages));
        let (mut text, mut read) = (String::new(), 0);
        for page in 1..=wanted {
            let words = match is_pdf {
                true => match self.picture(recogniser, document, page, deadline)? {
                    Some(picture) => {
                        let picture = spooled(&picture.bytes, space)?;
                        self.page_text(recogniser, picture, deadline)?
                    }
                    None => None,
                },
                false => self.page_text(recogniser, from_start(document)?, deadline)?,
            };
            let Some(words) = words else {
                break;
            };
            text.push_str(&words);
            text.push('\u{c}');
            read += 1;
        }
        let partial = (read < pages).then_some(Reason::PagesFailed);
        let found = words(&text) > 0;
        Ok(found.then(|| self.read_by(poor, TESSERACT, &text, partial, read)))
    }

    fn picture(
        &self,
        recogniser: &Recogniser,
        document: BorrowedFd<'_>,
        page: u64,
        deadline: Instant,
    ) -> Result<Option<Output>, MachineFault> {
        let page = page.to_string();
        let arguments = [
            "-f", &page, "-l", &page, "-r", RESOLUTION, "-gray", "-png", "-",
        ];
        let arguments = arguments.map(str::to_owned);
        let Some(program) = &recogniser.pdftoppm else {
            return Ok(None);
        };
        self.run(program, &arguments, from_start(document)?, deadline)
    }

    fn page_text(
        &self,
        recogniser: &Recogniser,
        picture: File,
        deadline: Instant,
    ) -> Result<Option<String>, MachineFault> {
        let arguments = ["stdin", "stdout", "-l", &recogniser.languages];
        let arguments = arguments.map(str::to_owned);
        let output = self.run(&recogniser.tesseract, &arguments, picture, deadline)?;
        Ok(output.map(|output| String::from_utf8_lossy(&output.bytes).into_owned()))
    }

    fn run(
        &self,
        program: &std::path::Path,
        arguments: &[String],
        input: File,
        deadline: Instant,
    ) -> Result<Option<Output>, MachineFault> {
        let (shim, limits) = (&self.shim, &self.limits);
        Ok(run(
            shim,
            limits,
            program,
            arguments,
            input.into(),
            deadline,
        )?)
    }

    fn read_by(
        &self,
        poor: &Extraction,
        engine: &str,
        text: &str,
        partial: Option<Reason>,
        recognised: u64,
    ) -> Extraction {
        let mut facts = poor.facts.clone();
        // Who tried in vain stays named, or it would be asked again at every look.
        let engine = match poor.engine.split_once(TRIED) {
            Some((_, tried)) => format!("{engine}, after {tried}"),
            None => engine.to_owned(),
        };
        let limit = usize::try_from(self.limits.output_bytes).unwrap_or(usize::MAX);
        let text = paged_text(text, limit, &mut facts);
        facts.count(Fact::PagesRecognised, recognised);
        Extraction {
            outcome: Outcome::Text {
                text: ExtractedText::new(text),
                partial,
            },
            engine,
            facts,
            ..poor.clone()
        }
    }
}

const PDFTOTEXT: &str = "pdftotext";
const TESSERACT: &str = "tesseract";
/// Between the engine that read a document and a program that did no better.
const TRIED: &str = ", then ";
const PDF: &str = "application/pdf";
/// Ends of a PDF that another engine may better.
const POOR: &[Reason] = &[
    Reason::LowQuality,
    Reason::PagesFailed,
    Reason::NeedsOcr,
    Reason::NoWords,
    Reason::Malformed,
    Reason::ParserPanic,
    Reason::MemoryLimit,
    Reason::CpuLimit,
    Reason::WallLimit,
    Reason::StackOverflow,
    Reason::Signal,
];
/// Pictures that tesseract reads.
const PICTURES: &[&str] = &["image/png", "image/jpeg", "image/tiff", "image/webp"];

fn installed(program: &str) -> Option<PathBuf> {
    let paths = FOLDERS
        .iter()
        .map(|folder| PathBuf::from(folder).join(program));
    paths.into_iter().find(|path| path.is_file())
}

fn words(text: &str) -> usize {
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphanumeric()).count() > 1;
    text.split_whitespace().filter(is_word).count()
}

/// The document once more, at its start and for reading only.
fn from_start(document: BorrowedFd<'_>) -> io::Result<File> {
    File::open(format!("/proc/self/fd/{}", document.as_raw_fd()))
}

/// Bytes as the input of the next program.
fn spooled(bytes: &[u8], space: &SpoolSpace) -> io::Result<File> {
    let mut kept = Growing::new(space, Claim::More, bytes.len() as u64)?;
    kept.write_all(bytes)?;
    // The budget counts what documents leave behind; this goes with its page.
    from_start(kept.finish()?.into_file(space)?.as_fd())
}

#[cfg(test)]
mod tests;
