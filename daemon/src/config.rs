//! The configuration: one TOML file, every key with a default and a range, unknown keys refused.
//!
//! The sections here are the one table of keys. [`check`] refuses values outside their ranges,
//! [`sample`] writes the sample config from the table, [`setting`] defines how sections are
//! declared, and [`limits`] converts them to what workers, watchers and index take.

mod check;
mod limits;
mod memory;
mod sample;
mod schedules;
mod schemes;
mod setting;
mod template_list;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use serde::Deserialize;
use simdex_signature::{SchemeKind, TemplateLines};

pub use check::ConfigError;
pub use memory::StoreMemory;
pub use sample::sample;
pub use schedules::ScheduleConfig;
pub use schemes::SchemeList;
use setting::section;
pub use setting::{Mebibytes, Permissions, Range, Setting, Value};

/// Everything that can be configured.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where the index lives; none = a temporary directory (scan) or the system's (serve).
    pub data_dir: Option<PathBuf>,
    /// The Unix socket; none = `simdexd.sock` in the runtime directory.
    pub socket: Option<PathBuf>,
    /// Where the daemon keeps reports that clients ask it to keep; none = it keeps none.
    pub report_dir: Option<PathBuf>,
    /// A list of lines that are left out of what is signed and compared; none = nothing is.
    pub template_lines: Option<PathBuf>,
    /// The lines of that list, once it has been read.
    #[serde(skip)]
    pub template_list: TemplateLines,
    /// The watched trees.
    pub roots: Vec<RootConfig>,
    /// Reports on schedule.
    pub schedules: Vec<ScheduleConfig>,
    /// What counts as near-duplicate, and what is indexed.
    pub signature: SignatureConfig,
    /// Limits of the extraction workers.
    pub extract: ExtractConfig,
    /// Programs of the machine that may be asked.
    pub outside: OutsideConfig,
    /// Times and bounds of watching.
    pub watch: WatchConfig,
    /// Memory of the store.
    pub store: StoreConfig,
    /// Limits of the gRPC server.
    pub grpc: GrpcConfig,
}

impl Config {
    /// Every key of every section with its current value, in the order of the sample config.
    pub fn settings(&self) -> Vec<Setting> {
        [
            self.signature.settings(),
            self.extract.settings(),
            self.outside.settings(),
            self.watch.settings(),
            self.store.settings(),
            self.grpc.settings(),
        ]
        .concat()
    }
}

/// Names and comments of the sections, in the same order.
const SECTIONS: &[(&str, &str)] = &[
    (SignatureConfig::SECTION, SignatureConfig::ABOUT),
    (ExtractConfig::SECTION, ExtractConfig::ABOUT),
    (OutsideConfig::SECTION, OutsideConfig::ABOUT),
    (WatchConfig::SECTION, WatchConfig::ABOUT),
    (StoreConfig::SECTION, StoreConfig::ABOUT),
    (GrpcConfig::SECTION, GrpcConfig::ABOUT),
];

/// One watched tree.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootConfig {
    /// Absolute path of the directory, without `..`.
    pub path: PathBuf,
    /// How it is watched.
    #[serde(default)]
    pub mode: RootMode,
}

/// How a root is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RootMode {
    /// Native or polled, depending on the type of its file system.
    #[default]
    Auto,
    /// Watched by events and rescans.
    Native,
    /// Watched by rescans alone.
    Poll,
}

impl RootMode {
    /// The name used in the config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Native => "native",
            Self::Poll => "poll",
        }
    }
}

section! {
    /// What counts as near-duplicate, and what is indexed.
    SignatureConfig "signature" {
        /// Resemblance from which a pair is a near-duplicate. Pairs and groups are kept at this
        /// threshold; changing it finds them anew at the next start.
        threshold: f64 = 0.8 => 0.05..=1.0,
        /// The signature schemes that are indexed, and so can be asked by (simctl --scheme): mod_n, by
        /// which groups are found and which must be named; bsw_n, a second opinion, which takes as much of
        /// the index; min_n and sketch_n, which find what is similar, give no containment and take up to
        /// 512 postings of each text. Another list signs every document again at the next start.
        schemes: SchemeList = SchemeList::of(&[SchemeKind::ModN, SchemeKind::BswN]),
    }
}

section! {
    /// How documents are read. What goes beyond a limit here ends as partial or too-large, with its
    /// reason.
    ExtractConfig "extract" {
        /// Refuse to start where the kernel cannot confine workers wholly (Landlock, seccomp,
        /// limits). Set to false, they run with what there is; the log and `simctl status` say
        /// DEGRADED and what is missing.
        require_sandbox: bool = true,
        /// Worker processes that read documents; 0 = one per processor.
        workers: usize = 0 => 0..=256,
        /// Address space of a worker, MiB.
        memory_mib: Mebibytes = Mebibytes(2048) => 256..=1_048_576,
        /// CPU seconds a document may take.
        cpu_seconds: u64 = 30 => 1..=3_600,
        /// Wall-clock seconds a document may take; four times as many where the machine keeps its worker from running.
        wall_seconds: u64 = 60 => 1..=7_200,
        /// Extracted text kept of a document, MiB; what is longer is cut (state partial).
        text_mib: Mebibytes = Mebibytes(64) => 1..=128,
        /// Longest file that is read, MiB; longer ones end as too-large.
        input_mib: Mebibytes = Mebibytes(1024) => 1..=1_048_576,
        /// Documents a worker reads before it is replaced.
        documents_per_worker: u32 = 500 => 1..=100_000,
        /// Longest file without text that is compared by chunks of its raw bytes, MiB; 0 = none is.
        raw_mib: Mebibytes = Mebibytes(64) => 0..=1_024,
        /// A file is copied before it is read, so that what is hashed is what is read: short ones to
        /// memory, others to the data directory (where both are on one file system that shares
        /// blocks, this takes neither time nor room). So many MiB of copies, and of files unpacked
        /// from others, at once; at least input_mib, and twice container_mib.
        spool_mib: Mebibytes = Mebibytes(4096) => 3..=2_097_152,
        /// Files that one container may hold, containers within it included.
        container_entries: u32 = 10_000 => 1..=1_000_000,
        /// Bytes that one container may unpack to, MiB.
        container_mib: Mebibytes = Mebibytes(1024) => 1..=65_536,
        /// Bytes that one file inside may unpack to, MiB.
        container_entry_mib: Mebibytes = Mebibytes(256) => 1..=16_384,
        /// Containers within containers.
        container_nesting: u32 = 8 => 1..=32,
        /// After so many seconds at workers the rest of one container is put off to its next try; as many more are for what is unpacked again.
        container_seconds: u64 = 600 => 1..=86_400,
        /// Unpacked over packed bytes, once past 1 MiB.
        inflate_ratio: u32 = 200 => 1..=100_000,
        /// Elements of HTML and XML, and groups of RTF, within one another.
        markup_depth: u32 = 1000 => 10..=10_000,
        /// Parts of one message.
        mime_parts: u32 = 1000 => 1..=100_000,
        /// Parts of a message within one another.
        mime_depth: u32 = 20 => 1..=100,
        /// Cells of all sheets of one file.
        sheet_cells: u64 = 2_000_000 => 1..=1_000_000_000,
    }
}

section! {
    /// Programs of the machine, asked where our own readers are at a loss. They run confined, are
    /// never needed, and what they read says so (engine). Switched on, they are tried on what is on
    /// record too.
    OutsideConfig "outside" {
        /// Ask pdftotext (poppler-utils) for PDFs that are not read, or whose text is poor.
        pdftotext: bool = false,
        /// Ask tesseract, and pdftoppm (poppler-utils) for PDFs, for pages and pictures without text.
        ocr: bool = false,
        /// Languages that tesseract tries, joined by +.
        ocr_languages: String = "eng".to_owned(),
        /// Pages of one document that are recognised; the rest make it partial.
        ocr_pages: u32 = 50 => 1..=100_000,
        /// Address space of a program, MiB.
        memory_mib: Mebibytes = Mebibytes(2048) => 256..=1_048_576,
        /// Seconds that one document may take.
        seconds: u64 = 300 => 1..=86_400,
    }
}

section! {
    /// How changes are noticed.
    WatchConfig "watch" {
        /// A changed file must be quiet for so long before it is read, milliseconds.
        debounce_ms: u64 = 500 => 1..=60_000,
        /// A file that is never quiet is read after this long all the same, seconds.
        max_delay_seconds: u64 = 5 => 1..=3_600,
        /// Rescans of a root watched by events, seconds. Events are hints; the rescan is the truth.
        rescan_seconds: u64 = 3600 => 1..=604_800,
        /// Rescans of a polled root, seconds.
        poll_seconds: u64 = 30 => 1..=604_800,
        /// A program that has a file mapped may change it without a trace in its times: neither
        /// events nor rescans tell. So all files are read again in the background, so many MiB a
        /// second; 0 = never.
        recheck_mib_per_second: Mebibytes = Mebibytes(1) => 0..=65_536,
        /// Files read within so many seconds are not read again in the background.
        recheck_rest_seconds: u64 = 3600 => 0..=31_536_000,
    }
}

section! {
    /// How the index is kept.
    StoreConfig "store" {
        /// Memory for all that the daemon chooses to keep, MiB: of 64 parts 16 are the cache of the
        /// store, 10 postings that are not merged yet, 24 texts and shingles of documents under way, 6
        /// shingles of documents that were compared, 1 principals of long lists, 1 blocks of text, 2
        /// what walks need not look at again; the rest is left to the program. Some 300 bytes for each document, replies that are not read yet
        /// (grpc.max_unread_mib) and the workers come besides. `simctl status` says what holds how much.
        memory_mib: Mebibytes = Mebibytes(2048) => 192..=1_048_576,
        /// Cache of the store, MiB, where that is not to be its part of memory_mib; 0 = it is.
        cache_mib: Mebibytes = Mebibytes(0) => 0..=1_048_576,
        /// Postings gathered in memory before they are merged into the store (10 bytes each); 0 = as
        /// many as their part of memory_mib holds.
        buffer_postings: usize = 0 => 0..=1_000_000_000,
        /// Memory for texts and shingles of documents under way, MiB: one half for files being
        /// read and pairs being sought, the other for questions. What does not fit waits. 0 = its part
        /// of memory_mib.
        working_mib: Mebibytes = Mebibytes(0) => 0..=1_048_576,
        /// Changes are made power-safe at least this often, milliseconds.
        commit_ms: u64 = 1000 => 1..=600_000,
        /// A call of the storage engine that has not returned after so many seconds ends the daemon with an
        /// error, for the service manager to start it again; nothing that was committed is lost. After a tenth
        /// of this an alarm stands.
        stuck_seconds: u64 = 600 => 10..=86_400,
        /// Where the records take more disk than this, MiB, and twice what lives of them, they are
        /// rewritten to give room back.
        records_mib: Mebibytes = Mebibytes(64) => 1..=1_048_576,
        /// Room kept free for commits on the disk of data_dir, MiB: below it changes wait. Uploads are
        /// refused below twice as much, and so are reports to keep, on the disk of report_dir. As much
        /// again lies in the file reserve in data_dir, which is given up where the disk runs full all
        /// the same. Each is a sixteenth of the disk at most.
        reserve_mib: Mebibytes = Mebibytes(64) => 0..=1_048_576,
        /// Reports that report_dir holds at most, and half of them for one user. Only those of a schedule
        /// beyond its `keep` are removed by the daemon: while as many are there a new one is refused, until
        /// somebody removes one.
        kept_reports: u32 = 1000 => 1..=100_000,
    }
}

section! {
    /// How questions are answered.
    GrpcConfig "grpc" {
        /// Longest message, MiB.
        max_message_mib: Mebibytes = Mebibytes(16) => 1..=1_024,
        /// Replies that are made and not read yet, over all connections, MiB; of these one user may
        /// have half, and is refused above that. At least twice max_message_mib.
        max_unread_mib: Mebibytes = Mebibytes(256) => 2..=65_536,
        /// Longest document a client may upload with a query, MiB.
        max_upload_mib: Mebibytes = Mebibytes(256) => 1..=65_536,
        /// Documents that were uploaded and whose queries wait or are under way, MiB; of these one user may
        /// have half, and is refused above that. At least twice max_upload_mib.
        max_uploads_mib: Mebibytes = Mebibytes(2048) => 2..=2_097_152,
        /// Streams one connection may have open.
        max_streams: u32 = 64 => 1..=10_000,
        /// Requests under way on one connection.
        max_requests: usize = 64 => 1..=10_000,
        /// Queries answered at once, over all connections; others wait.
        max_queries: usize = 16 => 1..=256,
        /// A request without a deadline of its own ends after this long, seconds.
        deadline_seconds: u64 = 300 => 1..=86_400,
        /// No request lasts longer, whatever deadline its client asks for, seconds.
        max_deadline_seconds: u64 = 3_600 => 1..=86_400,
        /// No sync, confirmed loss or report lasts longer, which last as long as their work, seconds.
        max_work_seconds: u64 = 86_400 => 1..=604_800,
        /// Connections at once; above it the longest idle one gives way.
        max_connections: usize = 256 => 1..=10_000,
        /// Connections of one user at once.
        max_connections_per_user: usize = 64 => 1..=10_000,
        /// Requests of one user under way, replies that are not read yet included.
        max_requests_per_user: usize = 256 => 1..=100_000,
        /// A request that is not sent on, or a reply that is not read on, for so long ends, seconds.
        idle_seconds: u64 = 120 => 1..=86_400,
        /// A connection without requests is closed after this long, seconds.
        connection_idle_seconds: u64 = 600 => 1..=86_400,
        /// Whether every user of the socket may take a loss as real or another directory for a root (simctl
        /// roots confirm-loss). Otherwise root and the user that the daemon runs as may.
        users_confirm_losses: bool = false,
        /// Permissions of the socket; 0o660 = owner and group.
        socket_mode: Permissions = Permissions(0o660) => 0o600..=0o777,
    }
}
