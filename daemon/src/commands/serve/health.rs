//! The health service: what it reports about the engine.

use tokio::sync::watch;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::host::alarms::Health;

/// Reports the daemon's health whenever it changes from the value that `changes` last saw. While changes are not
/// applied, questions are still answered from what was applied before.
pub(super) async fn tell_health(health: HealthReporter, mut changes: watch::Receiver<Health>) {
    while changes.changed().await.is_ok() {
        let now = *changes.borrow_and_update();
        tell(&health, now).await;
    }
}

pub(super) async fn tell(health: &HealthReporter, now: Health) {
    let status = |serves: bool| match serves {
        true => ServingStatus::Serving,
        false => ServingStatus::NotServing,
    };
    let well = status(now == Health::Well);
    let answers = status(now != Health::Away);
    health.set_service_status("", well).await;
    health.set_service_status("simdex.v1.Admin", well).await;
    health
        .set_service_status("simdex.v1.Similarity", answers)
        .await;
}
