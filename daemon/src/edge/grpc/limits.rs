//! Every limit of HTTP/2, set explicitly: where tonic is given none, it passes "none" on.

use std::time::Duration;

use tonic::transport::Server;

use crate::config::GrpcConfig;

/// A connection must say that it speaks HTTP/2 within this time.
pub const HANDSHAKE: Duration = Duration::from_secs(10);
/// Bytes of requests that were received and not yet answered, or not yet written to a file, over
/// all connections; one user may hold half of them.
pub(super) const INTAKE: u64 = 512 << 20;
/// Longest request of the service `Admin`, which names things and carries no documents.
pub const ADMIN_MESSAGE: usize = 1 << 20;
/// Longest piece of a reply that is handed to HTTP/2 at once: data that a client does not read stays
/// with us, where it is noticed, and not in HTTP/2's own buffer.
pub(super) const PIECE: usize = 64 << 10;
/// A client that reads a reply more slowly than this uses up the time allowed for silence.
pub(super) const MIN_RATE: Rate = Rate(16 << 10);
/// After this time a silent connection is pinged.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// The answer must arrive within this time.
const KEEPALIVE_ANSWER: Duration = Duration::from_secs(20);
/// A connection this old is asked to reconnect; requests under way on it continue.
const CONNECTION_AGE: Duration = Duration::from_secs(30 * 60);
/// Bytes a client may send ahead of what is read, per stream and per connection.
const STREAM_WINDOW: u32 = 512 << 10;
const CONNECTION_WINDOW: u32 = 1 << 20;
const FRAME: u32 = 64 << 10;
const HEADERS: u32 = 16 << 10;
/// Streams that were reset but not yet processed (hyper's own figure), and resets by us before a
/// connection is dropped: CVE-2023-44487 and similar attacks.
const PENDING_RESETS: usize = 20;
const LOCAL_RESETS: usize = 1024;

/// Bytes a second.
pub(super) struct Rate(u64);

impl Rate {
    /// How long this many bytes take.
    pub(super) fn time_for(&self, bytes: usize) -> Duration {
        Duration::from_millis((bytes as u64).saturating_mul(1_000) / self.0)
    }
}

/// Limits of connections and requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientLimits {
    /// Connections served at once.
    pub connections: usize,
    /// Connections one user may have.
    pub connections_per_user: usize,
    /// Requests one user may have under way, replies that are not read yet included.
    pub requests_per_user: usize,
    /// Longest silence within a request, and longest time for which a reply is not read further; a
    /// client that reads slowly, piece by piece, has this much in total.
    pub idle: Duration,
    /// A connection without requests is closed after this long.
    pub connection_idle: Duration,
    /// A request must have arrived whole within this time.
    pub sending: Duration,
}

impl ClientLimits {
    /// The limits of a config, each at least 1.
    pub fn of(config: &GrpcConfig) -> Self {
        let seconds = |seconds: u64| Duration::from_secs(seconds.max(1));
        Self {
            connections: config.max_connections.max(1),
            connections_per_user: config.max_connections_per_user.max(1),
            requests_per_user: config.max_requests_per_user.max(1),
            idle: seconds(config.idle_seconds),
            connection_idle: seconds(config.connection_idle_seconds),
            sending: seconds(config.max_deadline_seconds),
        }
    }

    /// These limits with this many connections, of which one user may have three quarters at most, whatever
    /// is configured.
    #[must_use]
    pub fn within(self, connections: usize) -> Self {
        let share = (connections * 3 / 4).max(1);
        Self {
            connections,
            connections_per_user: self.connections_per_user.min(share),
            ..self
        }
    }
}

/// A server with every limit set; `load_shed` answers RESOURCE_EXHAUSTED above them.
pub fn server(config: &GrpcConfig) -> Server {
    Server::builder()
        .concurrency_limit_per_connection(config.max_requests.max(1))
        .load_shed(true)
        .max_concurrent_streams(config.max_streams.max(1))
        .max_connection_age(CONNECTION_AGE)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE_ANSWER))
        .http2_adaptive_window(Some(false))
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_frame_size(FRAME)
        .http2_max_header_list_size(HEADERS)
        .http2_max_pending_accept_reset_streams(Some(PENDING_RESETS))
        .http2_max_local_error_reset_streams(Some(LOCAL_RESETS))
        .accept_http1(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_few_connections_there_are_one_user_does_not_have_them_all() {
        let usual = ClientLimits::of(&GrpcConfig::default());
        for (connections, share) in [(256, 64), (64, 48), (8, 6), (2, 1), (1, 1)] {
            let limits = usual.within(connections);
            assert_eq!(
                (limits.connections, limits.connections_per_user),
                (connections, share)
            );
        }
    }
}
