//! The rows of a changed place on the left and on the right, with the words that differ marked.

use std::ops::Range;

use simdex_signature::align::{Run, Vocabulary, align_words};
use similar::DiffOp;

use crate::read_side::difference::Difference;
use crate::read_side::difference::shown::{AROUND, first_words, last_words};

/// A changed place longer than this, in bytes, has no single words marked.
const WORDS_MARKED: usize = 64 << 10;

/// Unchanged bytes that are enough to see where a change is.
const ENOUGH: usize = 60;

/// One row of one side.
#[derive(Clone)]
pub(super) struct Row<'t> {
    /// Number of the piece.
    pub(super) index: usize,
    /// Whether the other side has a different one.
    pub(super) is_changed: bool,
    /// Its text in parts, marked if they differ.
    pub(super) parts: Vec<(bool, &'t str)>,
}

impl<'t> Row<'t> {
    fn whole(index: usize, is_changed: bool, text: &'t str) -> Self {
        Self {
            index,
            is_changed,
            parts: vec![(false, text)],
        }
    }

    fn length(&self) -> usize {
        self.parts.iter().map(|(_, text)| text.len()).sum()
    }

    /// Cuts long unchanged text to its ending, or to its beginning.
    fn cut(&mut self, to_ending: bool) {
        let text = self.parts[0].1;
        if text.len() <= 2 * AROUND {
            return;
        }
        self.parts = match to_ending {
            true => vec![(false, "… "), (false, last_words(text, AROUND))],
            false => vec![(false, first_words(text, AROUND)), (false, " …")],
        };
    }
}

/// Rows on the left and on the right.
pub(super) type Sides<'t> = [Vec<Row<'t>>; 2];

/// The rows of an operation on the left and on the right.
pub(super) fn sides<'t>(difference: &Difference<'t>, op: &DiffOp) -> Sides<'t> {
    let is_changed = !matches!(op, DiffOp::Equal { .. });
    let ranges = [op.old_range(), op.new_range()];
    let texts = [&difference.old, &difference.new];
    let side = |side: usize| {
        let range: Range<usize> = ranges[side].clone();
        let rows = range.clone().zip(&texts[side][range]);
        rows.map(|(index, text)| Row::whole(index, is_changed, text))
            .collect::<Vec<_>>()
    };
    let mut sides = [side(0), side(1)];
    let size: usize = sides.iter().flatten().map(|row| row.parts[0].1.len()).sum();
    if matches!(op, DiffOp::Replace { .. }) && size <= WORDS_MARKED {
        mark(&mut sides);
    }
    sides
}

/// What is shown of the unchanged rows of a place: those nearest to the change before them, and in a block of their own
/// those nearest to the change after them. In one block all of them if that is little more, or if nothing is left out.
pub(super) fn unchanged(sides: Sides<'_>, is_first: bool, is_last: bool) -> Vec<Sides<'_>> {
    let bytes = |rows: &Vec<Row<'_>>| rows.iter().map(Row::length).sum::<usize>();
    match (is_first, is_last) {
        (true, _) => vec![nearest(&sides, true)],
        (_, true) => vec![nearest(&sides, false)],
        _ if bytes(&sides[0]) <= 4 * ENOUGH => vec![sides],
        _ => {
            let [after, before] = [false, true].map(|is_before| nearest(&sides, is_before));
            let rows = sides[0].iter();
            let leaves_out = after[0].len() + before[0].len() < rows.len()
                || rows.clone().any(|row| row.length() > 2 * AROUND);
            match leaves_out {
                true => vec![after, before],
                false => vec![sides],
            }
        }
    }
}

/// Of the unchanged rows of each side before or after a change, the nearest ones, and of a long one the part at the
/// change. Only these are copied: a text may have many rows.
fn nearest<'t>(sides: &Sides<'t>, is_before: bool) -> Sides<'t> {
    sides.each_ref().map(|rows| {
        let mut near = match is_before {
            true => enough(rows.iter().rev()),
            false => enough(rows.iter()),
        };
        if let Some(farthest) = near.last_mut() {
            farthest.cut(is_before);
        }
        if is_before {
            near.reverse();
        }
        near
    })
}

/// The first of these rows: as many as have [`ENOUGH`] bytes together.
fn enough<'r, 't: 'r>(rows: impl Iterator<Item = &'r Row<'t>>) -> Vec<Row<'t>> {
    let (mut near, mut bytes) = (Vec::new(), 0);
    for row in rows {
        if bytes >= ENOUGH {
            break;
        }
        bytes += row.length();
        near.push(row.clone());
    }
    near
}

/// A word of a side: its row, and its bytes there.
type Place = (usize, Range<usize>);

/// Marks the words that differ, if those are less than half: otherwise everything would be marked but a few chance
/// matches.
fn mark(sides: &mut [Vec<Row<'_>>; 2]) {
    let mut vocabulary = Vocabulary::default();
    let mut keys: [Vec<u32>; 2] = Default::default();
    let mut places: [Vec<Place>; 2] = Default::default();
    for (side, rows) in sides.iter().enumerate() {
        for (row, text) in rows.iter().map(|row| row.parts[0].1).enumerate() {
            let words = vocabulary.words(text);
            keys[side].extend(words.keys);
            places[side].extend(words.places.into_iter().map(|place| (row, place)));
        }
    }
    let found = align_words(&keys[0], &keys[1]);
    let common: usize = found.runs.iter().map(|run| run.length).sum();
    if 4 * common < keys[0].len() + keys[1].len() {
        return;
    }
    let differs = differing(sides, &places, &found.runs);
    for (rows, (places, differs)) in sides.iter_mut().zip(places.iter().zip(&differs)) {
        let mut next = 0;
        for (number, row) in rows.iter_mut().enumerate() {
            let own = places[next..].iter().take_while(|(row, _)| *row == number);
            let own = next..next + own.count();
            next = own.end;
            let words = places[own.clone()].iter().map(|(_, place)| place.clone());
            row.parts = parts(row.parts[0].1, words.zip(differs[own].iter().copied()));
        }
    }
}

/// For each word, whether the other side lacks it, or has it in another form.
fn differing(sides: &[Vec<Row<'_>>; 2], places: &[Vec<Place>; 2], runs: &[Run]) -> [Vec<bool>; 2] {
    let written = |side: usize, word: usize| -> &str {
        let (row, place) = &places[side][word];
        &sides[side][*row].parts[0].1[place.clone()]
    };
    let mut differs = [vec![true; places[0].len()], vec![true; places[1].len()]];
    for run in runs {
        for (a, b) in run.of_a().zip(run.of_b()) {
            let is_other = written(0, a) != written(1, b);
            (differs[0][a], differs[1][b]) = (is_other, is_other);
        }
    }
    differs
}

/// A text in parts: differing words, joined with what is between two of them, and the text between those parts.
fn parts(text: &str, words: impl Iterator<Item = (Range<usize>, bool)>) -> Vec<(bool, &str)> {
    let mut marked: Vec<Range<usize>> = Vec::new();
    let mut goes_on = false;
    for (place, differs) in words {
        match marked.last_mut() {
            Some(last) if differs && goes_on => last.end = place.end,
            _ if differs => marked.push(place),
            _ => {}
        }
        goes_on = differs;
    }
    let mut parts = Vec::new();
    let mut end = 0;
    for place in marked {
        parts.push((false, &text[end..place.start]));
        end = place.end;
        parts.push((true, &text[place]));
    }
    parts.push((false, &text[end..]));
    parts.retain(|(_, text)| !text.is_empty());
    parts
}
