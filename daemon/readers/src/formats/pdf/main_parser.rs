//! The main parser: fast, but it panics at unknown input.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Document, MediaBox, OutputDev, OutputError, Transform};

use super::layout::{Layout, Place};

/// Limit of pages read one by one times pages in total: the library walks the page tree for each.
const MAX_SINGLE_STEPS: usize = 2_000_000;

/// Receives a page: its number, its layout, and whether it is complete. Returns false when no further page is wanted.
pub(super) type Take<'a> = &'a mut dyn FnMut(u32, Layout, bool) -> bool;

/// Reads the pages in order. A page at which the parser panics is passed on as far as it was read.
pub(super) fn read(document: &Document, pages: &[u32], take: Take<'_>) {
    let mut output = Output {
        take,
        number: 0,
        page: None,
        stopped: false,
    };
    // The whole document in one pass; if that breaks off, the pages after it one by one.
    catch_panic(|| pdf_extract::output_doc(document, &mut output));
    output.give_up();
    let after = pages.iter().filter(|&&page| page > output.number);
    let after: Vec<_> = after.copied().collect();
    for (count, page) in after.into_iter().enumerate() {
        if output.stopped {
            return;
        }
        if count < MAX_SINGLE_STEPS / pages.len() {
            catch_panic(|| pdf_extract::output_doc_page(document, &mut output, page));
        }
        if output.number < page {
            output.begin(page);
        }
        output.give_up();
    }
}

fn catch_panic(read: impl FnOnce() -> Result<(), OutputError>) -> bool {
    matches!(catch_unwind(AssertUnwindSafe(read)), Ok(Ok(())))
}

struct Output<'a> {
    take: Take<'a>,
    /// The last page that was begun.
    number: u32,
    page: Option<Layout>,
    stopped: bool,
}

impl Output<'_> {
    fn begin(&mut self, number: u32) {
        self.number = number;
        self.page = Some(Layout::default());
    }

    fn give(&mut self, whole: bool) {
        if let Some(page) = self.page.take() {
            self.stopped |= !(self.take)(self.number, page, whole);
        }
    }

    /// Passes on a page that was begun and not ended.
    fn give_up(&mut self) {
        self.give(false);
    }
}

impl OutputDev for Output<'_> {
    fn begin_page(
        &mut self,
        number: u32,
        _: &MediaBox,
        _: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        self.begin(number);
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        self.give(true);
        if self.stopped {
            return Err(OutputError::FormatError(std::fmt::Error));
        }
        Ok(())
    }

    fn output_character(
        &mut self,
        transform: &Transform,
        width: f64,
        _spacing: f64,
        font_size: f64,
        character: &str,
    ) -> Result<(), OutputError> {
        let Some(page) = &mut self.page else {
            return Ok(());
        };
        let along = (transform.m11 * font_size, transform.m12 * font_size);
        let place = Place {
            x: transform.m31,
            y: transform.m32,
            advance: (along.0 * width, along.1 * width),
            direction: along,
            size: (transform.m21 * font_size).hypot(transform.m22 * font_size),
        };
        page.push(character, place);
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}
