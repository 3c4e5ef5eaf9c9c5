//! Texts of documents that reach the threshold, kept for their judgement, and handed on to be measured ahead.
//!
//! Counting a document's shingles requires reading its text, making it canonical and checking it; a judgement would
//! repeat that. The best texts are kept, as many as are shown and at most [`MAX_BYTES`], which needs no permit. Short texts
//! of documents whose shingles were in memory, so that none was read, are read where they are measured. Other texts are read
//! when they are judged.

use std::collections::HashSet;
use std::sync::Arc;

use simdex_index::{Documents, ReadText};
use simdex_judge::{JudgedText, KnownSignals};
use simdex_schema::DocId;

use super::measured_ahead::{LONGEST_AHEAD, MeasuringAhead};
use super::text_for_judging::TextForJudging;
use super::{Overlap, QueryParams};

/// Bytes of extracted and canonical texts kept for one query: below the size that needs a permit.
const MAX_BYTES: usize = 1 << 20;
/// Bytes of texts of one query that are measured ahead. Their words take about three times as much, less than needs a
/// permit.
const MAX_BYTES_AHEAD: usize = 256 << 10;
/// Texts of one query that are measured ahead.
const MAX_TEXTS_AHEAD: usize = 256;

/// The texts of the best documents so far.
#[derive(Default)]
pub struct TextsForJudging {
    /// Texts ordered by their value, the best first.
    texts: Vec<KeptText>,
    max_texts: usize,
    /// Of texts that were read to be counted.
    bytes: usize,
    /// Where texts are handed to be measured ahead.
    ahead: Option<MeasuringAhead>,
    /// The query's own text, beside which texts are measured ahead.
    own: Option<Arc<JudgedText>>,
    /// Texts from the best on that were considered for that.
    considered: usize,
    bytes_ahead: usize,
}

struct KeptText {
    value: f64,
    /// Bytes held of it.
    bytes: usize,
    /// Bytes that measuring it takes.
    length: usize,
    is_handed_on: bool,
    pair: Arc<TextForJudging>,
}

impl TextsForJudging {
    /// Keeps as many as the query shows, none if it is not judged; hands them on to be measured ahead.
    pub(super) fn new(params: &QueryParams, ahead: Option<MeasuringAhead>) -> Self {
        let is_judged = params.judged_by.is_some();
        Self::of(if is_judged { params.limit } else { 0 }, ahead)
    }

    fn of(max_texts: usize, ahead: Option<MeasuringAhead>) -> Self {
        Self {
            max_texts,
            own: ahead.as_ref().map(|ahead| Arc::clone(ahead.own())),
            ahead,
            ..Self::default()
        }
    }

    /// All candidates are counted: no more texts are handed on.
    pub(super) fn end_counting(&self) {
        self.ahead.iter().for_each(MeasuringAhead::end);
    }

    /// Nothing is measured ahead any more; returns whether the second thread came to none of several texts, since the
    /// processors are busy.
    pub(crate) fn end_measuring(&mut self) -> bool {
        self.ahead.take().is_some_and(|ahead| ahead.is_behind())
    }

    /// The query's own text, if texts were measured beside it.
    pub(crate) fn own(&self) -> Option<Arc<JudgedText>> {
        self.own.clone()
    }

    /// Keeps the text of a document with this value and overlap, if it is among the best; of equal ones those added first.
    /// One that was not read to count it has a place if it can be measured ahead.
    pub(super) fn add(
        &mut self,
        value: f64,
        (document, overlap): (DocId, &Overlap),
        read: Option<ReadText>,
        documents: Documents<'_>,
    ) {
        match read {
            Some(read) => self.add_read(value, document, overlap, read),
            None => self.add_unread(value, document, overlap, documents),
        }
    }

    fn add_read(&mut self, value: f64, document: DocId, overlap: &Overlap, read: ReadText) {
        let length = read.canonical.as_bytes().len();
        let bytes = read.extracted.len().max(length);
        if bytes <= self.room_below(self.place(value)) {
            let known = self.known(overlap, length);
            let pair = TextForJudging::new(document, Some(read), known);
            self.insert((value, bytes, bytes), pair);
        }
    }

    fn add_unread(
        &mut self,
        value: f64,
        document: DocId,
        overlap: &Overlap,
        documents: Documents<'_>,
    ) {
        if self.ahead.is_none() || self.place(value) >= MAX_TEXTS_AHEAD {
            return;
        }
        let stats = documents.stats(document);
        let length = stats.and_then(|stats| usize::try_from(stats.length).ok());
        if let Some(length) = length.filter(|length| *length <= LONGEST_AHEAD) {
            let pair = TextForJudging::new(document, None, self.known(overlap, length));
            self.insert((value, 0, length), pair);
        }
    }

    /// What is known of a document of this many canonical bytes beside the query's own.
    fn known(&self, overlap: &Overlap, length: usize) -> KnownSignals {
        let own = self.own.as_ref();
        let own = own.map_or(0, |own| own.canonical().as_bytes().len());
        overlap.known_signals([own, length].map(|bytes| bytes as u64))
    }

    /// Keeps a text of this value, the bytes held of it, and those that measuring it takes.
    fn insert(&mut self, (value, bytes, length): (f64, usize, usize), pair: TextForJudging) {
        let at = self.place(value);
        if at >= self.max_texts {
            return;
        }
        let pair = Arc::new(pair);
        let is_sure = at < self.considered;
        self.considered += usize::from(is_sure);
        let kept = KeptText {
            value,
            bytes,
            length,
            is_handed_on: is_sure && self.hand_on(&pair, length),
            pair,
        };
        self.bytes += bytes;
        self.texts.insert(at, kept);
        while self.texts.len() > self.max_texts || self.bytes > MAX_BYTES {
            self.bytes -= self.texts.pop().map_or(self.bytes, |worst| worst.bytes);
        }
        self.considered = self.considered.min(self.texts.len());
    }

    /// The place of a text of this value.
    fn place(&self, value: f64) -> usize {
        self.texts.partition_point(|kept| kept.value >= value)
    }

    /// Hands on the texts of documents that will be shown: `rank` returns how many documents may be as good as one of this
    /// value, which is among them.
    pub(super) fn hand_on_shown(&mut self, rank: impl Fn(f64) -> usize) {
        while self.ahead.is_some()
            && let Some(next) = self.texts.get(self.considered)
            && rank(next.value) <= self.max_texts
        {
            let (pair, length) = (Arc::clone(&next.pair), next.length);
            let is_handed_on = self.hand_on(&pair, length);
            self.texts[self.considered].is_handed_on = is_handed_on;
            self.considered += 1;
        }
    }

    /// Hands a text on, if there is room.
    fn hand_on(&mut self, pair: &Arc<TextForJudging>, length: usize) -> bool {
        let has_room = length <= LONGEST_AHEAD
            && self.bytes_ahead + length <= MAX_BYTES_AHEAD
            && self.considered < MAX_TEXTS_AHEAD;
        let Some(ahead) = self.ahead.as_ref().filter(|_| has_room) else {
            return false;
        };
        ahead.hand_on(Arc::clone(pair));
        self.bytes_ahead += length;
        true
    }

    /// Bytes available to a text at this place: worse texts give up theirs.
    fn room_below(&self, at: usize) -> usize {
        let better: usize = self.texts[..at].iter().map(|kept| kept.bytes).sum();
        MAX_BYTES.saturating_sub(better)
    }

    /// Documents whose texts were handed on.
    pub(crate) fn handed_on(&self) -> HashSet<DocId> {
        let handed_on = self.texts.iter().filter(|kept| kept.is_handed_on);
        handed_on.map(|kept| kept.pair.document).collect()
    }

    /// Hands over the text of a document, which is no longer kept.
    pub(crate) fn take(&mut self, document: DocId) -> Option<Arc<TextForJudging>> {
        let mut kept = self.texts.iter();
        let at = kept.position(|kept| kept.pair.document == document)?;
        let kept = self.texts.remove(at);
        self.bytes -= kept.bytes;
        let ahead = self.ahead.iter().filter(|_| kept.is_handed_on);
        ahead.for_each(|ahead| ahead.take_back(document));
        Some(kept.pair)
    }
}

#[cfg(test)]
mod tests {
    use simdex_signature::CanonicalText;

    use super::super::measured_ahead::tests::idle;
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
        kept.add_read(value, DocId(document), &overlap, text(length));
    }

    /// Keeps this many texts; what is handed on is never measured.
    fn ahead(max_texts: usize) -> TextsForJudging {
        TextsForJudging::of(max_texts, Some(idle()))
    }

    fn handed_on(kept: &TextsForJudging) -> Vec<u64> {
        let mut documents: Vec<u64> = kept.handed_on().iter().map(|of| of.0).collect();
        documents.sort_unstable();
        documents
    }

    #[test]
    fn texts_are_handed_on_once_they_are_sure_to_be_shown() {
        assert!(TextsForJudging::of(2, None).own().is_none());
        let mut kept = ahead(2);
        assert!(kept.own().is_some());
        add(&mut kept, 1, 0.8, 105);
        kept.hand_on_shown(|_| 3);
        assert_eq!(handed_on(&kept), [0; 0]);
        kept.hand_on_shown(|value| if value >= 0.8 { 2 } else { 3 });
        assert_eq!(handed_on(&kept), [1]);
        // A better one is as sure; a worse one has to be.
        add(&mut kept, 2, 0.9, 205);
        assert_eq!(handed_on(&kept), [1, 2]);
        let mut kept = ahead(2);
        add(&mut kept, 1, 0.8, 105);
        kept.hand_on_shown(|_| 1);
        add(&mut kept, 2, 0.7, 205);
        assert_eq!(handed_on(&kept), [1]);
        kept.end_measuring();
        kept.hand_on_shown(|_| 1);
        assert_eq!(handed_on(&kept), [1]);
        assert!(kept.own().is_some());
        assert_eq!(documents(&kept), [1, 2]);
    }

    #[test]
    fn long_texts_and_those_beyond_a_limit_are_not_handed_on() {
        let mut kept = ahead(20);
        add(&mut kept, 1, 0.9, LONGEST_AHEAD + 10);
        for document in 2..14 {
            add(&mut kept, document, 0.8, LONGEST_AHEAD);
        }
        kept.hand_on_shown(|_| 1);
        assert_eq!(handed_on(&kept).len(), MAX_BYTES_AHEAD / LONGEST_AHEAD);
        assert_eq!(kept.texts.len(), 13);
        let many = 2 * MAX_TEXTS_AHEAD;
        let mut kept = ahead(many);
        for document in 0..many as u64 {
            add(&mut kept, document, 0.8, 10);
        }
        kept.hand_on_shown(|_| 1);
        assert_eq!(handed_on(&kept).len(), MAX_TEXTS_AHEAD);
    }

    fn documents(kept: &TextsForJudging) -> Vec<u64> {
        let documents = kept.texts.iter().map(|kept| kept.pair.document.0);
        documents.collect()
    }

    #[test]
    fn the_best_are_kept_and_handed_over_once() {
        let mut kept = TextsForJudging::of(2, None);
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
        let mut kept = TextsForJudging::of(10, None);
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
