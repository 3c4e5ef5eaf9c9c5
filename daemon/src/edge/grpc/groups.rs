//! Answers ListGroups for each kind of group.

use simdex_proto::v1;
use tonic::Status;

use super::caller::Caller;
use super::reply_channel::ReplySender;
use super::request_params;
use super::status::Refused;
use crate::base::visit::FirstError;
use crate::encode;
use crate::engine::Engine;
use crate::read_side::answering::{self, GroupsRequest};
use crate::read_side::clusters::ClusterRequest;
use crate::read_side::lists::{self, ClusterListRequest, ListRequest};

/// A decoded request for a list of groups.
pub(super) enum DecodedGroups {
    /// Stars, which are maintained.
    Stars(GroupsRequest),
    /// Components or cores, which are computed on request.
    Clusters(ClusterListRequest),
}

impl DecodedGroups {
    pub(super) fn parse(engine: &Engine, request: &v1::ListGroupsRequest) -> Result<Self, Status> {
        use v1::GroupKind as Kind;
        let kind = Kind::try_from(request.kind).map_err(|_| {
            Status::invalid_argument("this daemon does not know this kind of group")
        })?;
        let is_cores = kind == Kind::Cores;
        if !is_cores && (request.common.is_some() || request.mining_seconds.is_some()) {
            let refused = "common and mining_seconds apply to cores only";
            return Err(Status::invalid_argument(refused));
        }
        if is_cores && request.threshold.is_some() {
            let refused = "threshold does not apply to cores; use common";
            return Err(Status::invalid_argument(refused));
        }
        let view = request_params::parse_roots(engine, &request.roots)?;
        let strict = request.strict;
        let threshold = request_params::parse_threshold(engine, request.threshold)?;
        let judged =
            request_params::parse_judged_items(request.with_judgement, request.judge_first)?;
        let clusters = match kind {
            Kind::Unspecified | Kind::Stars => {
                let list = ListRequest {
                    view,
                    threshold,
                    strict,
                };
                let after = request.after.clone().map(request_params::parse_path);
                return Ok(Self::Stars(GroupsRequest {
                    list,
                    judged,
                    after: after.transpose()?,
                }));
            }
            _ if request.after.is_some() => {
                let refused = "after applies to stars only: others are made for each call";
                return Err(Status::invalid_argument(refused));
            }
            _ if request.with_judgement => {
                let refused = "with_judgement applies to stars only: others have no principal";
                return Err(Status::invalid_argument(refused));
            }
            Kind::Components => ClusterRequest::Components { threshold },
            Kind::Cores => ClusterRequest::cores(request.common, request.mining_seconds)
                .map_err(|error| Status::invalid_argument(error.to_string()))?,
        };
        Ok(Self::Clusters(ClusterListRequest {
            view,
            clusters,
            strict,
        }))
    }

    /// Whether the whole list is computed before its first item is sent.
    pub(super) fn is_computed_whole(&self) -> bool {
        matches!(self, Self::Clusters(_))
    }

    /// Makes the list and sends it.
    pub(super) fn answer(
        &self,
        engine: &Engine,
        caller: Caller,
        sender: &ReplySender<v1::ListGroupsReply>,
    ) -> Result<(), Refused> {
        use v1::list_groups_reply::Part;
        let send = |part| sender.send(v1::ListGroupsReply { part: Some(part) });
        let mut refused = FirstError::default();
        let account = sender.account(&caller, engine.index.reader());
        let summary = match self {
            Self::Stars(request) => answering::groups(engine, request, &account, &mut |group| {
                refused.flow(send(Part::Group(encode::listed_group(group))))
            }),
            Self::Clusters(request) => lists::clusters(engine, request, &account, &mut |cluster| {
                refused.flow(send(Part::Group(encode::cluster(&cluster))))
            }),
        };
        refused.into_result()?;
        send(Part::Summary(encode::summary(&summary?)))
    }
}
