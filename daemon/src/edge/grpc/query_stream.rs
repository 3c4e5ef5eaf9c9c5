//! The messages of a query: first the query itself, then the chunks of an upload, if there is one.

use std::time::Instant;

use simdex_proto::v1::find_request::Part;
use simdex_proto::v1::{FindRequest, Query};
use tokio::time::timeout_at;
use tonic::{Status, Streaming};

/// Receives the first message of a query.
pub(super) async fn receive_query(
    parts: &mut Streaming<FindRequest>,
    deadline: Instant,
) -> Result<Query, Status> {
    match next(parts, deadline).await? {
        Some(Part::Query(query)) => Ok(query),
        Some(Part::Chunk(_)) | None => {
            Err(Status::invalid_argument("the first message is not a query"))
        }
    }
}

/// Receives the next message before the deadline; `None` at the end of the request.
pub(super) async fn next(
    parts: &mut Streaming<FindRequest>,
    deadline: Instant,
) -> Result<Option<Part>, Status> {
    match next_message(parts, deadline).await? {
        None => Ok(None),
        Some(FindRequest { part: Some(part) }) => Ok(Some(part)),
        Some(FindRequest { part: None }) => Err(Status::invalid_argument(
            "a message is neither a query nor a chunk",
        )),
    }
}

/// Receives the next message of any request before the deadline; `None` at its end.
pub(super) async fn next_message<T>(
    messages: &mut Streaming<T>,
    deadline: Instant,
) -> Result<Option<T>, Status> {
    let late = |_| Status::deadline_exceeded("the request did not end before its deadline");
    timeout_at(deadline.into(), messages.message())
        .await
        .map_err(late)?
}

/// Waits for the end of a request that consists of a query alone.
pub(super) async fn expect_end(
    parts: &mut Streaming<FindRequest>,
    deadline: Instant,
) -> Result<(), Status> {
    match next(parts, deadline).await? {
        None => Ok(()),
        Some(Part::Query(_)) => Err(second_query()),
        Some(Part::Chunk(_)) => Err(Status::invalid_argument(
            "bytes follow a query whose source is not `upload`",
        )),
    }
}

/// Refuses a query after the first message.
pub(super) fn second_query() -> Status {
    Status::invalid_argument("a second query follows the first")
}
