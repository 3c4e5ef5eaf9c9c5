//! Programs installed on the machine that read what our own readers cannot, if the config asks for them: `pdftotext`
//! for PDFs whose text is lost or poor, `tesseract` for pages that are pictures.
//!
//! They are never linked and never needed. Each runs as a process of its own, confined by
//! [`external_tool_main`] before it starts: it may read the system's folders and its input, and write to
//! its output. Its output is bounded, and a worker makes one text of it ([`Source::join`]): the daemon does not search
//! the pages of a hostile document for running headers.

mod attempt;
mod confine;
mod run;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub use confine::external_tool_main;

use self::attempt::Attempt;
pub(crate) use self::attempt::Source;
use crate::process::WorkerCommand;
use crate::{Extraction, Fact, Reason};

/// Where programs are searched for.
const FOLDERS: &[&str] = &["/usr/bin", "/usr/local/bin", "/bin"];

/// Limits of external tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalToolLimits {
    /// Virtual memory of one run, in bytes.
    pub address_space: u64,
    /// Processor and wall clock time of one run.
    pub time: Duration,
    /// Bytes that one run may print.
    pub output_bytes: u64,
    /// Pages of one document that are recognised.
    pub pages: u32,
}

/// The programs that may be used.
#[derive(Debug, Clone)]
pub struct ExternalTools {
    /// The command that starts [`external_tool_main`], which starts every program.
    shim: WorkerCommand,
    limits: ExternalToolLimits,
    pdftotext: Option<PathBuf>,
    recogniser: Option<Recogniser>,
}

/// The machine did not let a program run; this says nothing about the document.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct MachineFault(#[from] io::Error);

impl MachineFault {
    fn log(&self, program: &str) {
        tracing::warn!(error = %self, program, "a program could not be run; will retry later");
    }
}

/// The program that turns pictures into text.
#[derive(Debug, Clone)]
struct Recogniser {
    tesseract: PathBuf,
    /// Converts pages of a PDF to pictures; without it only pictures are read.
    pdftoppm: Option<PathBuf>,
    languages: String,
}

impl ExternalTools {
    /// No programs; `shim` starts [`external_tool_main`].
    #[must_use]
    pub fn none(shim: WorkerCommand, limits: ExternalToolLimits) -> Self {
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

    /// Whether a program here might do better with a content that ended with this reason code, and has
    /// not tried yet; `tried` is the content's [`Fact::ProgramsTried`].
    #[must_use]
    pub fn could_improve(&self, media_type: &str, reason: &str, tried: &str) -> bool {
        let reason = Reason::of_code(reason);
        let untried = |program: &str| !tried.split(' ').any(|known| known == program);
        let wants_text = untried(PDFTOTEXT) && self.wants_pdftotext(media_type, reason);
        let wants_pages = untried(TESSERACT) && self.wants_recognition(media_type, reason);
        wants_text || wants_pages
    }

    /// Has the programs read a document that our readers did not read, or read poorly. If none does better, the
    /// extraction stays. In both cases the result says which programs tried; one that the machine did not let run does
    /// not count.
    pub(crate) fn improve(&self, own: Extraction, source: &Source<'_>) -> Extraction {
        let mut tried = Vec::new();
        let mut extraction = self.improved(own, source, &mut tried);
        extraction
            .facts
            .state(Fact::ProgramsTried, &tried.join(" "));
        extraction
    }

    fn improved(
        &self,
        own: Extraction,
        source: &Source<'_>,
        tried: &mut Vec<&'static str>,
    ) -> Extraction {
        let mut own = own;
        let reason = own.outcome.reason();
        if self.wants_pdftotext(&own.media_type, reason) {
            let attempt = Attempt::new(self, &own, source).pdf_text();
            tried.extend(attempt.is_ok().then_some(PDFTOTEXT));
            match attempt {
                Ok(Some(better)) => return better,
                Ok(None) => own.parser = format!("{}{TRIED}{PDFTOTEXT}", own.parser),
                Err(fault) => fault.log(PDFTOTEXT),
            }
        }
        if self.wants_recognition(&own.media_type, reason) {
            let attempt = Attempt::new(self, &own, source).recognised();
            tried.extend(attempt.is_ok().then_some(TESSERACT));
            match attempt {
                Ok(Some(better)) => return better,
                Ok(None) => own.parser = format!("{}{TRIED}{TESSERACT}", own.parser),
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
}

const PDFTOTEXT: &str = "pdftotext";
const TESSERACT: &str = "tesseract";
/// Separates the parser that read a document from a program that did no better.
const TRIED: &str = ", then ";
const PDF: &str = "application/pdf";
/// Outcomes of a PDF that another program may improve.
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

#[cfg(test)]
mod tests;
