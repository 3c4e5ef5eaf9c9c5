//! The inverted index from fingerprint to document.
//!
//! * [`Index`] is the entry point. Open it, apply changes with [`Index::apply`], make them durable with
//!   [`Index::commit`], update groups with [`Index::settle`]; then query.
//! * Write side: `signing` turns an extracted text into signatures; `apply` turns changes of files into one
//!   atomic batch of records and postings in the `buffer`; `merge` moves the buffer into one of the `runs`,
//!   which hold `buckets`; `purge`, `compact` and `damaged_texts` delete what is unused or damaged;
//!   `settle` finds the `edges` of new documents and keeps the `groups`.
//! * Read side: `postings` looks fingerprints up, `candidates` counts them; `document_text` and `shingles`
//!   read texts; `neighbourhood` answers with pairs and groups.
//! * Records: `registry` by id or name, `listing` file by file, `counts` in numbers, `amend` one field;
//!   `work` counts what seeking edges costs.
//! * Below: [`store`] (sled or memory, the only place that names sled), [`text`] (extracted text in
//!   checksummed segments) and [`safe_fs`] (files that are never opened through a link).
//!
//! All of it is synchronous; call it from blocking threads. Readers wait
//! neither for a merge nor for any other access to the store: see `postings`.

mod amend;
mod apply;
mod batch;
mod buckets;
mod buffer;
mod cache;
mod cancel;
mod candidates;
mod change;
mod compact;
mod counts;
mod damaged_texts;
mod document_text;
mod edges;
mod error;
mod fault;
mod groups;
mod handles;
mod index;
mod listing;
mod load;
mod memory;
mod memory_use;
mod merge;
mod neighbourhood;
mod open;
mod postings;
mod purge;
mod registry;
mod runs;
pub mod safe_fs;
mod settle;
mod shingles;
mod signing;
pub mod store;
mod table;
#[cfg(test)]
mod tests;
pub mod text;
mod unsettled;
pub mod verify;
mod work;

pub use cancel::Cancel;
pub use candidates::{
    Candidate, CandidateKind, Candidates, FingerprintSink, Fingerprints, QueryFingerprints,
    SignAtRung,
};
pub use change::{Applied, Change, NewContent, NewDocument, SeenFile};
pub use counts::FileCounts;
pub use error::IndexError;
pub use fault::Fault;
pub use index::{Index, Options, Usage};
pub use listing::FileView;
pub use memory::{GrowingPermit, Memory, MemoryAccount, MemoryBudget, MemoryPermit};
pub use memory_use::{MemoryHolder, MemoryUse};
pub use merge::Merges;
pub use neighbourhood::{GroupDocument, GroupView, Groups, IsWanted, PairSearch};
pub use open::{OpenReport, Opened};
pub use settle::{GroupMove, Regrouped};
pub use shingles::HeldSet;
pub use signing::{canonicalise, forward_signature};
pub use table::{DocumentStats, View};
pub use unsettled::Generation;
pub use work::Work;
