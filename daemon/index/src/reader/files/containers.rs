//! What a member has of the files that hold it.

use std::ops::ControlFlow;

use simdex_schema::{ContentRecord, FileKey};

use super::{FileInfo, Files};
use crate::IndexError;

impl Files<'_> {
    /// Visits the containers of a member, innermost first, with the content record of each, if it was read.
    pub fn visit_containers(
        self,
        member: &FileKey,
        visit: &mut dyn FnMut(Option<&ContentRecord>) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let mut next = member.container();
        while let Some(holder) = next {
            let record = self.registry.file(&holder)?;
            let content = record.and_then(|record| record.content());
            let content = content.map(|hash| self.registry.content(hash));
            if visit(content.transpose()?.flatten().as_ref()).is_break() {
                break;
            }
            next = holder.container();
        }
        Ok(())
    }

    /// The owner of a file; for a member of a container, the owner of the file on disk that holds it.
    pub fn owner_of(self, file: &FileInfo) -> Result<Option<u32>, IndexError> {
        if !file.key.is_member() {
            return Ok(file.record.stat.owner);
        }
        let outer = self.registry.file(&file.key.on_disk())?;
        Ok(outer.and_then(|record| record.stat.owner))
    }
}
