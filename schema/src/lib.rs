//! What Simdex stores and its bytes: ids, records, key order, posting blocks, format versions.
//!
//! This crate is the only place where a stored byte is decided; `FORMAT.md` beside it says the same
//! in prose. It does no I/O: the index crate moves these bytes, the daemon fills the records.
//!
//! * [`ids`]: the names of things;
//! * [`state`]: where a file ended, and why;
//! * [`key`]: the order of the records tree;
//! * [`file`], [`content`], [`document`], [`edge`], [`root`], [`meta`]: one record each;
//! * [`schemes`]: which signatures there are postings of;
//! * [`posting`]: bucket keys and blocks of the postings tree;
//! * [`codec`]: the varints and bounded reads that all of them use.

pub mod codec;
pub mod content;
pub mod document;
pub mod edge;
pub mod file;
pub mod ids;
pub mod key;
pub mod meta;
pub mod posting;
pub mod report;
pub mod root;
pub mod schemes;
pub mod state;

pub use codec::DecodeError;
pub use content::{ContentRecord, ReaderVersion};
pub use document::{DocumentKind, DocumentRecord};
pub use edge::EdgeRecord;
pub use file::{FileKey, FileRecord, FileStat, MemberPlace, Role, Timestamp};
pub use ids::{ContentHash, DocId, DocumentHash, GroupId, RootId, RunId, StoreId};
pub use meta::{MetaRecord, RunRecord};
pub use report::ReportRecord;
pub use root::{DirectoryIdentity, RootRecord};
pub use schemes::Schemes;
pub use simdex_codes::Reason;
pub use simdex_path as path;
pub use state::{State, StoredReason};

/// Version of everything stored; a reader refuses a later one and names both.
pub const FORMAT_VERSION: u32 = 10;
/// Oldest version that is still read; the first write makes it the present one.
pub const OLDEST_FORMAT: u32 = 1;
