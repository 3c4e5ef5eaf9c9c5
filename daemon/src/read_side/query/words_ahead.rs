//! Counts the words of kept texts on the second thread, while the first counts the shingles of the next candidates.
//!
//! Most of a judgement's time goes into the words of the hit's text. Judged after the last candidate was counted, all of
//! it would lengthen the answer. What the second thread has not begun by then is left to the judging, and a text that
//! gives way to a better one was counted in vain. Values depend on the texts alone, and so do judgements.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use simdex_index::IndexReader;
use simdex_judge::JudgedText;

use super::{QueryError, QueryParams, ShingledText, Subject, TextsForJudging, VerifiedDocuments};

/// Fewer candidates than this are not worth a thread.
const MIN_CANDIDATES: usize = 4;
/// Bytes of a text of the query whose words are counted ahead: what they take needs no permit.
const LONGEST: usize = 32 << 10;

/// Does `work`, which adds to the texts that it is given, of this many candidates. Their words are counted meanwhile if
/// the query keeps texts and no other request uses the second thread.
pub(super) fn with_words_ahead(
    index: &IndexReader,
    subject: &Subject,
    params: &QueryParams,
    candidates: usize,
    work: impl FnOnce(TextsForJudging) -> Result<VerifiedDocuments, QueryError>,
) -> Result<VerifiedDocuments, QueryError> {
    let mut texts = TextsForJudging::new(if params.keeps_texts { params.limit } else { 0 });
    let is_short = |text: &&ShingledText| text.canonical.as_bytes().len() <= LONGEST;
    let is_worth_it = params.keeps_texts && candidates >= MIN_CANDIDATES;
    let own = subject.text().filter(|text| is_worth_it && is_short(text));
    let Some((own, _second)) = own.and_then(|own| Some((own, index.second_thread()?))) else {
        return work(texts);
    };
    let own = Arc::new(own.judged());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let (beside, is_over) = (Arc::clone(&own), &is_over);
        let thread = thread::Builder::new().name("judge-words".to_owned());
        let counting = thread.spawn_scoped(scope, move || count(&beside, receiver, is_over));
        if counting.is_ok() {
            texts.count_ahead(own, sender);
        }
        let done = work(texts);
        is_over.store(true, Ordering::Relaxed);
        let done = done.map(|mut found| {
            found.texts.end_ahead();
            found
        });
        // Where it panicked, the words are counted when they are judged.
        drop(counting.map(thread::ScopedJoinHandle::join));
        done
    })
}

/// Counts the words of these texts until it is over.
fn count(own: &JudgedText, texts: impl IntoIterator<Item = Arc<JudgedText>>, is_over: &AtomicBool) {
    for text in texts {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        text.count_words_beside(own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_until_it_is_over() {
        let text = |of: &str| Arc::new(JudgedText::new(of));
        let own = text("the supplier delivers within thirty days");
        let texts = ["the supplier", "delivers within", "thirty days"].map(text);
        let is_over = AtomicBool::new(false);
        let until_last = texts.iter().enumerate().map(|(at, text)| {
            is_over.store(at == 2, Ordering::Relaxed);
            Arc::clone(text)
        });
        count(&own, until_last, &is_over);
        assert_eq!(
            texts.map(|text| text.has_counted_words()),
            [true, true, false]
        );
    }
}
