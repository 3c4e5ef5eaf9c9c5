//! The server: all services behind one socket, the limits in front of them, and the task that reports its health.

use std::sync::Arc;

use anyhow::Context;
use simdex_proto::v1::FILE_DESCRIPTOR_SET;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic_health::server::{HealthReporter, health_reporter};

use super::health::{tell, tell_health};
use super::incoming::incoming;
use super::socket::Socket;
use crate::config::Config;
use crate::edge::grpc::limits::ClientLimits;
use crate::edge::grpc::{
    Connections, HealthWatches, ReportKeeping, RequestRunner, TrafficLayer, limits, servers,
};
use crate::engine::slot::EngineSlot;
use crate::host::Host;
use crate::host::descriptors;
use crate::write_side::pipeline::Pipeline;

/// Ends with the server.
pub(super) type Server = JoinHandle<Result<(), tonic::transport::Error>>;

/// The server, and the task that reports its health.
pub(super) struct Served {
    pub(super) health: HealthReporter,
    /// Reports health; it ends with the runtime.
    pub(super) teller: JoinHandle<()>,
    pub(super) server: Server,
}

/// Limits for clients: no more connections than there are descriptors for.
fn client_limits(config: &Config, descriptors: u64) -> ClientLimits {
    let clients = ClientLimits::of(&config.grpc);
    let ingesters = Pipeline::ingesters(config);
    let max_connections =
        descriptors::connections(config, ingesters, descriptors, clients.connections);
    clients.within(max_connections)
}

/// Spawns the server with all its services.
pub(super) fn serve(
    runtime: &Runtime,
    host: &Arc<Host>,
    (slot, kept): (&Arc<EngineSlot>, ReportKeeping),
    socket: &Socket,
    leaving: watch::Receiver<bool>,
    descriptors: u64,
) -> anyhow::Result<Served> {
    let _inside = runtime.enter();
    let config = &host.config.grpc;
    let longest = config.max_message_mib.length();
    let runner = RequestRunner::new(
        Arc::clone(slot),
        config.clone(),
        Arc::clone(&host.disk),
        leaving.clone(),
    );
    let runner = Arc::new(runner);
    let similarity = servers::similarity(&runner, longest);
    let judging = servers::judging(&runner, longest);
    let watches = Arc::clone(&runner);
    let admin = servers::admin(runner, kept, longest);
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()
        .context("the services cannot be described for reflection")?;
    let (health, health_server) = health_reporter();
    let mut known = host.alarms.health();
    let now = *known.borrow_and_update();
    runtime.block_on(tell(&health, now));
    let teller = runtime.spawn(tell_health(health.clone(), known));
    let clients = client_limits(&host.config, descriptors);
    let router = limits::server(config)
        .layer(TrafficLayer::new(clients))
        .add_service(HealthWatches::new(health_server, watches))
        .add_service(reflection)
        .add_service(similarity)
        .add_service(judging)
        .add_service(admin);
    let listener = socket
        .listener()
        .context("the socket cannot be opened for connections")?;
    let connections = incoming(listener, Connections::new(clients));
    let server = router.serve_with_incoming_shutdown(connections, left(leaving));
    Ok(Served {
        health,
        teller,
        server: runtime.spawn(server),
    })
}

async fn left(mut leaving: watch::Receiver<bool>) {
    // No sender means that the daemon is already gone.
    let _ = leaving.wait_for(|leaving| *leaving).await;
}
