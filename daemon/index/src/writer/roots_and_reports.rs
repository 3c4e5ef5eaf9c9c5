//! Records of roots and reports, each a batch of its own.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_schema::{ReportRecord, RootId, RootRecord, key};

use crate::batch::Batch;
use crate::{IndexError, IndexWriter};

impl IndexWriter {
    /// The root at this path, recorded under a new id if it is not known.
    pub fn add_root(&self, path: &Path) -> Result<RootId, IndexError> {
        let path = path.as_os_str().as_bytes();
        // Held throughout: two callers must not record one path twice.
        let mut state = self.lock();
        let known = self
            .registry
            .roots()?
            .into_iter()
            .find(|(_, record)| record.path == path);
        if let Some((id, _)) = known {
            return Ok(id);
        }
        let id = RootId(state.meta.next_root);
        state.meta.next_root += 1;
        let mut batch = Batch::new(self.shared.store.records());
        let record = RootRecord {
            path: path.to_vec(),
            pending_loss: 0,
            identity: None,
        };
        batch.put(key::root(id), record.encode());
        batch.put(key::meta(), state.meta.encode());
        batch.write()?;
        self.shared.root_paths.changed();
        Ok(id)
    }

    /// Writes a root's record.
    pub fn put_root(&self, id: RootId, record: &RootRecord) -> Result<(), IndexError> {
        let mut batch = Batch::new(self.shared.store.records());
        batch.put(key::root(id), record.encode());
        batch.write()?;
        self.shared.root_paths.changed();
        Ok(())
    }

    /// Records a report: when it was finished (microseconds since 1970), where, groups in it.
    pub fn put_report(&self, at: u64, out: &Path, groups: u64) -> Result<(), IndexError> {
        let mut batch = Batch::new(self.shared.store.records());
        let record = ReportRecord {
            out: out.as_os_str().as_bytes().to_vec(),
            groups,
        };
        batch.put(key::report(at), record.encode());
        Ok(batch.write()?)
    }

    /// Removes the records of reports that are no longer at their path.
    pub fn forget_reports(&self, is_there: impl Fn(&Path) -> bool) -> Result<(), IndexError> {
        let mut gone = Vec::new();
        self.registry.reports_after(0, &mut |at, record| {
            if !is_there(Path::new(OsStr::from_bytes(&record.out))) {
                gone.push(at);
            }
            ControlFlow::Continue(())
        })?;
        let mut batch = Batch::new(self.shared.store.records());
        gone.into_iter()
            .for_each(|at| batch.delete(key::report(at)));
        Ok(batch.write()?)
    }
}
