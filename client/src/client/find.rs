//! Queries about one document.

use std::path::Path;

use tonic::{Response, Status, Streaming};

use super::{Client, first_known, within};
use crate::upload::{Requests, UploadStream, send};
use crate::wire::{FamilyReply, FindReply, FindRequest};
use crate::{Error, FindKind, FindOptions, ItemStream, Reply, Subject};

impl Client {
    /// Finds files with the relation `kind` to `subject`, best first. The summary of the query closes the list.
    ///
    /// # Errors
    /// [`Error::Unreadable`] if an upload's bytes cannot be read.
    pub async fn find(
        &self,
        kind: FindKind,
        subject: Subject,
        options: &FindOptions,
    ) -> Result<ItemStream<FindReply>, Error> {
        let mut similarity = self.similarity.clone();
        self.ask(subject, options, async |requests| match kind {
            FindKind::Similar => similarity.find_similar(requests).await,
            FindKind::Containing => similarity.find_containing(requests).await,
            FindKind::Contained => similarity.find_contained(requests).await,
            FindKind::Related => similarity.find_versions(requests).await,
        })
        .await
    }

    /// Finds the whole family of `subject`: files by version, earliest to latest, then how each version derives from an
    /// earlier one. The limit in `options` applies to versions.
    ///
    /// # Errors
    /// As [`Client::find`].
    pub async fn family(
        &self,
        subject: Subject,
        options: &FindOptions,
    ) -> Result<ItemStream<FamilyReply>, Error> {
        let mut similarity = self.similarity.clone();
        self.ask(subject, options, async |requests| {
            similarity.find_family(requests).await
        })
        .await
    }

    async fn ask<R: Reply>(
        &self,
        subject: Subject,
        options: &FindOptions,
        call: impl AsyncFnOnce(Requests<FindRequest>) -> Result<Response<Streaming<R>>, Status>,
    ) -> Result<ItemStream<R>, Error> {
        let (source, upload) = subject.into_source();
        let UploadStream {
            requests,
            mut read_error,
        } = send(options.query(source, self.strict), upload);
        let replies = tokio::select! {
            biased;
            failure = read_error.failure() => return Err(failure),
            replies = within(self.limits.item, call(requests)) => replies?,
        };
        ItemStream::open(replies, self.limits.item, Some(read_error), None).await
    }

    /// Finds what is related to a file: queries each path under which the daemon may know it, then its bytes. Only
    /// NOT_FOUND moves on to the next one, so one call may send several queries. The polling thread blocks on the file
    /// system while the file is opened.
    ///
    /// # Errors
    /// [`Error::NoSuchFile`] if neither the daemon nor the file system knows it, [`Error::Unreadable`].
    pub async fn find_file(
        &self,
        kind: FindKind,
        file: &Path,
        options: &FindOptions,
    ) -> Result<ItemStream<FindReply>, Error> {
        self.ask_of_file(file, async |subject| {
            self.find(kind, subject, options).await
        })
        .await
    }

    /// Finds the family of a file, which is looked up as in [`Client::find_file`].
    ///
    /// # Errors
    /// As [`Client::find_file`].
    pub async fn family_of_file(
        &self,
        file: &Path,
        options: &FindOptions,
    ) -> Result<ItemStream<FamilyReply>, Error> {
        self.ask_of_file(file, async |subject| self.family(subject, options).await)
            .await
    }

    async fn ask_of_file<T>(
        &self,
        file: &Path,
        ask: impl AsyncFn(Subject) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let by_path = async |path| ask(Subject::Path(path)).await;
        match first_known(file, by_path).await {
            Err(error) if error.is_not_found() => {}
            answer => return answer,
        }
        ask(Subject::Upload(self.unknown_file(file).await?)).await
    }
}
