//! Books (EPUB 3.3): the chapters in the order of the spine, each an XHTML page.
//!
//! `META-INF/container.xml` names the package document, which names the chapters and has the metadata. The table of
//! contents is read only if it is a page of the book.

mod book;

use simdex_extract::{Fact, Outcome, Reason};

use self::book::Book;
use super::package::Package;
use super::{Reading, html};
use crate::charset;
use crate::input::Input;
use crate::sink::Sink;

pub(super) const PARSER: &str = "epub 1";

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let mut package = Package::open(input, sink.budgets())?;
    let book = Book::open(&mut package, sink)?;
    if book.is_locked {
        return Err(Outcome::Encrypted(Reason::PasswordNeeded));
    }
    let (mut partial, mut failed, mut read) = (book.partial, book.lost, 0);
    for chapter in &book.chapters {
        match page(&mut package, chapter, sink) {
            Ok(reason) => {
                partial = partial.or(reason);
                read += 1;
            }
            Err(_) => failed += 1,
        }
        if sink.is_full() {
            break;
        }
    }
    sink.count(Fact::Parts, read);
    sink.count(Fact::PartsFailed, failed as u64);
    match failed {
        _ if read == 0 => Err(Outcome::Failed(Reason::Malformed)),
        0 => Ok(partial),
        _ => Ok(partial.or(Some(Reason::PartsFailed))),
    }
}

/// Writes the text of one page, without its title: no reader of a book sees that.
fn page(package: &mut Package<'_>, name: &str, sink: &mut Sink) -> Reading {
    let mut bytes = Vec::new();
    let reason = package.stream(name, |reader| match reader.read_to_end(&mut bytes) {
        Ok(_) => None,
        Err(_) => Some(Reason::Damaged),
    })?;
    let label = charset::declared_label(&bytes, "encoding");
    let label = label.or_else(|| charset::declared_label(&bytes, "charset"));
    let page = charset::decode(&bytes, label, sink);
    drop(bytes);
    let body = page.find("<body").or_else(|| page.find("<BODY"));
    sink.newline();
    html::write_text(&page[body.unwrap_or(0)..], sink);
    sink.newline();
    Ok(reason)
}

#[cfg(test)]
mod tests;
