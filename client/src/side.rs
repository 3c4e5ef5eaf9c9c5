//! Sides of a comparison: a file by its path where the daemon knows it, else by its bytes.

use std::path::Path;

use tonic::Code;

use crate::locate::{on_disk, path_bytes, shown, spellings};
use crate::wire::{self, get_document_request, side};
use crate::{Client, Error, Upload};

/// Bytes of a message left for all that is not a document.
const ENVELOPE: u64 = 16 << 10;

impl Client {
    /// The side of a comparison that `file` is.
    ///
    /// # Errors
    /// [`Error::NoSuchFile`], [`Error::Unreadable`], [`Error::TooLarge`].
    pub async fn side_of_file(&self, file: &Path) -> Result<wire::Side, Error> {
        for path in spellings(file)? {
            let known = get_document_request::Source::Path(path_bytes(&path));
            match self.document(known, false).await {
                Err(Error::Status {
                    code: Code::NotFound,
                    ..
                }) => {}
                // Known; where it holds no text, the comparison itself says so best.
                Ok(_)
                | Err(Error::Status {
                    code: Code::FailedPrecondition,
                    ..
                }) => {
                    let source = Some(side::Source::Path(path_bytes(&path)));
                    return Ok(wire::Side {
                        source,
                        name: Vec::new(),
                    });
                }
                Err(error) => return Err(error),
            }
        }
        self.side_of_upload(Upload::open(&on_disk(file))?.named(&shown(file)?))
            .await
    }

    /// The side of a comparison whose bytes `upload` holds; both sides share one message.
    ///
    /// # Errors
    /// [`Error::Unreadable`], [`Error::TooLarge`].
    pub async fn side_of_upload(&self, upload: Upload) -> Result<wire::Side, Error> {
        let ours = self.limits().message as u64;
        let theirs = match self.status().await?.max_message_bytes {
            0 => ours,
            bytes => bytes,
        };
        let limit = ours.min(theirs).saturating_sub(ENVELOPE) / 2;
        let name = path_bytes(upload.name());
        let content = tokio::task::spawn_blocking(move || upload.read_all(limit))
            .await
            .map_err(|_| Error::Incomplete)??;
        Ok(wire::Side {
            source: Some(side::Source::Content(content)),
            name,
        })
    }
}
