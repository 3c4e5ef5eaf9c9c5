//! Presentations [MS-PPT]: each slide in the order of the presentation, followed by its notes and comments. What
//! masters show is not the slides' text.

mod objects;
mod records;
mod scripts;
mod slide;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use records::{Record, kind, records, walk};
use scripts::scripted;
use simdex_extract::{Fact, Outcome, Reason};
use slide::Slide;

use super::{Compound, Reading, beside, stream};
use crate::compound::{double_word, double_words};
use crate::input::Input;
use crate::sink::Sink;

/// First bytes of the current user's stream if the document is encrypted.
const ENCRYPTED: u32 = 0xf3d1_c4df;
/// Maximum number of saves that are followed back.
const MAX_EDITS: usize = 10_000;
/// All slides together may be this many times as long as the stream; more means that they overlap.
const MAX_REUSE: usize = 2;

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let file = Compound::open(input)?;
    let (bytes, cut) = stream(&file, "PowerPoint Document", sink)?;
    let user = stream(&file, "Current User", sink).map_or_else(|_| Vec::new(), |(user, _)| user);
    if double_word(&user, 12) == Some(ENCRYPTED) {
        return Err(Outcome::Encrypted(Reason::PasswordNeeded));
    }
    let edit = double_word(&user, 16).unwrap_or(0) as usize;
    let show = Presentation::open(&bytes, edit)?;
    let reason = show.write(sink);
    let lost = objects::members(&bytes, sink);
    Ok(cut.or(reason).or(lost).or(beside(&file, sink)))
}

/// A presentation as its last save left it.
struct Presentation<'a> {
    bytes: &'a [u8],
    /// Offset of each object, by its number.
    places: BTreeMap<u32, usize>,
    document: Record<'a>,
    /// Whether a save could not be followed.
    is_damaged: bool,
}

/// A slide, or notes, in a list of the document.
#[derive(Debug, Default)]
struct ListedSlide {
    place: Option<usize>,
    /// Number by which slides and notes refer to each other.
    id: u32,
    /// Text that the drawing refers to by number.
    outline: Vec<String>,
}

impl<'a> Presentation<'a> {
    /// Follows the saves back from the one at `edit`; offsets of later saves take precedence.
    fn open(bytes: &'a [u8], edit: usize) -> Result<Self, Outcome> {
        let (mut places, mut document, mut next) = (BTreeMap::new(), None, edit);
        let mut is_damaged = false;
        // Lists of offsets cannot be longer than the stream, in total.
        let mut left = bytes.len();
        for _ in 0..MAX_EDITS {
            let found = Record::at(bytes, next).filter(|record| record.kind == kind::USER_EDIT);
            let Some(record) = found else {
                is_damaged = true;
                break;
            };
            // A ninth field is the offset of the decryption data.
            if double_word(record.body, 28).is_some() {
                return Err(Outcome::Encrypted(Reason::PasswordNeeded));
            }
            let field = |at| double_word(record.body, at).unwrap_or(0);
            left = add_places(bytes, field(12) as usize, left, &mut places);
            document.get_or_insert(field(16));
            match field(8) as usize {
                0 => break,
                before if before >= next => break,
                before => next = before,
            }
        }
        let place = document.and_then(|number| places.get(&number));
        let document = place.and_then(|&place| Record::at(bytes, place));
        let document = document.filter(|record| record.kind == kind::DOCUMENT);
        let document = document.or_else(|| last_document(bytes));
        Ok(Self {
            bytes,
            places,
            document: document.ok_or(Outcome::Failed(Reason::Malformed))?,
            is_damaged,
        })
    }

    fn write(&self, sink: &mut Sink) -> Option<Reason> {
        let notes = self.list(2).into_iter();
        let notes: BTreeMap<u32, ListedSlide> = notes.map(|listed| (listed.id, listed)).collect();
        let mut running = BTreeSet::new();
        let mut is_damaged = self.is_damaged;
        let mut left = self.bytes.len() * MAX_REUSE;
        for listed in self.list(0) {
            sink.count(Fact::Pages, 1);
            let slide = self.slide(&listed, kind::SLIDE, &mut left);
            is_damaged |= slide.is_none();
            let slide = slide.unwrap_or_else(|| Slide::of_outline(&listed.outline));
            slide.write(&mut running, sink);
            let notes = notes.get(&slide.notes).filter(|_| slide.notes != 0);
            let notes = notes.and_then(|notes| self.slide(notes, kind::NOTES, &mut left));
            let has_words = notes.is_some_and(|notes| notes.write(&mut running, sink));
            sink.count(Fact::Notes, has_words.into());
            slide.write_comments(sink);
            if sink.is_full() {
                break;
            }
        }
        is_damaged.then_some(Reason::Damaged)
    }

    /// What the document lists: slides (0), masters (1) or notes (2).
    fn list(&self, instance: u16) -> Vec<ListedSlide> {
        let is_list = |record: &Record| record.kind == kind::LIST && record.instance == instance;
        let mut listed: Vec<ListedSlide> = Vec::new();
        for record in records(self.document.body)
            .filter(is_list)
            .flat_map(|list| walk(list.body))
        {
            match record.kind {
                kind::LISTED => listed.push(self.listed(&record)),
                // Each head begins a text, even if none follows.
                kind::TEXT_HEAD => {
                    if let Some(last) = listed.last_mut() {
                        last.outline.push(String::new());
                    }
                }
                _ => {
                    let outline = listed.last_mut().and_then(|last| last.outline.last_mut());
                    match (record.text(), outline) {
                        (Some(text), Some(outline)) => outline.push_str(&text),
                        (None, Some(outline)) if record.kind == kind::TEXT_RUNS => {
                            *outline = scripted(outline, record.body);
                        }
                        _ => {}
                    }
                }
            }
        }
        listed
    }

    fn listed(&self, record: &Record<'_>) -> ListedSlide {
        let field = |at| double_word(record.body, at).unwrap_or(0);
        ListedSlide {
            place: self.places.get(&field(0)).copied(),
            id: field(12),
            outline: Vec::new(),
        }
    }

    /// The drawing on a slide or on notes; `None` if it cannot be found.
    fn slide(&self, listed: &ListedSlide, kind: u16, left: &mut usize) -> Option<Slide> {
        let record = Record::at(self.bytes, listed.place?)?;
        *left = left.checked_sub(record.body.len())?;
        (record.kind == kind).then(|| Slide::of(&record, &listed.outline))
    }
}

/// Without a list of offsets the last document in the stream is used.
fn last_document(bytes: &[u8]) -> Option<Record<'_>> {
    let documents = records(bytes).filter(|record| record.kind == kind::DOCUMENT);
    documents.last()
}

/// Adds the offsets in a save that no later save has stated; the list may have up to `left` bytes. Returns how many of
/// these are left.
fn add_places(bytes: &[u8], at: usize, left: usize, places: &mut BTreeMap<u32, usize>) -> usize {
    let list = Record::at(bytes, at).filter(|record| record.kind == kind::PLACES);
    let list = list.map_or(&[][..], |list| &list.body[..list.body.len().min(left)]);
    let mut words = double_words(list);
    while let Some(head) = words.next() {
        let (first, count) = (head & 0xf_ffff, head >> 20);
        for (number, place) in (first..first + count).zip(&mut words) {
            places.entry(number).or_insert(place as usize);
        }
    }
    left - list.len()
}
