//! Answers FindFamily.

use std::time::Instant;

use simdex_proto::{defaults, v1};
use tonic::Status;

use super::question::{self, SubjectSource};
use super::reply_channel::ReplySender;
use super::runner::Caller;
use super::status::Refused;
use crate::encode::{self, FamilySource};
use crate::engine::{CompletenessGuard, Engine};
use crate::families::LinkRule;
use crate::query::{FamilyParams, FindKind, QueryParams, Subject, find, find_family};

/// A question for a family.
pub(super) struct FamilyRequest {
    params: FamilyParams,
    strict: bool,
}

impl FamilyRequest {
    /// Decodes the parameters of a query; its source is decoded apart.
    pub(super) fn parse(engine: &Engine, query: &v1::Query) -> Result<Self, Status> {
        let query = v1::Query {
            limit: Some(query.limit.unwrap_or(defaults::VERSIONS)),
            threshold: Some(query.threshold.unwrap_or(defaults::FAMILY)),
            roots: query.roots.clone(),
            scheme: query.scheme,
            relation_threshold: query.relation_threshold,
            strict: query.strict,
            without_judgement: query.without_judgement,
            source: None,
        };
        let asked = question::parse_query(engine, FindKind::Versions, &query)?;
        Ok(Self {
            params: FamilyParams {
                rule: LinkRule {
                    resemblance: asked.threshold,
                    containment: asked.relation_threshold.max(asked.threshold),
                },
                relation_threshold: asked.relation_threshold,
                scheme: asked.scheme,
                most: asked.limit,
                view: asked.view,
            },
            strict: query.strict,
        })
    }

    /// Finds the family and sends it.
    pub(super) fn answer(
        self,
        engine: &Engine,
        source: SubjectSource,
        caller: Caller,
        started: Instant,
        sender: &ReplySender<v1::FamilyReply>,
    ) -> Result<(), Refused> {
        let Self { params, strict } = self;
        let (index, cancel) = (&engine.index, sender.cancel());
        let guard = CompletenessGuard::begin(engine, &params.view, strict)?;
        let account = caller.account(index, cancel);
        let subject = source.subject(engine, caller.share(), &account)?;
        let Some(text) = subject.text() else {
            return without_text(engine, &subject, &params, &guard, started, sender);
        };
        let family = find_family(index, &subject, text, &params, cancel)?;
        let listed = FamilySource {
            index,
            subject: &subject,
            params: &params,
        };
        let sent = encode::family(&listed, &family, |part| send(sender, part))?;
        let seconds = started.elapsed().as_secs_f64();
        let summary = encode::family_summary(&listed, &family, &sent, guard.close()?, seconds);
        send(sender, v1::family_reply::Part::Summary(summary))
    }
}

fn send(
    sender: &ReplySender<v1::FamilyReply>,
    part: v1::family_reply::Part,
) -> Result<(), Refused> {
    sender.send(v1::FamilyReply { part: Some(part) })
}

/// What has no text is compared by its raw bytes, on estimates: files by date, and no edges.
fn without_text(
    engine: &Engine,
    subject: &Subject,
    params: &FamilyParams,
    guard: &CompletenessGuard<'_>,
    started: Instant,
    sender: &ReplySender<v1::FamilyReply>,
) -> Result<(), Refused> {
    let asked = QueryParams {
        kind: FindKind::Versions,
        scheme: params.scheme,
        threshold: params.rule.resemblance,
        relation_threshold: params.relation_threshold,
        limit: params.most,
        view: params.view.clone(),
    };
    let answer = find(&engine.index, subject, &asked, sender.cancel())?;
    let seconds = started.elapsed().as_secs_f64();
    let mut parts = encode::unordered_family(answer, guard.close()?, seconds);
    parts.try_for_each(|part| send(sender, part))
}
