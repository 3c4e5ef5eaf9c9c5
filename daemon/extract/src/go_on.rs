//! Whether somebody still waits for a document.

use std::fmt;
use std::sync::Arc;

/// Asked now and then whether somebody still waits for what is read; by default somebody does.
#[derive(Clone, Default)]
pub struct GoOn(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl GoOn {
    /// Goes on while `waits` is true.
    #[must_use]
    pub fn asking(waits: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(waits)))
    }

    /// Whether somebody still waits.
    pub(crate) fn check(&self) -> bool {
        self.0.as_ref().is_none_or(|waits| waits())
    }
}

impl fmt::Debug for GoOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GoOn").finish_non_exhaustive()
    }
}
