//! Texts of documents that were read to be counted and reach the threshold, kept for their judgement.
//!
//! Counting a document's shingles requires reading its text, making it canonical and checking it; a judgement would
//! repeat that. The best texts are kept, as many as are shown and at most [`MAX_BYTES`], which needs no permit. Other
//! texts are read again: long ones, and those of documents whose shingles were in memory, so that no text was read.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use simdex_index::ReadText;
use simdex_judge::JudgedText;
use simdex_schema::DocId;

/// Bytes of extracted and canonical texts kept for one query: below the size that needs a permit.
const MAX_BYTES: usize = 1 << 20;
/// Bytes of texts of one query whose words are counted before they are judged. The words take about three times as much,
/// less than needs a permit.
const MAX_BYTES_AHEAD: usize = 256 << 10;

/// The texts of the best documents so far.
#[derive(Debug, Default)]
pub struct TextsForJudging {
    /// Texts ordered by their value, the best first.
    texts: Vec<TextForJudging>,
    max_texts: usize,
    bytes: usize,
    /// The query's own text, whose words are counted.
    own: Option<Arc<JudgedText>>,
    /// Where texts are handed to be counted, while candidates are.
    ahead: Option<Sender<Arc<JudgedText>>>,
    bytes_ahead: usize,
}

#[derive(Debug)]
struct TextForJudging {
    value: f64,
    document: DocId,
    bytes: usize,
    text: Arc<JudgedText>,
}

impl TextsForJudging {
    /// Keeps at most this many.
    pub(super) fn new(max_texts: usize) -> Self {
        Self {
            max_texts,
            ..Self::default()
        }
    }

    /// Has the words of kept texts counted beside those of the query's own.
    pub(super) fn count_ahead(&mut self, own: Arc<JudgedText>, ahead: Sender<Arc<JudgedText>>) {
        (self.own, self.ahead) = (Some(own), Some(ahead));
    }

    /// No more texts are counted ahead.
    pub(super) fn end_ahead(&mut self) {
        self.ahead = None;
    }

    /// The query's own text, if texts were counted beside it.
    pub(crate) fn own(&self) -> Option<Arc<JudgedText>> {
        self.own.clone()
    }

    /// Keeps the text of a document with this value, if it is among the best; of equal ones those added first.
    pub(super) fn add(&mut self, value: f64, document: DocId, text: ReadText) {
        let bytes = text.extracted.len().max(text.canonical.as_bytes().len());
        let at = self.texts.partition_point(|kept| kept.value >= value);
        if at >= self.max_texts || bytes > self.room_below(at) {
            return;
        }
        let text = Arc::new(JudgedText::of(text.canonical, &text.extracted));
        if let Some(ahead) = &self.ahead
            && self.bytes_ahead + bytes <= MAX_BYTES_AHEAD
            && ahead.send(Arc::clone(&text)).is_ok()
        {
            self.bytes_ahead += bytes;
        }
        let kept = TextForJudging {
            value,
            document,
            bytes,
            text,
        };
        self.bytes += bytes;
        self.texts.insert(at, kept);
        while self.texts.len() > self.max_texts || self.bytes > MAX_BYTES {
            self.bytes -= self.texts.pop().map_or(self.bytes, |worst| worst.bytes);
        }
    }

    /// Bytes available to a text at this place: worse texts give up theirs.
    fn room_below(&self, at: usize) -> usize {
        let better: usize = self.texts[..at].iter().map(|kept| kept.bytes).sum();
        MAX_BYTES.saturating_sub(better)
    }

    /// Hands over the text of a document, which is no longer kept.
    pub(crate) fn take(&mut self, document: DocId) -> Option<Arc<JudgedText>> {
        let at = self
            .texts
            .iter()
            .position(|kept| kept.document == document)?;
        let kept = self.texts.remove(at);
        self.bytes -= kept.bytes;
        Some(kept.text)
    }
}

#[cfg(test)]
mod tests {
    use simdex_signature::CanonicalText;

    use super::*;

    fn text(length: usize) -> ReadText {
        let extracted = "word ".repeat(length / 5);
        ReadText {
            canonical: CanonicalText::from_extracted(&extracted),
            extracted,
        }
    }

    #[test]
    fn texts_are_handed_on_to_be_counted_up_to_a_limit_and_until_it_ends() {
        let (sender, handed) = std::sync::mpsc::channel();
        let mut kept = TextsForJudging::new(10);
        kept.add(0.9, DocId(1), text(100));
        assert!(kept.own().is_none());
        kept.count_ahead(Arc::new(JudgedText::new("own")), sender);
        for (document, length) in [(2, 100), (3, MAX_BYTES_AHEAD), (4, MAX_BYTES_AHEAD - 200)] {
            kept.add(0.8, DocId(document), text(length));
        }
        kept.end_ahead();
        kept.add(0.7, DocId(5), text(100));
        let lengths = handed.iter().map(|text| text.canonical().as_bytes().len());
        assert_eq!(lengths.collect::<Vec<_>>().len(), 2);
        assert!(kept.own().is_some());
        assert_eq!(documents(&kept), [1, 2, 3, 4, 5]);
    }

    fn documents(kept: &TextsForJudging) -> Vec<u64> {
        kept.texts.iter().map(|kept| kept.document.0).collect()
    }

    #[test]
    fn the_best_are_kept_and_handed_over_once() {
        let mut kept = TextsForJudging::new(2);
        for (document, value) in [(1, 0.5), (2, 0.9), (3, 0.4), (4, 0.9), (5, 0.6)] {
            kept.add(value, DocId(document), text(100));
        }
        assert_eq!(documents(&kept), [2, 4]);
        assert!(kept.take(DocId(2)).is_some() && kept.take(DocId(2)).is_none());
        assert_eq!((documents(&kept), kept.bytes), (vec![4], 100));
        assert!(kept.take(DocId(1)).is_none());
    }

    #[test]
    fn long_texts_give_way_to_better_ones_and_never_exceed_what_may_be_held() {
        let mut kept = TextsForJudging::new(10);
        kept.add(0.9, DocId(1), text(MAX_BYTES / 2));
        kept.add(0.8, DocId(2), text(MAX_BYTES / 4));
        // It does not fit beside better ones; a shorter one of less value does.
        kept.add(0.7, DocId(3), text(MAX_BYTES / 2));
        kept.add(0.6, DocId(4), text(1_000));
        assert_eq!(documents(&kept), [1, 2, 4]);
        kept.add(0.95, DocId(5), text(MAX_BYTES / 2));
        assert_eq!(documents(&kept), [5, 1]);
        assert!(kept.bytes <= MAX_BYTES);
        kept.add(1.0, DocId(6), text(MAX_BYTES + 5));
        assert_eq!(documents(&kept), [5, 1]);
    }
}
