//! Two documents side by side: exact numbers, shared spans, the difference of their texts.

use std::time::{Duration, Instant};

use simdex_index::{IndexError, IndexReader, MemoryAccount};
use simdex_judge::{Judgement, Model};
use simdex_schema::State;
use simdex_signature::{Span, shared_spans};
use thiserror::Error;

use crate::read_side::difference::{Difference, TooManyLines, lines, permit_to_align};
use crate::read_side::judging::of_comparison;
use crate::read_side::query::{Overlap, QueryError, Relation, ShingledText, Subject};
use crate::write_side::roots::live_reads::NotReadAgain;

mod estimates;

pub use estimates::{ComparedScheme, SchemeEstimate, SchemesAsked};

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
    /// What the signatures of each scheme asked for say.
    pub estimates: Vec<SchemeEstimate>,
    /// What the pair is judged to be; none where that was not asked for.
    pub judgement: Option<Judgement>,
}

/// Of a side that is a file of the index, and is compared as it was when it was last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastRead {
    /// When that was, seconds since 1970; none where it is not known.
    pub at: Option<i64>,
    /// Why it was not read again.
    pub why: NotReadAgain,
}

/// Why a comparison has no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LeftOut {
    /// It was not asked for.
    #[error("it was not asked for")]
    NotAsked,
    /// Aligning its lines would take more than half of what a question may hold.
    #[error(transparent)]
    TooManyLines(#[from] TooManyLines),
    /// It would be longer than a message.
    #[error("it takes more than the {0} bytes a message has left for it")]
    TooLong(usize),
}

/// Parameters of a comparison.
pub struct Comparing<'a> {
    /// Names of both sides in the difference.
    pub names: (&'a str, &'a str),
    /// Ratio from which a relation is called near-duplicate, contains or contained-in.
    pub threshold: f64,
    /// Most bytes of the reply; none where no difference is asked for.
    pub longest: Option<usize>,
    /// Schemes to estimate by.
    pub schemes: &'a SchemesAsked,
    /// The model to judge by; none where no judgement is asked for.
    pub model: Option<&'a Model>,
    /// Memory of the comparison; its flag is cancelled once the caller is gone.
    pub account: &'a MemoryAccount,
}

/// Compares two subjects that have text.
pub fn compare(
    index: &IndexReader,
    a: &Subject,
    b: &Subject,
    asked: &Comparing<'_>,
) -> Result<Comparison, QueryError> {
    let (names, cancel) = (asked.names, asked.account.cancel());
    let (text_a, text_b) = (text_of(a, names.0)?, text_of(b, names.1)?);
    cancel.check()?;
    let overlap = Overlap::exact(&text_a.shingles, &text_b.shingles, cancel)?;
    cancel.check()?;
    let spans = spans(text_a, text_b, asked.account)?;
    cancel.check()?;
    let diff = difference(text_a, text_b, spans.len(), asked)?;
    let judgement = asked
        .model
        .map(|model| of_comparison(model, a, b, &overlap));
    let estimates = estimates::estimates(index, [text_a, text_b], asked.schemes, asked.account)?;
    Ok(Comparison {
        relation: relation(a, b, &overlap, asked.threshold),
        overlap,
        shingles: (text_a.shingles.len() as u64, text_b.shingles.len() as u64),
        chars: (text_a.canonical.chars(), text_b.canonical.chars()),
        spans,
        diff,
        estimates,
        judgement: judgement.transpose()?.flatten(),
    })
}

/// Equal runs of both canonical texts.
fn spans(
    a: &ShingledText,
    b: &ShingledText,
    account: &MemoryAccount,
) -> Result<Vec<Span>, QueryError> {
    let (a, b) = (a.canonical.as_bytes(), b.canonical.as_bytes());
    // The chunks of b with their places, and the spans, where all chunks are of the least length.
    let _held = account.take_large((a.len() / 2 + 3 * b.len() / 2) as u64)?;
    Ok(shared_spans(a, b))
}

/// Bytes of an answer that a span takes at most, and all that is neither spans nor difference.
const SPAN_BYTES: usize = 40;
const NUMBERS_BYTES: usize = 4 << 10;

/// What ends the writing of a difference.
enum WriteEnd {
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
    let texts: [&str; 2] = [&a.extracted, &b.extracted];
    let _held = match permit_to_align(texts, 0, asked.account)? {
        Ok(held) => held,
        Err(too_many) => return Ok(Err(too_many.into())),
    };
    let room = longest.saturating_sub(spans * SPAN_BYTES + NUMBERS_BYTES);
    let limit = Instant::now() + DIFFERENCE_TIME;
    let cancel = asked.account.cancel();
    let deadline = cancel.deadline();
    let deadline = deadline.map_or(limit, |deadline| deadline.min(limit));
    let (a, b) = (lines(&a.extracted), lines(&b.extracted));
    let difference = Difference::between(&a, &b, Some(deadline));
    let written = difference.unified_while(asked.names.0, asked.names.1, |written| {
        cancel.check().map_err(WriteEnd::Failed)?;
        match written <= room {
            true => Ok(()),
            false => Err(WriteEnd::TooLong),
        }
    });
    match written {
        Ok(diff) => Ok(Ok(diff)),
        Err(WriteEnd::TooLong) => Ok(Err(LeftOut::TooLong(room))),
        Err(WriteEnd::Failed(error)) => Err(error.into()),
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
    overlap.relation(threshold)
}

#[cfg(test)]
mod tests {
    use simdex_index::store::MemoryStore;
    use simdex_index::{Cancel, Index, MemoryBudget, Options};

    use super::*;
    use crate::config::Config;

    /// What comparing two texts comes to where others hold all memory but a mebibyte; whoever waits for
    /// it is cancelled.
    fn compared(
        texts: [String; 2],
        memory: u64,
        schemes: &SchemesAsked,
    ) -> Result<Comparison, QueryError> {
        let dir = tempfile::tempdir().unwrap();
        let parameters = Config::default().parameters();
        let store = Box::<MemoryStore>::default();
        let opened = Index::open(store, dir.path(), parameters, Options::default());
        let index = opened.unwrap().index.reader().clone();
        let free = MemoryBudget::new(1 << 40).account(&Cancel::never());
        let [a, b] = texts.map(|text| Subject::from_text(&index, text, &free).unwrap());
        let (budget, cancel) = (MemoryBudget::new(memory), Cancel::never());
        let others = budget.acquire(memory - (1 << 20), &Cancel::never());
        let others = others.unwrap();
        let asked = Comparing {
            names: ("a", "b"),
            threshold: 0.8,
            longest: Some(1 << 20),
            schemes,
            model: None,
            account: &budget.account(&cancel),
        };
        let compared = std::thread::scope(|scope| {
            let comparing = scope.spawn(|| compare(&index, &a, &b, &asked));
            while budget.waiting() == 0 && !comparing.is_finished() {
                std::thread::yield_now();
            }
            cancel.cancel();
            comparing.join().unwrap()
        });
        drop(others);
        assert_eq!(budget.used(), 0);
        compared
    }

    fn words(count: usize, end: char) -> String {
        (0..count).map(|at| format!("word{at}{end}")).collect()
    }

    #[test]
    fn nothing_large_is_made_of_two_texts_without_a_permit() {
        let short = || words(20, '\n');
        let own = SchemesAsked::default();
        assert!(compared([short(), words(90, ' ')], 1 << 30, &own).is_ok());
        // The spans of long texts wait for memory, and so does the difference of many lines.
        for long in [words(150_000, ' '), words(9_000, '\n')] {
            assert!(matches!(
                compared([short(), long], 1 << 30, &own),
                Err(QueryError::Index(IndexError::Cancelled))
            ));
        }
        // So do signatures of a great size.
        let great = |scheme| SchemesAsked {
            schemes: vec![scheme],
            n: Some(1 << 20),
        };
        for scheme in [ComparedScheme::MinN, ComparedScheme::SketchN] {
            assert!(matches!(
                compared([short(), short()], 1 << 30, &great(scheme)),
                Err(QueryError::Index(IndexError::Cancelled))
            ));
        }
        assert!(compared([short(), short()], 1 << 30, &great(ComparedScheme::ModN)).is_ok());
    }

    #[test]
    fn a_difference_of_more_lines_than_there_is_memory_for_is_left_out() {
        let texts = [words(9_000, '\n'), words(20, '\n')];
        let compared = compared(texts, 4 << 20, &SchemesAsked::default()).unwrap();
        assert_eq!(
            compared.diff,
            Err(LeftOut::TooManyLines(TooManyLines(9_022)))
        );
    }
}
