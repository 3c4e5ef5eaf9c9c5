//! File descriptors: as many as the system allows, shared out so that commits never lack them.

use std::fs::File;
use std::sync::{Mutex, PoisonError};

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::config::Config;

/// Descriptors held back for a commit: files and directories of store and texts, one at a time.
const KEPT: usize = 16;
/// Store, log, socket, runtime, watchers, and files that are opened occasionally.
const ALWAYS: u64 = 96;
/// An ingester has a document, its spools, and what it holds open on the path to it.
const PER_INGESTER: u64 = 8;
/// A worker process has its ends of pipes and sockets.
const PER_WORKER: u64 = 6;
/// A question may have an upload.
const PER_QUERY: u64 = 4;
/// Files that are sent with requests for reports, at once.
pub(crate) const SENT_FILES: u64 = 256;
/// A root has its watch and the directories a walk is in.
const PER_ROOT: u64 = 24;
/// Connections that are always served.
const MIN_CONNECTIONS: u64 = 8;

/// Raises the soft limit to the hard one; returns the limit now in force.
pub fn raise_limit() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If refused, the previous limit stays in force.
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Connections that may be open at once under this limit, at most `most`: what ingesters, workers,
/// roots and the store need comes first.
pub fn connections(config: &Config, ingesters: usize, limit: u64, max: usize) -> usize {
    let ours = ALWAYS
        + KEPT as u64
        + SENT_FILES
        + PER_INGESTER * ingesters as u64
        + PER_WORKER * config.workers() as u64
        + PER_QUERY * config.grpc.max_queries as u64
        + PER_ROOT * config.roots.len() as u64;
    let left = limit.saturating_sub(ours);
    if left < MIN_CONNECTIONS {
        tracing::warn!(
            limit,
            needed = ours + MIN_CONNECTIONS,
            "the limit on file descriptors is low; raise it (LimitNOFILE), or lower extract.workers"
        );
    }
    let max = u64::try_from(max).unwrap_or(u64::MAX);
    usize::try_from(left.clamp(MIN_CONNECTIONS.min(max), max)).unwrap_or(1)
}

/// Descriptors that are held so that nobody else takes them, and released for a commit.
#[derive(Default)]
pub struct SpareDescriptors(Mutex<Vec<File>>);

impl SpareDescriptors {
    /// Runs work that must not lack descriptors.
    pub fn lend<T>(&self, work: impl FnOnce() -> T) -> T {
        self.lock().clear();
        let done = work();
        self.fill();
        done
    }

    /// Takes as many as are available.
    pub fn fill(&self) {
        let mut held = self.lock();
        while held.len() < KEPT {
            let Ok(one) = File::open("/dev/null") else {
                return;
            };
            held.push(one);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<File>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_get_what_the_rest_leaves() {
        let mut config = Config::default();
        config.extract.workers = 2;
        assert_eq!(connections(&config, 8, u64::MAX, 256), 256);
        let ours = ALWAYS + KEPT as u64 + SENT_FILES + 8 * PER_INGESTER + 2 * PER_WORKER;
        let ours = ours + PER_QUERY * config.grpc.max_queries as u64;
        assert_eq!(connections(&config, 8, ours + 40, 256), 40);
        assert_eq!(connections(&config, 8, 64, 256), 8);
    }

    #[test]
    fn what_is_kept_is_free_while_it_is_lent_and_taken_back_after() {
        let spare = SpareDescriptors::default();
        spare.fill();
        assert_eq!(spare.lock().len(), KEPT);
        assert_eq!(spare.lend(|| spare.lock().len()), 0);
        assert_eq!(spare.lock().len(), KEPT);
    }
}
