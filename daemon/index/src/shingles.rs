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

impl HeldSet {
    /// A set that is small enough to need no permit.
    pub(crate) fn of_small(set: Arc<ShingleSet>) -> Self {
        Self { set, permit: None }
    }

    /// The set without a permit, where it needs none.
    pub(crate) fn small(self) -> Option<Arc<ShingleSet>> {
        self.permit.is_none().then_some(self.set)
    }
}

impl Deref for HeldSet {
    type Target = ShingleSet;

    fn deref(&self) -> &ShingleSet {
        &self.set
    }
}
