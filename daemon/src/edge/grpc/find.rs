//! Answers FindSimilar, FindContaining, FindContained and FindVersions.

use std::time::Instant;

use simdex_index::Cancel;
use simdex_proto::v1;
use tonic::Status;

use super::caller::Caller;
use super::request_params::{self, QueryDefaults};
use super::status::Refused;
use crate::encode;
use crate::engine::Engine;
use crate::read_side::answering::{self, QueryRequest, SubjectSource};
use crate::read_side::query::FindKind;

/// A decoded query without its subject.
pub(super) struct DecodedQuery(QueryRequest);

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
        Ok(Self(QueryRequest {
            params,
            strict: query.strict,
            folds: query.fold && kind != FindKind::Related,
        }))
    }

    /// Runs the query on a blocking thread; `started` is when the request arrived.
    pub(super) fn answer(
        &self,
        engine: &Engine,
        source: SubjectSource,
        caller: Caller,
        started: Instant,
        cancel: &Cancel,
    ) -> Result<Vec<v1::FindReply>, Refused> {
        let account = caller.account(engine.index.reader(), cancel);
        let requester = caller.requester(&account, started);
        let (answer, context) = answering::run_query(engine, source, &self.0, &requester)?;
        Ok(encode::find_replies(answer, context).collect())
    }
}
