//! Requests about judgements: pairs to be labelled, labels held against judgements, models.

use super::within;
use crate::wire;
use crate::{Client, Error};

impl Client {
    /// Samples pairs of near-duplicates to be labelled. What is absent is left to the daemon.
    pub async fn sample_pairs(
        &self,
        request: wire::SamplePairsRequest,
    ) -> Result<wire::SamplePairsReply, Error> {
        let call = async { self.judging.clone().sample_pairs(request).await };
        within(self.limits.work, call).await
    }

    /// Holds judgements against labels.
    pub async fn evaluate_labels(
        &self,
        request: wire::EvaluateLabelsRequest,
    ) -> Result<wire::EvaluateLabelsReply, Error> {
        let call = async { self.judging.clone().evaluate_labels(request).await };
        within(self.limits.work, call).await
    }

    /// Has a model learned from labels.
    pub async fn train_model(
        &self,
        request: wire::TrainModelRequest,
    ) -> Result<wire::TrainModelReply, Error> {
        let call = async { self.judging.clone().train_model(request).await };
        within(self.limits.work, call).await
    }

    /// Has pairs judged by the shipped model again.
    pub async fn reset_model(&self) -> Result<wire::ResetModelReply, Error> {
        let call = async {
            self.judging
                .clone()
                .reset_model(wire::ResetModelRequest {})
                .await
        };
        within(self.limits.call, call).await
    }
}
