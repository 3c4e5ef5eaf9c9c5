//! Requests about sampling: how coarsely the index's documents may be sampled, and how they are sampled.

use super::within;
use crate::wire;
use crate::{Client, Error};

impl Client {
    /// Measures how coarsely documents of each size may be sampled. Absent parameters take the daemon's defaults; no
    /// root means all.
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
            strict: self.strict,
        };
        let call = async { self.similarity.clone().calibrate(request).await };
        within(self.limits.work, call).await
    }

    /// Returns how coarsely documents of each size are sampled, and how many are still signed differently.
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

    /// Sets the sampling of the whole index to these size groups, shortest first; with none, documents are sampled by
    /// their length alone. Returns once the setting is on disk; documents are signed again in the background.
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
