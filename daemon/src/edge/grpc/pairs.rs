//! Answers ListPairs: every pair of near-duplicates, and on request of documents one of which contains the other.

use std::time::Instant;

use simdex_index::{IndexError, MemoryAccount};
use simdex_proto::v1;
use tonic::Status;

use super::caller::Caller;
use super::list_encoder::ListEncoder;
use super::list_progress::ListProgress;
use super::reply_channel::ReplySender;
use super::request_params::{self, parse_path, parse_ratio};
use super::status::Refused;
use crate::base::visit::FirstError;
use crate::engine::Engine;
use crate::read_side::catalogue::{self, PairPlace, PairStep};
use crate::read_side::lists::{self, ListRequest, PairOptions};

/// A decoded request for a list of pairs.
pub(super) struct PairsRequest {
    list: ListRequest,
    options: PairOptions,
    with_judgement: bool,
    with_progress: bool,
}

impl PairsRequest {
    pub(super) fn parse(engine: &Engine, request: v1::ListPairsRequest) -> Result<Self, Status> {
        let after = request.after.map(|place| {
            let (a, b) = (parse_path(place.a)?, parse_path(place.b)?);
            Ok::<_, Status>(PairPlace::of(a.as_os_str(), b.as_os_str()))
        });
        let containment = request.containment_threshold;
        let containment =
            containment.map(|least| parse_ratio(Some(least), least, "containment_threshold"));
        Ok(Self {
            list: ListRequest {
                view: request_params::parse_roots(engine, &request.roots)?,
                threshold: request_params::parse_threshold(engine, request.threshold)?,
                strict: request.strict,
            },
            options: PairOptions {
                containment: containment.transpose()?,
                after: after.transpose()?,
            },
            with_judgement: request.with_judgement,
            with_progress: request.with_progress,
        })
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
        let mut encoder = ListEncoder::new(engine, self.with_judgement, &account);
        let mut progress = None;
        if self.with_progress {
            let (begun, first) = ListProgress::begin(self.files(engine, &account)?, Instant::now());
            send(Part::Progress(first))?;
            progress = Some(begun);
        }
        let summary = lists::pairs(engine, &self.list, &self.options, &account, &mut |step| {
            let part = match step {
                PairStep::Pair(pair) => encoder.pair(&pair).map(|pair| Some(Part::Pair(pair))),
                PairStep::FileDone { files, pairs } => {
                    let due =
                        |progress: &mut ListProgress| progress.due(files, pairs, Instant::now());
                    Ok(progress.as_mut().and_then(due).map(Part::Progress))
                }
            };
            let part = part.map_err(Refused::from);
            refused.flow(part.and_then(|part| part.map_or(Ok(()), send)))
        });
        refused.into_result()?;
        send(Part::Summary(encoder.summary(&summary?)))
    }

    /// Files of the roots asked about; `None` if the list is resumed.
    fn files(&self, engine: &Engine, account: &MemoryAccount) -> Result<Option<u64>, IndexError> {
        if self.options.after.is_some() {
            return Ok(None);
        }
        let index = engine.index.reader();
        let counts = catalogue::counts(index, &self.list.view, account.cancel())?;
        Ok(Some(counts.files_on_disk + counts.container_members))
    }
}
