//! How coarsely documents may be sampled, measured on those of the index, and how they are.

use super::within;
use crate::wire;
use crate::{Client, Error};

impl Client {
    /// Measures how coarsely documents of each size may be sampled; each absent parameter is the daemon's
    /// default, and no root means all.
    pub async fn calibrate(
        &self,
        precision: Option<f64>,
        threshold: Option<f64>,
        roots: Vec<u32>,
    ) -> Result<wire::CalibrateReply, Error> {
        let request = wire::CalibrateRequest {
            precision,
            threshold,
            roots,
        };
        let call = async { self.similarity.clone().calibrate(request).await };
        within(self.limits.work, call).await
    }

    /// Tells how coarsely documents of each size are sampled, and how many are signed otherwise still.
    pub async fn sampling(&self) -> Result<wire::Sampling, Error> {
        let call = async {
            self.similarity
                .clone()
                .get_sampling(wire::GetSamplingRequest {})
                .await
        };
        let reply = within(self.limits.call, call).await?;
        Ok(reply.sampling.unwrap_or_default())
    }

    /// Has the documents of the whole index sampled by these groups of sizes, shortest first, or by their length alone
    /// where none are passed. Returns once that is power-safe; documents are signed anew in the background.
    pub async fn set_sampling(
        &self,
        groups: Option<Vec<wire::SamplingGroup>>,
    ) -> Result<wire::Sampling, Error> {
        use wire::set_sampling_request::Chosen;
        let chosen = match groups {
            Some(groups) => Chosen::Groups(wire::SamplingGroups { groups }),
            None => Chosen::ByLength(true),
        };
        let request = wire::SetSamplingRequest {
            chosen: Some(chosen),
        };
        let call = async { self.similarity.clone().set_sampling(request).await };
        let reply = within(self.limits.work, call).await?;
        Ok(reply.sampling.unwrap_or_default())
    }
}
