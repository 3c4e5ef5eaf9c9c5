//! Texts of documents that were read to be counted and reach the threshold, kept for their judgement.
//!
//! Counting a document's shingles requires reading its text, making it canonical and checking it; a judgement would
//! repeat that. The best texts are kept, as many as are shown and at most [`MAX_BYTES`], which needs no permit. Other
//! texts are read again: long ones, and those of documents whose shingles were in memory, so that no text was read.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use simdex_index::ReadText;
use simdex_judge::measure::Together;
use simdex_judge::{JudgedText, KnownSignals};
use simdex_schema::DocId;

use super::Overlap;

/// Bytes of extracted and canonical texts kept for one query: below the size that needs a permit.
const MAX_BYTES: usize = 1 << 20;
/// Bytes of texts of one query that are measured ahead. Their words take about three times as much, less than needs a
/// permit.
const MAX_BYTES_AHEAD: usize = 256 << 10;
/// Bytes of a text that is measured ahead: what this takes needs no permit.
pub(super) const LONGEST_AHEAD: usize = 32 << 10;

/// A text of a hit beside that of the query.
#[derive(Clone, Debug)]
pub(crate) struct TextForJudging {
    /// The text of the hit.
    pub(crate) text: Arc<JudgedText>,
    /// What was measured of both.
    pub(crate) together: Arc<Together>,
    /// What is known of both besides their files.
    pub(super) known: KnownSignals,
}

/// The texts of the best documents so far.
#[derive(Debug, Default)]
pub struct TextsForJudging {
    /// Texts ordered by their value, the best first.
    texts: Vec<KeptText>,
    max_texts: usize,
    bytes: usize,
    /// The query's own text, beside which texts are measured ahead.
    own: Option<Arc<JudgedText>>,
    /// Where texts are handed to be measured ahead.
    ahead: Option<Sender<TextForJudging>>,
    /// Texts from the best on that were considered for that.
    considered: usize,
    bytes_ahead: usize,
}

#[derive(Debug)]
struct KeptText {
    value: f64,
    document: DocId,
    bytes: usize,
    is_handed_on: bool,
    pair: TextForJudging,
}

impl TextsForJudging {
    /// Keeps at most this many.
    pub(super) fn new(max_texts: usize) -> Self {
        Self {
            max_texts,
            ..Self::default()
        }
    }

    /// Hands kept texts on, to be measured beside the query's own.
    pub(super) fn measure_ahead(&mut self, own: Arc<JudgedText>, ahead: Sender<TextForJudging>) {
        (self.own, self.ahead) = (Some(own), Some(ahead));
    }

    /// No more texts are handed on.
    pub(super) fn end_ahead(&mut self) {
        self.ahead = None;
    }

    /// The query's own text, if texts were measured beside it.
    pub(crate) fn own(&self) -> Option<Arc<JudgedText>> {
        self.own.clone()
    }

    /// Keeps the text of a document with this value and overlap, if it is among the best; of equal ones those added first.
    pub(super) fn add(&mut self, value: f64, document: DocId, overlap: &Overlap, read: ReadText) {
        let length = read.canonical.as_bytes().len();
        let bytes = read.extracted.len().max(length);
        let at = self.texts.partition_point(|kept| kept.value >= value);
        if at >= self.max_texts || bytes > self.room_below(at) {
            return;
        }
        let own = self
            .own
            .as_ref()
            .map_or(0, |own| own.canonical().as_bytes().len());
        let pair = TextForJudging {
            text: Arc::new(JudgedText::of(read.canonical, &read.extracted)),
            together: Arc::default(),
            known: overlap.known_signals([own, length].map(|bytes| bytes as u64)),
        };
        let is_sure = at < self.considered;
        self.considered += usize::from(is_sure);
        let kept = KeptText {
            value,
            document,
            bytes,
            is_handed_on: is_sure && self.hand_on(&pair, bytes),
            pair,
        };
        self.bytes += bytes;
        self.texts.insert(at, kept);
        while self.texts.len() > self.max_texts || self.bytes > MAX_BYTES {
            self.bytes -= self.texts.pop().map_or(self.bytes, |worst| worst.bytes);
        }
        self.considered = self.considered.min(self.texts.len());
    }

    /// Hands on the texts of documents that will be shown: `rank` returns how many documents may be as good as one of this
    /// value, which is among them.
    pub(super) fn hand_on_shown(&mut self, rank: impl Fn(f64) -> usize) {
        while self.ahead.is_some()
            && let Some(next) = self.texts.get(self.considered)
            && rank(next.value) <= self.max_texts
        {
            let (pair, bytes) = (next.pair.clone(), next.bytes);
            let is_handed_on = self.hand_on(&pair, bytes);
            self.texts[self.considered].is_handed_on = is_handed_on;
            self.considered += 1;
        }
    }

    /// Hands a text on, if there is room.
    fn hand_on(&mut self, pair: &TextForJudging, bytes: usize) -> bool {
        let has_room = bytes <= LONGEST_AHEAD && self.bytes_ahead + bytes <= MAX_BYTES_AHEAD;
        let ahead = self.ahead.as_ref().filter(|_| has_room);
        let is_handed_on = ahead.is_some_and(|ahead| ahead.send(pair.clone()).is_ok());
        self.bytes_ahead += if is_handed_on { bytes } else { 0 };
        is_handed_on
    }

    /// How many texts were handed on, and not measured by now. If they are many, the processors are busy.
    pub(crate) fn behind(&self) -> usize {
        let left = |kept: &&KeptText| kept.is_handed_on && !kept.pair.together.is_measured();
        self.texts.iter().filter(left).count()
    }

    /// How many texts were handed on.
    #[cfg(test)]
    pub(crate) fn handed_on(&self) -> usize {
        self.texts.iter().filter(|kept| kept.is_handed_on).count()
    }

    /// Bytes available to a text at this place: worse texts give up theirs.
    fn room_below(&self, at: usize) -> usize {
        let better: usize = self.texts[..at].iter().map(|kept| kept.bytes).sum();
        MAX_BYTES.saturating_sub(better)
    }

    /// Whether the text of a document was measured ahead.
    pub(crate) fn is_measured(&self, document: DocId) -> bool {
        let kept = self.texts.iter().find(|kept| kept.document == document);
        kept.is_some_and(|kept| kept.pair.together.is_measured())
    }

    /// Hands over the text of a document, which is no longer kept.
    pub(crate) fn take(&mut self, document: DocId) -> Option<TextForJudging> {
        let at = self
            .texts
            .iter()
            .position(|kept| kept.document == document)?;
        let kept = self.texts.remove(at);
        self.bytes -= kept.bytes;
        Some(kept.pair)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;

    use simdex_signature::CanonicalText;

    use super::*;

    fn text(length: usize) -> ReadText {
        let extracted = "word ".repeat(length / 5);
        ReadText {
            canonical: CanonicalText::from_extracted(&extracted),
            extracted,
        }
    }

    fn add(kept: &mut TextsForJudging, document: u64, value: f64, length: usize) {
        let overlap = Overlap::default();
        kept.add(value, DocId(document), &overlap, text(length));
    }

    fn ahead(max_texts: usize) -> (TextsForJudging, Receiver<TextForJudging>) {
        let (sender, handed) = std::sync::mpsc::channel();
        let mut kept = TextsForJudging::new(max_texts);
        assert!(kept.own().is_none());
        kept.measure_ahead(Arc::new(JudgedText::new("own")), sender);
        (kept, handed)
    }

    /// Lengths of the texts that were handed on.
    fn lengths(handed: &Receiver<TextForJudging>) -> Vec<u64> {
        let known = handed.try_iter().map(|pair| pair.known.lengths);
        known.map(|[_, length]| length).collect()
    }

    #[test]
    fn texts_are_handed_on_once_they_are_sure_to_be_shown() {
        let (mut kept, handed) = ahead(2);
        add(&mut kept, 1, 0.8, 105);
        kept.hand_on_shown(|_| 3);
        assert_eq!(lengths(&handed), [0; 0]);
        kept.hand_on_shown(|value| if value >= 0.8 { 2 } else { 3 });
        assert_eq!(lengths(&handed), [104]);
        kept.hand_on_shown(|_| 1);
        assert_eq!(lengths(&handed), [0; 0]);
        // A better one is as sure; a worse one has to be.
        add(&mut kept, 2, 0.9, 205);
        assert_eq!(lengths(&handed), [204]);
        let (mut kept, handed) = ahead(2);
        add(&mut kept, 1, 0.8, 105);
        kept.hand_on_shown(|_| 1);
        add(&mut kept, 2, 0.7, 205);
        assert_eq!(lengths(&handed), [104]);
        kept.end_ahead();
        kept.hand_on_shown(|_| 1);
        assert_eq!(lengths(&handed), [0; 0]);
        assert!(kept.own().is_some());
        assert_eq!(documents(&kept), [1, 2]);
    }

    #[test]
    fn long_texts_and_those_beyond_a_limit_are_not_handed_on() {
        let (mut kept, handed) = ahead(20);
        add(&mut kept, 1, 0.9, LONGEST_AHEAD + 10);
        for document in 2..14 {
            add(&mut kept, document, 0.8, LONGEST_AHEAD);
        }
        kept.hand_on_shown(|_| 1);
        let lengths = lengths(&handed);
        assert_eq!(lengths.len(), MAX_BYTES_AHEAD / LONGEST_AHEAD);
        assert_eq!(kept.texts.len(), 13);
    }

    fn documents(kept: &TextsForJudging) -> Vec<u64> {
        kept.texts.iter().map(|kept| kept.document.0).collect()
    }

    #[test]
    fn the_best_are_kept_and_handed_over_once() {
        let mut kept = TextsForJudging::new(2);
        for (document, value) in [(1, 0.5), (2, 0.9), (3, 0.4), (4, 0.9), (5, 0.6)] {
            add(&mut kept, document, value, 100);
        }
        assert_eq!(documents(&kept), [2, 4]);
        assert!(kept.take(DocId(2)).is_some() && kept.take(DocId(2)).is_none());
        assert_eq!((documents(&kept), kept.bytes), (vec![4], 100));
        assert!(kept.take(DocId(1)).is_none());
    }

    #[test]
    fn long_texts_give_way_to_better_ones_and_never_exceed_what_may_be_held() {
        let mut kept = TextsForJudging::new(10);
        add(&mut kept, 1, 0.9, MAX_BYTES / 2);
        add(&mut kept, 2, 0.8, MAX_BYTES / 4);
        // It does not fit beside better ones; a shorter one of less value does.
        add(&mut kept, 3, 0.7, MAX_BYTES / 2);
        add(&mut kept, 4, 0.6, 1_000);
        assert_eq!(documents(&kept), [1, 2, 4]);
        add(&mut kept, 5, 0.95, MAX_BYTES / 2);
        assert_eq!(documents(&kept), [5, 1]);
        assert!(kept.bytes <= MAX_BYTES);
        add(&mut kept, 6, 1.0, MAX_BYTES + 5);
        assert_eq!(documents(&kept), [5, 1]);
    }
}
