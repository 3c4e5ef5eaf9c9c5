//! Shingle sets of documents in use for verification, with their permits.

use std::ops::Deref;
use std::sync::Arc;

use simdex_signature::ShingleSet;

use crate::MemoryPermit;

/// A document's shingles, with the permit for what counting them takes.
#[derive(Debug)]
pub struct HeldSet {
    pub(crate) set: Arc<ShingleSet>,
    pub(crate) permit: Option<MemoryPermit>,
}

impl Deref for HeldSet {
    type Target = ShingleSet;

    fn deref(&self) -> &ShingleSet {
        &self.set
    }
}
