//! Measures what judgements will ask for on the second thread: while the first counts the shingles of the next candidates,
//! and then while it judges.
//!
//! A text is measured once its document is sure to be shown, so that hardly one is measured in vain. While candidates are
//! counted the thread takes the best first. Then the first thread judges from the best on, and the second takes the worst
//! of those left, so that the two meet once. What the second does not come to, since the processors are busy, the first
//! does. Values depend on the two texts alone, and so do judgements.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use simdex_index::{IndexReader, MemoryAccount, SecondThread};
use simdex_judge::{JudgedText, Model};
use simdex_schema::DocId;

use super::text_for_judging::TextForJudging;
use super::{QueryParams, Subject};
use crate::base::lock::lock;

/// Fewer texts than this are not worth waking a thread.
const MIN_TEXTS: usize = 4;
/// Bytes of a text that is measured ahead: what this takes needs no permit.
pub(super) const LONGEST_AHEAD: usize = 32 << 10;

/// What texts are measured beside, and where they are read.
struct Beside {
    model: Arc<Model>,
    own: Arc<JudgedText>,
    index: IndexReader,
    account: MemoryAccount,
}

/// Texts of one query that are measured on the second thread until it is dropped.
pub(crate) struct MeasuringAhead {
    queue: Arc<Queue>,
    own: Arc<JudgedText>,
    _second: SecondThread,
}

impl MeasuringAhead {
    /// Begins to measure for a query of this many candidates, if it is judged, its own text is short, and no other request
    /// uses the second thread.
    pub(super) fn begin(
        index: &IndexReader,
        subject: &Subject,
        params: &QueryParams,
        candidates: usize,
    ) -> Option<Self> {
        let model = params.judged_by.as_ref()?;
        let own = subject.text()?;
        if candidates < MIN_TEXTS || own.canonical.as_bytes().len() > LONGEST_AHEAD {
            return None;
        }
        let second = index.second_thread()?;
        let beside = Beside {
            model: Arc::clone(model),
            own: Arc::new(own.judged()),
            index: index.clone(),
            account: subject.account().clone(),
        };
        Self::start(second, beside)
    }

    /// `None` if the thread is not there, or behind.
    fn start(second: SecondThread, beside: Beside) -> Option<Self> {
        let own = Arc::clone(&beside.own);
        let queue = Arc::new(Queue::new(beside));
        let measured = Arc::clone(&queue);
        let is_started = second.start(Box::new(move || measured.measure_all()));
        is_started.then_some(Self {
            queue,
            own,
            _second: second,
        })
    }

    /// The query's own text.
    pub(super) fn own(&self) -> &Arc<JudgedText> {
        &self.own
    }

    /// Hands a text on.
    pub(super) fn hand_on(&self, text: Arc<TextForJudging>) {
        let mut state = lock(&self.queue.state);
        state.texts.push_back(text);
        state.handed_on += 1;
        self.queue.changed.notify_all();
    }

    /// No more texts are handed on: what is left is measured from the last on, and no more is waited for.
    pub(super) fn end(&self) {
        lock(&self.queue.state).is_ended = true;
        self.queue.changed.notify_all();
    }

    /// Leaves the text of a document to the caller, unless it is being measured or was.
    pub(super) fn take_back(&self, document: DocId) {
        let mut state = lock(&self.queue.state);
        state.texts.retain(|text| text.document != document);
    }

    /// Whether the second thread came to none of several texts: the processors are busy.
    pub(super) fn is_behind(&self) -> bool {
        let state = lock(&self.queue.state);
        state.handed_on >= MIN_TEXTS && state.measured == 0 && !state.is_measuring
    }
}

impl Drop for MeasuringAhead {
    /// Waits for the text that is being measured, if there is one. A job that was not begun finds nothing to do, whenever
    /// the thread comes to it.
    fn drop(&mut self) {
        let mut state = lock(&self.queue.state);
        (state.beside, state.is_ended) = (None, true);
        state.texts.clear();
        self.queue.changed.notify_all();
        while state.is_measuring {
            let waited = self.queue.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The texts of one query, as both threads know them.
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Texts that were handed on and not begun.
    texts: VecDeque<Arc<TextForJudging>>,
    /// What texts are measured beside, until the query is over.
    beside: Option<Arc<Beside>>,
    is_ended: bool,
    is_measuring: bool,
    handed_on: usize,
    measured: usize,
}

impl Queue {
    fn new(beside: Beside) -> Self {
        Self {
            state: Mutex::new(State {
                texts: VecDeque::new(),
                beside: Some(Arc::new(beside)),
                is_ended: false,
                is_measuring: false,
                handed_on: 0,
                measured: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// Measures texts as they are handed on, until no more are.
    fn measure_all(&self) {
        while let Some(next) = self.next() {
            next.measure();
        }
    }

    /// Waits for the next text; `None` if there is none any more.
    fn next(&self) -> Option<BeingMeasured<'_>> {
        let mut state = lock(&self.state);
        loop {
            let next = match state.is_ended {
                true => Some(state.texts.pop_back()?),
                false => state.texts.pop_front(),
            };
            if let Some(text) = next {
                let of = Some((Arc::clone(state.beside.as_ref()?), text));
                state.is_measuring = true;
                return Some(BeingMeasured { queue: self, of });
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A text that is being measured. When it is dropped, after a panic too, nothing is held of the query any more.
struct BeingMeasured<'a> {
    queue: &'a Queue,
    of: Option<(Arc<Beside>, Arc<TextForJudging>)>,
}

impl BeingMeasured<'_> {
    /// Measures the text. One that cannot be read is left to the judging, which finds out why.
    fn measure(&self) {
        let Some((beside, text)) = &self.of else {
            return;
        };
        if let Ok(read) = text.text_or_read(beside.index.texts(), &beside.account) {
            let both = [&*beside.own, &*read];
            beside
                .model
                .measure_ahead(&text.known, both, &text.together);
        }
    }
}

impl Drop for BeingMeasured<'_> {
    fn drop(&mut self) {
        self.of = None;
        let mut state = lock(&self.queue.state);
        state.is_measuring = false;
        state.measured += 1;
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use simdex_index::{Cancel, Opened, ReadText};
    use simdex_judge::KnownSignals;
    use simdex_signature::CanonicalText;

    use super::super::tests::opened_of;
    use super::*;

    /// Measures nothing, as if the second thread never came to it.
    pub(in crate::read_side::query) fn idle() -> MeasuringAhead {
        let (Opened { index, .. }, _dir) = opened_of(&[]);
        let reader = index.reader();
        let own = Arc::new(JudgedText::new("the supplier delivers within thirty days"));
        let beside = Beside {
            model: Arc::new(Model::shipped().unwrap()),
            own: Arc::clone(&own),
            index: reader.clone(),
            account: reader.memory().requests.account(&Cancel::never()),
        };
        MeasuringAhead {
            queue: Arc::new(Queue::new(beside)),
            own,
            _second: reader.second_thread().unwrap(),
        }
    }

    fn text(document: u64) -> TextForJudging {
        let extracted = "the supplier delivers".to_owned();
        let canonical = CanonicalText::from_extracted(&extracted);
        let read = ReadText {
            extracted,
            canonical,
        };
        TextForJudging::new(DocId(document), Some(read), KnownSignals::default())
    }

    fn hand_on(ahead: &MeasuringAhead, documents: impl IntoIterator<Item = u64>) {
        for document in documents {
            ahead.hand_on(Arc::new(text(document)));
        }
    }

    fn next(ahead: &MeasuringAhead) -> Option<u64> {
        let next = ahead.queue.next()?;
        next.measure();
        let (_, text) = next.of.as_ref()?;
        Some(text.document.0)
    }

    #[test]
    fn the_best_are_measured_first_and_the_worst_once_the_first_thread_judges() {
        let ahead = idle();
        hand_on(&ahead, 0..6);
        assert!(ahead.is_behind());
        assert_eq!([0, 1].map(|_| next(&ahead)), [Some(0), Some(1)]);
        assert!(!ahead.is_behind());
        ahead.end();
        // What the first thread takes is not measured.
        ahead.take_back(DocId(2));
        ahead.take_back(DocId(4));
        let left = [0; 3].map(|_| next(&ahead));
        assert_eq!(left, [Some(5), Some(3), None]);
    }

    #[test]
    fn a_thread_that_comes_late_finds_nothing_and_nothing_is_held() {
        let ahead = idle();
        hand_on(&ahead, 0..2);
        let (queue, own) = (Arc::clone(&ahead.queue), Arc::clone(&ahead.own));
        drop(ahead);
        assert!(queue.next().is_none());
        assert_eq!(Arc::strong_count(&own), 1);
    }

    #[test]
    fn a_query_ends_when_the_text_that_is_being_measured_is_left() {
        let ahead = idle();
        hand_on(&ahead, 0..2);
        let (queue, own) = (Arc::clone(&ahead.queue), Arc::clone(&ahead.own));
        let (begun, begins) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let measuring = scope.spawn(move || {
                let _next = queue.next().unwrap();
                begun.send(()).unwrap();
                // Long enough for a query that would not wait.
                std::thread::sleep(Duration::from_millis(50));
                panic!("as the test wants it");
            });
            begins.recv().unwrap();
            drop(ahead);
            assert_eq!(Arc::strong_count(&own), 1);
            assert!(measuring.join().is_err());
        });
    }
}
