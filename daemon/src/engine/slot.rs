//! Where requests find the engine. It may be absent for a while: the supervisor takes it out while
//! the index is closed and reopened, and the socket stays up meanwhile.

use std::sync::{Arc, PoisonError, RwLock};

use thiserror::Error;

use crate::engine::Engine;
use crate::host::alarms::Alarms;

/// The engine is being reopened.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the index is being reopened ({0})")]
pub struct Reopening(pub String);

impl Reopening {
    /// Advice for the caller.
    pub const ADVICE: &str = "ask again later";
}

/// Holds the engine, or the reason why there is none.
pub struct EngineSlot {
    /// Alarms: reasons that keep changes from being applied.
    pub alarms: Arc<Alarms>,
    engine: RwLock<Result<Arc<Engine>, Reopening>>,
}

impl EngineSlot {
    /// A slot that holds this engine.
    pub fn holding(engine: Arc<Engine>) -> Self {
        Self {
            alarms: Arc::clone(&engine.host().alarms),
            engine: RwLock::new(Ok(engine)),
        }
    }

    /// A slot that waits for its first engine; `reason` says why there is none yet.
    pub fn waiting(alarms: &Arc<Alarms>, reason: &str) -> Self {
        Self {
            alarms: Arc::clone(alarms),
            engine: RwLock::new(Err(Reopening(reason.to_owned()))),
        }
    }

    /// The engine, while there is one.
    pub fn get(&self) -> Result<Arc<Engine>, Reopening> {
        self.engine
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Puts an engine in.
    pub fn put(&self, engine: Arc<Engine>) {
        // The previous engine is already gone, or ends with its last request.
        let _ = self.replace(Ok(engine));
    }

    /// Takes the engine out; `reason` is given to requests that ask for it.
    pub fn take(&self, reason: &str) -> Option<Arc<Engine>> {
        self.replace(Err(Reopening(reason.to_owned()))).ok()
    }

    fn replace(&self, with: Result<Arc<Engine>, Reopening>) -> Result<Arc<Engine>, Reopening> {
        let mut held = self.engine.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut held, with)
    }
}
