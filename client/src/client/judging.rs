//! Requests about judgements: pairs to label, evaluation against labels, models.

use prost::Message as _;
use simdex_proto::MAX_LABELS;

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
    ///
    /// # Errors
    /// [`Error::TooManyLabels`], [`Error::LabelsTooLarge`].
    pub async fn evaluate_labels(
        &self,
        request: wire::EvaluateLabelsRequest,
    ) -> Result<wire::EvaluateLabelsReply, Error> {
        self.check_size(request.labels.len(), request.encoded_len())
            .await?;
        let call = async { self.judging.clone().evaluate_labels(request).await };
        within(self.limits.work, call).await
    }

    /// Trains a model on labels.
    ///
    /// # Errors
    /// [`Error::TooManyLabels`], [`Error::LabelsTooLarge`].
    pub async fn train_model(
        &self,
        request: wire::TrainModelRequest,
    ) -> Result<wire::TrainModelReply, Error> {
        self.check_size(request.labels.len(), request.encoded_len())
            .await?;
        let call = async { self.judging.clone().train_model(request).await };
        within(self.limits.work, call).await
    }

    /// Refuses a request with so many labels, of so many bytes, if the daemon would not take it.
    async fn check_size(&self, labels: usize, bytes: usize) -> Result<(), Error> {
        let (count, most) = (labels as u64, MAX_LABELS as u64);
        if count > most {
            return Err(Error::TooManyLabels { count, most });
        }
        let limit = self.max_message_bytes().await?;
        let bytes = bytes as u64;
        match bytes > limit {
            true => Err(Error::LabelsTooLarge { bytes, limit }),
            false => Ok(()),
        }
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
