//! How coarsely documents may be sampled, measured on those of the index.

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
}
