//! Answers Compare: two sides, each a file, a document or an upload, and what they have in common.

use std::sync::Arc;

use simdex_index::Cancel;
use simdex_proto::v1;
use tonic::Status;

use super::caller::Caller;
use super::request_params::parse_relation_thresholds;
use super::runner::RequestRunner;
use super::status::Refused;
use super::upload::UploadRoom;
use super::user_budget::UserShare;
use super::{comparison_side, scheme};
use crate::encode;
use crate::engine::{CompletenessCheck, Engine};
use crate::host::disk::DiskGuard;
use crate::read_side::compare::{CompareParams, Forms, SchemeSelection, compare};

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
        })
    }

    /// Reads both sides and compares them.
    pub(super) fn answer(
        self,
        engine: &Engine,
        caller: Caller,
        cancel: &Cancel,
    ) -> Result<v1::CompareReply, Refused> {
        let [near, contained] = self.thresholds;
        let thresholds = parse_relation_thresholds(engine, near, contained)?;
        let check = CompletenessCheck::begin(engine, &engine.roots.view(), self.strict)?;
        let dir = engine.data_dir.clone();
        let (disk, share) = (self.disk, self.share);
        let room = UploadRoom { dir, disk, share };
        let [a, b] = self.sides;
        let (a, b) = (
            comparison_side::parse_side(&room, a)?,
            comparison_side::parse_side(&room, b)?,
        );
        let names = (a.name("a"), b.name("b"));
        let account = caller.account(engine.index.reader(), cancel);
        let queue_key = caller.queue_key();
        let (a, read_a) = comparison_side::side(a, engine, queue_key, &account)?;
        let (b, read_b) = comparison_side::side(b, engine, queue_key, &account)?;
        let model = self.is_judged.then(|| engine.models.in_force());
        let params = CompareParams {
            names: (&names.0, &names.1),
            thresholds,
            forms: self.forms,
            longest: self.longest_message,
            schemes: &self.schemes,
            model: model.as_deref(),
            account: &account,
        };
        let found = compare(engine.index.reader(), &a, &b, &params)?;
        Ok(encode::comparison(
            found,
            [read_a, read_b],
            check.verdict()?,
        ))
    }
}
