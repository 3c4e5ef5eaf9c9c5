//! Whether the file that a query is about still matches its record.

use simdex_index::IndexError;

use crate::engine::Engine;
use crate::read_side::compare::LastRead;
use crate::read_side::query::Subject;
use crate::write_side::roots::live_reads::FileCheck;

/// Checks, in parallel with the query, whether the file on disk still matches its record.
pub(super) struct StalenessCheck {
    check: FileCheck,
    /// When the file was last read, seconds since 1970; `None` if unknown.
    read_at: Option<i64>,
}

impl StalenessCheck {
    /// Starts the check; `None` if the subject is no file of the index, or nothing was read of it. For a container member
    /// the outermost file on disk is checked.
    pub(super) fn start(engine: &Engine, subject: &Subject) -> Result<Option<Self>, IndexError> {
        let Some(file) = subject.file.as_deref() else {
            return Ok(None);
        };
        let key = file.key.on_disk();
        let record = match file.key.is_member() {
            true => {
                let container = engine
                    .index
                    .reader()
                    .files()
                    .get(&key, &engine.roots.view())?;
                container.map(|container| container.record)
            }
            false => Some(file.record.clone()),
        };
        // What was not read has nothing that could be older than the file.
        let read = record.filter(|record| record.content().is_some());
        Ok(read.and_then(|record| {
            let root = engine.roots.get(key.root)?;
            Some(Self {
                check: FileCheck::begin(&root, key.path, record.stat)?,
                read_at: record.last_read,
            })
        }))
    }

    /// When the file was last read, and how it differs from its record, if it is known to differ.
    pub(super) fn result(&self) -> Option<LastRead> {
        let at = self.read_at;
        self.check.end().map(|why| LastRead { at, why })
    }
}
