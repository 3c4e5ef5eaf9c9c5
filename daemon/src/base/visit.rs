//! Visits that may fail: the first error ends the visit and is kept for the caller.

use std::ops::ControlFlow;

/// The error that ended a visit, if one did.
#[derive(Debug)]
pub struct FirstError<E>(Option<E>);

impl<E> Default for FirstError<E> {
    fn default() -> Self {
        Self(None)
    }
}

impl<E> FirstError<E> {
    /// What a visitor returns after this: continue, or keep the error and end the visit.
    pub fn flow(&mut self, done: Result<(), E>) -> ControlFlow<()> {
        match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.0 = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// The error, once the visit is over.
    pub fn into_result(self) -> Result<(), E> {
        self.0.map_or(Ok(()), Err)
    }
}
