//! The gRPC edge: adapters that decode a request, call one function of the read side on a blocking thread
//! ([`answering`](crate::read_side::answering), [`lists`](crate::read_side::lists)), and encode what it returns.
//!
//! * [`similarity`], [`judging`] and [`admin`] are the services. `request_params`, `report_request`, `scheme`, `lookup`
//!   and `subject_source` decode requests, `query_stream` receives the messages of a query and `upload` its bytes;
//!   `comparison`, `family`, `files`, `find`, `folders`, `groups`, `kept_reports`, `pairs` and `templates` decode and
//!   answer the requests they are named after; `sampling` decodes and encodes the sampling setting.
//! * `daemon_status` builds the reply of Status, `operator` checks that the caller is root or the daemon's user, and
//!   `servers` sets message limits.
//! * `health_watch` counts streams of the health service as event streams.
//! * [`crate::encode`] encodes replies; `event_stream`, `report_sink` and `report_keeping` send events and
//!   reports; `status` is the one table from errors to status codes.
//! * [`runner`] is where every request of a `caller` waits its turn and gets its `deadline`; `reply_channel` is how a blocking
//!   thread fills a stream no faster than the client reads it.
//! * [`peer`] and [`traffic`] hold connections and requests to their bounds before any service sees
//!   them; `fair_semaphore` shares out the slots of those who are answered.
//! * [`user_budget`](crate::base::user_budget) shares bytes out by user: `reply_budget` counts replies by it until their clients have read
//!   them, and `upload` documents that were sent until they are read.
//! * [`limits`] holds every bound of HTTP/2: tonic's own defaults are mostly "none".

mod admin;
mod caller;
mod comparison;
mod daemon_status;
mod deadline;
mod event_stream;
mod fair_semaphore;
mod family;
mod files;
mod find;
mod folders;
mod groups;
mod health_watch;
mod judging;
mod kept_reports;
pub mod limits;
mod list_progress;
mod lookup;
mod operator;
mod pairs;
mod peer;
mod query_stream;
mod reply_budget;
mod reply_channel;
mod report_keeping;
mod report_messages;
mod report_request;
mod report_sink;
mod request_params;
mod runner;
mod sampling;
mod scheme;
pub mod servers;
mod similarity;
mod status;
mod subject_source;
mod templates;
mod traffic;
mod upload;

use std::pin::Pin;

use tokio_stream::Stream;
use tonic::Status;

pub use admin::AdminService;
pub use health_watch::HealthWatches;
pub use judging::JudgingService;
pub use peer::{Admission, Connections, Peer};
pub use report_keeping::ReportKeeping;
pub use runner::RequestRunner;
pub use similarity::SimilarityService;
pub use traffic::TrafficLayer;

/// The replies of a streaming request.
pub type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;
