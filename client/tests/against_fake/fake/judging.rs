//! Takes labels and remembers them; no pair is sampled and no model is trained.

use simdex_client::wire;
use simdex_client::wire::judging_server::Judging;
use tonic::{Request, Response, Status, async_trait};

use super::{Answer, Fake};

#[async_trait]
impl Judging for Fake {
    async fn sample_pairs(
        &self,
        _: Request<wire::SamplePairsRequest>,
    ) -> Answer<wire::SamplePairsReply> {
        Err(Status::unimplemented("the fake samples nothing"))
    }

    async fn evaluate_labels(
        &self,
        request: Request<wire::EvaluateLabelsRequest>,
    ) -> Answer<wire::EvaluateLabelsReply> {
        self.seen().labels = Some(request.into_inner().labels);
        Ok(Response::new(wire::EvaluateLabelsReply::default()))
    }

    async fn train_model(
        &self,
        request: Request<wire::TrainModelRequest>,
    ) -> Answer<wire::TrainModelReply> {
        self.seen().labels = Some(request.into_inner().labels);
        Ok(Response::new(wire::TrainModelReply::default()))
    }

    async fn reset_model(
        &self,
        _: Request<wire::ResetModelRequest>,
    ) -> Answer<wire::ResetModelReply> {
        Err(Status::unimplemented("the fake has one model"))
    }
}
