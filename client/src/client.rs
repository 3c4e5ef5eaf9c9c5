//! [`Client`]: one method per request of the daemon.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;
use tonic::transport::Channel;
use tonic::{Response, Status, Streaming};

use crate::item_stream::ProgressHook;
use crate::locate::{below_root, path_bytes, possible_paths};
use crate::wire::admin_client::AdminClient;
use crate::wire::judging_client::JudgingClient;
use crate::wire::similarity_client::SimilarityClient;
use crate::wire::{self, ListGroupsReply};
use crate::{Error, GroupOptions, ItemStream, JudgedItems, Limits, Reply, Upload, connect};

mod admin;
mod calibrate;
mod compare;
mod find;
mod judging;
mod pairs;
mod reports;

pub use compare::CompareOptions;
pub use pairs::PairOptions;
pub use reports::{AskedFile, ReportRequest};

/// Files that are kept for [`Client::take_sent`] at most.
const MAX_SENT: usize = 64;

/// A connection to the daemon. Clones share it.
///
/// Every method can fail with the daemon's own status ([`Error::Status`]) or with [`Error::Late`]; further errors are
/// listed where they occur.
#[derive(Debug, Clone)]
pub struct Client {
    similarity: SimilarityClient<Channel>,
    admin: AdminClient<Channel>,
    judging: JudgingClient<Channel>,
    limits: Limits,
    strict: bool,
    judged: JudgedItems,
    progress: Option<ProgressHook>,
    /// Files below a root whose bytes were sent, since the daemon does not know them.
    sent: Arc<Mutex<Vec<PathBuf>>>,
}

impl Client {
    /// Connects to the daemon that listens on `socket`, with the default limits.
    ///
    /// # Errors
    /// [`Error::NoDaemon`].
    pub async fn connect(socket: &Path) -> Result<Self, Error> {
        Self::connect_with(socket, Limits::default()).await
    }

    /// Connects with the given limits.
    ///
    /// # Errors
    /// [`Error::NoDaemon`].
    pub async fn connect_with(socket: &Path, limits: Limits) -> Result<Self, Error> {
        let channel = connect::open(socket, &limits).await?;
        Ok(Self {
            similarity: SimilarityClient::new(channel.clone())
                .max_decoding_message_size(limits.message)
                .max_encoding_message_size(limits.message),
            judging: JudgingClient::new(channel.clone())
                .max_decoding_message_size(limits.message)
                .max_encoding_message_size(limits.message),
            admin: AdminClient::new(channel)
                .max_decoding_message_size(limits.message)
                .max_encoding_message_size(limits.message),
            limits,
            strict: false,
            judged: JudgedItems::None,
            progress: None,
            sent: Arc::default(),
        })
    }

    /// Asks the daemon to refuse incomplete answers: with `DATA_LOSS` while texts are damaged, otherwise with
    /// `FAILED_PRECONDITION`.
    pub fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Requests judgements of listed pairs, and of the files of groups.
    pub fn judged(self, judged: JudgedItems) -> Self {
        Self { judged, ..self }
    }

    /// The limits of every call.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The absolute paths of files below a root whose bytes were sent since this was last asked, the first 64 of them:
    /// the daemon does not know them yet, or never reads them. Requests about one file send the bytes of a file that the
    /// daemon does not know, and a caller that asks about one below a root may take the answer for that of the index.
    pub fn take_sent(&self) -> Vec<PathBuf> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut sent)
    }

    /// Size of the largest message that both this client and the daemon allow.
    async fn max_message_bytes(&self) -> Result<u64, Error> {
        let ours = self.limits.message as u64;
        Ok(match self.status().await?.max_message_bytes {
            0 => ours,
            theirs => ours.min(theirs),
        })
    }

    /// The bytes of a file that the daemon does not know.
    async fn unknown_file(&self, file: &Path) -> Result<Upload, Error> {
        let upload = Upload::of_file(file)?;
        // Where the roots cannot be listed, the request about the file says why.
        let roots = self.roots().await.unwrap_or_default();
        if let Some(path) = below_root(&roots, file) {
            let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
            if sent.len() < MAX_SENT && !sent.contains(&path) {
                sent.push(path);
            }
        }
        Ok(upload)
    }

    /// Lists star groups of near-duplicates at `threshold` (default: the daemon's).
    pub async fn groups(
        &self,
        threshold: Option<f64>,
        roots: Vec<u32>,
    ) -> Result<ItemStream<ListGroupsReply>, Error> {
        let options = GroupOptions {
            threshold,
            ..GroupOptions::default()
        };
        self.groups_of_kind(&options, roots).await
    }

    /// Lists groups of near-duplicates, with the kind and threshold in `options`.
    pub async fn groups_of_kind(
        &self,
        options: &GroupOptions,
        roots: Vec<u32>,
    ) -> Result<ItemStream<ListGroupsReply>, Error> {
        let (with_judgement, judge_first) = self.judged.wire();
        let request = wire::ListGroupsRequest {
            with_judgement,
            judge_first,
            ..options.request(roots, self.strict)
        };
        let mut similarity = self.similarity.clone();
        let item = options.longest_wait(&self.limits);
        self.list(item, similarity.list_groups(request)).await
    }

    /// Lists pairs of folders that hold the same files, those with most in common first. `exceptions` is how many files
    /// without a counterpart in the other are listed per folder, 100 at most. The daemon fills in absent options.
    pub async fn folder_copies(
        &self,
        share: Option<f64>,
        files: Option<u64>,
        exceptions: u32,
        roots: Vec<u32>,
    ) -> Result<ItemStream<wire::ListFolderCopiesReply>, Error> {
        let request = wire::ListFolderCopiesRequest {
            roots,
            share,
            files,
            exceptions,
            strict: self.strict,
        };
        let mut similarity = self.similarity.clone();
        self.list(self.limits.work, similarity.list_folder_copies(request))
            .await
    }

    /// Lists each root's template text, most frequent first. Absent parameters take the daemon's defaults.
    pub async fn templates(
        &self,
        min_documents: Option<u32>,
        limit: Option<u32>,
        text_bytes: Option<u32>,
        roots: Vec<u32>,
    ) -> Result<ItemStream<wire::ListTemplatesReply>, Error> {
        let request = wire::ListTemplatesRequest {
            roots,
            min_documents,
            limit,
            text_bytes,
            strict: self.strict,
        };
        let mut similarity = self.similarity.clone();
        self.list(self.limits.work, similarity.list_templates(request))
            .await
    }

    /// Finds the group of a file, trying each path under which the daemon may know the file.
    ///
    /// [`Error::Unreadable`] if the current directory no longer exists.
    pub async fn group_of_file(&self, file: &Path) -> Result<wire::GetGroupReply, Error> {
        use wire::get_group_request::Source;
        first_known(file, async |path: PathBuf| {
            self.group(Source::Path(path_bytes(&path))).await
        })
        .await
    }

    /// Finds one group, among all roots and at the daemon's threshold.
    pub async fn group(
        &self,
        source: wire::get_group_request::Source,
    ) -> Result<wire::GetGroupReply, Error> {
        let (with_judgement, judge_first) = self.judged.wire();
        let request = wire::GetGroupRequest {
            source: Some(source),
            strict: self.strict,
            with_judgement,
            judge_first,
        };
        within(self.limits.call, self.similarity.clone().get_group(request)).await
    }

    /// Finds the files that carry a document and, on request, its extracted text.
    pub async fn document(
        &self,
        source: wire::get_document_request::Source,
        with_text: bool,
    ) -> Result<wire::GetDocumentReply, Error> {
        let request = wire::GetDocumentRequest {
            source: Some(source),
            with_text,
        };
        within(
            self.limits.call,
            self.similarity.clone().get_document(request),
        )
        .await
    }

    /// Streams changes as they become visible to queries, without end: from now on, or after the event with this
    /// number. The first event states the number after which the stream begins.
    pub async fn events(
        &self,
        roots: Vec<u32>,
        after: Option<u64>,
    ) -> Result<Streaming<wire::Event>, Error> {
        let request = wire::WatchEventsRequest { roots, after };
        within(
            self.limits.call,
            self.similarity.clone().watch_events(request),
        )
        .await
    }

    /// Opens a list. `longest_wait` bounds the wait for the first item and between items.
    async fn list<R: Reply>(
        &self,
        longest_wait: Duration,
        call: impl Future<Output = Result<Response<Streaming<R>>, Status>>,
    ) -> Result<ItemStream<R>, Error> {
        let replies = within(longest_wait, call).await?;
        ItemStream::open(replies, longest_wait, None, self.progress.clone()).await
    }
}

/// Tries each path under which the daemon may know `file`. If none is known, returns the error of the first attempt.
async fn first_known<T>(
    file: &Path,
    ask: impl AsyncFn(PathBuf) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut refused = None;
    for path in possible_paths(file)? {
        match ask(path).await {
            Err(error) if error.is_not_found() => refused = refused.or(Some(error)),
            answer => return answer,
        }
    }
    Err(refused.unwrap_or_else(|| Error::NoSuchFile {
        path: file.to_owned(),
    }))
}

/// Awaits a call for at most `limit`, then drops it, which also cancels it in the daemon.
async fn within<T>(
    limit: Duration,
    call: impl Future<Output = Result<Response<T>, Status>>,
) -> Result<T, Error> {
    match timeout(limit, call).await {
        Ok(answer) => Ok(answer?.into_inner()),
        Err(_) => Err(Error::Late(limit)),
    }
}
