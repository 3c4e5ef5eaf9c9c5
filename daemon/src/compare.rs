//! Two documents side by side: exact numbers, shared spans, the difference of their texts.

use std::time::{Duration, Instant};

use simdex_index::{Cancel, Index};
use simdex_schema::{DocumentHash, State};
use simdex_signature::{
    BswN, Estimate, ModN, Rung, Scheme, SchemeKind, Signature, Span, containment, resemblance,
    shared_spans,
};

use crate::config::ladder;
use crate::difference::unified;
use crate::query::{Measured, Numbers, QueryError, Relation, Subject, Text};

/// A difference that takes longer is cut to coarser hunks.
const DIFFERENCE_TIME: Duration = Duration::from_secs(20);

/// What two documents have in common.
pub struct Comparison {
    /// Of a to b.
    pub relation: Relation,
    /// Exact; containment of a is `of_query`, of b `in_query`.
    pub numbers: Numbers,
    /// Distinct shingles of a and b.
    pub shingles: (u64, u64),
    /// Canonical characters of a and b.
    pub chars: (u64, u64),
    /// Equal runs of the canonical texts, by offset in a.
    pub spans: Vec<Span>,
    /// Unified difference from a's extracted text to b's.
    pub diff: String,
    /// What each indexed scheme's signatures say.
    pub estimates: Vec<SchemeEstimate>,
    /// The documents.
    pub documents: (DocumentHash, DocumentHash),
}

/// What the signatures of one scheme say.
pub struct SchemeEstimate {
    /// The scheme.
    pub scheme: Scheme,
    /// Where both were compared.
    pub rung: Rung,
    /// Estimates.
    pub resemblance: Measured,
    /// Of a in b.
    pub of_a: Measured,
    /// Of b in a.
    pub of_b: Measured,
}

/// Compares two subjects that have text. `names` head the difference.
pub fn compare(
    index: &Index,
    a: &Subject,
    b: &Subject,
    names: (&str, &str),
    cut: f64,
    cancel: &Cancel,
) -> Result<Comparison, QueryError> {
    let (text_a, text_b) = (text_of(a, names.0)?, text_of(b, names.1)?);
    let numbers = Numbers::exact(&text_a.shingles, &text_b.shingles, cancel)?;
    cancel.check()?;
    let spans = shared_spans(text_a.canonical.as_bytes(), text_b.canonical.as_bytes());
    cancel.check()?;
    let limit = Instant::now() + DIFFERENCE_TIME;
    let deadline = cancel
        .deadline()
        .map_or(limit, |deadline| deadline.min(limit));
    let diff = unified(
        names.0,
        names.1,
        &text_a.extracted,
        &text_b.extracted,
        Some(deadline),
    );
    cancel.check()?;
    Ok(Comparison {
        relation: relation(a, b, &numbers, cut),
        numbers,
        shingles: (text_a.shingles.len() as u64, text_b.shingles.len() as u64),
        chars: (text_a.canonical.chars(), text_b.canonical.chars()),
        spans,
        diff,
        estimates: estimates(index, text_a, text_b),
        documents: (
            DocumentHash(text_a.canonical.hash()),
            DocumentHash(text_b.canonical.hash()),
        ),
    })
}

fn text_of<'a>(side: &'a Subject, name: &str) -> Result<&'a Text, QueryError> {
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

fn relation(a: &Subject, b: &Subject, numbers: &Numbers, cut: f64) -> Relation {
    if a.content.is_some() && a.content == b.content {
        return Relation::IdenticalBytes;
    }
    if a.document().is_some() && a.document() == b.document() {
        return Relation::IdenticalText;
    }
    let value = |measured: Measured| measured.value.unwrap_or(0.0);
    let (of_a, of_b) = (value(numbers.of_query), value(numbers.in_query));
    Relation::of(value(numbers.resemblance), of_a, of_b, cut)
}

fn estimates(index: &Index, a: &Text, b: &Text) -> Vec<SchemeEstimate> {
    let rung = |text: &Text| ladder().rung_for(text.canonical.as_bytes().len() as u64);
    let common = rung(a).max(rung(b));
    let window = index.window();
    let mut pairs = vec![(
        SchemeKind::ModN,
        [a, b].map(|t| ModN::sign(&t.canonical, window, common)),
    )];
    if index.parameters().bsw_n {
        let signed = [a, b].map(|text| BswN::sign(&text.canonical, window, common));
        pairs.push((SchemeKind::BswN, signed));
    }
    pairs
        .into_iter()
        .map(|(kind, [a, b])| estimate(kind, common, &a, &b))
        .collect()
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
