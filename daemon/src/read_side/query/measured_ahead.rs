//! Measures what judgements will ask for on the second thread, while the first counts the shingles of the next candidates.
//!
//! Judged after the last candidate was counted, all of it would lengthen the answer. A text is measured as soon as its
//! document is sure to be shown, so that hardly one is measured in vain. What the second thread has not begun when the last
//! candidate is counted is left to the judging. Values depend on the two texts alone, and so do judgements.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use simdex_index::IndexReader;
use simdex_judge::{JudgedText, Model};

use super::texts_for_judging::{LONGEST_AHEAD, TextForJudging};
use super::{QueryError, QueryParams, ShingledText, Subject, TextsForJudging, VerifiedDocuments};

/// Fewer candidates than this are not worth a thread.
const MIN_CANDIDATES: usize = 4;

/// Does `work`, which adds to the texts that it is given, of this many candidates. Texts are measured meanwhile if the query
/// is judged and no other request uses the second thread.
pub(super) fn with_texts_measured_ahead(
    index: &IndexReader,
    subject: &Subject,
    params: &QueryParams,
    candidates: usize,
    work: impl FnOnce(TextsForJudging) -> Result<VerifiedDocuments, QueryError>,
) -> Result<VerifiedDocuments, QueryError> {
    let Some(model) = &params.judged_by else {
        return work(TextsForJudging::new(0));
    };
    let mut texts = TextsForJudging::new(params.limit);
    let is_short = |text: &&ShingledText| text.canonical.as_bytes().len() <= LONGEST_AHEAD;
    let own = subject.text().filter(|_| candidates >= MIN_CANDIDATES);
    let own = own.filter(is_short);
    let Some((own, _second)) = own.and_then(|own| Some((own, index.second_thread()?))) else {
        return work(texts);
    };
    let own = Arc::new(own.judged());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let (beside, is_over) = (Arc::clone(&own), &is_over);
        let thread = thread::Builder::new().name("judge-ahead".to_owned());
        let measuring =
            thread.spawn_scoped(scope, move || measure(model, &beside, receiver, is_over));
        if measuring.is_ok() {
            texts.measure_ahead(own, sender);
        }
        let done = work(texts);
        is_over.store(true, Ordering::Relaxed);
        let done = done.map(|mut found| {
            found.texts.end_ahead();
            found
        });
        // Where it panicked, the texts are measured when they are judged.
        drop(measuring.map(thread::ScopedJoinHandle::join));
        done
    })
}

/// Measures these texts beside the query's own until it is over.
fn measure(
    model: &Model,
    own: &JudgedText,
    texts: impl IntoIterator<Item = TextForJudging>,
    is_over: &AtomicBool,
) {
    for hit in texts {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        model.measure_ahead(&hit.known, [own, &hit.text], &hit.together);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Overlap;
    use super::*;

    #[test]
    fn texts_are_measured_until_it_is_over() {
        let text = |of: &str| Arc::new(JudgedText::new(of));
        let own = text("the supplier delivers within thirty days");
        let texts = ["the supplier", "delivers within", "thirty days"].map(|of| TextForJudging {
            text: text(of),
            together: Arc::default(),
            known: Overlap::IDENTICAL.known_signals([40, of.len() as u64]),
        });
        let is_over = AtomicBool::new(false);
        let until_last = texts.iter().enumerate().map(|(at, text)| {
            is_over.store(at == 2, Ordering::Relaxed);
            text.clone()
        });
        let model = Model::shipped().unwrap();
        measure(&model, &own, until_last, &is_over);
        assert_eq!(
            texts.map(|text| text.together.is_measured()),
            [true, true, false]
        );
    }
}
