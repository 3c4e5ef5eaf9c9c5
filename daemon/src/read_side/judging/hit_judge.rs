//! Judges the hits of one request, on two threads if no other request uses the second.
//!
//! A judgement depends on the pair alone, so two threads give the answer of one. Each takes the next hit in the order
//! of the answer; copies of a document are adjacent, and judged by one thread, which reads their text once.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use simdex_index::{IndexError, IndexReader, MemoryAccount};
use simdex_judge::{JudgedText, Judgement, Model};
use simdex_schema::DocId;

use super::{HeldJudgedText, JudgedSide, known_signals};
use crate::base::lock::lock;
use crate::base::two_threads::each_on_two_threads;
use crate::read_side::judging_outcome::JudgingOutcome;
use crate::read_side::query::{Hit, QueryError, ShingledText, Subject, TextsForJudging};

/// Longest time for judging the hits of one request.
const TIME: Duration = Duration::from_secs(10);
/// Fewer hits are judged on one thread: starting another takes as long as judging one.
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
    let judge = HitJudge {
        model,
        index,
        subject,
        text,
        account: subject.account(),
        own: Mutex::default(),
        texts: Mutex::new(texts),
        until: Instant::now() + TIME,
    };
    let is_judged = |hit: &&mut Hit| !hit.is_subject && hit.overlap.verified;
    let mut hits: Vec<&mut Hit> = hits.filter(is_judged).collect();
    let second = match hits.len() < MIN_HITS_FOR_TWO_THREADS {
        true => None,
        false => index.second_thread(),
    };
    let mut documents = hits.chunk_by_mut(|a, b| a.document == b.document);
    let judge_one = |copies: &mut [&mut Hit]| judge.copies(copies);
    let judged = match second {
        Some(_second) => each_on_two_threads("judge-2", documents, &judge_one),
        None => documents.try_for_each(judge_one),
    };
    Ok(judged?)
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
        let mut read = None;
        for hit in copies {
            self.account.cancel().check()?;
            hit.judgement = Some(match Instant::now() > self.until {
                true => JudgingOutcome::TimeOver,
                false => match self.hit(hit, &mut read) {
                    Err(error) if error.concerns_one_document() => JudgingOutcome::NoText,
                    judged => judged?,
                },
            });
        }
        Ok(())
    }

    /// Judges one file; `read` is the text of its document, once it was needed.
    fn hit(
        &self,
        hit: &Hit,
        read: &mut Option<HeldJudgedText>,
    ) -> Result<JudgingOutcome, IndexError> {
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
        let judged = self.model.judge(&known, || {
            let own = self.query_text()?;
            let other = match read.take() {
                Some(held) => held,
                None => self.hit_text(id, stats.length)?,
            };
            let text = Arc::clone(&read.insert(other).text);
            Ok::<[Arc<JudgedText>; 2], IndexError>([own, text])
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
        let counted = lock(&self.texts).own();
        let held = HeldJudgedText {
            text: counted.unwrap_or_else(|| Arc::new(self.text.judged())),
            _permits: Arc::new([permit, None]),
        };
        Ok(Arc::clone(&own.insert(held).text))
    }

    fn hit_text(&self, id: DocId, length: u64) -> Result<HeldJudgedText, IndexError> {
        let kept = lock(&self.texts).take(id);
        match kept {
            Some(text) => HeldJudgedText::of_kept(text, length, self.account),
            None => HeldJudgedText::read(self.index.texts(), id, length, self.account),
        }
    }
}
