//! Every limit of HTTP/2, set explicitly: tonic passes "none" on where it is not told otherwise.

use std::time::Duration;

use tonic::transport::Server;

use crate::config::GrpcConfig;

/// Connections served at once; more wait in the listener's backlog.
pub const CONNECTIONS: usize = 256;
/// A connection must say that it speaks HTTP/2 within this time.
pub const HANDSHAKE: Duration = Duration::from_secs(10);
/// A silent connection is asked whether it lives.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// And must answer within this time.
const KEEPALIVE_ANSWER: Duration = Duration::from_secs(20);
/// A connection this old is asked to come again; what is under way on it goes on.
const CONNECTION_AGE: Duration = Duration::from_secs(30 * 60);
/// Bytes a client may send ahead of what is read, a stream and a connection.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 4 << 20;
const FRAME: u32 = 64 << 10;
const HEADERS: u32 = 16 << 10;
/// Streams that were reset and not yet taken note of (hyper's own figure), and resets of ours
/// before a connection is given up: CVE-2023-44487 and its kin.
const PENDING_RESETS: usize = 20;
const LOCAL_RESETS: usize = 1024;

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
