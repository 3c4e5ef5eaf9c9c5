//! What a query or a side of a comparison names, and the subject made of it.

use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use simdex_extract::QueueKey;
use simdex_index::MemoryAccount;
use simdex_schema::{ContentHash, DocumentHash};
use simdex_signature::Signature;

use crate::base::echo::echo;
use crate::base::user_budget::UserPermit;
use crate::engine::Engine;
use crate::read_side::query::{QueryError, Subject, file_at_path, name_of_document};

/// What a query or a side of a comparison is about.
pub enum SubjectSource {
    /// A file of the index.
    Path(PathBuf),
    /// A document of the index.
    Document(DocumentHash),
    /// An extracted text.
    Text(String),
    /// A Mod_n signature made elsewhere.
    Signature(Signature),
    /// Bytes of a document, received whole.
    Upload(Uploaded),
}

/// A document that was received completely.
#[derive(Debug)]
pub struct Uploaded {
    /// Opened for reading only, so that no worker can write to it.
    pub file: File,
    /// The name it was sent under; may be empty.
    pub name: PathBuf,
    /// Length in bytes.
    pub bytes: u64,
    /// The hash of its bytes.
    pub content: ContentHash,
    /// The room that it takes until it is dropped.
    pub(crate) permit: UserPermit,
}

impl SubjectSource {
    /// Its name in a difference, or `otherwise` if it has none.
    pub(super) fn name(&self, otherwise: &str) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Document(hash) => hash.to_string(),
            Self::Upload(upload) if !upload.name.as_os_str().is_empty() => {
                upload.name.display().to_string()
            }
            _ => otherwise.to_owned(),
        }
    }

    /// Makes the subject, within the roots the caller may see. Reads and may extract: call it on a blocking
    /// thread.
    pub(super) fn subject(
        self,
        engine: &Engine,
        queue_key: QueueKey,
        account: &MemoryAccount,
    ) -> Result<Subject, QueryError> {
        let index = engine.index.reader();
        match self {
            Self::Path(path) => {
                let file = file_at_path(engine, &path, &engine.roots.view())?;
                let shown = || echo(path.as_os_str().as_bytes());
                Subject::from_file(index, &file, account).map_err(|error| error.naming(shown))
            }
            Self::Document(hash) => {
                let view = engine.roots.view();
                let subject = Subject::from_document(index, hash, &view, account);
                let name = || name_of_document(index, hash, &view);
                let subject = subject.map_err(|error| error.naming(name))?;
                Ok(subject.with_state_of_first_file(index, &view)?)
            }
            Self::Text(text) => Ok(Subject::from_text(index, text, account)?),
            Self::Signature(signature) => Ok(Subject::from_signature(signature, account)?),
            Self::Upload(Uploaded {
                file,
                name,
                bytes,
                content,
                permit: _permit,
            }) => {
                let (pool, hashed) = (&engine.pool, (content, bytes));
                Subject::from_upload(index, pool, queue_key, file, hashed, &name, account)
            }
        }
    }
}
