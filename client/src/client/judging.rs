//! Requests about judgements: pairs to label, evaluation against labels, models.

use super::within;
use crate::wire;
use crate::{Client, Error};

impl Client {
    /// Samples pairs of near-duplicates for labelling. Absent parameters take the daemon's defaults.
    pub async fn sample_pairs(
        &self,
        request: wire::SamplePairsRequest,
    ) -> Result<wire::SamplePairsReply, Error> {
        let call = async { self.judging.clone().sample_pairs(request).await };
        within(self.limits.work, call).await
    }

    /// Evaluates judgements against labels.
    pub async fn evaluate_labels(
        &self,
        request: wire::EvaluateLabelsRequest,
    ) -> Result<wire::EvaluateLabelsReply, Error> {
        let call = async { self.judging.clone().evaluate_labels(request).await };
        within(self.limits.work, call).await
    }

    /// Trains a model on labels.
    pub async fn train_model(
        &self,
        request: wire::TrainModelRequest,
    ) -> Result<wire::TrainModelReply, Error> {
        let call = async { self.judging.clone().train_model(request).await };
        within(self.limits.work, call).await
    }

    /// Makes the daemon judge pairs with the shipped model again.
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
