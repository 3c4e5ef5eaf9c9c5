//! The difference of two texts by words, independent of line breaks: operations over the bytes of both.
//!
//! The operations cover the second text in order, and every byte of the first once: what is equal, what differs
//! only in white space and form ([`WordOperationKind::Reformat`]), what was removed, added, replaced, and what moved.

#[cfg(test)]
mod tests;
mod tiles;

use std::convert::Infallible;
use std::ops::Range;

use simdex_signature::align::{Alignment, Run, Vocabulary, Words, align_words_while};

use tiles::Tiles;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordOperationKind {
    /// Bytes that are equal in both texts.
    Equal,
    /// Equal words that differ in line breaks, white space, case or characters.
    Reformat,
    /// Words of the first text that the second lacks.
    Delete,
    /// Words of the second text that the first lacks.
    Insert,
    /// Words of the first text that are replaced by others.
    Replace,
    /// Words that are elsewhere in the first text, and were removed there.
    Move,
}

/// What happens to bytes of the first text in the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The kind of operation.
    pub kind: WordOperationKind,
    /// Bytes of the first text; empty where words are inserted.
    pub a: Range<usize>,
    /// Bytes of the second text; empty where words are deleted.
    pub b: Range<usize>,
}

/// How many words differ. A word is a run of letters and digits, or of other signs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordExtent {
    /// Words of the first text that the second lacks in that place.
    pub removed: u64,
    /// Words of the second text that the first lacks in that place.
    pub added: u64,
    /// Words that moved.
    pub moved: u64,
    /// Blocks in which they moved.
    pub blocks_moved: u64,
}

/// The difference of two texts by words.
pub struct WordDifference<'t> {
    /// The two texts that were aligned.
    pub texts: [&'t str; 2],
    /// Operations in the order of the second text.
    pub operations: Vec<Operation>,
    /// Words that differ.
    pub extent: WordExtent,
    /// Whether the search for common words was cut short somewhere: more may be common.
    pub cut_short: bool,
}

impl<'t> WordDifference<'t> {
    /// What differs from `a` to `b`.
    pub fn between(a: &'t str, b: &'t str) -> Self {
        let difference = Self::between_while(a, b, &mut || Ok::<_, Infallible>(()));
        difference.unwrap_or_else(|never| match never {})
    }

    /// What differs from `a` to `b`; the search runs as long as `go_on`, which is called every few thousand
    /// words, allows it.
    ///
    /// # Errors
    /// That of `go_on`.
    pub fn between_while<E>(
        a: &'t str,
        b: &'t str,
        go_on: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut vocabulary = Vocabulary::default();
        let words = [
            vocabulary.words_while(a, go_on)?,
            vocabulary.words_while(b, go_on)?,
        ];
        // It takes as much memory as the search does, and is not needed any more.
        drop(vocabulary);
        let found = align_words_while(&words[0].keys, &words[1].keys, go_on)?;
        let mut walk = Walk {
            tiles: Tiles::of([a, b], &words),
            moved_away: by_first(&found),
            extent: WordExtent::default(),
            words: &words,
        };
        walk.all(&found);
        Ok(Self {
            texts: [a, b],
            operations: walk.tiles.finish(),
            extent: walk.extent,
            cut_short: found.is_cut_short,
        })
    }

    /// The bytes that an operation takes from the first text, and those it puts into the second.
    pub fn texts_of(&self, operation: &Operation) -> [&'t str; 2] {
        let [a, b] = self.texts;
        let text = |text: &'t str, range: &Range<usize>| text.get(range.clone());
        [text(a, &operation.a), text(b, &operation.b)].map(Option::unwrap_or_default)
    }
}

/// Moves sorted by their place in the first text.
fn by_first(found: &Alignment) -> Vec<Run> {
    let mut moves = found.moves.clone();
    moves.sort_unstable_by_key(|run| run.a);
    moves
}

/// The walk along an alignment.
struct Walk<'w> {
    tiles: Tiles<'w>,
    moved_away: Vec<Run>,
    extent: WordExtent,
    words: &'w [Words; 2],
}

impl Walk<'_> {
    fn all(&mut self, found: &Alignment) {
        let [a, b] = self.words;
        let (mut end_a, mut end_b) = (0, 0);
        for run in &found.runs {
            let (to_a, to_b) = (a.places[run.a].start, b.places[run.b].start);
            self.gap(end_a..run.a, end_b..run.b, (to_a, to_b), &found.moves);
            self.tiles.same_words(*run);
            (end_a, end_b) = (run.of_a().end, run.of_b().end);
        }
        let ends = self.tiles.ends();
        self.gap(end_a..a.keys.len(), end_b..b.keys.len(), ends, &found.moves);
    }

    /// Adds what lies between two runs: words by number, up to a byte of each text.
    fn gap(&mut self, a: Range<usize>, b: Range<usize>, to: (usize, usize), moves: &[Run]) {
        let away = within(&self.moved_away, &a, |run| run.of_a()).to_vec();
        let here = within(moves, &b, |run| run.of_b());
        let (mut away, mut here) = (away.into_iter().peekable(), here.iter().peekable());
        let (mut from_a, mut from_b) = (a.start, b.start);
        loop {
            let (next_a, next_b) = (away.next(), here.next());
            let upto_a = next_a.map_or(a.end, |run| run.a);
            let upto_b = next_b.map_or(b.end, |run| run.b);
            self.extent.removed += (upto_a - from_a) as u64;
            self.extent.added += (upto_b - from_b) as u64;
            let [of_a, of_b] = self.words;
            let byte_a = next_a.map_or(to.0, |run| of_a.places[run.a].start);
            let byte_b = next_b.map_or(to.1, |run| of_b.places[run.b].start);
            let words = [from_a..upto_a, from_b..upto_b];
            self.tiles.change(words, (byte_a, byte_b));
            if let Some(run) = next_a {
                self.tiles.pass_moved(run.of_a());
            }
            if let Some(run) = next_b {
                self.tiles.moved(*run);
                self.extent.moved += run.length as u64;
                self.extent.blocks_moved += 1;
            }
            from_a = next_a.map_or(a.end, |run| run.of_a().end);
            from_b = next_b.map_or(b.end, |run| run.of_b().end);
            if next_a.is_none() && next_b.is_none() {
                return;
            }
        }
    }
}

/// The moves within a range of words; they ascend.
fn within<'m>(
    moves: &'m [Run],
    range: &Range<usize>,
    side: impl Fn(&Run) -> Range<usize>,
) -> &'m [Run] {
    let from = moves.partition_point(|run| side(run).start < range.start);
    let to = moves.partition_point(|run| side(run).start < range.end);
    &moves[from..to]
}
