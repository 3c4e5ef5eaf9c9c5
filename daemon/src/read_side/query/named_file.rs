//! A file given by its path, and the name of a document in a message.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_index::{FileInfo, IndexReader, VisibleRoots};
use simdex_schema::DocumentHash;

use super::QueryError;
use crate::base::echo::echo;
use crate::engine::Engine;

/// Finds a file of a view by its path.
pub fn file_at_path(
    engine: &Engine,
    path: &Path,
    view: &VisibleRoots,
) -> Result<FileInfo, QueryError> {
    let unknown = |pending| QueryError::UnknownFile {
        path: echo(path.as_os_str().as_bytes()),
        pending,
    };
    // What lies below no root is not to come.
    let (_, key) = engine.roots.locate(path).ok_or_else(|| unknown(None))?;
    let file = engine.index.reader().files().get(&key, view)?;
    file.ok_or_else(|| unknown(engine.completeness(view).pending))
}

/// What a message calls a document: the path of its first file in a view as it is shown, or its hash if there is none.
pub(crate) fn name_of_document(
    index: &IndexReader,
    hash: DocumentHash,
    view: &VisibleRoots,
) -> String {
    let id = index.documents().with_hash(hash).ok().flatten();
    let file = id.and_then(|id| index.files().first_of_document(id, view).ok().flatten());
    file.map_or_else(
        || format!("document {hash}"),
        |file| echo(file.path.as_os_str().as_bytes()),
    )
}

#[cfg(test)]
mod tests {
    use simdex_index::{Cancel, MemoryBudget};

    use super::*;
    use crate::read_side::query::tests::index_of;

    #[test]
    fn a_document_is_called_by_a_visible_file_or_else_by_its_hash() {
        let text = "The supplier delivers within thirty days. ".repeat(20);
        let (index, _dir) = index_of(&[text]);
        let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
        let mut files = Vec::new();
        let visited = index
            .files()
            .visit(&VisibleRoots::All, &account, &mut |file| {
                files.push(file);
                std::ops::ControlFlow::Continue(())
            });
        visited.unwrap();
        let (path, (_, hash)) = (&files[0].path, files[0].document.unwrap());
        let name = |view: &VisibleRoots| name_of_document(&index, hash, view);
        assert_eq!(name(&VisibleRoots::All), path.display().to_string());
        let none = VisibleRoots::Roots([].into());
        assert_eq!(name(&none), format!("document {hash}"));
    }
}
