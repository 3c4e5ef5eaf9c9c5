//! Answers FindSimilar, FindContaining, FindContained and FindVersions.

use std::time::Instant;

use simdex_index::Cancel;
use simdex_proto::v1;
use tonic::Status;

use super::caller::Caller;
use super::request_params::{self, QueryDefaults};
use super::staleness::StalenessCheck;
use super::status::Refused;
use super::subject_source::SubjectSource;
use crate::encode::{self, SummaryContext};
use crate::engine::{CompletenessCheck, Engine};
use crate::read_side::answering::{AnswerRequest, find_fold_judge};
use crate::read_side::query::{FindKind, QueryParams};

/// A decoded query without its subject.
pub(super) struct DecodedQuery {
    params: QueryParams,
    strict: bool,
    folds: bool,
    is_judged: bool,
}

impl DecodedQuery {
    pub(super) fn parse(
        engine: &Engine,
        kind: FindKind,
        query: &v1::Query,
    ) -> Result<Self, Status> {
        let params = request_params::parse_query(engine, kind, query, QueryDefaults::of(kind))?;
        if kind == FindKind::Related {
            request_params::refuse_judgement(query)?;
        }
        Ok(Self {
            params,
            strict: query.strict,
            folds: query.fold && kind != FindKind::Related,
            is_judged: query.with_judgement,
        })
    }

    /// Runs the query on a blocking thread, step by step; `started` is when the request arrived.
    pub(super) fn answer(
        &self,
        engine: &Engine,
        source: SubjectSource,
        caller: Caller,
        started: Instant,
        cancel: &Cancel,
    ) -> Result<Vec<v1::FindReply>, Refused> {
        let check = CompletenessCheck::begin(engine, &self.params.view, self.strict)?;
        let account = caller.account(engine.index.reader(), cancel);
        let subject = source.subject(engine, caller.queue_key(), &account)?;
        let staleness = StalenessCheck::start(engine, &subject)?;
        let request = AnswerRequest {
            params: &self.params,
            folds: self.folds,
            is_judged: self.is_judged,
        };
        let answer = find_fold_judge(engine, &subject, &request, &account, cancel)?;
        let context = SummaryContext {
            completeness: check.verdict()?,
            seconds: started.elapsed().as_secs_f64(),
            last_read: staleness.as_ref().and_then(StalenessCheck::result),
        };
        Ok(encode::find_replies(answer, context).collect())
    }
}
