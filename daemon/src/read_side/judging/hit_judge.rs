//! Judges the hits of one request, first those whose texts the second thread measures meanwhile.
//!
//! If many others are left, they are judged on two threads, unless another request uses the second, or it did not come to
//! what it was handed, since the processors are busy. A judgement depends on the pair alone, so two threads give the answer
//! of one. Each takes the next hit in the order of the answer; copies of a document are adjacent, and judged by one thread,
//! which reads their text once.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use simdex_index::{Cancel, IndexError, IndexReader, MemoryAccount};
use simdex_judge::measure::Together;
use simdex_judge::{JudgedText, Judgement, Model};

use super::{HeldJudgedText, JudgedSide, is_of_a_text, judging_deadline, known_signals};
use crate::base::lock::lock;
use crate::base::two_threads::each_on_two_threads;
use crate::read_side::judging_outcome::JudgingOutcome;
use crate::read_side::query::{
    Hit, QueryError, ShingledText, Subject, TextForJudging, TextsForJudging,
};

/// Longest time for judging the hits of one request.
const TIME: Duration = Duration::from_secs(10);
/// Fewer hits that are not measured ahead are judged on one thread: starting another takes as long as judging one.
const MIN_HITS_FOR_TWO_THREADS: usize = 4;

/// Judges hits of an answer, in this order while there is time, by the texts that were kept and those that are read
/// again.
///
/// # Errors
/// The index failed, or the client disconnected.
pub fn judge_hits<'h>(
    model: &Model,
    index: &IndexReader,
    subject: &Subject,
    hits: impl Iterator<Item = &'h mut Hit>,
    texts: &mut TextsForJudging,
) -> Result<(), QueryError> {
    let Some(text) = subject.text() else {
        return Ok(());
    };
    let is_judged = |hit: &&mut Hit| !hit.is_subject && hit.overlap.verified;
    let handed_on = texts.handed_on();
    let is_ahead = |hit: &&mut Hit| {
        let document = hit.file.document;
        document.is_some_and(|(document, _)| handed_on.contains(&document))
    };
    let (mut ahead, mut left): (Vec<_>, Vec<_>) = hits.filter(is_judged).partition(is_ahead);
    let judge = HitJudge {
        model,
        index,
        subject,
        text,
        account: subject.account(),
        own: Mutex::default(),
        texts: Mutex::new(texts),
        until: until(subject.account().cancel()),
    };
    let judge_one = |copies: &mut [&mut Hit]| judge.copies(copies);
    let judged = by_document(&mut ahead).try_for_each(judge_one);
    let is_busy = lock(&judge.texts).end_measuring();
    judged?;
    // A thread that has to wait for a processor would be waited for.
    let is_worth_it = !is_busy && by_document(&mut left).count() >= MIN_HITS_FOR_TWO_THREADS;
    let second = is_worth_it.then(|| index.second_thread()).flatten();
    let mut documents = by_document(&mut left);
    let judged = match second {
        Some(_second) => each_on_two_threads("judge-2", documents, &judge_one),
        None => documents.try_for_each(judge_one),
    };
    Ok(judged?)
}

/// The hits, those of one document together.
fn by_document<'a, 'h>(
    hits: &'a mut [&'h mut Hit],
) -> impl Iterator<Item = &'a mut [&'h mut Hit]> + Send {
    hits.chunk_by_mut(|a, b| a.document == b.document)
}

/// The time until which hits are judged, so that an answer that was found in time is given in time.
fn until(cancel: &Cancel) -> Instant {
    let until = Instant::now() + TIME;
    judging_deadline(cancel).map_or(until, |deadline| deadline.min(until))
}

/// Judges hits by one text; threads share it.
struct HitJudge<'a> {
    model: &'a Model,
    index: &'a IndexReader,
    subject: &'a Subject,
    text: &'a ShingledText,
    account: &'a MemoryAccount,
    /// The request's own text, once it was needed.
    own: Mutex<Option<HeldJudgedText>>,
    /// Texts that the request has read.
    texts: Mutex<&'a mut TextsForJudging>,
    until: Instant,
}

impl HitJudge<'_> {
    /// Judges files of one document.
    fn copies(&self, copies: &mut [&mut Hit]) -> Result<(), IndexError> {
        let id = copies.first().and_then(|hit| hit.file.document);
        let mut document = DocumentText {
            kept: id.and_then(|(id, _)| lock(&self.texts).take(id)),
            ..DocumentText::default()
        };
        for hit in copies {
            self.account.cancel().check()?;
            hit.judgement = Some(match Instant::now() > self.until {
                true => JudgingOutcome::TimeOver,
                false => match self.hit(hit, &mut document) {
                    Err(error) if is_of_a_text(&error) => JudgingOutcome::NoText,
                    judged => judged?,
                },
            });
        }
        Ok(())
    }

    /// Judges one file of a document.
    fn hit(&self, hit: &Hit, text: &mut DocumentText) -> Result<JudgingOutcome, IndexError> {
        if hit
            .document
            .is_some_and(|document| self.subject.carries(document))
        {
            return Ok(JudgingOutcome::Judged(Judgement::of_one_text()));
        }
        let document = hit.file.document;
        let document = document.and_then(|(id, _)| Some((id, self.index.documents().stats(id)?)));
        let Some((id, stats)) = document else {
            return Ok(JudgingOutcome::NoText);
        };
        let sides = [
            JudgedSide::of_subject(self.subject),
            JudgedSide::of_file(&hit.file),
        ];
        let lengths = [self.text.canonical.as_bytes().len() as u64, stats.length];
        let known = known_signals(&sides, lengths, &hit.overlap);
        let DocumentText { kept, apart, held } = text;
        let together = kept.as_ref().map_or(&*apart, |kept| &kept.together);
        let judged = self.model.judge_measured(&known, together, || {
            let own = self.query_text()?;
            let other = match (held.take(), &*kept) {
                (Some(held), _) => held,
                (None, Some(kept)) => {
                    let text = kept.text_or_read(self.index.texts(), self.account)?;
                    HeldJudgedText::of_kept(text, stats.length, self.account)?
                }
                (None, None) => {
                    HeldJudgedText::read(self.index.texts(), id, stats.length, self.account)?
                }
            };
            Ok::<_, IndexError>([own, Arc::clone(&held.insert(other).text)])
        });
        Ok(judged?.into())
    }

    /// The request's own text, analysed once for all hits.
    fn query_text(&self) -> Result<Arc<JudgedText>, IndexError> {
        let mut own = lock(&self.own);
        if let Some(held) = &*own {
            return Ok(Arc::clone(&held.text));
        }
        let needed = JudgedText::peak_bytes(self.text.canonical.as_bytes().len() as u64);
        let permit = self.account.take_large(needed)?;
        let measured = lock(&self.texts).own();
        let held = HeldJudgedText {
            text: measured.unwrap_or_else(|| Arc::new(self.text.judged())),
            _permits: Arc::new([permit, None]),
        };
        Ok(Arc::clone(&own.insert(held).text))
    }
}

/// What there is of the text of one document.
#[derive(Default)]
struct DocumentText {
    /// The text and what was measured of it beside the request's own, if the request kept it or had it read.
    kept: Option<Arc<TextForJudging>>,
    /// What is measured of another text.
    apart: Together,
    /// The text, once it was needed.
    held: Option<HeldJudgedText>,
}
