//! A daemon over a tree of its own, removed with the test.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use simdex_client::{Client, Error, FindKind, FindOptions, Subject, wire};
use simdex_index::store::BeforeOperation;
use simdexd::commands::serve::Running;
use simdexd::config::{Config, RootConfig, RootMode};
use simdexd::engine::Engine;
use simdexd::host::Host;
use simdexd::host::storage::OpenedStore;
use tokio::net::UnixStream;
use tokio::runtime::Runtime;
use tonic::Code;
use tonic::transport::{Channel, Endpoint};

/// Nothing here takes as long.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// A running daemon and its client.
pub(crate) struct Daemon {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) config: Config,
    pub(crate) client: Client,
    running: Option<Running>,
    runtime: Runtime,
}

/// Prose with this many words. It shares nothing with that of another seed; a longer text is a continuation.
pub(crate) fn prose(seed: u64, words: u64) -> String {
    let word = |at: u64| {
        let mixed = (seed << 32 | at).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        format!("w{:x}", mixed >> 36)
    };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// The status of a refused request.
pub(crate) fn code<T>(answer: &Result<T, Error>) -> Code {
    match answer {
        Err(Error::Status { code, .. }) => *code,
        Err(other) => panic!("{other}"),
        Ok(_) => Code::Ok,
    }
}

impl Daemon {
    pub(crate) fn start(files: &[(&str, String)]) -> Self {
        Self::with(files, |_| {})
    }

    pub(crate) fn with(files: &[(&str, String)], change: impl FnOnce(&mut Config)) -> Self {
        let daemon = Self::build(change, None, |root| {
            std::fs::create_dir(root).unwrap();
            for (name, text) in files {
                std::fs::write(root.join(name), text).unwrap();
            }
        });
        daemon.sync();
        daemon
    }

    /// A daemon over an empty share that calls a hook before every operation of its store.
    #[allow(dead_code, reason = "not every test injects faults")]
    pub(crate) fn hooked(before: Arc<BeforeOperation>) -> Self {
        Self::hooked_with(before, |_| {})
    }

    #[allow(dead_code, reason = "not every test injects faults")]
    pub(crate) fn hooked_with(
        before: Arc<BeforeOperation>,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        Self::build(change, Some(before), |root| {
            std::fs::create_dir(root).unwrap();
        })
    }

    pub(crate) fn without_root() -> Self {
        Self::build(|_| {}, None, |_| {})
    }

    fn build(
        change: impl FnOnce(&mut Config),
        before: Option<Arc<BeforeOperation>>,
        fill: impl FnOnce(&Path),
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("share");
        fill(&root);
        let mut config = Config {
            data_dir: Some(dir.path().join("data")),
            socket: Some(dir.path().join("run/s")),
            roots: vec![RootConfig {
                path: root,
                mode: RootMode::Poll,
            }],
            ..Config::default()
        };
        // A walk in the midst of a test would show: `sync` walks.
        config.watch.poll_seconds = 604_800;
        change(&mut config);
        let mut host = Host::new(config.clone(), program()).unwrap();
        host.test_hook = before;
        // What comes to the place of the store is whole at once.
        let store = OpenedStore::found_resting(&host.data_dir, Duration::ZERO);
        host.store_identity = Arc::new(store);
        let socket = config.socket.as_deref().unwrap();
        let running = Running::on(host, socket).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        let client = connect(&runtime, &config);
        Self {
            dir,
            config,
            client,
            running: Some(running),
            runtime,
        }
    }

    /// The engine behind the socket; to be dropped before the daemon.
    #[allow(dead_code, reason = "not every test looks inside")]
    pub(crate) fn engine(&self) -> Arc<Engine> {
        let running = self.running.as_ref();
        running.and_then(Running::engine).unwrap()
    }

    /// What runs, for a test that ends it itself.
    #[allow(dead_code, reason = "others have it drained")]
    pub(crate) fn take_running(&mut self) -> Running {
        self.running.take().unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("share").join(name)
    }

    /// Waits until every change made so far is applied, and until the first walk of the watcher is over:
    /// a sync may come before it.
    pub(crate) fn sync(&self) {
        self.wait(self.client.sync()).unwrap();
        self.wait(self.client.wait()).unwrap();
    }

    /// Runs a request to its end.
    pub(crate) fn wait<T>(&self, request: impl Future<Output = T>) -> T {
        let patient = async { tokio::time::timeout(MAX_WAIT, request).await };
        self.runtime.block_on(patient).expect("no answer")
    }

    pub(crate) fn find(
        &self,
        find: FindKind,
        subject: Subject,
    ) -> Result<(Vec<wire::Match>, wire::QuerySummary), Error> {
        self.find_with(find, subject, &FindOptions::default())
    }

    pub(crate) fn find_with(
        &self,
        find: FindKind,
        subject: Subject,
        options: &FindOptions,
    ) -> Result<(Vec<wire::Match>, wire::QuerySummary), Error> {
        self.wait(async {
            let mut listing = self.client.find(find, subject, options).await?;
            let mut matches = Vec::new();
            while let Some(found) = listing.next().await? {
                matches.push(found);
            }
            Ok((matches, listing.summary().await?))
        })
    }

    /// Starts an upload, waits until the daemon keeps it, and goes away without an end.
    pub(crate) fn abandon_an_upload(&self) {
        use wire::find_request::Part;
        let (sender, requests) = tokio::sync::mpsc::channel(4);
        let part = |part| wire::FindRequest { part: Some(part) };
        let upload = wire::Upload {
            path: b"/x/half.txt".to_vec(),
        };
        let source = wire::query::Source::Upload(upload);
        let query = wire::Query {
            source: Some(source),
            ..wire::Query::default()
        };
        sender.try_send(part(Part::Query(query))).unwrap();
        sender
            .try_send(part(Part::Chunk(prose(1, 50).into_bytes().into())))
            .unwrap();
        let channel = self.channel();
        let call = self.runtime.spawn(async move {
            let mut client = wire::similarity_client::SimilarityClient::new(channel);
            let requests = tokio_stream::wrappers::ReceiverStream::new(requests);
            client.find_similar(requests).await.map(drop)
        });
        // A third message is taken only where the first two are on their way.
        let more = part(Part::Chunk(vec![b'x'; 1 << 10].into()));
        self.wait(async { sender.send(more).await.unwrap() });
        call.abort();
        assert!(self.wait(call).is_err_and(|error| error.is_cancelled()));
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub(crate) fn data_dir_holds_no_upload(&self) -> bool {
        let entries = std::fs::read_dir(self.data_dir()).unwrap();
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(name)
            .all(|name| !name.to_string_lossy().contains("upload"))
    }

    /// Starts one more daemon, and stops it where it does start.
    pub(crate) fn another(&self, config: Config) -> anyhow::Result<()> {
        Running::start(config, program())?.drain()
    }

    pub(crate) fn stop(&mut self) {
        self.running.take().unwrap().drain().unwrap();
    }

    pub(crate) fn start_again(&mut self) {
        self.running = Some(Running::start(self.config.clone(), program()).unwrap());
        self.client = connect(&self.runtime, &self.config);
    }

    pub(crate) fn channel(&self) -> Channel {
        self.wait(self.channel_later())
    }

    /// A connection of its own.
    pub(crate) async fn channel_later(&self) -> Channel {
        let socket = self.config.socket.clone().unwrap();
        let connector = tower::service_fn(move |_: tonic::codegen::http::Uri| {
            let socket = socket.clone();
            async move { UnixStream::connect(socket).await.map(TokioIo::new) }
        });
        let endpoint = Endpoint::from_static("http://simdexd.invalid");
        endpoint.connect_with_connector(connector).await.unwrap()
    }

    pub(crate) fn health(&self) -> String {
        use tonic_health::pb::HealthCheckRequest;
        use tonic_health::pb::health_client::HealthClient;
        let mut client = HealthClient::new(self.channel());
        let reply = self
            .wait(client.check(HealthCheckRequest::default()))
            .unwrap();
        format!("{:?}", reply.into_inner().status())
    }

    /// The services that reflection names.
    pub(crate) fn services(&self) -> Vec<String> {
        use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
        use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
        use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
        use tonic_reflection::pb::v1::{ServerReflectionRequest, ServiceResponse};
        let request = ServerReflectionRequest {
            message_request: Some(MessageRequest::ListServices(String::new())),
            ..ServerReflectionRequest::default()
        };
        let mut client = ServerReflectionClient::new(self.channel());
        let replies = self.wait(client.server_reflection_info(tokio_stream::once(request)));
        let reply = self
            .wait(replies.unwrap().into_inner().message())
            .unwrap()
            .unwrap();
        match reply.message_response {
            Some(MessageResponse::ListServicesResponse(list)) => list
                .service
                .into_iter()
                .map(|ServiceResponse { name }| name)
                .collect(),
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            let drained = running.drain();
            if !std::thread::panicking() {
                drained.unwrap();
            }
        }
    }
}

pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_simdexd"))
}

fn connect(runtime: &Runtime, config: &Config) -> Client {
    runtime
        .block_on(Client::connect(config.socket.as_ref().unwrap()))
        .unwrap()
}

/// A tape archive of these entries: 512 bytes of header, the content, NULs up to the next 512.
#[allow(dead_code, reason = "not every test packs")]
pub(crate) fn tar(entries: &[(&str, &str)]) -> String {
    let mut tape = String::new();
    for (name, content) in entries {
        let pad = |text: &str, width: usize| format!("{text:\0<width$}");
        let number = |value: usize, width: usize| format!("{value:0width$o}\0", width = width - 1);
        let start = [
            pad(name, 100),
            number(0o644, 8),
            number(0, 8),
            number(0, 8),
            number(content.len(), 12),
            number(0, 12),
        ]
        .concat();
        let end = format!("0{}{}{}", pad("", 100), pad("ustar", 6), pad("00", 249));
        // The sum is taken with blanks in its own place.
        let sum: u32 = format!("{start}        {end}").bytes().map(u32::from).sum();
        tape += &format!("{start}{sum:06o}\0 {end}{content}");
        tape += &"\0".repeat((512 - content.len() % 512) % 512);
    }
    tape + &"\0".repeat(1024)
}
