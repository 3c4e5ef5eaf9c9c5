//! Answers FindFamily: versions in their order, or files without text by date.

use std::time::Instant;

use simdex_index::Cancel;
use simdex_proto::{defaults, v1};
use tonic::Status;

use super::caller::Caller;
use super::reply_channel::ReplySender;
use super::request_params::{self, QueryDefaults};
use super::staleness::StalenessCheck;
use super::status::Refused;
use super::subject_source::SubjectSource;
use crate::encode::{self, FamilySource, SummaryContext};
use crate::engine::{CompletenessCheck, Engine};
use crate::read_side::families::LinkRule;
use crate::read_side::query::{
    Answer, Family, FamilyParams, FindKind, QueryParams, SubjectSummary, find, find_family,
};

/// A decoded request for a family.
pub(super) struct FamilyRequest {
    params: FamilyParams,
    strict: bool,
}

impl FamilyRequest {
    /// Decodes the parameters of a query; its source is decoded separately.
    pub(super) fn parse(engine: &Engine, query: &v1::Query) -> Result<Self, Status> {
        request_params::refuse_judgement(query)?;
        let defaults = QueryDefaults {
            limit: defaults::VERSIONS,
            threshold: defaults::FAMILY,
        };
        let query_params = request_params::parse_query(engine, FindKind::Related, query, defaults)?;
        Ok(Self {
            params: FamilyParams {
                rule: LinkRule {
                    resemblance: query_params.threshold,
                    containment: query_params
                        .containment_threshold
                        .max(query_params.threshold),
                },
                relation_threshold: query_params.relation_threshold,
                containment_threshold: query_params.containment_threshold,
                scheme: query_params.scheme,
                joins_pieces: true,
                limit: query_params.limit,
                view: query_params.view,
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
        let check = CompletenessCheck::begin(engine, &self.params.view, self.strict)?;
        let (found, staleness) = self.find(engine, source, caller, sender.cancel())?;
        let context = || -> Result<SummaryContext, Refused> {
            Ok(SummaryContext {
                completeness: check.verdict()?,
                seconds: started.elapsed().as_secs_f64(),
                last_read: staleness.as_ref().and_then(StalenessCheck::result),
            })
        };
        match found {
            FamilyAnswer::Family { family, subject } => {
                let listed = FamilySource {
                    index: engine.index.reader(),
                    subject: &subject,
                    params: &self.params,
                };
                let sent = encode::family(&listed, &family, |part| send(sender, part))?;
                let summary = encode::family_summary(&listed, &family, sent, context()?);
                send(sender, v1::family_reply::Part::Summary(summary))
            }
            FamilyAnswer::Unordered(answer) => {
                let mut parts = encode::unordered_family(answer, context()?);
                parts.try_for_each(|part| send(sender, part))
            }
        }
    }

    /// Finds the family, while the file asked about is looked at. The subject's text and its permits are dropped at the
    /// end: a client may take long to read the reply.
    fn find(
        &self,
        engine: &Engine,
        source: SubjectSource,
        caller: Caller,
        cancel: &Cancel,
    ) -> Result<(FamilyAnswer, Option<StalenessCheck>), Refused> {
        let (index, params) = (engine.index.reader(), &self.params);
        let account = caller.account(index, cancel);
        let subject = source.subject(engine, caller.queue_key(), &account)?;
        let staleness = StalenessCheck::start(engine, &subject)?;
        let found = match subject.text() {
            Some(text) => FamilyAnswer::Family {
                family: find_family(index, &subject, text, params, cancel)?,
                subject: subject.summary(),
            },
            None => FamilyAnswer::Unordered(find(index, &subject, &without_text(params), cancel)?),
        };
        Ok((found, staleness))
    }
}

/// What is sent, without anything that was only needed to find it.
enum FamilyAnswer {
    /// Versions in their order.
    Family {
        family: Family,
        subject: SubjectSummary,
    },
    /// Files by date, without edges.
    Unordered(Answer),
}

fn send(
    sender: &ReplySender<v1::FamilyReply>,
    part: v1::family_reply::Part,
) -> Result<(), Refused> {
    sender.send(v1::FamilyReply { part: Some(part) })
}

/// Files without text are compared by their raw bytes, using estimates.
fn without_text(params: &FamilyParams) -> QueryParams {
    QueryParams {
        kind: FindKind::Related,
        scheme: params.scheme,
        threshold: params.rule.resemblance,
        relation_threshold: params.relation_threshold,
        containment_threshold: params.containment_threshold,
        limit: params.limit,
        view: params.view.clone(),
        keeps_texts: false,
    }
}
