//! Operations laid end to end over the bytes of two texts.

use std::ops::Range;

use simdex_signature::align::{Run, Words};

use super::{Operation, WordOperationKind};

/// Equal bytes between two reformatting operations become no operation of their own up to this length: writing it
/// would take more bytes than they are.
const SHORT: usize = 128;

/// The operations so far, and how far they extend.
pub(super) struct Tiles<'w> {
    texts: [&'w str; 2],
    words: &'w [Words; 2],
    done: Vec<Operation>,
    end_a: usize,
    end_b: usize,
}

impl<'w> Tiles<'w> {
    pub(super) fn of(texts: [&'w str; 2], words: &'w [Words; 2]) -> Self {
        Self {
            texts,
            words,
            done: Vec::new(),
            end_a: 0,
            end_b: 0,
        }
    }

    /// Where both texts end.
    pub(super) fn ends(&self) -> (usize, usize) {
        let [a, b] = self.texts;
        (a.len(), b.len())
    }

    pub(super) fn finish(self) -> Vec<Operation> {
        self.done
    }

    /// Adds words that both texts have in this place.
    pub(super) fn same_words(&mut self, run: Run) {
        let [a, b] = self.words;
        for (a, b) in a.places[run.of_a()].iter().zip(&b.places[run.of_b()]) {
            self.same(a.start, b.start);
            self.same(a.end, b.end);
        }
    }

    /// Adds words of both texts, by number, that have nothing in common, up to a byte of each.
    pub(super) fn change(&mut self, words: [Range<usize>; 2], to: (usize, usize)) {
        let [words_a, words_b] = words;
        let [of_a, of_b] = self.words;
        match (bounds(&of_a.places[words_a]), bounds(&of_b.places[words_b])) {
            (None, None) => {}
            (Some(a), Some(b)) => {
                self.same(a.start, b.start);
                self.push(WordOperationKind::Replace, a.end, b.end);
            }
            (Some(a), None) if self.text_of_a(a.end, to.0) == self.text_of_b(self.end_b, to.1) => {
                self.push(WordOperationKind::Delete, a.end, self.end_b);
            }
            (Some(a), None) => {
                self.same(a.start, to.1);
                self.push(WordOperationKind::Delete, to.0, to.1);
            }
            (None, Some(b)) if self.text_of_b(b.end, to.1) == self.text_of_a(self.end_a, to.0) => {
                self.push(WordOperationKind::Insert, self.end_a, b.end);
            }
            (None, Some(b)) => {
                self.same(to.0, b.start);
                self.push(WordOperationKind::Insert, to.0, to.1);
            }
        }
        self.same(to.0, to.1);
    }

    fn text_of_a(&self, from: usize, to: usize) -> Option<&str> {
        self.texts[0].get(from..to)
    }

    fn text_of_b(&self, from: usize, to: usize) -> Option<&str> {
        self.texts[1].get(from..to)
    }

    /// Skips words of the first text that are elsewhere in the second.
    pub(super) fn pass_moved(&mut self, words: Range<usize>) {
        if let Some(bytes) = bounds(&self.words[0].places[words]) {
            self.end_a = bytes.end;
        }
    }

    /// Adds words that are elsewhere in the first text.
    pub(super) fn moved(&mut self, run: Run) {
        let [a, b] = self.words;
        let bytes = bounds(&a.places[run.of_a()]).zip(bounds(&b.places[run.of_b()]));
        if let Some((a, b)) = bytes {
            self.end_b = b.end;
            let kind = WordOperationKind::Move;
            self.done.push(Operation { kind, a, b });
        }
    }

    /// Adds white space, or the same words: as equal bytes, or reformatted.
    fn same(&mut self, to_a: usize, to_b: usize) {
        let is_equal = self.text_of_a(self.end_a, to_a) == self.text_of_b(self.end_b, to_b);
        let kind = match is_equal {
            true => WordOperationKind::Equal,
            false => WordOperationKind::Reformat,
        };
        self.push(kind, to_a, to_b);
    }

    /// Adds an operation up to a byte of both texts; extends the one before if it is of the same kind and adjacent.
    fn push(&mut self, kind: WordOperationKind, to_a: usize, to_b: usize) {
        let (a, b) = (self.end_a..to_a, self.end_b..to_b);
        (self.end_a, self.end_b) = (to_a, to_b);
        if a.is_empty() && b.is_empty() {
            return;
        }
        if kind == WordOperationKind::Reformat {
            self.take_short(&a);
        }
        match self.done.last_mut() {
            Some(last) if last.kind == kind && last.a.end == a.start && last.b.end == b.start => {
                (last.a.end, last.b.end) = (a.end, b.end);
            }
            _ => self.done.push(Operation { kind, a, b }),
        }
    }

    /// Merges a few equal bytes between two reformatting operations into the first of them.
    fn take_short(&mut self, next: &Range<usize>) {
        let [.., before, short] = self.done.as_mut_slice() else {
            return;
        };
        let is_short = short.kind == WordOperationKind::Equal && short.b.len() < SHORT;
        let follows = before.a.end == short.a.start && short.a.end == next.start;
        if is_short && follows && before.kind == WordOperationKind::Reformat {
            (before.a.end, before.b.end) = (short.a.end, short.b.end);
            self.done.pop();
        }
    }
}

/// The bytes from the first of some words to the last.
fn bounds(places: &[Range<usize>]) -> Option<Range<usize>> {
    Some(places.first()?.start..places.last()?.end)
}
