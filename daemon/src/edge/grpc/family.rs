//! Answers FindFamily: versions in their order, or files without text by date.

use std::time::Instant;

use simdex_proto::{defaults, v1};
use tonic::Status;

use super::caller::Caller;
use super::reply_channel::ReplySender;
use super::request_params::{self, QueryDefaults};
use super::status::Refused;
use crate::base::visit::FirstError;
use crate::encode;
use crate::engine::Engine;
use crate::read_side::answering::{self, FamilyRequest, SubjectSource};
use crate::read_side::families::LinkRule;
use crate::read_side::query::{FamilyParams, FindKind};

/// A decoded request for a family, without its subject.
pub(super) struct DecodedFamily(FamilyRequest);

impl DecodedFamily {
    pub(super) fn parse(engine: &Engine, query: &v1::Query) -> Result<Self, Status> {
        request_params::refuse_judgement(query)?;
        let defaults = QueryDefaults {
            limit: defaults::VERSIONS,
            threshold: defaults::FAMILY,
        };
        let query_params = request_params::parse_query(engine, FindKind::Related, query, defaults)?;
        Ok(Self(FamilyRequest {
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
                follows_renamings: true,
                limit: query_params.limit,
                view: query_params.view,
            },
            strict: query.strict,
        }))
    }

    /// Sends the files and edges of the family, then the summary.
    pub(super) fn answer(
        &self,
        engine: &Engine,
        source: SubjectSource,
        caller: Caller,
        started: Instant,
        sender: &ReplySender<v1::FamilyReply>,
    ) -> Result<(), Refused> {
        use v1::family_reply::Part;
        let send = |part| sender.send(v1::FamilyReply { part: Some(part) });
        let mut refused = FirstError::default();
        let account = caller.account(engine.index.reader(), sender.cancel());
        let requester = caller.requester(&account, started);
        let summary = answering::family(engine, source, &self.0, &requester, &mut |item| {
            refused.flow(send(encode::family_item(item)))
        });
        refused.into_result()?;
        send(Part::Summary(encode::family_summary(summary?)))
    }
}
