//! The stored data of Simdex and its encoding: ids, records, key order, posting blocks, format versions.
//!
//! This crate alone decides stored bytes; `FORMAT.md` beside it describes the same in prose. It does no I/O: the index
//! crate moves these bytes, and the daemon fills the records.
//!
//! * [`ids`]: the identifiers of files, contents and documents;
//! * [`state`]: the outcome of reading a file, and its reason;
//! * [`key`]: the order of the records tree;
//! * [`mod@file`], [`content`], [`document`], [`edge`], [`root`], [`meta`]: one record each;
//! * [`schemes`]: the signature schemes that have postings;
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

/// Version of everything stored; a reader refuses a later one with an error that states both.
pub const FORMAT_VERSION: u32 = 11;
/// Oldest version that is still read; the first write upgrades it to the current one.
pub const OLDEST_FORMAT: u32 = 1;
