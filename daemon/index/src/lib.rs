//! The inverted index from fingerprint to document.
//!
//! [`Index::open`] returns an [`Index`] (close, statistics) and the one [`IndexWriter`]. All other code holds one of
//! the clients below, each of which can do only what its type says:
//!
//! | client | for | held by |
//! |---|---|---|
//! | [`Index`] | opening, closing, figures about itself | the engine |
//! | [`IndexReader`] | requests: candidates, texts, shingles, pairs, groups, files | every query, list and report |
//! | [`Registry`] | records by key: files, contents, roots, reports | ingestion, walks, the recheck |
//! | [`IndexWriter`] | all that changes: apply, settle, merge, commit | the pipeline |
//!
//! Each is in a file of its name, which says where the methods are. Callers use the parts of a reader: `documents`,
//! `document_text`, `shingles`, `signing`, and those below `reader`. All of them share `shared`: store, texts, the state
//! in memory and its locks. The modules:
//!
//! * Reading: `postings` looks up what documents share, on which candidates, edges and the `join` of many documents
//!   stand; `registry` reads records.
//! * Writing: `change` is what the writer applies; `buffer` and `runs` hold postings, in `buckets`;
//!   `edges` finds near-duplicates, `groups` keeps stars of them, `unsettled` what waits for a place.
//! * In memory: `table` (figures of every document), `awaiting_signature` (documents that are not signed by the
//!   sampling in force), `counts` (of files), `cache`, `damaged_texts`; `memory` bounds what is held for a call, `work`
//!   counts what searching for edges costs.
//! * Below: [`store`] (sled or memory, the only place that names sled), [`text`] (extracted text in
//!   checksummed segments) and [`safe_fs`] (files that are never opened through a link); [`integrity`]
//!   reads all of it.
//!
//! All of it is synchronous; call it from blocking threads. Readers do not wait
//! for a merge, only while a batch is written to the store: see `postings.rs`.

mod aside;
mod awaiting_signature;
mod batch;
mod buckets;
mod buffer;
mod cache;
mod cancel;
mod change;
mod counts;
mod cuts;
mod damaged_texts;
mod document_text;
mod documents;
mod edges;
mod error;
mod fault;
mod group_ids;
mod groups;
mod id_map;
mod index;
pub mod integrity;
mod io_error;
mod join;
mod known_unchanged;
mod memory;
mod options;
mod postings;
mod principal_lists;
mod reader;
mod registry;
mod regrouped;
mod root_paths;
mod runs;
pub mod safe_fs;
mod second_thread;
mod shared;
mod shingles;
mod signing;
pub mod store;
mod stored_records;
mod table;
#[cfg(test)]
mod tests;
pub mod text;
mod two_threads;
mod unsettled;
mod work;
mod writer;

pub use awaiting_signature::SigningProgress;
pub use cancel::Cancel;
pub use change::{
    Applied, ChangedFile, FileChange, GroupArrival, MAX_CHANGED, NewContent, NewDocument, SeenFile,
};
pub use counts::{FileCounts, MoveWatch};
pub use document_text::{HeldText, ReadText, Texts};
pub use documents::Documents;
pub use error::IndexError;
pub use fault::Fault;
pub use index::{Index, IndexSettings, MemoryHolder, MemoryUse, OpenReport, Opened, Usage};
pub use memory::{GrowingPermit, Memory, MemoryAccount, MemoryBudget, MemoryPermit};
pub use options::{Options, UnreadTexts};
pub use reader::{
    Candidate, CandidateKind, Candidates, CountBasis, Coverage, DocumentGroup, FileInfo,
    FileTotals, Files, FingerprintSink, Fingerprints, FoundCandidates, FoundGroups, GroupDocument,
    GroupList, GroupLookup, Groups, IndexReader, NextDocuments, PairSearch, Pairs, PartnerFilter,
    QueryFingerprints, SignAtRung, SoughtRatio, TextsByGroup,
};
pub use registry::Registry;
pub use regrouped::{GroupMove, Regrouped};
pub use second_thread::{Job, SecondThread};
pub use shingles::{HeldShingles, ShingleSets};
pub use signing::{TextSigner, canonicalise, forward_signature};
pub use table::{DocumentStats, VisibleRoots};
pub use unsettled::{Epoch, UnsettledCounts};
pub use work::{Merges, Work};
pub use writer::{IndexWriter, SignStep};
