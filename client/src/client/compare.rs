//! Comparisons of two documents, with their options and sides: a file is sent by its path if the daemon knows it,
//! otherwise by its bytes.

use std::path::{Path, PathBuf};

use super::{first_known, within};
use crate::locate::path_bytes;
use crate::wire::{self, side};
use crate::{Client, Error, Upload};

/// Bytes of a message reserved for everything but documents.
const ENVELOPE: u64 = 16 << 10;

/// The parts of a comparison that are requested.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CompareOptions {
    /// Leave out the unified difference.
    pub without_difference: bool,
    /// Include the difference by words, for people.
    pub with_words: bool,
    /// Include the difference by words, as operations.
    pub with_operations: bool,
    /// Signature schemes to estimate by; empty = those of the index.
    pub schemes: Vec<wire::SchemeChoice>,
    /// Their n; absent = the daemon's choice.
    pub n: Option<u64>,
    /// Include a judgement of the pair.
    pub with_judgement: bool,
    /// Resemblance from which the relation is called near-duplicate, in [0, 1].
    pub relation_threshold: Option<f64>,
    /// Containment from which it is called contains or contained-in; `relation_threshold` if absent.
    pub containment_threshold: Option<f64>,
}

impl Client {
    /// Compares two documents, with the difference of their texts by lines.
    pub async fn compare(&self, a: wire::Side, b: wire::Side) -> Result<wire::CompareReply, Error> {
        self.compare_with(a, b, CompareOptions::default()).await
    }

    /// Compares two documents, without the difference of their texts.
    pub async fn compare_numbers(
        &self,
        a: wire::Side,
        b: wire::Side,
    ) -> Result<wire::CompareReply, Error> {
        let options = CompareOptions {
            without_difference: true,
            ..CompareOptions::default()
        };
        self.compare_with(a, b, options).await
    }

    /// Compares two documents with the given options.
    pub async fn compare_with(
        &self,
        a: wire::Side,
        b: wire::Side,
        options: CompareOptions,
    ) -> Result<wire::CompareReply, Error> {
        let schemes = options.schemes.into_iter();
        let request = wire::CompareRequest {
            a: Some(a),
            b: Some(b),
            without_difference: options.without_difference,
            schemes: schemes.map(Into::into).collect(),
            n: options.n,
            with_judgement: options.with_judgement,
            with_words: options.with_words,
            with_operations: options.with_operations,
            strict: self.strict,
            relation_threshold: options.relation_threshold,
            containment_threshold: options.containment_threshold,
        };
        within(self.limits.item, self.similarity.clone().compare(request)).await
    }

    /// The side of a comparison for `file`.
    ///
    /// # Errors
    /// [`Error::NoSuchFile`], [`Error::Unreadable`], [`Error::TooLarge`].
    pub async fn side_of_file(&self, file: &Path) -> Result<wire::Side, Error> {
        let known = first_known(file, async |path: PathBuf| {
            self.describe(&path).await?;
            Ok(path)
        });
        match known.await {
            Ok(path) => Ok(wire::Side {
                source: Some(side::Source::Path(path_bytes(&path))),
                name: Vec::new(),
            }),
            Err(error) if error.is_not_found() => {
                self.side_of_upload(self.unknown_file(file).await?).await
            }
            Err(error) => Err(error),
        }
    }

    /// The side of a comparison with the bytes of `upload`; both sides share one message.
    ///
    /// # Errors
    /// [`Error::Unreadable`], [`Error::TooLarge`].
    pub async fn side_of_upload(&self, upload: Upload) -> Result<wire::Side, Error> {
        let limit = self.max_message_bytes().await?.saturating_sub(ENVELOPE) / 2;
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
