//! Programs of the machine that read what our own readers cannot, where the config asks for them:
//! `pdftotext` for PDFs whose text is lost or poor, `tesseract` for pages that are pictures.
//!
//! They are never linked and never needed. Each runs as a process of its own, confined by
//! [`outside_main`] before it starts: it may read the system's folders and its input, and write to
//! its output. What it says is bounded and as little trusted as a worker's word.

mod confine;
mod run;

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub use confine::outside_main;

use self::run::{Output, run};
use crate::formats::paged_text;
use crate::process::WorkerCommand;
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
    pub(crate) fn improve(&self, own: Extraction, document: BorrowedFd<'_>) -> Extraction {
        let mut own = own;
        let reason = own.outcome.reason();
        if self.wants_pdftotext(&own.media_type, reason) {
            match self.pdf_text(&own, document) {
                Some(better) => return better,
                None => own.engine = format!("{}{TRIED}{PDFTOTEXT}", own.engine),
            }
        }
        if self.wants_recognition(&own.media_type, reason) {
            match self.recognised(&own, document) {
                Some(better) => return better,
                None => own.engine = format!("{}{TRIED}{TESSERACT}", own.engine),
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
    fn pdf_text(&self, poor: &Extraction, document: BorrowedFd<'_>) -> Option<Extraction> {
        let program = self.pdftotext.as_ref()?;
        let arguments = ["-raw", "-enc", "UTF-8", "-q", "-", "-"].map(str::to_owned);
        let deadline = Instant::now() + self.limits.time;
        let output = self.run(program, &arguments, from_start(document)?, deadline)?;
        let text = String::from_utf8_lossy(&output.bytes);
        let old = match &poor.outcome {
            Outcome::Text { text, .. } => words(text),
            _ => 0,
        };
        if words(&text) <= old {
            return None;
        }
        let cut = output.cut.then_some(Reason::OutputLimit);
        Some(self.read_by(poor, PDFTOTEXT, &text, cut, 0))
    }

    /// Page after page: a picture is made of each and read.
    fn recognised(&self, poor: &Extraction, document: BorrowedFd<'_>) -> Option<Extraction> {
        let recogniser = self.recogniser.as_ref()?;
        let deadline = Instant::now() + self.limits.time;
        let pages = match poor.media_type == PDF {
            true => poor.facts.number(Fact::Pages).max(1),
            false => 1,
        };
        let wanted = pages.min(u64::from(self.limits.pages));
        let (mut text, mut read) = (String::new(), 0);
        for page in 1..=wanted {
            let picture = match poor.media_type == PDF {
                true => self.picture(recogniser, document, page, deadline),
                false => from_start(document),
            };
            let Some(words) = picture.and_then(|p| self.page_text(recogniser, p, deadline)) else {
                break;
            };
            text.push_str(&words);
            text.push('\u{c}');
            read += 1;
        }
        if words(&text) == 0 {
            return None;
        }
        let partial = (read < pages).then_some(Reason::PagesFailed);
        Some(self.read_by(poor, TESSERACT, &text, partial, read))
    }

    fn picture(
        &self,
        recogniser: &Recogniser,
        document: BorrowedFd<'_>,
        page: u64,
        deadline: Instant,
    ) -> Option<OwnedFd> {
        let page = page.to_string();
        let arguments = [
            "-f", &page, "-l", &page, "-r", RESOLUTION, "-gray", "-png", "-",
        ];
        let arguments = arguments.map(str::to_owned);
        let program = recogniser.pdftoppm.as_ref()?;
        let output = self.run(program, &arguments, from_start(document)?, deadline)?;
        spooled(&output.bytes)
    }

    fn page_text(
        &self,
        recogniser: &Recogniser,
        picture: OwnedFd,
        deadline: Instant,
    ) -> Option<String> {
        let arguments = ["stdin", "stdout", "-l", &recogniser.languages];
        let arguments = arguments.map(str::to_owned);
        let output = self.run(&recogniser.tesseract, &arguments, picture, deadline)?;
        Some(String::from_utf8_lossy(&output.bytes).into_owned())
    }

    fn run(
        &self,
        program: &std::path::Path,
        arguments: &[String],
        input: OwnedFd,
        deadline: Instant,
    ) -> Option<Output> {
        run(
            &self.shim,
            &self.limits,
            program,
            arguments,
            input,
            deadline,
        )
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
fn from_start(document: BorrowedFd<'_>) -> Option<OwnedFd> {
    use std::os::fd::AsRawFd;
    let path = format!("/proc/self/fd/{}", document.as_raw_fd());
    Some(File::open(path).ok()?.into())
}

/// Bytes as the input of the next program.
fn spooled(bytes: &[u8]) -> Option<OwnedFd> {
    let mut file = tempfile::tempfile().ok()?;
    std::io::Write::write_all(&mut file, bytes).ok()?;
    file.seek(SeekFrom::Start(0)).ok()?;
    from_start(file.as_fd())
}

#[cfg(test)]
mod tests;
