//! Judgements beside the numbers: the model in force, and the data from the index that it uses.
//!
//! A judgement is made after an answer is found and does not change it. Recorded facts and the counts made for the
//! answer are used first; the text of a hit is used only if the model's tree asks for it, and read again only if the
//! request has not kept it, with a permit of the request's account. The request's own text is analysed once for
//! all hits, on which two threads work where no other request uses the second ([`hit_judge`]). A hit whose text
//! is damaged or gone has no judgement, and neither have those left when the time for it is over. Titles are the first
//! lines of texts, as in the pairs that the model was trained on, so that all files of one text are judged alike.

mod group_judge;
mod hit_judge;
mod judged_apart;
mod judged_side;
mod list_judge;
mod models;

use std::sync::Arc;
use std::time::Instant;

use simdex_index::{Cancel, IndexError, MemoryAccount, MemoryPermit, Texts, canonicalise};
use simdex_judge::{JudgedText, Judgement, KnownSignals, Model};
use simdex_schema::DocId;

use crate::read_side::judging_outcome::JudgingOutcome;
use crate::read_side::query::{Overlap, QueryError, Subject, read_judged};
use judged_side::known_signals;

pub use group_judge::{GroupJudge, JudgedPair};
pub use hit_judge::judge_hits;
pub use judged_apart::JudgedApart;
pub use judged_side::JudgedSide;
pub(crate) use judged_side::{author_of, is_quoting};
pub use list_judge::ListJudge;
pub use models::Models;

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
        Ok::<_, IndexError>([text_a, text_b].map(|text| Arc::new(text.judged())))
    });
    Ok(judged?.into())
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

/// Whether a pair is not judged for this error, and the answer goes on: what was found stands without its texts, which
/// are read only to judge.
fn is_of_a_text(error: &IndexError) -> bool {
    error.concerns_one_document() || matches!(error, IndexError::Text(_))
}

/// The time until which an answer is judged: half of the time that it has left. `None` if it has no deadline.
fn judging_deadline(cancel: &Cancel) -> Option<Instant> {
    let now = Instant::now();
    let until = |deadline: Instant| now + deadline.saturating_duration_since(now) / 2;
    cancel.deadline().map(until)
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
        texts: Texts<'_>,
        id: DocId,
        length: u64,
        account: &MemoryAccount,
    ) -> Result<Self, IndexError> {
        let permit = account.take_large(JudgedText::peak_bytes(length))?;
        let (text, of_canonical) = read_judged(texts, id, account)?;
        Ok(Self {
            text,
            _permits: Arc::new([permit, of_canonical]),
        })
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

#[cfg(test)]
mod tests;
