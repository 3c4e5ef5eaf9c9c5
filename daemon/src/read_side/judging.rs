//! Judgements beside the numbers: the model in force, and the data from the index that it uses.
//!
//! A judgement is made after an answer is found and does not change it. Recorded facts and the counts made for the
//! answer are used first; the text of a hit is used only if the model's tree asks for it, and read again only if the
//! question has not kept it, with a permit of the question's account. The question's own text is analysed once for
//! all hits. A hit whose text is damaged or gone has no judgement, and neither have those left when [`TIME`] is over.
//! Titles are the first lines of texts, as in the pairs that the model was trained on, so that all files of one text
//! are judged alike.

mod group_judge;
mod judged_apart;
mod judged_side;
mod list_judge;
mod models;

use std::sync::Arc;
use std::time::{Duration, Instant};

use simdex_index::{Cancel, IndexError, IndexReader, MemoryAccount, MemoryPermit, canonicalise};
use simdex_judge::{Class, JudgedText, Judgement, KnownSignals, Model};
use simdex_schema::DocId;

use crate::read_side::judging_outcome::JudgingOutcome;
use crate::read_side::query::{Hit, KeptTexts, Overlap, QueryError, ShingledText, Subject};
use judged_side::known_signals;

pub use group_judge::{GroupJudge, JudgedPair};
pub use judged_apart::JudgedApart;
pub use judged_side::JudgedSide;
pub(crate) use judged_side::author_of;
pub use list_judge::ListJudge;
pub use models::Models;

/// Longest time for judging the hits of one question.
const TIME: Duration = Duration::from_secs(10);
/// If this much of one document is contained in the other, they are not unrelated, whatever the tree says.
const RELATED: f64 = 0.5;

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
    texts: &mut KeptTexts,
) -> Result<(), QueryError> {
    let Some(text) = subject.text() else {
        return Ok(());
    };
    let mut judge = Judge {
        model,
        index,
        account: subject.account(),
        own: None,
        last: None,
        texts,
    };
    let begun = Instant::now();
    for hit in hits.filter(|hit| !hit.is_query && hit.overlap.verified) {
        judge.account.cancel().check()?;
        hit.judgement = Some(match begun.elapsed() > TIME {
            true => JudgingOutcome::TimeOver,
            false => match judge.hit(subject, text, hit) {
                Err(error) if error.is_of_one_document() => JudgingOutcome::NoText,
                judged => judged?,
            },
        });
    }
    Ok(())
}

/// Judges the two sides of a comparison, which has their texts at hand.
///
/// # Errors
/// The client disconnected.
pub fn judge_comparison(
    model: &Model,
    a: &Subject,
    b: &Subject,
    overlap: &Overlap,
) -> Result<JudgingOutcome, QueryError> {
    let Some((text_a, text_b)) = a.text().zip(b.text()) else {
        return Ok(JudgingOutcome::NoText);
    };
    if text_a.hash == text_b.hash {
        return Ok(JudgingOutcome::Judged(Judgement::of_one_text()));
    }
    let sides = [JudgedSide::of_subject(a), JudgedSide::of_subject(b)];
    let lengths = [text_a, text_b].map(|text| text.canonical.as_bytes().len() as u64);
    let known = known_signals(&sides, lengths, overlap);
    let mut permits = Vec::new();
    let judged = model.judge(&known, || {
        for length in lengths {
            let needed = JudgedText::peak_bytes(length);
            permits.push(a.account().take_large(needed)?);
        }
        Ok::<_, IndexError>([text_a, text_b].map(|text| Arc::new(analyse(text))))
    });
    Ok(withhold_if_doubtful(judged?, overlap))
}

/// The signals of two subjects that are known without comparing texts; each subject comes with its analysed text.
pub(crate) fn known_signals_of(
    [a, b]: [(&Subject, &JudgedText); 2],
    overlap: &Overlap,
) -> KnownSignals {
    let lengths = [a.1, b.1].map(|text| text.canonical().as_bytes().len() as u64);
    let sides = [JudgedSide::of_subject(a.0), JudgedSide::of_subject(b.0)];
    known_signals(&sides, lengths, overlap)
}

/// Withholds a judgement that contradicts what was counted (the model has seen too few short excerpts of long
/// documents, and judges them unrelated), one whose rule rests on divided evidence, and one that treats two documents
/// as the same although they have different numbers at their heads.
fn withhold_if_doubtful(judgement: Judgement, overlap: &Overlap) -> JudgingOutcome {
    let containments = [overlap.containment_of_first, overlap.containment_of_second];
    let most = containments.iter().filter_map(|measured| measured.value);
    let is_related = most.fold(0.0, f64::max) >= RELATED;
    let is_contradicted = judgement.class == Class::Unrelated && is_related;
    let is_withheld = is_contradicted || judgement.is_contested || judgement.is_numbered_otherwise;
    match is_withheld {
        true => JudgingOutcome::Withheld,
        false => JudgingOutcome::Judged(judgement),
    }
}

/// The time until which a list or report judges: half of the time that it has left. `None` if it has no deadline.
fn judging_deadline(cancel: &Cancel) -> Option<Instant> {
    let now = Instant::now();
    let until = |deadline: Instant| now + deadline.saturating_duration_since(now) / 2;
    cancel.deadline().map(until)
}

/// Judges the hits of one question.
struct Judge<'a> {
    model: &'a Model,
    index: &'a IndexReader,
    account: &'a MemoryAccount,
    /// The question's own text, once it was needed.
    own: Option<HeldJudgedText>,
    /// The text of the last hit that was read: copies of a document are adjacent.
    last: Option<(DocId, HeldJudgedText)>,
    /// Texts that the question has read.
    texts: &'a mut KeptTexts,
}

/// An analysed text, with its permits.
#[derive(Clone)]
struct HeldJudgedText {
    text: Arc<JudgedText>,
    _permits: Arc<[Option<MemoryPermit>; 2]>,
}

impl HeldJudgedText {
    /// Reads the text of a document with this many canonical bytes.
    fn read(
        index: &IndexReader,
        id: DocId,
        length: u64,
        account: &MemoryAccount,
    ) -> Result<Self, IndexError> {
        let permit = account.take_large(JudgedText::peak_bytes(length))?;
        let stored = index.held_text(id, account)?;
        let extracted = stored.ok_or(IndexError::UnknownDocument(id))?;
        Self::of(&extracted, permit, account)
    }

    /// A text of this many canonical bytes that was read before.
    fn of_kept(
        text: Arc<JudgedText>,
        length: u64,
        account: &MemoryAccount,
    ) -> Result<Self, IndexError> {
        let permit = account.take_large(JudgedText::peak_bytes(length))?;
        Ok(Self {
            text,
            _permits: Arc::new([permit, None]),
        })
    }

    /// An extracted text, with the permit for analysing it.
    fn of(
        extracted: &str,
        permit: Option<MemoryPermit>,
        account: &MemoryAccount,
    ) -> Result<Self, IndexError> {
        let (canonical, of_canonical) = canonicalise(extracted, account)?;
        Ok(Self {
            text: Arc::new(JudgedText::of(canonical, extracted)),
            _permits: Arc::new([permit, of_canonical]),
        })
    }
}

impl Judge<'_> {
    fn hit(
        &mut self,
        subject: &Subject,
        text: &ShingledText,
        hit: &Hit,
    ) -> Result<JudgingOutcome, IndexError> {
        if hit
            .document
            .is_some_and(|document| subject.carries(document))
        {
            return Ok(JudgingOutcome::Judged(Judgement::of_one_text()));
        }
        let document = hit
            .file
            .document
            .and_then(|(id, _)| Some((id, self.index.stats(id)?)));
        let Some((id, stats)) = document else {
            return Ok(JudgingOutcome::NoText);
        };
        let sides = [
            JudgedSide::of_subject(subject),
            JudgedSide::of_file(&hit.file),
        ];
        let lengths = [text.canonical.as_bytes().len() as u64, stats.length];
        let known = known_signals(&sides, lengths, &hit.overlap);
        let model = self.model;
        let judged = model.judge(&known, || {
            let own = self.query_text(text)?;
            let other = self.hit_text(id, stats.length)?;
            Ok::<_, IndexError>([own.text, other.text])
        });
        Ok(withhold_if_doubtful(judged?, &hit.overlap))
    }

    fn query_text(&mut self, text: &ShingledText) -> Result<HeldJudgedText, IndexError> {
        if let Some(held) = &self.own {
            return Ok(held.clone());
        }
        let needed = JudgedText::peak_bytes(text.canonical.as_bytes().len() as u64);
        let permit = self.account.take_large(needed)?;
        let held = HeldJudgedText {
            text: Arc::new(analyse(text)),
            _permits: Arc::new([permit, None]),
        };
        self.own = Some(held.clone());
        Ok(held)
    }

    fn hit_text(&mut self, id: DocId, length: u64) -> Result<HeldJudgedText, IndexError> {
        if let Some((_, held)) = self.last.as_ref().filter(|(known, _)| *known == id) {
            return Ok(held.clone());
        }
        // The memory of the previous hit's text is released first.
        self.last = None;
        let held = match self.texts.take(id) {
            Some(text) => HeldJudgedText::of_kept(text, length, self.account)?,
            None => HeldJudgedText::read(self.index, id, length, self.account)?,
        };
        self.last = Some((id, held.clone()));
        Ok(held)
    }
}

/// A text in the form from which signals are computed.
pub(crate) fn analyse(text: &ShingledText) -> JudgedText {
    JudgedText::of(text.canonical.clone(), &text.extracted)
}

#[cfg(test)]
mod tests;
