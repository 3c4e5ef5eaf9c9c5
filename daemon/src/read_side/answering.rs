//! A query answered in full: found, then folded and judged if requested.

use simdex_index::{Cancel, MemoryAccount};

use crate::engine::Engine;
use crate::read_side::judging::judge_hits;
use crate::read_side::query::{Answer, QueryError, QueryParams, Subject, find, fold};

/// A query, and what is to be done with its hits.
pub struct AnswerRequest<'a> {
    /// What is looked for.
    pub params: &'a QueryParams,
    /// Whether near-duplicates among the hits are folded.
    pub folds: bool,
    /// Whether hits are judged.
    pub is_judged: bool,
}

/// Answers a query. The second value returned has, for each hit, the index of the better hit that it is folded
/// under, if any; it is empty if hits are not folded.
pub fn answer(
    engine: &Engine,
    subject: &Subject,
    asked: &AnswerRequest<'_>,
    account: &MemoryAccount,
    cancel: &Cancel,
) -> Result<(Answer, Vec<Option<usize>>), QueryError> {
    let index = engine.index.reader();
    let mut answer = find(index, subject, asked.params, cancel)?;
    let folded = match asked.folds {
        true => fold(
            index,
            &answer.hits,
            asked.params.relation_threshold,
            account,
        )?,
        false => Vec::new(),
    };
    if asked.is_judged {
        let model = engine.models.in_force();
        let Answer { hits, texts, .. } = &mut answer;
        judge_hits(&model, index, subject, hits, texts)?;
        let judged = answer.hits.iter().filter_map(|hit| hit.judgement.as_ref());
        let left = judged.filter(|judged| judged.is_time_over()).count();
        answer.unjudged = Some(left as u64);
    }
    Ok((answer, folded))
}
