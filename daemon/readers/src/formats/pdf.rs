//! PDF (ISO 32000-2), page by page in reading order: a page that cannot be read does not affect the others.
//!
//! | step | module |
//! |---|---|
//! | repairing what readers tolerate, cutting what costs too much | [`repair`], [`bounds`] |
//! | what the main parser would pass over: operators, the end of streams with a wrong checksum | [`next_line`], [`unchecked`] |
//! | fonts that do not say what their characters mean | [`fonts`] |
//! | characters with their positions | [`main_parser`]; if that gives poor text ([`quality`]), [`fallback`] |
//! | replacement text of marked content | [`actual_text`], by [`fallback`] alone |
//! | from positions to lines, and to the rows of tables by the lines around them | [`layout`], [`rules`] |
//! | headers, footers, broken words | [`paging`](super::paging) |
//! | facts, form values, comments, attached files | [`extras`] |
//!
//! Pictures are not read. A page that has no text and draws a large one ([`scans`]) makes the document partial.

mod actual_text;
mod bounds;
mod extras;
mod fallback;
mod fonts;
mod layout;
mod main_parser;
mod next_line;
mod quality;
mod repair;
mod rules;
mod scans;
mod unchecked;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use pdf_extract::Document;
use pdf_extract::encryption::DecryptionError;
use simdex_extract::{Fact, Outcome, Reason};

use self::fallback::FallbackParser;
use self::layout::Layout;
use self::quality::Quality;
use self::rules::Rules;
use super::paging::Pages;
use super::{Reading, read_error};
use crate::input::Input;
use crate::sink::Sink;

pub(super) const PARSER: &str = "pdf-extract 0.12.1";
/// The parser name if the fallback parser read a page.
const BOTH_PARSERS: &str = "pdf-extract 0.12.1 + hayro-interpret 0.9.0";

/// Longest PDF that is read: all of it is in memory, in addition to what is unpacked from it.
const MAX_BYTES: u64 = 512 << 20;
/// After this time no page is read a second time; the main parser alone is fast enough.
const FALLBACK_TIME: Duration = Duration::from_secs(12);
/// Quality of the whole text below which it is partial, in percent.
const MIN_QUALITY: u8 = 60;

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    if input.len() > MAX_BYTES {
        return Err(Outcome::TooLarge(Reason::InputLimit));
    }
    let bytes = input.prefix(MAX_BYTES).map_err(read_error)?;
    let mut document = match load(&bytes, sink) {
        Ok(document) => document,
        Err(Outcome::Failed(reason)) => return read_by_fallback(&bytes, reason, sink),
        Err(outcome) => return Err(outcome),
    };
    let cut = bounds::limit_streams(&mut document, sink.budgets().entry_bytes);
    repair::mend_contents(&mut document);
    let pages = document.get_pages();
    let numbers: Vec<u32> = pages.keys().copied().collect();
    if numbers.is_empty() {
        return read_by_fallback(&bytes, Reason::Malformed, sink);
    }
    let mended = fonts::repair_fonts(&mut document) && !cut;
    let mended = mended.then(|| repair::saved(&mut document)).flatten();
    // The fallback parser would unpack what was cut.
    let files = [mended.as_deref(), (!cut).then_some(&*bytes)];
    let files = files.into_iter().flatten().map(FallbackFile::new).collect();
    let mut reader = Reader::new(files, sink.room());
    reader.expect_of(&document);
    if bounds::may_recurse(&document) {
        numbers
            .iter()
            .all(|&number| reader.page(number, Layout::default(), false));
    } else {
        main_parser::read(&document, &numbers, &mut |number, layout, whole| {
            let rules = Rules::of_page(&document, pages.get(&number));
            reader.page(number, layout.with_rules(rules), whole)
        });
    }
    let shown = reader.appearances(&extras::pages_with_appearances(&document));
    reader.scanned = scans::count(&document, &reader.blank);
    let reason = reader.write(numbers.len(), sink);
    let reason = reason.or(cut.then_some(Reason::InflateLimit));
    let beside = extras::read(&document, &shown, sink);
    ended(reason.or(beside), sink)
}

/// Reads a file whose objects the main parser cannot parse; `reason` is its error.
fn read_by_fallback(bytes: &[u8], reason: Reason, sink: &mut Sink) -> Reading {
    let parser = catch_panic(|| FallbackParser::load(bytes));
    let pages = parser.as_ref().map_or(0, FallbackParser::page_count);
    if pages == 0 {
        return Err(if repair::is_locked(bytes) {
            Outcome::Encrypted(Reason::PasswordNeeded)
        } else {
            Outcome::Failed(reason)
        });
    }
    let file = FallbackFile {
        bytes,
        parser: Some(parser),
    };
    let mut reader = Reader::new(vec![file], sink.room());
    (1..)
        .take(pages)
        .all(|number| reader.page(number, Layout::default(), false));
    let reason = reader.write(pages, sink);
    ended(reason, sink)
}

/// The answer once everything was written.
fn ended(reason: Option<Reason>, sink: &Sink) -> Reading {
    // Characters that nobody knows are no text.
    let is_whole = matches!(
        reason,
        None | Some(Reason::LowQuality | Reason::PagesNeedOcr)
    );
    if sink.is_blank() && is_whole && !sink.has_members() {
        return Err(Outcome::NoText(Reason::NeedsOcr));
    }
    Ok(reason)
}

/// A file for the fallback parser.
struct FallbackFile<'a> {
    bytes: &'a [u8],
    /// The parser, once it was needed; the inner `None` if it cannot read the file.
    parser: Option<Option<FallbackParser>>,
}

impl<'a> FallbackFile<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            parser: None,
        }
    }

    fn lines(
        &mut self,
        index: usize,
        read: impl Fn(&FallbackParser, usize) -> Option<Layout>,
    ) -> Option<FallbackPage> {
        let bytes = self.bytes;
        let parser = self
            .parser
            .get_or_insert_with(|| catch_panic(|| FallbackParser::load(bytes)));
        let parser = parser.as_ref()?;
        let layout = catch_panic(|| read(parser, index))?;
        Some(FallbackPage {
            replaced: layout.replaced,
            lines: layout.lines(),
        })
    }
}

/// What the fallback parser sees on a page.
struct FallbackPage {
    lines: Vec<String>,
    /// How many more characters the main parser sees, as it does not know what stands for them.
    replaced: usize,
}

/// Pages as they come from the main parser.
struct Reader<'a> {
    /// For the fallback parser: the file with repaired fonts, and the unchanged one, in case that lost more.
    fallback_files: Vec<FallbackFile<'a>>,
    until: Instant,
    /// Pages on which the main parser misreads characters, puts them in wrong places, or ignores what they stand for.
    misread: HashSet<u32>,
    /// Pages whose contents are not in the file.
    broken_off: HashSet<u32>,
    room: usize,
    pages: Pages,
    failed: u64,
    /// Numbers of the pages that were read and have no text.
    blank: Vec<u32>,
    /// Number of these pages that draw a large picture.
    scanned: u64,
    by_fallback: u64,
}

impl<'a> Reader<'a> {
    fn new(fallback_files: Vec<FallbackFile<'a>>, room: usize) -> Self {
        Self {
            fallback_files,
            until: Instant::now() + FALLBACK_TIME,
            misread: HashSet::new(),
            broken_off: HashSet::new(),
            room,
            pages: Pages::default(),
            failed: 0,
            blank: Vec::new(),
            scanned: 0,
            by_fallback: 0,
        }
    }

    /// Notes what is wrong with the pages of a document before they are read.
    fn expect_of(&mut self, document: &Document) {
        self.misread = bounds::pages_misread(document, &fonts::misread(document));
        self.misread.extend(actual_text::pages_with(document));
        self.broken_off = repair::pages_broken_off(document);
        self.failed = repair::pages_missing(document);
    }

    /// Adds the main parser's result for a page; returns false once there is more text than room.
    fn page(&mut self, number: u32, layout: Layout, whole: bool) -> bool {
        let rules = layout.rules().clone();
        let mut lines = layout.lines();
        let quality = Quality::of_lines(&lines);
        let mut read = whole;
        let misread = self.misread.contains(&number);
        if (!whole || misread || quality.is_poor())
            && let Some(others) = self.fallback_page(number, |parser, index| {
                Some(parser.page(index)?.with_rules(rules.clone()))
            })
        {
            let others_quality = Quality::of_lines(&others.lines).with(others.replaced);
            // If both parsers find nothing, there is nothing.
            read = true;
            let as_good = misread && !quality.is_better_than(others_quality);
            if as_good || others_quality.is_better_than(quality) {
                self.by_fallback += 1;
                lines = others.lines;
            }
        }
        read &= !(lines.is_empty() && self.broken_off.contains(&number));
        self.failed += u64::from(!read);
        self.blank
            .extend((read && lines.is_empty()).then_some(number));
        self.pages.push(lines);
        self.pages.bytes() <= self.room
    }

    /// The fallback parser's result for a page, while there is time.
    fn fallback_page(
        &mut self,
        number: u32,
        read: impl Fn(&FallbackParser, usize) -> Option<Layout>,
    ) -> Option<FallbackPage> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let mut seen = None;
        for file in &mut self.fallback_files {
            if Instant::now() > self.until {
                break;
            }
            seen = file.lines(index, &read).or(seen);
            if seen.as_ref().is_some_and(|seen| !seen.lines.is_empty()) {
                break;
            }
        }
        seen
    }

    /// Lines that the annotations of `pages` show.
    fn appearances(&mut self, pages: &[u32]) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut bytes = 0;
        for page in pages {
            let shown = self.fallback_page(*page, FallbackParser::annotations);
            let shown = shown.map(|seen| seen.lines).unwrap_or_default();
            bytes += shown.iter().map(String::len).sum::<usize>();
            lines.extend(shown);
            if bytes > self.room {
                break;
            }
        }
        lines
    }

    /// Writes the text of the pages, of which there are `pages`; returns why if that is incomplete.
    fn write(self, pages: usize, sink: &mut Sink) -> Option<Reason> {
        let cut = self.pages.bytes() > self.room;
        let body = self.pages.into_body();
        let percent = Quality::of(&body.text).percent();
        sink.count(Fact::Pages, pages as u64);
        sink.count(Fact::PagesFailed, self.failed);
        sink.count(Fact::PagesWithoutText, self.blank.len() as u64);
        sink.count(Fact::PagesBySecondEngine, self.by_fallback);
        sink.count(Fact::RunningLines, body.running_lines);
        sink.count(Fact::JoinedHyphens, body.joined_hyphens);
        if self.by_fallback > 0 {
            sink.set_parser(BOTH_PARSERS);
        }
        sink.push(&body.text.replace(char::REPLACEMENT_CHARACTER, ""));
        if !sink.is_blank() {
            sink.state(Fact::Quality, &percent.to_string());
        }
        let reasons = [
            (cut, Reason::OutputLimit),
            (self.failed > 0, Reason::PagesFailed),
            (percent < MIN_QUALITY, Reason::LowQuality),
            (self.scanned > 0, Reason::PagesNeedOcr),
        ];
        reasons
            .into_iter()
            .find(|(holds, _)| *holds)
            .map(|(_, reason)| reason)
    }
}

/// The result of a parser, unless it panics.
fn catch_panic<T>(parse: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(parse)).ok().flatten()
}

/// Parses the file, and decrypts it if the empty password works.
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

/// A second attempt, for files whose table of objects is missing or wrong.
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

#[cfg(test)]
pub(super) mod tests;
