//! Reads everything an index has stored and reports contradictions. Nothing is written: pass it a store that was opened
//! on a copy.
//!
//! * [`records`]: every record decodes, refers to nothing that was never created, and the links between them (`l`, `k`,
//!   `h`) go both ways;
//! * [`postings`]: every bucket decodes and holds postings of its own;
//! * [`texts`]: every reference leads to the text it was made for, and every document's hash is that of its text.

use std::path::Path;

use simdex_schema::StoreId;

use crate::IndexError;
use crate::store::{Store, StoreError};
use crate::text::TextStore;

mod postings;
mod records;
mod texts;

/// Faults described one by one; further ones are only counted.
const MAX_MESSAGES: usize = 50;

/// How much of the texts is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyDepth {
    /// The headers of all blocks, and whether every reference lies within one.
    Heads,
    /// All of them: checksums, and the hashes that identify documents.
    Everything,
}

/// What a verification read and found.
#[derive(Debug, Default)]
pub struct Verified {
    /// Records that were read and checked.
    pub records: u64,
    /// Number of posting blocks read.
    pub postings: u64,
    /// Blocks of text, live or dead.
    pub blocks: u64,
    /// Texts that documents point to.
    pub texts: u64,
    /// Their length, in bytes.
    pub text_bytes: u64,
    /// Damaged blocks of text that nothing refers to: a crash leaves such blocks, and no answer needs them.
    pub dead_blocks: u64,
    /// Numbers of the runs of postings that count.
    pub runs: Vec<u32>,
    /// The faults that were found.
    pub faults: Faults,
}

/// The faults found: their number, and the first of them.
#[derive(Debug, Default)]
pub struct Faults {
    /// How many there are.
    pub count: u64,
    /// The first of them, each in a few words.
    pub messages: Vec<String>,
}

impl Faults {
    /// Counts a fault; only the first `MAX_MESSAGES` are described.
    pub fn tell(&mut self, fault: impl Into<String>) {
        self.count += 1;
        if self.messages.len() < MAX_MESSAGES {
            self.messages.push(fault.into());
        }
    }

    /// Records an error as a fault if it says that something stored is damaged; returns any other error.
    fn absorb<T>(&mut self, result: Result<T, IndexError>) -> Result<Option<T>, IndexError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(
                error @ (IndexError::Damaged(_)
                | IndexError::Record { .. }
                | IndexError::Store(StoreError::Corrupt { .. } | StoreError::Damaged { .. })),
            ) => {
                self.tell(error.to_string());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Verifies the index in `store` and its texts in `text_dir`.
///
/// # Errors
/// Only if something could not be read; damage is reported in [`Verified::faults`].
pub fn verify(
    store: &dyn Store,
    text_dir: &Path,
    depth: VerifyDepth,
) -> Result<Verified, IndexError> {
    let mut verified = Verified::default();
    let Some(meta) = records::meta(store, &mut verified.faults)? else {
        return Ok(verified);
    };
    let references = records::verify(store, &meta, &mut verified)?;
    verified.runs = meta.runs.iter().map(|run| run.number).collect();
    postings::verify(store.postings(), &meta, &mut verified)?;
    // A store that no program of this format has opened yet has no id, and blocks without one.
    let id = meta.store.unwrap_or(StoreId([0; 16]));
    let texts = TextStore::open_read_only(text_dir, id);
    texts::verify(&texts, references, &meta, depth, &mut verified)?;
    Ok(verified)
}
