//! A query answered in full: found, then folded and judged if requested.

use std::time::Instant;

use simdex_index::{IndexReader, MemoryAccount};

use super::staleness::StalenessCheck;
use super::{AnswerContext, Requester, SubjectSource};
use crate::engine::{CompletenessCheck, Engine};
use crate::read_side::judging::judge_hits;
use crate::read_side::query::{
    Answer, Folding, Hit, MAX_HITS, QueryError, QueryParams, Subject, find,
};

/// A query, and what is to be done with its hits.
#[derive(Clone, Debug)]
pub struct QueryRequest {
    /// What is looked for.
    pub params: QueryParams,
    /// Whether to refuse the query while the index is not complete.
    pub strict: bool,
    /// Whether near-duplicates among the hits are folded.
    pub folds: bool,
}

/// Answers a query: makes its subject, finds hits, and folds and judges them if requested.
pub fn run_query(
    engine: &Engine,
    source: SubjectSource,
    request: &QueryRequest,
    requester: &Requester<'_>,
) -> Result<(Answer, AnswerContext), QueryError> {
    let check = CompletenessCheck::begin(engine, &request.params.view, request.strict)?;
    let subject = source.subject(engine, requester.queue_key, requester.account)?;
    let staleness = StalenessCheck::start(engine, &subject)?;
    let answer = find_fold_judge(engine, &subject, request, requester.account)?;
    let context = context(&check, requester.started, staleness.as_ref())?;
    Ok((answer, context))
}

/// The context of an answer about a subject whose file was looked at meanwhile.
pub(super) fn context(
    check: &CompletenessCheck<'_>,
    started: Instant,
    staleness: Option<&StalenessCheck>,
) -> Result<AnswerContext, QueryError> {
    Ok(AnswerContext {
        last_read: staleness.and_then(StalenessCheck::result),
        ..AnswerContext::of(check, started)?
    })
}

/// How many times more hits are searched for if too few of them are unfolded.
const LIMIT_GROWTH_FACTOR: usize = 8;

/// Finds the hits of a query, then folds and judges them if requested. The limit counts only hits that are not folded
/// under another.
fn find_fold_judge(
    engine: &Engine,
    subject: &Subject,
    request: &QueryRequest,
    account: &MemoryAccount,
) -> Result<Answer, QueryError> {
    let index = engine.index.reader();
    let mut answer = match request.folds {
        true => find_folded(index, subject, &request.params, account)?,
        false => find(index, subject, &request.params, account.cancel())?,
    };
    if let Some(model) = &request.params.judged_by {
        let Answer { hits, texts, .. } = &mut answer;
        // Time may run out: hits that are not folded are judged before those that are.
        let (folded, unfolded): (Vec<_>, Vec<_>) =
            hits.iter_mut().partition(|hit| hit.folded_under.is_some());
        let hits = unfolded.into_iter().chain(folded);
        judge_hits(model, index, subject, hits, texts)?;
        let judged = answer.hits.iter().filter_map(|hit| hit.judgement.as_ref());
        let left = judged.filter(|judged| judged.is_time_over()).count();
        answer.summary.unjudged = Some(left as u64);
    }
    Ok(answer)
}

/// Finds hits and folds them until the limit of unfolded hits is reached; each round looks for [`LIMIT_GROWTH_FACTOR`]
/// times as many as the one before, so that all rounds together cost little more than the last.
fn find_folded(
    index: &IndexReader,
    subject: &Subject,
    params: &QueryParams,
    account: &MemoryAccount,
) -> Result<Answer, QueryError> {
    let mut folding = Folding::new(index.shingles(), params.relation_threshold, account);
    let mut wider = params.clone();
    loop {
        let mut answer = find(index, subject, &wider, account.cancel())?;
        let folded = folding.fold(&answer.hits)?;
        for (hit, folded_under) in answer.hits.iter_mut().zip(folded) {
            hit.folded_under = folded_under;
        }
        let unfolded = answer.hits.iter().filter(|hit| hit.folded_under.is_none());
        let unfolded = unfolded.count();
        if unfolded < params.limit && answer.summary.truncated && wider.limit < MAX_HITS as usize {
            let wider_limit = wider.limit.saturating_mul(LIMIT_GROWTH_FACTOR);
            wider.limit = wider_limit.min(MAX_HITS as usize);
            continue;
        }
        answer.summary.truncated |= unfolded > params.limit;
        keep_first(&mut answer.hits, params.limit);
        return Ok(answer);
    }
}

/// Keeps the first `limit` unfolded hits, and the hits folded under them.
fn keep_first(hits: &mut Vec<Hit>, limit: usize) {
    let folded: Vec<_> = hits.iter().map(|hit| hit.folded_under).collect();
    let places = kept_places(&folded, limit);
    let mut kept = places.iter();
    hits.retain_mut(|hit| {
        hit.folded_under = hit.folded_under.and_then(|better| places[better]);
        kept.next().is_some_and(Option::is_some)
    });
}

/// The new index of each hit that is kept; `None` for the others.
fn kept_places(folded: &[Option<usize>], limit: usize) -> Vec<Option<usize>> {
    let (mut unfolded, mut next) = (0, 0);
    let mut places: Vec<Option<usize>> = Vec::with_capacity(folded.len());
    for under in folded {
        let is_kept = match under {
            Some(better) => places[*better].is_some(),
            None => {
                unfolded += 1;
                unfolded <= limit
            }
        };
        places.push(is_kept.then_some(next));
        next += usize::from(is_kept);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_list_the_first_that_stand_for_themselves_are_kept_with_all_under_them() {
        let folded = [None, Some(0), None, Some(0), None, Some(4), Some(2)];
        let kept = |limit| kept_places(&folded, limit);
        let (first, last) = ([Some(0), Some(1), Some(2), Some(3)], Some(4));
        assert_eq!(
            kept(2),
            [first[0], first[1], first[2], first[3], None, None, last]
        );
        assert_eq!(
            kept(1),
            [first[0], first[1], None, first[2], None, None, None]
        );
        assert!(kept(3).iter().all(Option::is_some));
    }
}
