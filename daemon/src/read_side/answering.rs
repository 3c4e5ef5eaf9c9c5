//! A query answered in full: found, then folded and judged if requested.

use simdex_index::{Cancel, MemoryAccount};

use crate::engine::Engine;
use crate::read_side::judging::judge_hits;
use crate::read_side::query::{
    Answer, Folding, Hit, MAX_HITS, QueryError, QueryParams, Subject, find,
};

/// A query, and what is to be done with its hits.
pub struct AnswerRequest<'a> {
    /// What is looked for.
    pub params: &'a QueryParams,
    /// Whether near-duplicates among the hits are folded.
    pub folds: bool,
    /// Whether hits are judged.
    pub is_judged: bool,
}

/// How many times more hits are searched for if too few of them are unfolded.
const LIMIT_GROWTH_FACTOR: usize = 8;

/// Answers a query. Also returns, for each hit, the index of the better hit that it is folded under, if any; the list
/// is empty if hits are not folded. The limit counts only hits that are not folded under another.
pub fn answer(
    engine: &Engine,
    subject: &Subject,
    request: &AnswerRequest<'_>,
    account: &MemoryAccount,
    cancel: &Cancel,
) -> Result<(Answer, Vec<Option<usize>>), QueryError> {
    let index = engine.index.reader();
    let (mut answer, folded) = match request.folds {
        true => find_folded(engine, subject, request.params, account, cancel)?,
        false => (find(index, subject, request.params, cancel)?, Vec::new()),
    };
    if request.is_judged {
        let model = engine.models.in_force();
        let Answer { hits, texts, .. } = &mut answer;
        // Time may run out: hits that are not folded are judged before those that are.
        let is_folded = |at: &usize| folded.get(*at).copied().flatten().is_some();
        let (under, best): (Vec<_>, Vec<_>) = hits
            .iter_mut()
            .enumerate()
            .partition(|(at, _)| is_folded(at));
        let hits = best.into_iter().chain(under).map(|(_, hit)| hit);
        judge_hits(&model, index, subject, hits, texts)?;
        let judged = answer.hits.iter().filter_map(|hit| hit.judgement.as_ref());
        let left = judged.filter(|judged| judged.is_time_over()).count();
        answer.unjudged = Some(left as u64);
    }
    Ok((answer, folded))
}

/// Finds hits and folds them until the limit of unfolded hits is reached; each round looks for [`LIMIT_GROWTH_FACTOR`]
/// times as many as the one before, so that all rounds together cost little more than the last.
fn find_folded(
    engine: &Engine,
    subject: &Subject,
    params: &QueryParams,
    account: &MemoryAccount,
    cancel: &Cancel,
) -> Result<(Answer, Vec<Option<usize>>), QueryError> {
    let index = engine.index.reader();
    let mut folding = Folding::new(index, params.relation_threshold, account);
    let mut wider = params.clone();
    loop {
        let mut answer = find(index, subject, &wider, cancel)?;
        let mut folded = folding.fold(&answer.hits)?;
        let alone = folded.iter().filter(|under| under.is_none()).count();
        if alone < params.limit && answer.truncated && wider.limit < MAX_HITS as usize {
            wider.limit = wider
                .limit
                .saturating_mul(LIMIT_GROWTH_FACTOR)
                .min(MAX_HITS as usize);
            continue;
        }
        answer.truncated |= alone > params.limit;
        keep_first(&mut answer.hits, &mut folded, params.limit);
        return Ok((answer, folded));
    }
}

/// Keeps the first `limit` unfolded hits, and the hits folded under them.
fn keep_first(hits: &mut Vec<Hit>, folded: &mut Vec<Option<usize>>, limit: usize) {
    let places = kept_places(folded, limit);
    let mut kept = places.iter();
    hits.retain(|_| kept.next().is_some_and(Option::is_some));
    let place_of = |at: usize| places.get(at).copied().flatten();
    let of_hits = folded.iter().zip(&places);
    let of_kept = of_hits.filter(|(_, place)| place.is_some());
    *folded = of_kept.map(|(under, _)| under.and_then(place_of)).collect();
}

/// The new index of each hit that is kept; `None` for the others.
fn kept_places(folded: &[Option<usize>], limit: usize) -> Vec<Option<usize>> {
    let (mut alone, mut next) = (0, 0);
    let mut places: Vec<Option<usize>> = Vec::with_capacity(folded.len());
    for under in folded {
        let is_kept = match under {
            Some(better) => places[*better].is_some(),
            None => {
                alone += 1;
                alone <= limit
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
