//! Typed client of the Simdex daemon.
//!
//! Asks `simdexd` over its Unix socket which documents resemble, contain, or are versions of others. [`Client`] is the
//! main type: one method per request, each within explicit [`Limits`]. A list arrives as an [`ItemStream`], item by
//! item, closed by a record of counts. A list that breaks off before that record is an error, never a shorter answer. A
//! document that the daemon does not know is sent as an [`Upload`], read with the caller's rights.
//!
//! Messages are those of the wire contract ([`wire`]): paths are raw bytes, those of files in their shown form
//! ([`shown()`]), and numbers that were not measured are absent. The library never touches the terminal; `simctl`, in
//! the same package (`main.rs`, `cli.rs`, `commands/`, `output/`), does.
//!
//! ```no_run
//! use simdex_client::{Client, FindKind, FindOptions, default_socket};
//!
//! # async fn example() -> Result<(), simdex_client::Error> {
//! let client = Client::connect(&default_socket()).await?;
//! let file = "/srv/share/offer.docx".as_ref();
//! let mut matches = client.find_file(FindKind::Similar, file, &FindOptions::default()).await?;
//! while let Some(found) = matches.next().await? {
//!     println!("{}", String::from_utf8_lossy(&found.path));
//! }
//! # Ok(())
//! # }
//! ```

mod changes;
mod client;
mod connect;
mod error;
mod group_options;
mod item_stream;
mod judged_items;
mod labels;
mod locate;
mod member_path;
mod query;
mod regular_file;
mod report;
mod upload;

pub use changes::{EarlierReport, SavedChanges};
pub use client::{AskedFile, Client, CompareOptions, PairOptions, ReportRequest};
pub use connect::{Limits, default_socket};
pub use error::{Error, cause};
pub use group_options::GroupOptions;
pub use item_stream::{FamilyPart, ItemStream, Reply, ReplyPart};
pub use judged_items::JudgedItems;
pub use labels::{LabelsFile, read_labels, read_labels_from, read_pairs};
pub use locate::{absolute, path_bytes, path_from_bytes, shown};
pub use query::{FindKind, FindOptions, Subject};
pub use report::SavedReport;
pub use upload::Upload;

pub use simdex_proto::age::parse_age;
pub use simdex_proto::changes::{Caveat, ChangeTotals, FindingTotals, Totals, caveats_sentence};
/// Messages of the wire contract, `simdex.v1`.
pub use simdex_proto::v1 as wire;
pub use simdex_proto::{completeness, lines, promise, text};

/// Defaults for what a request leaves out.
pub use simdex_proto::defaults;

pub use simdex_proto::STATES;
