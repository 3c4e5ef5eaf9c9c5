//! Two documents compared: exact numbers, shared spans, the difference of their texts.

use simdex_index::{IndexReader, MemoryAccount};
use simdex_judge::Model;
use simdex_proto::text::state_with_reason;
use simdex_schema::State;
use simdex_signature::{LeftOutLines, SharedSpans, Span, shared_spans, span_bytes};

use crate::read_side::judging::judge_comparison;
use crate::read_side::judging_outcome::JudgingOutcome;
use crate::read_side::query::{
    Overlap, QueryError, Relation, RelationThresholds, ShingledText, Subject,
};
use crate::write_side::roots::live_reads::NotReadAgain;

mod estimates;
mod forms;

pub use estimates::{ComparedScheme, SchemeEstimate, SchemeSelection};
pub use forms::{ComparedWords, FormOmission, Forms};

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
    /// Template lines that were left out of a and b.
    pub left_out: (LeftOutLines, LeftOutLines),
    /// Equal runs of the canonical texts without their template lines, by offset in a.
    pub spans: Vec<Span>,
    /// Upper bound of the shared shingles that lie in none of the spans.
    pub outside_spans: u64,
    /// Unified difference from a's extracted text to b's, or why it was left out.
    pub diff: Result<String, FormOmission>,
    /// Their difference by words; `None` if no form of it was requested.
    pub words: Option<ComparedWords>,
    /// What the signatures of each requested scheme estimate.
    pub estimates: Vec<SchemeEstimate>,
    /// The judgement of the pair; `None` if none was requested.
    pub judgement: Option<JudgingOutcome>,
}

/// A side that is a file of the index, and is compared as it was when it was last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastRead {
    /// When that was, seconds since 1970; `None` if unknown.
    pub at: Option<i64>,
    /// Why it was not read again.
    pub why: NotReadAgain,
}

/// Parameters of a comparison.
pub struct CompareParams<'a> {
    /// Names of both sides in the difference.
    pub names: (&'a str, &'a str),
    /// The ratios from which the relation has its name.
    pub thresholds: RelationThresholds,
    /// Forms of the difference that are requested.
    pub forms: Forms,
    /// Most bytes of the reply.
    pub longest: usize,
    /// Schemes to estimate by.
    pub schemes: &'a SchemeSelection,
    /// The model to judge by; `None` if no judgement is requested.
    pub model: Option<&'a Model>,
    /// Memory of the comparison; its flag is cancelled once the client disconnects.
    pub account: &'a MemoryAccount,
}

/// Compares two subjects that have text.
pub fn compare(
    index: &IndexReader,
    a: &Subject,
    b: &Subject,
    params: &CompareParams<'_>,
) -> Result<Comparison, QueryError> {
    let (names, cancel) = (params.names, params.account.cancel());
    let (text_a, text_b) = (text_of(a, names.0)?, text_of(b, names.1)?);
    if text_a.hash != text_b.hash {
        require_left(text_a, names.0)?;
        require_left(text_b, names.1)?;
    }
    cancel.check()?;
    let overlap = Overlap::of_texts(text_a, text_b, cancel)?;
    cancel.check()?;
    let SharedSpans { spans, covered } = spans(index, [text_a, text_b], params)?;
    cancel.check()?;
    let texts = [text_a, text_b].map(|text| text.extracted.as_str());
    let (diff, words) = forms::differences(texts, spans.len(), params)?;
    let judgement = params
        .model
        .map(|model| judge_comparison(model, a, b, &overlap));
    let estimates = estimates::estimates(index, [text_a, text_b], params.schemes, params.account)?;
    Ok(Comparison {
        relation: relation(a, b, &overlap, params.thresholds),
        outside_spans: covered.map_or(0, |covered| overlap.shared.saturating_sub(covered)),
        overlap,
        shingles: (text_a.shingles.len() as u64, text_b.shingles.len() as u64),
        chars: (text_a.canonical.chars(), text_b.canonical.chars()),
        left_out: (text_a.signed.left_out(), text_b.signed.left_out()),
        spans,
        diff,
        words,
        estimates,
        judgement: judgement.transpose()?,
    })
}

/// Equal runs of the compared parts of both texts.
fn spans(
    index: &IndexReader,
    texts: [&ShingledText; 2],
    params: &CompareParams<'_>,
) -> Result<SharedSpans, QueryError> {
    let [a, b] = texts.map(|text| text.signed.as_bytes());
    let bytes = span_bytes(a.len() as u64, b.len() as u64);
    let _held = params.account.take_large(bytes)?;
    // They leave half of the answer for the difference.
    let max_spans = params.longest / 2 / forms::SPAN_BYTES;
    Ok(shared_spans(a, b, index.window().width().into(), max_spans))
}

fn text_of<'a>(side: &'a Subject, name: &str) -> Result<&'a ShingledText, QueryError> {
    side.text().ok_or_else(|| {
        let why = match side.state() {
            State::TooShort => "its text is too short to compare".to_owned(),
            state => format!(
                "its state is {}",
                state_with_reason(state.name(), side.reason().as_str())
            ),
        };
        QueryError::NoText(format!("{name} has no text to compare: {why}"))
    })
}

/// Refuses a text of which less than a shingle is left: 0 shared shingles would mean that it is unlike the other.
fn require_left(text: &ShingledText, name: &str) -> Result<(), QueryError> {
    match text.shingles.is_empty() {
        true => Err(QueryError::NoText(format!(
            "nothing of {name} is left to compare: all of its text is template lines"
        ))),
        false => Ok(()),
    }
}

fn relation(
    a: &Subject,
    b: &Subject,
    overlap: &Overlap,
    thresholds: RelationThresholds,
) -> Relation {
    if a.content.is_some() && a.content == b.content {
        return Relation::IdenticalBytes;
    }
    if a.document_hash().is_some() && a.document_hash() == b.document_hash() {
        return Relation::IdenticalText;
    }
    match overlap.verified && overlap.shared == 0 {
        true => Relation::NothingShared,
        false => overlap.relation(thresholds),
    }
}

#[cfg(test)]
mod tests {
    use simdex_index::store::MemoryStore;
    use simdex_index::{Cancel, Index, IndexError, MemoryBudget, Options};

    use super::*;
    use crate::config::Config;

    /// The result of comparing two texts while others hold all memory but a mebibyte; a comparison that
    /// waits for memory is cancelled.
    fn compared(
        texts: [String; 2],
        memory: u64,
        schemes: &SchemeSelection,
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
        let params = CompareParams {
            names: ("a", "b"),
            thresholds: RelationThresholds::both(0.8),
            forms: Forms {
                lines: true,
                ..Forms::default()
            },
            longest: 1 << 20,
            schemes,
            model: None,
            account: &budget.account(&cancel),
        };
        let compared = std::thread::scope(|scope| {
            let comparing = scope.spawn(|| compare(&index, &a, &b, &params));
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
        let own = SchemeSelection::default();
        assert!(compared([short(), words(90, ' ')], 1 << 30, &own).is_ok());
        // The spans of long texts wait for memory, and so does the difference of many lines.
        for long in [words(150_000, ' '), "a\n".repeat(9_000)] {
            assert!(matches!(
                compared([short(), long], 1 << 30, &own),
                Err(QueryError::Index(IndexError::Cancelled))
            ));
        }
        // So do very large signatures.
        let great = |scheme| SchemeSelection {
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
        // Lines without words: their words are few.
        let texts = ["\n".repeat(9_000) + &words(20, '\n'), words(20, '\n')];
        let compared = compared(texts, 4 << 20, &SchemeSelection::default()).unwrap();
        let why = compared.diff.unwrap_err();
        assert_eq!(
            why.to_string(),
            "aligning 9042 lines takes 3 MiB, more than the 2 MiB that store.memory_mib allows for it"
        );
    }
}
