//! Whether somebody still waits for a document.

use std::fmt;
use std::sync::Arc;

/// Tells, when called now and then, whether somebody still waits for what is read; by default somebody does.
#[derive(Clone, Default)]
pub struct KeepGoing(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl KeepGoing {
    /// Continues while `waits` returns true.
    #[must_use]
    pub fn asking(waits: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(waits)))
    }

    /// Whether somebody still waits.
    pub(crate) fn check(&self) -> bool {
        self.0.as_ref().is_none_or(|waits| waits())
    }
}

impl fmt::Debug for KeepGoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeepGoing").finish_non_exhaustive()
    }
}
