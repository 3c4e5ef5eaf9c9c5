//! Two documents side by side: exact numbers, shared spans, the difference of their texts.

use std::time::{Duration, Instant};

use simdex_index::{Cancel, Index, IndexError};
use simdex_schema::{DocumentHash, State};
use simdex_signature::{
    BswN, Estimate, ModN, Rung, Scheme, SchemeKind, Signature, Span, containment, resemblance,
    shared_spans,
};
use thiserror::Error;

use crate::difference::{Difference, lines};
use crate::query::{Measured, Overlap, QueryError, Relation, ShingledText, Subject};

/// A difference that takes longer is cut to coarser hunks. Its search for common lines is the one step
/// that does not notice that nobody waits any more.
const DIFFERENCE_TIME: Duration = Duration::from_secs(5);

/// What two documents have in common.
pub struct Comparison {
    /// Relation of `a` to `b`.
    pub relation: Relation,
    /// Counted on all shingles; a comes first.
    pub overlap: Overlap,
    /// Distinct shingles of a and b.
    pub shingles: (u64, u64),
    /// Canonical characters of a and b.
    pub chars: (u64, u64),
    /// Equal runs of the canonical texts, by offset in a.
    pub spans: Vec<Span>,
    /// Unified difference from a's extracted text to b's, or why it was left out.
    pub diff: Result<String, LeftOut>,
    /// What each indexed scheme's signatures say.
    pub estimates: Vec<SchemeEstimate>,
    /// Hashes of both documents.
    pub documents: (DocumentHash, DocumentHash),
}

/// Why a comparison has no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LeftOut {
    /// It was not asked for.
    #[error("it was not asked for")]
    NotAsked,
    /// It would be longer than a message.
    #[error("it takes more than the {0} bytes a message has left for it")]
    TooLong(usize),
}

/// What the signatures of one scheme say.
pub struct SchemeEstimate {
    /// Scheme with its parameters.
    pub scheme: Scheme,
    /// Rung at which both were compared.
    pub rung: Rung,
    /// Estimated resemblance.
    pub resemblance: Measured,
    /// Estimated containment of a in b.
    pub of_a: Measured,
    /// Estimated containment of b in a.
    pub of_b: Measured,
}

/// Parameters of a comparison.
pub struct Comparing<'a> {
    /// Names of both sides in the difference.
    pub names: (&'a str, &'a str),
    /// Ratio from which a relation is called near-duplicate, contains or contained-in.
    pub threshold: f64,
    /// Most bytes of the reply; none where no difference is asked for.
    pub longest: Option<usize>,
    /// Cancelled once the caller is gone.
    pub cancel: &'a Cancel,
}

/// Compares two subjects that have text.
pub fn compare(
    index: &Index,
    a: &Subject,
    b: &Subject,
    asked: &Comparing<'_>,
) -> Result<Comparison, QueryError> {
    let (names, cancel) = (asked.names, asked.cancel);
    let (text_a, text_b) = (text_of(a, names.0)?, text_of(b, names.1)?);
    cancel.check()?;
    let overlap = Overlap::exact(&text_a.shingles, &text_b.shingles, cancel)?;
    cancel.check()?;
    let spans = shared_spans(text_a.canonical.as_bytes(), text_b.canonical.as_bytes());
    cancel.check()?;
    let diff = difference(text_a, text_b, spans.len(), asked)?;
    let estimates = estimates(index, text_a, text_b, cancel)?;
    Ok(Comparison {
        relation: relation(a, b, &overlap, asked.threshold),
        overlap,
        shingles: (text_a.shingles.len() as u64, text_b.shingles.len() as u64),
        chars: (text_a.canonical.chars(), text_b.canonical.chars()),
        spans,
        diff,
        estimates,
        documents: (
            DocumentHash(text_a.canonical.hash()),
            DocumentHash(text_b.canonical.hash()),
        ),
    })
}

/// Bytes of an answer that a span takes at most, and all that is neither spans nor difference.
const SPAN_BYTES: usize = 40;
const NUMBERS_BYTES: usize = 4 << 10;

/// What ends the writing of a difference.
enum Ended {
    TooLong,
    Failed(IndexError),
}

fn difference(
    a: &ShingledText,
    b: &ShingledText,
    spans: usize,
    asked: &Comparing<'_>,
) -> Result<Result<String, LeftOut>, QueryError> {
    let Some(longest) = asked.longest else {
        return Ok(Err(LeftOut::NotAsked));
    };
    let room = longest.saturating_sub(spans * SPAN_BYTES + NUMBERS_BYTES);
    let limit = Instant::now() + DIFFERENCE_TIME;
    let deadline = asked.cancel.deadline();
    let deadline = deadline.map_or(limit, |deadline| deadline.min(limit));
    let (a, b) = (lines(&a.extracted), lines(&b.extracted));
    let difference = Difference::between(&a, &b, Some(deadline));
    let written = difference.unified_while(asked.names.0, asked.names.1, |written| {
        asked.cancel.check().map_err(Ended::Failed)?;
        match written <= room {
            true => Ok(()),
            false => Err(Ended::TooLong),
        }
    });
    match written {
        Ok(diff) => Ok(Ok(diff)),
        Err(Ended::TooLong) => Ok(Err(LeftOut::TooLong(room))),
        Err(Ended::Failed(error)) => Err(error.into()),
    }
}

fn text_of<'a>(side: &'a Subject, name: &str) -> Result<&'a ShingledText, QueryError> {
    side.text().ok_or_else(|| {
        let (state, reason) = (side.state(), side.reason());
        let why = match (state, reason.as_str()) {
            (State::TooShort, _) => "its text is shorter than one shingle".to_owned(),
            (state, "") => format!("its state is {}", state.name()),
            (state, reason) => format!("its state is {} ({reason})", state.name()),
        };
        QueryError::NoText(format!("{name} has no text to compare: {why}"))
    })
}

fn relation(a: &Subject, b: &Subject, overlap: &Overlap, threshold: f64) -> Relation {
    if a.content.is_some() && a.content == b.content {
        return Relation::IdenticalBytes;
    }
    if a.document_hash().is_some() && a.document_hash() == b.document_hash() {
        return Relation::IdenticalText;
    }
    let value = |measured: Measured| measured.value.unwrap_or(0.0);
    let (of_a, of_b) = (value(overlap.of_first), value(overlap.of_second));
    Relation::of(value(overlap.resemblance), of_a, of_b, threshold)
}

fn estimates(
    index: &Index,
    a: &ShingledText,
    b: &ShingledText,
    cancel: &Cancel,
) -> Result<Vec<SchemeEstimate>, QueryError> {
    let rung = |text: &ShingledText| {
        index
            .ladder()
            .rung_for(text.canonical.as_bytes().len() as u64)
    };
    let common = rung(a).max(rung(b));
    let window = index.window();
    let mut pairs = vec![(
        SchemeKind::ModN,
        [a, b].map(|t| ModN::sign(&t.canonical, window, common)),
    )];
    cancel.check()?;
    if index.parameters().bsw_n {
        let signed = [a, b].map(|text| BswN::sign(&text.canonical, window, common));
        pairs.push((SchemeKind::BswN, signed));
    }
    let pairs = pairs.into_iter();
    let estimates = pairs.map(|(kind, [a, b])| estimate(kind, common, &a, &b));
    Ok(estimates.collect())
}

fn estimate(kind: SchemeKind, rung: Rung, a: &Signature, b: &Signature) -> SchemeEstimate {
    // Both were just signed alike: they compare.
    let measured = |estimate: Option<Option<Estimate>>| Measured::from(estimate.flatten());
    SchemeEstimate {
        scheme: Scheme { kind, ..a.scheme() },
        rung,
        resemblance: measured(resemblance(a, b).ok()),
        of_a: measured(containment(a, b).ok()),
        of_b: measured(containment(b, a).ok()),
    }
}
