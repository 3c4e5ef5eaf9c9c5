//! Answers ListPairs: every pair of near-duplicates, and on request of documents one of which contains the other.

use std::time::Instant;

use simdex_proto::v1;
use tonic::Status;

use super::caller::Caller;
use super::list_progress::ListProgress;
use super::reply_channel::ReplySender;
use super::request_params::{self, parse_judged_items, parse_path, parse_ratio};
use super::status::Refused;
use crate::base::visit::FirstError;
use crate::encode;
use crate::engine::Engine;
use crate::read_side::answering::{self, ListedPairStep, PairsRequest};
use crate::read_side::catalogue::PairPlace;
use crate::read_side::lists::{ListRequest, PairOptions};

/// A decoded request for a list of pairs.
pub(super) struct DecodedPairs(PairsRequest);

impl DecodedPairs {
    pub(super) fn parse(engine: &Engine, request: v1::ListPairsRequest) -> Result<Self, Status> {
        let after = request.after.map(|place| {
            let (a, b) = (parse_path(place.a)?, parse_path(place.b)?);
            Ok::<_, Status>(PairPlace::of(a.as_os_str(), b.as_os_str()))
        });
        let containment = request.containment_threshold;
        let containment =
            containment.map(|least| parse_ratio(Some(least), least, "containment_threshold"));
        Ok(Self(PairsRequest {
            list: ListRequest {
                view: request_params::parse_roots(engine, &request.roots)?,
                threshold: request_params::parse_threshold(engine, request.threshold)?,
                strict: request.strict,
            },
            options: PairOptions {
                containment: containment.transpose()?,
                after: after.transpose()?,
                limit: Some(request.limit).filter(|limit| *limit > 0),
            },
            judged: parse_judged_items(request.with_judgement, request.judge_first)?,
            with_progress: request.with_progress,
        }))
    }

    /// Sends the pairs as they are found, then the counts.
    pub(super) fn answer(
        &self,
        engine: &Engine,
        caller: Caller,
        sender: &ReplySender<v1::ListPairsReply>,
    ) -> Result<(), Refused> {
        use v1::list_pairs_reply::Part;
        let send = |part| sender.send(v1::ListPairsReply { part: Some(part) });
        let mut refused = FirstError::default();
        let account = sender.account(&caller, engine.index.reader());
        let mut progress: Option<ListProgress> = None;
        let due = |progress: &mut Option<ListProgress>, done| {
            let due = progress.as_mut()?.due(done, Instant::now());
            due.map(Part::Progress)
        };
        let summary = answering::pairs(engine, &self.0, &account, &mut |step| {
            let part = match step {
                ListedPairStep::Begun { files } => {
                    let (begun, first) = ListProgress::begin(files, Instant::now());
                    progress = Some(begun);
                    Some(Part::Progress(first))
                }
                ListedPairStep::Pair(pair) => Some(Part::Pair(encode::listed_pair(*pair))),
                ListedPairStep::ContainersSearched { documents } => due(
                    &mut progress,
                    v1::ListProgress {
                        documents_searched: Some(documents),
                        ..v1::ListProgress::default()
                    },
                ),
                ListedPairStep::FileDone { files, pairs } => due(
                    &mut progress,
                    v1::ListProgress {
                        files,
                        pairs,
                        ..v1::ListProgress::default()
                    },
                ),
            };
            refused.flow(part.map_or(Ok(()), send))
        });
        refused.into_result()?;
        send(Part::Summary(encode::summary(&summary?)))
    }
}
