//! Answers Compare: two sides, each a file, a document or an upload, and what they have in common.

use std::sync::Arc;
use std::time::Instant;

use simdex_index::Cancel;
use simdex_proto::v1;
use tonic::Status;

use super::caller::Caller;
use super::request_params::parse_relation_thresholds;
use super::runner::RequestRunner;
use super::scheme;
use super::status::Refused;
use super::subject_source::parse_side;
use super::upload::UploadRoom;
use crate::base::user_budget::UserShare;
use crate::encode;
use crate::engine::Engine;
use crate::host::disk::DiskGuard;
use crate::read_side::answering::{ComparisonRequest, compare_sides};
use crate::read_side::compare::{Forms, SchemeSelection};

/// A decoded request for a comparison.
pub(super) struct DecodedComparison {
    sides: [v1::Side; 2],
    schemes: SchemeSelection,
    forms: Forms,
    thresholds: [Option<f64>; 2],
    is_judged: bool,
    strict: bool,
    longest_message: usize,
    disk: Arc<DiskGuard>,
    share: UserShare,
    started: Instant,
}

impl DecodedComparison {
    pub(super) fn parse(
        runner: &RequestRunner,
        caller: Caller,
        request: v1::CompareRequest,
    ) -> Result<Self, Status> {
        let schemes = scheme::parse_schemes(&request)?;
        let sides = request.a.zip(request.b);
        let (a, b) = sides.ok_or_else(|| Status::invalid_argument("a side is missing"))?;
        Ok(Self {
            sides: [a, b],
            schemes,
            forms: Forms {
                lines: !request.without_difference,
                words: request.with_words,
                operations: request.with_operations,
            },
            thresholds: [request.relation_threshold, request.containment_threshold],
            is_judged: request.with_judgement,
            strict: request.strict,
            longest_message: runner.longest_message(),
            disk: runner.disk(),
            share: runner.upload_share(caller),
            started: Instant::now(),
        })
    }

    /// Receives both sides and compares them; writes what was sent to disk.
    pub(super) fn answer(
        self,
        engine: &Engine,
        caller: Caller,
        cancel: &Cancel,
    ) -> Result<v1::CompareReply, Refused> {
        let [near, contained] = self.thresholds;
        let request = ComparisonRequest {
            thresholds: parse_relation_thresholds(engine, near, contained)?,
            forms: self.forms,
            schemes: self.schemes,
            is_judged: self.is_judged,
            strict: self.strict,
            longest: self.longest_message,
        };
        let dir = engine.data_dir.clone();
        let (disk, share) = (self.disk, self.share);
        let room = UploadRoom { dir, disk, share };
        let [a, b] = self.sides;
        let sides = [parse_side(&room, a)?, parse_side(&room, b)?];
        let account = caller.account(engine.index.reader(), cancel);
        let requester = caller.requester(&account, self.started);
        let compared = compare_sides(engine, sides, &request, &requester)?;
        Ok(encode::comparison(compared))
    }
}
