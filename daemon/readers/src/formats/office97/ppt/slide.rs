//! The text of one slide, or of its notes: the text of its drawing, in the order of the shapes.

use std::collections::BTreeSet;

use simdex_extract::Fact;

use super::records::{Record, kind, walk};
use super::scripts::scripted;
use crate::compound::{double_word, word};
use crate::sink::Sink;

/// Strings of a footer: date and footer, and the bits that say whether they are shown.
const RUNNING: [(u16, u16); 2] = [(0, 1 << 2), (2, 1 << 5)];
/// String of a comment that is its text.
const COMMENT_TEXT: u16 = 1;
/// Placeholder for page numbers and dates that are filled in.
const PLACEHOLDER: &str = "*";

#[derive(Debug, Default)]
pub(super) struct Slide {
    /// Texts in the order of the shapes.
    texts: Vec<String>,
    /// Footer and date.
    running: Vec<String>,
    comments: Vec<String>,
    /// Number of its notes; 0 if it has none.
    pub(super) notes: u32,
}

impl Slide {
    /// A slide whose drawing is lost.
    pub(super) fn of_outline(outline: &[String]) -> Self {
        Self {
            texts: outline.to_vec(),
            ..Self::default()
        }
    }

    /// The drawing may refer to a text of the outline instead of containing it; text that it does not refer to is not
    /// shown, but was written.
    pub(super) fn of(slide: &Record<'_>, outline: &[String]) -> Self {
        let mut found = Self::default();
        let mut used = vec![false; outline.len()];
        // The container that the next strings belong to, and which of its strings are shown.
        let (mut container, mut shown) = (0, 0);
        for record in walk(slide.body) {
            match record.kind {
                kind::RUNNING | kind::COMMENT | kind::TEXT_BOX => container = record.kind,
                kind::SLIDE_ATOM => found.notes = double_word(record.body, 16).unwrap_or(0),
                kind::RUNNING_ATOM => shown = word(record.body, 2).unwrap_or(0),
                kind::OUTLINE_REFERENCE => {
                    let number = double_word(record.body, 0).unwrap_or(u32::MAX) as usize;
                    // Only once, or few references would give much text.
                    if used.get(number) == Some(&false) {
                        used[number] = true;
                        found.texts.push(outline[number].clone());
                    }
                }
                kind::STRING => found.string(container, shown, &record),
                kind::TEXT_RUNS => {
                    if let Some(text) = found.texts.last_mut() {
                        *text = scripted(text, record.body);
                    }
                }
                _ => found.texts.extend(record.text()),
            }
        }
        let unused = outline.iter().zip(used).filter(|(_, used)| !used);
        found.texts.extend(unused.map(|(text, _)| text.clone()));
        found
    }

    fn string(&mut self, container: u16, shown: u16, record: &Record<'_>) {
        let Some(text) = record.text() else { return };
        if container == kind::COMMENT && record.instance == COMMENT_TEXT {
            self.comments.push(text);
        } else if container == kind::RUNNING {
            let mut strings = RUNNING.iter();
            if strings.any(|(string, bit)| record.instance == *string && shown & bit != 0) {
                self.running.push(text);
            }
        }
    }

    /// Writes the texts, and the footer if it was not written before; returns whether there were words.
    pub(super) fn write(&self, running: &mut BTreeSet<String>, sink: &mut Sink) -> bool {
        let mut has_words = false;
        for text in &self.texts {
            has_words |= write(text, sink);
        }
        for text in &self.running {
            if running.insert(text.clone()) {
                write(text, sink);
            }
        }
        has_words
    }

    pub(super) fn write_comments(&self, sink: &mut Sink) {
        sink.count(Fact::Comments, self.comments.len() as u64);
        for comment in &self.comments {
            write(comment, sink);
        }
    }
}

/// Writes the paragraphs of a text.
fn write(text: &str, sink: &mut Sink) -> bool {
    let mut has_words = false;
    for line in text.split(['\r', '\u{b}', '\n']) {
        let line = line.trim();
        if !line.is_empty() && line != PLACEHOLDER {
            sink.push(line);
            sink.newline();
            has_words = true;
        }
    }
    has_words
}
